"""Writes the averaged weights of a checkpoint as an ONNX file that stores them in half precision."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid

from .network import BrainNetwork
from .train import Run

OPSET = 18


def export_onnx(checkpoint: Path, model: Path) -> None:
    """Write a run's averaged network, its numbers in fp16 and its arithmetic in fp32.

    Args:
        checkpoint: as `Run.save` writes it.
        model: the .onnx file; its input "image" (1, 1, K, J, I) may have any size that is a multiple of 16.
    """
    run = Run.load(checkpoint)
    write_onnx(run.average, model, shape=run.settings.shape)


def write_onnx(network: BrainNetwork, model: Path, *, shape: tuple[int, int, int] = grid.SHAPE) -> None:
    """Write a network; `shape` is that of the image it is traced with."""
    import onnx

    plain = network.eval().to(memory_format=torch.contiguous_format)
    axes = {axis: 16 * torch.export.Dim(name, min=2, max=32) for axis, name in ((2, "k"), (3, "j"), (4, "i"))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch warns of its own code
        torch.onnx.export(
            plain,
            (torch.zeros(1, 1, *shape),),
            str(model),
            input_names=["image"],
            output_names=["logits"],
            dynamic_shapes={"image": axes},
            opset_version=OPSET,
            external_data=False,
            verbose=False,
        )
    graph = onnx.load(str(model))
    _store_in_half(graph, onnx)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(model))


def _store_in_half(graph: Any, onnx: Any) -> None:
    """Keep each weight as fp16 and cast it when the model is loaded, which a runtime folds away."""
    casts = []
    for tensor in graph.graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 64:
            continue
        name = tensor.name
        tensor.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), name + ".half"))
        casts.append(onnx.helper.make_node("Cast", [name + ".half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.graph.node]
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
