"""Reads a data set by the name of its format, and finds all of its faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from PIL import Image

from MultiRoundSegLib.errors import DatasetError

from . import mr_medseg, mturn_seg
from .checking import read_json
from .dialogues import Dialogue, Truth

FORMATS: dict[str, ModuleType] = {"mr-medseg": mr_medseg, "mturn-seg": mturn_seg}
"""Each has `items_of` and `dialogue_of`."""


def read_dialogues(kind: str, file: Path, root: Path) -> list[Dialogue]:
    """All dialogues of a file; pictures and masks are read later, when they are asked for.

    Args:
        kind: one of `FORMATS`.
        file: the JSON.
        root: the folder that the paths within are relative to.

    Raises:
        DatasetError: the file is damaged; the message names file, item and field.
    """
    items = FORMATS[kind].items_of(read_json(file), file.name)
    return [FORMATS[kind].dialogue_of(item, number, root) for number, item in enumerate(items)]


def faults_of(kind: str, file: Path, root: Path) -> Iterator[DatasetError]:
    """Every fault of a data set, also of its pictures and masks.

    Args:
        kind: one of `FORMATS`.
        file: the JSON.
        root: the folder that the paths within are relative to.
    """
    try:
        for number, item in enumerate(FORMATS[kind].items_of(read_json(file), file.name)):
            try:
                dialogue = FORMATS[kind].dialogue_of(item, number, root)
            except DatasetError as fault:
                yield fault
            else:
                yield from _faults_of_files(dialogue, item.place)
    except DatasetError as fault:
        yield fault


def _faults_of_files(dialogue: Dialogue, place: str) -> Iterator[DatasetError]:
    try:
        with Image.open(dialogue.image) as picture:
            picture.load()
            size = (picture.height, picture.width)
    except OSError as error:
        yield DatasetError(f"{place}: the picture {dialogue.image.name} cannot be read: {error}.")
        return
    for number, turn in enumerate(dialogue.turns, start=1):
        for mask in (turn.truth, turn.drawn):
            if mask:
                yield from _faults_of_mask(mask, size, f"{place}, round {number}")


def _faults_of_mask(mask: Truth, size: tuple[int, int], place: str) -> Iterator[DatasetError]:
    try:
        region = mask.read()
    except DatasetError as fault:
        yield DatasetError(f"{place}: {fault}")
        return
    if region.shape != size:
        yield DatasetError(f"{place}: the mask is {region.shape}, the picture {size}.")
    elif not region.any():
        yield DatasetError(f"{place}: the mask {mask.path.name} is empty.")
