"""The network as an ONNX file that stores weights in half precision: writing it, and reading it back to go on."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid

from .network import BrainNetwork

OPSET = 18


def write_onnx(network: BrainNetwork, model: Path, *, shape: tuple[int, int, int] = grid.SHAPE) -> None:
    """Write a network, its numbers in fp16 and its arithmetic in fp32.

    Args:
        network: what to write.
        model: the .onnx file; its input "image" (1, 1, K, J, I) may have any size that is a multiple of 16.
        shape: of the image that the network is traced with.
    """
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


@torch.no_grad()
def read_onnx(network: BrainNetwork, model: Path) -> None:
    """Give a network the weights of a file that `write_onnx` wrote; its coarse heads are not in there.

    Raises:
        ValueError: if weights are missing or of other sizes.
    """
    import onnx

    kept = {tensor.name.removesuffix(".half"): tensor for tensor in onnx.load(str(model)).graph.initializer}
    for name, weight in network.named_parameters():
        if name.startswith("coarse_heads."):
            continue
        if name not in kept:
            raise ValueError(f"{model} has no weight {name}.")
        values = torch.from_numpy(onnx.numpy_helper.to_array(kept[name]).astype(np.float32))
        if values.shape != weight.shape:
            raise ValueError(f"{name} is {tuple(values.shape)} in {model}, not {tuple(weight.shape)}.")
        weight.copy_(values)


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
