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


def write_medseg_qa(items: Iterable[Item], file: Path) -> None:
    """Write items with pictures and masks beside the file, which comes last.

    Args:
        items: the data set.
        file: the JSON; `images/` and `masks/` are made beside it.
    """
    for folder in ("images", "masks"):
        (file.parent / folder).mkdir(parents=True, exist_ok=True)
    write_json(file, [_written(item, file.parent) for item in items])


def _written(item: Item, root: Path) -> dict[str, Any]:
    image = f"images/{item.name}.png"
    if not (root / image).exists():
        Image.fromarray(item.picture).save(root / image)
    said: list[dict[str, Any]] = []
    for pair in item.pairs:
        said += [{"from": "human", "value": pair.question}, {"from": "gpt", **_text(pair.answer, item, root)}]
    return {
        "image": image,
        "modality": item.modality,
        "language": item.language,
        "caption": _text(item.caption, item, root),
        "conversations": said,
    }


def _text(spoken: Spoken, item: Item, root: Path) -> dict[str, Any]:
    return {"value": spoken.text, "masks": [_mask(entity, item, root) for entity in spoken.shown]}


def _mask(entity: Entity, item: Item, root: Path) -> str:
    """The file of a structure's mask, which is written once."""
    name = f"masks/{item.name}_{entity.name('en').replace(' ', '_')}.png"
    if not (root / name).exists():
        Image.fromarray(item.regions[entity].astype(np.uint8) * INSIDE).save(root / name)
    return name
