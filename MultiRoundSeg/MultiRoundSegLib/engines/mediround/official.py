"""Published checkpoints: their names of tensors, and the low-rank updates folded in.

A trained result carries the names of a PEFT-wrapped model: `base_model.model.` before every name, and for the
layers with low-rank updates `W.weight` (peft 0.4) or `W.base_layer.weight` (0.6 and later), `W.lora_A.default.weight`
and `W.lora_B.default.weight`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import torch
from torch import Tensor

PREFIX = "base_model.model."
_NAMED = 8
LORA_SCALE = 16 / 8  # alpha over rank, as published
_ROOMS = (
    ("model.vision_tower.vision_tower.vision_model.", "vision_tower."),
    ("model.mm_projector.", "mm_projector."),
    ("model.visual_model.", "visual_model."),
    ("model.text_hidden_fcs.", "text_hidden_fcs."),
    ("model.bbox_encoder.", "bbox_encoder."),
    ("model.mask_quality_MLP.", "mask_quality_MLP."),
    ("model.refine_MLP.", "refine_MLP."),
    ("model.", "language.model."),
    ("lm_head.", "language.lm_head."),
)
DOWN, UP = ".lora_A", ".lora_B"
_PEFT = re.compile(r"(\.lora_[AB])\.default\.weight$")
_UNUSED = re.compile(r"\.position_ids$|rotary_emb\.inv_freq$")


class CheckpointError(ValueError):
    """A checkpoint does not hold what it should; the message names the tensors."""


def translated(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors under our names, low-rank updates folded into the weights they update.

    Raises:
        CheckpointError: a name is not known, or half of an update is missing.
    """
    plain, updates = separated(tensors)
    return plain | dict(folded_in(plain, updates))


def separated(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Tensors under our names, and apart from them the low-rank updates: `LAYER.lora_A` (down) and `LAYER.lora_B` (up).

    Raises:
        CheckpointError: a name is not known, or half of an update is missing.
    """
    named = {name.removeprefix(PREFIX).replace(".base_layer.", "."): tensor for name, tensor in tensors.items()}
    kept = {name: tensor for name, tensor in named.items() if ".lora_" not in name and not _UNUSED.search(name)}
    plain = {our_name(name): tensor for name, tensor in kept.items()}
    updates = {our_name(_PEFT.sub(r"\1", name)): tensor for name, tensor in named.items() if ".lora_" in name}
    _updated_layers(plain, updates)
    return plain, updates


def folded_in(weights: Mapping[str, Tensor], updates: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """The weights that low-rank updates change, by name, with their updates folded in, in float32.

    Raises:
        CheckpointError: half of an update is missing, or the weight that it updates.
    """
    for layer in _updated_layers(weights, updates):
        down, up = updates[layer + DOWN], updates[layer + UP]
        yield f"{layer}.weight", weights[f"{layer}.weight"].cpu().float() + LORA_SCALE * (up.float() @ down.float())


def _updated_layers(weights: Mapping[str, Tensor], updates: Mapping[str, Tensor]) -> list[str]:
    """The layers that have updates, each of them whole."""
    layers = sorted({name.removesuffix(DOWN).removesuffix(UP) for name in updates})
    for layer in layers:
        if not {layer + DOWN, layer + UP} <= set(updates) or f"{layer}.weight" not in weights:
            raise CheckpointError(f"the low-rank update of {layer} is not whole")
    return layers


def our_name(name: str) -> str:
    """Our name of a tensor.

    Raises:
        CheckpointError: nothing of ours is called so.
    """
    for theirs, ours in _ROOMS:
        if name.startswith(theirs):
            return ours + name.removeprefix(theirs)
    raise CheckpointError(f"the checkpoint holds an unknown tensor {name}")


def published(tensors: Mapping[str, Tensor], updates: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors under the published names, those of PEFT 0.4: the other way of `separated`."""
    named = {PREFIX + published_name(name): tensor for name, tensor in tensors.items()}
    parts = {name: PREFIX + published_name(name) + ".default.weight" for name in updates}
    return named | {parts[name]: tensor for name, tensor in updates.items()}


def published_name(name: str) -> str:
    """The published name of one of our tensors, without the prefix."""
    theirs, ours = next((theirs, ours) for theirs, ours in _ROOMS if ours != name and name.startswith(ours))
    return theirs + name.removeprefix(ours)


def verify(found: Mapping[str, Iterable[int]], wanted: Mapping[str, Iterable[int]]) -> None:
    """Compare the shapes of tensors with those of a model.

    Raises:
        CheckpointError: some are missing, too many, or of another shape; all are named.
    """
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    wrong = [name for name in sorted(set(wanted) & set(found)) if tuple(found[name]) != tuple(wanted[name])]
    titled = (("missing", missing), ("not of this model", extra), ("of another shape", wrong))
    faults = [f"{title}: {_listed(names)}" for title, names in titled if names]
    if faults:
        raise CheckpointError("the checkpoint does not fit the model; " + "; ".join(faults))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def shapes(tensors: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    """The shape of each tensor."""
    return {name: tensor.shape for name, tensor in tensors.items()}
