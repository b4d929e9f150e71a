"""What the frozen encoders make of the pictures of a data set, computed once and kept on disk, memory-mapped.

In stage 1 these are the embeddings of pictures, crops and squares; in stage 2, where only the judgment and the
correction learn, also the embedding of every mask and how good the mask is that it makes: the language model is needed
no more.

    FOLDER/squares.npy, pictures.npy, crops.npy, embeddings.npy, ious.npy     rows by picture, reference and mask
    FOLDER/index.json                                                        written last: what the rows are of
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.images.writers.atomic import write_json

from .losses import before_correction, see, see_crops
from .samples import Judged, Seen, references_in, sample_of
from .settings import TrainingError

INDEX = "index.json"
Say = Callable[[str], None]


class Features:
    """The kept features of a data set.

    Args:
        arrays: by name, memory-mapped.
        dialogues: of the data set, in the order in which they are computed.
    """

    def __init__(self, arrays: Mapping[str, Any], dialogues: Sequence[Dialogue]) -> None:
        self._rows = _rows(dialogues)
        self._arrays = arrays

    @classmethod
    def open(cls, folder: Path, dialogues: Sequence[Dialogue]) -> Features:
        """Those that `kept_features` left in a folder."""
        return cls({path.stem: np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))}, dialogues)

    def seen(self, number: int) -> Seen:
        """What the encoders make of the picture and the references of a dialogue, by its place in the data set."""
        picture, crops, _ = self._rows[number]
        return Seen(
            picture=self._read("pictures", picture),
            crops=self._read("crops", crops),
            square=self._read("squares", slice(picture, picture + 1)),
        )

    def judged(self, number: int) -> Judged | None:
        """The masks of a dialogue before they are corrected; None in stage 1."""
        if "ious" not in self._arrays:
            return None
        masks = self._rows[number][2]
        return Judged(self._read("embeddings", masks), self._read("ious", masks))

    def _read(self, name: str, rows: int | slice) -> torch.Tensor:
        return torch.from_numpy(np.array(self._arrays[name][rows]))


def kept_features(
    folder: Path,
    model: MediRoundModel,
    tokenizer: Tokenizer,
    dialogues: Sequence[Dialogue],
    *,
    stage: int,
    identity: str,
    say: Say,
) -> None:
    """Compute the features of a data set, unless the folder holds them.

    Args:
        folder: that of the features; what else it holds is removed.
        model: with the weights that do not learn, and in stage 2 all weights of stage 1.
        tokenizer: of the model.
        dialogues: the data set.
        stage: of training.
        identity: of the weights that they depend on, by `encoders_in` or `weights_in`.
        say: is told how large they will be, and how far the work is.

    Raises:
        TrainingError: they do not fit on the disk.
        DatasetError: a file of a dialogue cannot be read.
    """
    key = _key(dialogues, stage, identity)
    index = folder / INDEX
    if index.exists() and json.loads(index.read_text(encoding="utf-8")).get("key") == key:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shapes = _shapes(model, dialogues, stage)
    size = 4 * sum(int(np.prod(shape)) for shape in shapes.values())
    free = shutil.disk_usage(folder).free
    say(f"Features of the frozen encoders: {size / 1e9:.2f} GB in {folder.name}, of {free / 1e9:.0f} GB that are free.")
    if size > 0.95 * free:
        raise TrainingError("The features do not fit on the disk: make room, or train without keeping them.")
    arrays = {
        name: np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, shape)
        for name, shape in shapes.items()
    }
    _fill(arrays, model.eval(), tokenizer, dialogues, say)
    for array in arrays.values():
        array.flush()
    write_json(index, {"key": key, "bytes": size})


@torch.no_grad()
def _fill(
    arrays: dict[str, Any], model: MediRoundModel, tokenizer: Tokenizer, dialogues: Sequence[Dialogue], say: Say
) -> None:
    kept, done = Features(arrays, dialogues), set[int]()
    for number, (dialogue, (picture, crops, masks)) in enumerate(zip(dialogues, _rows(dialogues), strict=True), 1):
        sample = sample_of(dialogue, tokenizer, model.settings)
        if picture not in done:
            encoded = see(model, sample)
            arrays["pictures"][picture], arrays["squares"][picture] = _numpy(encoded.picture), _numpy(encoded.square)[0]
            arrays["crops"][crops] = _numpy(encoded.crops)
            done.add(picture)
        else:
            arrays["crops"][crops] = _numpy(see_crops(model, sample))
        if "ious" in arrays:
            embeddings, ious = before_correction(model, replace(sample, seen=kept.seen(number - 1)))
            arrays["embeddings"][masks], arrays["ious"][masks] = _numpy(embeddings), _numpy(ious)
        if number % 100 == 0 or number == len(dialogues):
            say(f"{number} of {len(dialogues)} dialogues encoded")


def _shapes(model: MediRoundModel, dialogues: Sequence[Dialogue], stage: int) -> dict[str, tuple[int, ...]]:
    settings = model.settings
    side, width = settings.sam.picture // settings.sam.patch, settings.language["hidden_size"]
    rows = _rows(dialogues)
    pictures = len({picture for picture, *_ in rows})
    crops, masks = rows[-1][1].stop, rows[-1][2].stop
    shapes: dict[str, tuple[int, ...]] = {
        "squares": (pictures, settings.sam.channels, side, side),
        "pictures": (pictures, settings.picture_tokens, width),
        "crops": (crops, width),
    }
    return shapes if stage == 1 else shapes | {"embeddings": (masks, settings.sam.channels), "ious": (masks,)}


def _rows(dialogues: Sequence[Dialogue]) -> list[tuple[int, slice, slice]]:
    """For each dialogue the row of its picture, and those of its references and masks."""
    pictures: dict[Path, int] = {}
    found: list[tuple[int, slice, slice]] = []
    crops = masks = 0
    for dialogue in dialogues:
        own_crops = sum(references_in(turn) for turn in dialogue.turns)
        own_masks = sum(turn.truth is not None for turn in dialogue.turns)
        picture = pictures.setdefault(dialogue.image, len(pictures))
        found.append((picture, slice(crops, crops + own_crops), slice(masks, masks + own_masks)))
        crops, masks = crops + own_crops, masks + own_masks
    return found


def _key(dialogues: Sequence[Dialogue], stage: int, identity: str) -> str:
    """What the features depend on, without reading the pictures."""
    sha = hashlib.sha256(f"{stage} {identity}".encode())
    for dialogue in dialogues:
        masks = [mask for turn in dialogue.turns for mask in (turn.truth, turn.drawn)]
        files = [dialogue.image, *(mask.path for mask in masks if mask)]
        stats = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.exists()]
        words = [(turn.question, turn.answer, turn.about) for turn in dialogue.turns]
        sha.update(repr((stats, words)).encode())
    return sha.hexdigest()


def encoders_in(model: MediRoundModel) -> str:
    """The identity of what never learns, on which all features of stage 1 depend."""
    sha = hashlib.sha256()
    for part in (model.vision_tower, model.mm_projector, model.visual_model.image_encoder):
        for name, weight in part.state_dict().items():
            sha.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
            sha.update(weight.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    return sha.hexdigest()


def weights_in(folder: Path) -> str:
    """The identity of all weights in a model's folder: their sizes and times."""
    files = sorted(folder.glob("*.safetensors"))
    return repr([(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files])


def _numpy(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return tensor.detach().float().cpu().numpy()
