"""Checkpoints of a run: each is a folder by its step, which is whole or not there.

Where processes share the weights of a model, each holding a part, all of them gather what is written, and the first
writes it.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)

from .settings import TrainingError

WEIGHTS, OPTIMIZER, CHECKPOINTS = "weights.safetensors", "optimizer.pt", "checkpoints"
_GATHERED = StateDictOptions(full_state_dict=True, cpu_offload=True)
_SOME = StateDictOptions(full_state_dict=True, strict=False)  # of all weights those that learn, and that had to


def latest_checkpoint(run: Path) -> Path | None:
    """The folder of the last checkpoint of a run; None where there is none."""
    return next(reversed(_all_of(run)), None)


def gathered_weights(model: nn.Module) -> dict[str, Tensor]:
    """All weights by name, in the first process; nothing in others."""
    return {name: _fitting(weight) for name, weight in get_model_state_dict(model, options=_GATHERED).items()}


def _fitting(tensor: Tensor) -> Tensor:
    """The same without the room that is left over where it was gathered from uneven parts, which no file may hold."""
    return tensor.contiguous() if tensor.untyped_storage().nbytes() == tensor.nbytes else tensor.clone()


def gathered_learning(learner: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights that learn and the state of the optimizer, by name, in the first process; nothing in others."""
    learning = {name for name, weight in learner.named_parameters() if weight.requires_grad}
    weights = get_model_state_dict(learner, options=replace(_GATHERED, ignore_frozen_params=True))
    state = get_optimizer_state_dict(learner, optimizer, options=_GATHERED)
    return {name: _fitting(weight) for name, weight in weights.items() if name in learning}, state


def give_back(
    learner: nn.Module, optimizer: torch.optim.Optimizer, weights: dict[str, Tensor], state: dict[str, Any]
) -> None:
    """Give a learner and its optimizer what `gathered_learning` gathered; all processes have all of it."""
    set_model_state_dict(learner, weights, options=_SOME)
    set_optimizer_state_dict(learner, optimizer, state, options=_SOME)


def write_checkpoint(run: Path, step: int, weights: Mapping[str, Tensor], optimizer: dict[str, Any], keep: int) -> None:
    """Write a checkpoint aside, put it in its place, and remove those that are too many.

    Args:
        run: the folder of the run.
        step: after which it is.
        weights: that learn, by name.
        optimizer: its state, by their names.
        keep: how many of the latest stay.

    Raises:
        TrainingError: it cannot be written, for example as the disk is full; the one before stays.
    """
    folder = run / CHECKPOINTS / f"{step:06d}"
    aside = folder.with_name(f"{folder.name}.partial")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        save_file(dict(weights), aside / WEIGHTS)
        torch.save(optimizer, aside / OPTIMIZER)
        shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
    except (OSError, RuntimeError) as error:
        raise TrainingError(
            f"The checkpoint {folder.name} cannot be written: {error}. The one before stays."
        ) from error
    for old in _all_of(run)[:-keep]:
        shutil.rmtree(old)


def read_checkpoint(checkpoint: Path, device: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights and the state of the optimizer.

    Raises:
        TrainingError: it is damaged.
    """
    try:
        weights = load_file(checkpoint / WEIGHTS, device)
        return weights, torch.load(checkpoint / OPTIMIZER, map_location=device, weights_only=True)
    except (OSError, RuntimeError, ValueError, SafetensorError) as error:
        raise TrainingError(
            f"The checkpoint {checkpoint.name} cannot be read: remove its folder to go on from the one before."
        ) from error


def _all_of(run: Path) -> list[Path]:
    """All whole ones, the oldest first."""
    return sorted(path for path in (run / CHECKPOINTS).glob("*") if path.name.isdigit())
