"""A MediRound model on disk: a folder with settings.json, tokenizer.model and weights in safetensors."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from huggingface_hub import save_torch_state_dict
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers.initialization import no_init_weights

from MultiRoundSegLib.errors import WeightsMissingError

from .model import MediRoundModel
from .official import CheckpointError, folded_in, published, shapes, verify
from .settings import ModelSettings
from .text import Tokenizer

SETTINGS, TOKENIZER, WEIGHTS = "settings.json", "tokenizer.model", "model*.safetensors"
UPDATES = "lora.safetensors"
"""Low-rank updates that are not folded into the weights, so that they can be trained on; they are when it is loaded."""


def save(
    folder: Path,
    settings: ModelSettings,
    tokenizer: Path,
    tensors: Mapping[str, Tensor],
    updates: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a folder, aside first, so that it is whole or not there.

    Args:
        folder: must not be there yet.
        settings: of the model.
        tokenizer: its tokenizer.model.
        tensors: all weights under our names.
        updates: low-rank updates that are not folded into them, as `official.separated` gives them.

    Raises:
        CheckpointError: they are not those of a model of these settings.
        FileExistsError: the folder is there.
    """
    verify(shapes(tensors), shapes(empty(settings).state_dict()))
    if folder.exists():
        raise FileExistsError(f"{folder.name} is there already; choose another name")
    aside = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    save_torch_state_dict(dict(tensors), aside)
    if updates:
        save_file({name: tensor.contiguous() for name, tensor in updates.items()}, aside / UPDATES)
    shutil.copyfile(tokenizer, aside / TOKENIZER)
    settings.write(aside / SETTINGS)
    aside.rename(folder)


def load(folder: Path, device: str = "cpu", dtype: torch.dtype = torch.float32) -> tuple[MediRoundModel, Tokenizer]:
    """A model ready to answer, and its tokenizer; one file of weights is in memory besides the model.

    Raises:
        WeightsMissingError: the folder or a file of it is missing.
        CheckpointError: the weights do not fit the settings.
    """
    files = sorted(folder.glob(WEIGHTS))
    for needed in (folder / SETTINGS, folder / TOKENIZER):
        if not needed.is_file() or not files:
            raise WeightsMissingError(
                f"The folder {folder.name} holds no MediRound model; scripts/convert_checkpoint.py makes one."
            )
    try:
        settings = ModelSettings.read(folder / SETTINGS)
    except ValueError as error:
        raise CheckpointError(str(error)) from error
    verify({name: shape for file in files for name, shape in _shapes_in(file)}, shapes(empty(settings).state_dict()))
    model = _built(settings, device, dtype)
    weights = model.state_dict()
    with torch.no_grad():
        for file in files:
            with safe_open(file, framework="pt", device=str(device)) as stored:
                for name in stored.keys():  # noqa: SIM118 - it is no dictionary
                    weights[name].copy_(stored.get_tensor(name))
        if (folder / UPDATES).is_file():
            for name, weight in folded_in(weights, load_file(folder / UPDATES)):
                weights[name].copy_(weight)
    return model.eval(), Tokenizer(folder / TOKENIZER)


def publish(folder: Path, target: Path) -> None:
    """Write a model's weights as pytorch_model.bin in the published names, as the authors' scripts load them.

    Args:
        folder: as `save` writes it.
        target: folder for the file; made where it is not there.

    Raises:
        WeightsMissingError: the folder holds no model.
        CheckpointError: the authors' code would correct with it what it should not.
    """
    files = sorted(folder.glob(WEIGHTS))
    if not files:
        raise WeightsMissingError(f"The folder {folder.name} holds no MediRound model.")
    if ModelSettings.read(folder / SETTINGS).adds_correction:
        raise CheckpointError(
            f"{folder.name} adds its correction to what it corrects; in the published code a correction takes its "
            "place. Publish the model of stage 1, or train stage 2 without adding."
        )
    tensors = {name: tensor for file in files for name, tensor in load_file(file).items()}
    updates = load_file(folder / UPDATES) if (folder / UPDATES).exists() else {}
    target.mkdir(parents=True, exist_ok=True)
    aside = target / ".pytorch_model.bin.part"
    torch.save(published(tensors, updates), aside)
    aside.replace(target / "pytorch_model.bin")


def empty(settings: ModelSettings) -> MediRoundModel:
    """A model without memory for its weights, for their names and shapes."""
    with torch.device("meta"):
        return MediRoundModel(settings)


def _built(settings: ModelSettings, device: str, dtype: torch.dtype) -> MediRoundModel:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device), no_init_weights():
            return MediRoundModel(settings)
    finally:
        torch.set_default_dtype(before)


def _shapes_in(file: Path) -> Iterator[tuple[str, list[int]]]:
    with safe_open(file, framework="pt") as stored:
        for name in stored.keys():  # noqa: SIM118 - it is no dictionary
            yield name, stored.get_slice(name).get_shape()
