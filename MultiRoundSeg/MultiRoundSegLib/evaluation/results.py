"""What came of every round, as rows of a CSV file that grows with the run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_whole

from .metrics import Overlap, summary


@dataclass(frozen=True)
class Result:
    """One round of one dialogue.

    Attributes:
        conversation: number of the dialogue, from 0.
        round: number of the round, from 0, as the published files count.
        modality: of the picture.
        label: the structure that was asked for.
        relation: how it was asked for.
        about: rounds, from 0, that the question refers to, with spaces between.
        status: of the answer.
        intersection: pixels in prediction and truth; -1 where the round has no true mask.
        predicted: pixels of the prediction.
        truth: pixels of the truth.
        score: the engine's own estimate; "" where it has none.
        seconds: that the answer took.
        text: the answer.
    """

    conversation: int
    round: int
    modality: str
    label: str
    relation: str
    about: str
    status: str
    intersection: int
    predicted: int
    truth: int
    score: str
    seconds: float
    text: str

    @property
    def overlap(self) -> Overlap | None:
        """Prediction and truth compared; None where the round has no true mask."""
        return Overlap(self.intersection, self.predicted, self.truth) if self.intersection >= 0 else None


_NAMES = [field.name for field in fields(Result)]
_NUMBERS = {"conversation": int, "round": int, "intersection": int, "predicted": int, "truth": int, "seconds": float}


def append_results(file: Path, results: Iterable[Result]) -> None:
    """Add rows to the file."""
    text = _csv(results, has_header=not file.exists())
    with file.open("a", encoding="utf-8", newline="") as stream:
        stream.write(text)


def read_results(file: Path) -> list[Result]:
    """All rows of the file; none where it is not there. What a run that was ended left half-written is passed over.

    Raises:
        DatasetError: the file has other columns.
    """
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if reader.fieldnames != _NAMES:
            raise DatasetError(f"{file.name} holds other results; choose another folder.")
        rows = list(reader)
    results = []
    for row in rows:
        try:
            results.append(Result(**row | {name: kind(row[name]) for name, kind in _NUMBERS.items()}))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
    return results


def keep_results(file: Path, results: Iterable[Result]) -> None:
    """Write these rows in place of those in the file."""
    write_whole(file, _csv(results, has_header=True).encode())


def _csv(results: Iterable[Result], *, has_header: bool) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _NAMES)
    if has_header:
        writer.writeheader()
    writer.writerows(asdict(result) for result in results)
    return text.getvalue()


def summary_of(results: Iterable[Result]) -> dict[str, float | int]:
    """Scores over the rounds that have a true mask; see `metrics.summary`."""
    return summary(result.overlap for result in results if result.overlap)
