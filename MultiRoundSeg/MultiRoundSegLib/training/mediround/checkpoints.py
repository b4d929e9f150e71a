"""Checkpoints of a run: each is a folder by its step, which is whole or not there."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from .settings import TrainingError

WEIGHTS, OPTIMIZER, CHECKPOINTS = "weights.safetensors", "optimizer.pt", "checkpoints"


def latest_checkpoint(run: Path) -> Path | None:
    """The folder of the last checkpoint of a run; None where there is none."""
    return next(reversed(_all_of(run)), None)


def write_checkpoint(run: Path, step: int, weights: Mapping[str, Tensor], optimizer: dict[str, Any], keep: int) -> None:
    """Write a checkpoint aside, put it in its place, and remove those that are too many.

    Args:
        run: the folder of the run.
        step: after which it is.
        weights: that learn, by name.
        optimizer: its state.
        keep: how many of the latest stay.

    Raises:
        TrainingError: it cannot be written, for example as the disk is full; the one before stays.
    """
    folder = run / CHECKPOINTS / f"{step:06d}"
    aside = folder.with_name(f"{folder.name}.partial")
    try:
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        save_file({name: weight.detach().cpu().contiguous() for name, weight in weights.items()}, aside / WEIGHTS)
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
