"""MR-MedSeg, the data set of MediRound: a JSON list of conversations (or one of them), pictures and masks as PNG.

    {"task": "segmentation", "base": "[null]", "conversations": [{"from": "human", "value": ..., "ind": 0}, {"from":
    "gpt", "value": ...}, ...]}

The texts carry files in brackets: [IMAGE256:file] in the first question; [MASK-ENCODE:file][BOX-ENCODE:file] before a
question about an earlier mask, which "ind" names by its round from 0; [REF-DECODE:file][MASK-DECODE:file] in answers,
the earlier mask (which only repeats) and the target. A mask's pixels are 0 or 255.

Ours are "modality" of a conversation; "relation" and, where the mask in it is one that the user drew and not an earlier
one, "drawn": true instead of "ind", of a question; "absent": true of an answer in words, without a mask.
Source: the public repository of MediRound, commit 770a5c7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_json

from .checking import Item
from .dialogues import TARGET, Dialogue, Region, Truth, Turn
from .sa_med2d import modality_of

FILE = re.compile(r"\[(IMAGE256|MASK-ENCODE|BOX-ENCODE|REF-DECODE|MASK-DECODE):([^\]]+)\]")
"""A file in a text: what it is, and its path."""
_UNKNOWN = re.compile(r"\[[A-Z0-9]+(?:-[A-Z0-9]+)*:[^\]]*\]")
INSIDE = 255


@dataclass(frozen=True)
class PngMask:
    """A mask in a picture file whose pixels are 0 or 255."""

    path: Path

    def read(self) -> Region:
        """See `Truth`."""
        try:
            with Image.open(self.path) as image:
                pixels = np.asarray(image.convert("L"))
        except OSError as error:
            raise DatasetError(f"The mask {self.path.name} cannot be read: {error}.") from error
        return np.asarray(pixels == INSIDE)


def items_of(document: Any, file: str) -> Iterator[Item]:
    """The conversations of a document.

    Raises:
        DatasetError: it is neither a list nor a conversation.
    """
    for number, value in enumerate(document if isinstance(document, list) else [document]):
        yield Item(value, f"{file}, item {number}")


def dialogue_of(item: Item, number: int, root: Path) -> Dialogue:
    """The dialogue of a conversation.

    Raises:
        DatasetError: it is damaged; the message says where.
    """
    if item.text("task", "segmentation") != "segmentation":
        raise item.fault("task", "is not segmentation")
    said = item.items("conversations")
    if not said or len(said) % 2:
        raise item.fault("conversations", "are not pairs of a question and an answer")
    pairs = list(zip(said[::2], said[1::2], strict=True))
    turns: list[Turn] = []
    targets: list[str] = []
    for place, (asked, answered) in enumerate(pairs):
        turns.append(_turn(asked, answered, root, targets))
        if len(_files(asked, "IMAGE256")) != (place == 0):
            raise asked.fault("value", "the first question, and no other, names the picture by [IMAGE256:file]")
    image = root / _files(said[0], "IMAGE256")[0]
    return Dialogue(number, image, tuple(turns), item.text("modality", "") or modality_of(image.name))


def _turn(asked: Item, answered: Item, root: Path, targets: list[str]) -> Turn:
    """One round; its target is added to those of the rounds before."""
    for one, speaker in ((asked, "human"), (answered, "gpt")):
        if one.text("from") != speaker:
            raise one.fault("from", f"is not {speaker}")
        if unknown := _UNKNOWN.search(FILE.sub("", one.text("value"))):
            raise one.fault("value", f"{unknown[0]} is not known")
    made = _files(answered, "MASK-DECODE")
    if len(made) != (not answered.get("absent")):
        raise answered.fault("value", f"has {len(made)} masks to make, not one")
    about, drawn = _referred_to(asked, targets)
    targets.append("".join(made))
    answer = FILE.sub(lambda found: TARGET if found[1] == "MASK-DECODE" else "", answered.text("value"))
    question = FILE.sub("", asked.text("value")).strip()
    if not question:
        raise asked.fault("value", "asks nothing")
    truth = PngMask(root / made[0]) if made else None
    shown = PngMask(root / drawn) if drawn else None
    return Turn(question, answer.strip(), truth, about, relation=asked.text("relation", ""), drawn=shown)


def _referred_to(asked: Item, targets: Sequence[str]) -> tuple[tuple[int, ...], str]:
    """The earlier round that a question refers to, or the file of what was drawn for it."""
    crops, boxes, index = _files(asked, "MASK-ENCODE"), _files(asked, "BOX-ENCODE"), asked.number("ind")
    if crops != boxes or len(crops) > 1:
        raise asked.fault("value", "names masks by MASK-ENCODE and BOX-ENCODE that are not one and the same")
    is_drawn = bool(asked.get("drawn"))
    if bool(crops) != (index is not None or is_drawn) or (is_drawn and index is not None):
        raise asked.fault("ind", "and a mask in the question must come together")
    if index is None:
        return (), "".join(crops)
    if not 0 <= index < len(targets):
        raise asked.fault("ind", f"is {index}, but {len(targets)} masks were made before")
    if crops[0] != targets[index]:
        raise asked.fault("ind", f"is {index}, whose mask is {targets[index]}, but the question names {crops[0]}")
    return (index + 1,), ""


def _files(turn: Item, kind: str) -> list[str]:
    return [found[2] for found in FILE.finditer(turn.text("value")) if found[1] == kind]


def write_mr_medseg(dialogues: Iterable[Dialogue], file: Path) -> None:
    """Write dialogues with pictures and masks beside the file, which comes last; a picture of several is written once.

    Args:
        dialogues: a question refers to one mask at most.
        file: the JSON; `images/` and `masks/` are made beside it.

    Raises:
        DatasetError: a dialogue has something that the format cannot say.
    """
    for folder in ("images", "masks"):
        (file.parent / folder).mkdir(parents=True, exist_ok=True)
    images: dict[Path, str] = {}
    written = [_written(dialogue, file.parent, images) for dialogue in dialogues]
    write_json(file, written)


def _written(dialogue: Dialogue, root: Path, images: dict[Path, str]) -> dict[str, Any]:
    """A conversation; the file of its picture is added to those that are written."""
    stem = f"{dialogue.number:06d}_{dialogue.image.stem}"
    if dialogue.image not in images:
        images[dialogue.image] = f"images/{stem}.png"
        with Image.open(dialogue.image) as picture:
            picture.save(root / images[dialogue.image])
    image = images[dialogue.image]
    said: list[dict[str, Any]] = []
    names: dict[int, str] = {}
    for number, turn in enumerate(dialogue.turns, start=1):
        if turn.truth:
            names[number] = f"masks/{stem}_round_{number - 1:02d}.png"
            _write_mask(turn.truth, root / names[number])
        drawn = f"masks/{stem}_drawn_{number - 1:02d}.png" if turn.drawn else ""
        if turn.drawn:
            _write_mask(turn.drawn, root / drawn)
        said += _written_turn(turn, names, number, drawn, f"[IMAGE256:{image}] " if not said else "")
    modality = {"modality": dialogue.modality} if dialogue.modality else {}
    return {"task": "segmentation", "base": "[null]", **modality, "conversations": said}


def _write_mask(mask: Truth, path: Path) -> None:
    Image.fromarray(mask.read().astype(np.uint8) * INSIDE).save(path)


def _written_turn(turn: Turn, names: dict[int, str], number: int, drawn: str, shown: str) -> list[dict[str, Any]]:
    """Question and answer of a round, from 1.

    Args:
        turn: the round.
        names: files of the masks of the rounds so far.
        number: of the round.
        drawn: the file of what was drawn for it.
        shown: what stands before the first question.
    """
    asked: dict[str, Any] = {"from": "human", "value": f"{shown}{turn.question}"}
    target = f"[MASK-DECODE:{names[number]}]" if number in names else ""
    if len(turn.about) + bool(drawn) > 1 or any(round_ not in names for round_ in turn.about):
        raise DatasetError(f"MR-MedSeg cannot say the references of the question {turn.question!r}.")
    for reference in [*(names[round_] for round_ in turn.about), *([drawn] if drawn else [])]:
        asked["value"] = f"{shown}[MASK-ENCODE:{reference}][BOX-ENCODE:{reference}] {turn.question}"
        target = f"[REF-DECODE:{reference}]{target}" if target else ""
    for round_ in turn.about:
        asked["ind"] = round_ - 1
    asked |= {"drawn": True} if drawn else {}
    if turn.relation:
        asked["relation"] = turn.relation
    absent = {} if target else {"absent": True}
    return [asked, {"from": "gpt", "value": turn.answer.replace(TARGET, target), **absent}]
