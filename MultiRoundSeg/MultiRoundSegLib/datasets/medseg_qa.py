"""MedSeg-QA's kind of data set: pictures with captions and conversations whose phrases have masks.

    [{"image": "images/NAME.png", "modality": "CT", "language": "en",
      "caption": {"value": "The <p> liver </p> [SEG] ...", "masks": ["masks/NAME_liver.png"]},
      "conversations": [{"from": "human", "value": "..."},
                        {"from": "gpt", "value": "The <p> spleen </p> [SEG] ...", "masks": [...]}]}]

A text has as many masks as it has [SEG], in their order. The authors published no files (arXiv 2506.10465): phrases and
[SEG] are written as their paper shows them, and masks as in MR-MedSeg, 255 inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from MultiRoundSegLib.anatomy import Entity, Language
from MultiRoundSegLib.images.writers.atomic import write_json

from .dialogues import Region
from .mr_medseg import INSIDE


@dataclass(frozen=True)
class Spoken:
    """A text with grounded phrases.

    Attributes:
        text: with "[SEG]" behind each.
        shown: the structure of each, in order.
    """

    text: str
    shown: tuple[Entity, ...]


@dataclass(frozen=True)
class Pair:
    """A question and its answer."""

    question: str
    answer: Spoken


@dataclass(frozen=True)
class Item:
    """What is said of a picture in one language.

    Attributes:
        name: of the picture, for file names.
        picture: (H, W, 3) uint8 RGB.
        modality: of it.
        language: of all texts.
        regions: (H, W) of its structures.
        caption: of it.
        pairs: the conversation.
    """

    name: str
    picture: NDArray[np.uint8]
    modality: str
    language: Language
    regions: Mapping[Entity, Region]
    caption: Spoken
    pairs: tuple[Pair, ...]


def write_medseg_qa(items: Iterable[Item], file: Path) -> int:
    """Write items with pictures and masks beside the file, which comes last; each is written once.

    Args:
        items: the data set; they are taken one by one.
        file: the JSON; `images/` and `masks/` are made beside it.

    Returns:
        How many pictures; nothing is written where there are none.
    """
    files: set[str] = set()
    written = [_written(item, file.parent, files) for item in items]
    if written:
        write_json(file, written)
    return len({item["image"] for item in written})


def _written(item: Item, root: Path, files: set[str]) -> dict[str, Any]:
    """What the JSON has of an item; its picture and masks are added to the files that are written."""

    def text(spoken: Spoken) -> dict[str, Any]:
        return {"value": spoken.text, "masks": [mask(entity) for entity in spoken.shown]}

    def mask(entity: Entity) -> str:
        name = f"masks/{item.name}_{entity.name('en').replace(' ', '_')}.png"
        return _save(item.regions[entity].astype(np.uint8) * INSIDE, name, root, files)

    said: list[dict[str, Any]] = []
    for pair in item.pairs:
        said += [{"from": "human", "value": pair.question}, {"from": "gpt", **text(pair.answer)}]
    return {
        "image": _save(item.picture, f"images/{item.name}.png", root, files),
        "modality": item.modality,
        "language": item.language,
        "caption": text(item.caption),
        "conversations": said,
    }


def _save(pixels: NDArray[np.uint8], name: str, root: Path, files: set[str]) -> str:
    """Write a picture unless it was; its name."""
    if name not in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(root / name)
        files.add(name)
    return name
