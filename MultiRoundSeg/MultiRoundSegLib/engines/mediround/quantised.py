"""The language model's layers in 4 or 8 bits a weight, by bitsandbytes: 7 billion weights then fit into 5 or 8 GB."""

from __future__ import annotations

from typing import Any

from torch import nn

from .model import MediRoundModel


def quantise(model: MediRoundModel, bits: int) -> MediRoundModel:
    """Replace the linear layers within the language model's blocks; weights are turned when the model is moved.

    Args:
        model: with its weights, on the processor.
        bits: 4 or 8.

    Raises:
        ImportError: bitsandbytes is not installed.
        ValueError: bits is neither.
    """
    import bitsandbytes

    if bits not in (4, 8):
        raise ValueError(f"weights can have 4 or 8 bits, not {bits}")

    def made(layer: nn.Linear) -> Any:
        sizes = (layer.in_features, layer.out_features, layer.bias is not None)
        if bits == 8:
            other = bitsandbytes.nn.Linear8bitLt(*sizes, has_fp16_weights=False)
        else:
            other = bitsandbytes.nn.Linear4bit(*sizes, compute_dtype=layer.weight.dtype, quant_type="nf4")
        other.load_state_dict(layer.state_dict())
        return other.requires_grad_(False)

    for block in model.language.model.layers:
        for name, layer in list(block.named_modules()):
            if isinstance(layer, nn.Linear):
                parent, _, last = name.rpartition(".")
                setattr(block.get_submodule(parent), last, made(layer))
    return model
