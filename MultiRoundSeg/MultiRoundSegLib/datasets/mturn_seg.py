"""MTurn-Seg, the bilingual benchmark of dialogues: one JSON for each source and language, masks as sparse matrices.

    {"name": "CHAOS", "dimension": "2D", "modality": "mr_t2w", "labels": {"0": "background", "1": "liver", ...},
     "dataset": [{"image": ..., "label": ..., "class_ids": [...], "questions": [{"id": ..., "question": ...,
       "answer": ..., "label": "liver", "referring label": "none", "area": 1234, "area center": [x, y]}, ...]}, ...]}

A label file is a `scipy.sparse` matrix of one row per class without background; its name ends with the true shape, such
as "x___T2_13_10.(4,320,320,1).npz": classes, height, width, 1. A turn whose label is absent or "none" is answered in
words.
Source: the card of Haitao-AI/MTurn-Seg (CHAOS, in Chinese); the masks are those of IMIS-Bench.
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
from .dialogues import TARGET, Dialogue, Region, Turn

_SHAPE = re.compile(r"\.\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\.npz$")
_NOTHING = ("", "none", "background", "0")


@dataclass(frozen=True)
class SparseMask:
    """One class of a sparse label file.

    Attributes:
        path: of the file, whose name says the shape.
        channel: row of the class.
    """

    path: Path
    channel: int

    def read(self) -> Region:
        """See `Truth`."""
        from scipy import sparse

        try:
            matrix = sparse.load_npz(self.path)
        except (OSError, ValueError, KeyError) as error:
            raise DatasetError(f"The label file {self.path.name} cannot be read: {error}.") from error
        shape = shape_of(self.path.name)
        if not 0 <= self.channel < shape[0] or matrix.shape != (shape[0], shape[1] * shape[2] * shape[3]):
            raise DatasetError(f"The label file {self.path.name} holds {matrix.shape}, not what its name says.")
        row = np.asarray(matrix.tocsr()[self.channel].todense())
        return np.asarray(row.reshape(shape[1:])[..., 0] != 0)


def shape_of(name: str) -> tuple[int, int, int, int]:
    """Classes, height, width and 1, from the name of a label file.

    Raises:
        DatasetError: the name says no shape.
    """
    found = _SHAPE.search(name)
    if found is None:
        raise DatasetError(
            f'The name of the label file {name} does not end with its shape, such as ".(4,320,320,1).npz".'
        )
    return int(found[1]), int(found[2]), int(found[3]), int(found[4])


def items_of(document: Any, file: str) -> Iterator[Item]:
    """The samples of a document, each with the document's own labels and modality.

    Raises:
        DatasetError: it has no list of samples, or no labels.
    """
    whole = Item(document, file)
    labels = dict(Item(whole.get("labels"), f"{file}, labels").entries())
    if not all(key.isdigit() and isinstance(value, str) for key, value in labels.items()):
        raise whole.fault("labels", "are not names by number")
    if not isinstance(whole.get("dataset"), list):
        raise whole.fault("dataset", "is no list")
    more = {"labels": labels, "modality": whole.text("modality", "")}
    for number, value in enumerate(whole.get("dataset")):
        place = f"{file}, item {number}"
        yield Item(dict(Item(value, place).entries()) | more, place)


def dialogue_of(item: Item, number: int, root: Path) -> Dialogue:
    """The dialogue of a sample.

    Raises:
        DatasetError: it is damaged; the message says where.
    """
    labels: dict[str, str] = item.get("labels")
    names = [labels[key] for key in sorted(labels, key=int) if labels[key] not in _NOTHING and key != "0"]
    file = root / item.text("label")
    shape_of(file.name)
    turns: list[Turn] = []
    for asked in item.items("questions"):
        turns.append(_turn(asked, names, labels, file, turns))
    if not turns:
        raise item.fault("questions", "are none")
    return Dialogue(number, root / item.text("image"), tuple(turns), item.text("modality"))


def _turn(asked: Item, names: Sequence[str], labels: dict[str, str], file: Path, before: Sequence[Turn]) -> Turn:
    question, answer = asked.text("question").strip(), asked.text("answer", "").strip()
    if not question:
        raise asked.fault("question", "asks nothing")
    label = _label(asked, "label", names, labels)
    if not label:
        return Turn(question, answer, None)
    about = _label(asked, "referring label", names, labels)
    earlier = [number for number, turn in enumerate(before, start=1) if about and turn.label == about]
    if about and not earlier:
        raise asked.fault("referring label", f"is {about}, which no earlier question asked for")
    words = answer if TARGET in answer else f"{answer} {TARGET}".strip()
    return Turn(question, words, SparseMask(file, names.index(label)), tuple(earlier[-1:]), label)


def _label(asked: Item, field: str, names: Sequence[str], labels: dict[str, str]) -> str:
    """The structure that a field names, by its name or number; "" where it names none."""
    value = str(asked.get(field) if asked.get(field) is not None else "").strip()
    if value.lower() in _NOTHING:
        return ""
    value = labels.get(value, value)
    if value not in names:
        raise asked.fault(field, f"{value!r} is not among the labels")
    return value


def write_mturn_seg(dialogues: Sequence[Dialogue], file: Path, *, name: str) -> None:
    """Write dialogues of one modality, with pictures and masks beside the file, which comes last.

    Args:
        dialogues: every round with a mask has a label; a question refers to one mask at most, the latest of its label.
        file: the JSON; `image/` and `label/` are made beside it.
        name: of the data set.

    Raises:
        DatasetError: a dialogue has something that the format cannot say.
    """
    for folder in ("image", "label"):
        (file.parent / folder).mkdir(parents=True, exist_ok=True)
    names = sorted({turn.label for dialogue in dialogues for turn in dialogue.turns if turn.truth})
    if "" in names or len({dialogue.modality for dialogue in dialogues}) > 1:
        raise DatasetError("MTurn-Seg needs a label for every mask and one modality for all pictures of a file.")
    document = {
        "name": name,
        "dimension": "2D",
        "modality": dialogues[0].modality if dialogues else "",
        "labels": {"0": "background"} | {str(n): label for n, label in enumerate(names, start=1)},
        "dataset": [_written(dialogue, names, file.parent) for dialogue in dialogues],
    }
    write_json(file, document)


def _written(dialogue: Dialogue, names: Sequence[str], root: Path) -> dict[str, Any]:
    stem = f"{dialogue.number:06d}_{dialogue.image.stem}"
    image = f"image/{stem}.png"
    with Image.open(dialogue.image) as picture:
        picture.save(root / image)
        size = (picture.height, picture.width)
    regions = {turn.label: turn.truth.read() for turn in dialogue.turns if turn.truth}
    label = f"label/{stem}.({len(names)},{size[0]},{size[1]},1).npz"
    _write_sparse(root / label, [regions.get(one, np.zeros(size, bool)) for one in names])
    questions = [
        _written_turn(turn, dialogue, f"{dialogue.number:05d}_{number:02d}", regions)
        for number, turn in enumerate(dialogue.turns, start=1)
    ]
    ids = [names.index(one) + 1 for one in regions]
    return {"image": image, "label": label, "class_ids": ids, "questions": questions}


def _written_turn(turn: Turn, dialogue: Dialogue, identity: str, regions: dict[str, Region]) -> dict[str, Any]:
    about = [dialogue.turns[number - 1].label for number in turn.about]
    if len(about) > 1 or turn.drawn:
        raise DatasetError(f"MTurn-Seg cannot say the references of the question {turn.question!r}.")
    answer = turn.answer.replace(TARGET, "").strip()
    asked: dict[str, Any] = {"id": identity, "question": turn.question, "answer": answer}
    asked |= {"label": turn.label or "none", "referring label": about[0] if about else "none"}
    if turn.truth and regions[turn.label].any():
        rows, columns = np.nonzero(regions[turn.label])
        asked |= {"area": len(rows), "area center": [round(float(columns.mean()), 1), round(float(rows.mean()), 1)]}
    return asked


def _write_sparse(path: Path, regions: Iterable[Region]) -> None:
    from scipy import sparse

    aside = path.with_name(f".{path.name}.part.npz")
    sparse.save_npz(aside, sparse.csr_matrix(np.stack([region.ravel() for region in regions]).astype(np.uint8)))
    aside.replace(path)
