"""The table in which a physician reviews what a language model wrote: accept, reject with a note, or edit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_whole

DECISIONS = ("accept", "reject", "edit", "")
REVIEW = "review.csv"


@dataclass(frozen=True)
class Row:
    """One text.

    Attributes:
        id: which.
        speaker: who says it.
        before: what it was, or what it is made from.
        after: what the model wrote.
        decision: of the physician; "" where there is none yet.
        text: that of an edit.
        note: why it is rejected.
    """

    id: str
    speaker: str
    before: str
    after: str
    decision: str = ""
    text: str = ""
    note: str = ""

    @property
    def words(self) -> str:
        """What counts: the edit, or what the model wrote."""
        return self.text.strip() if self.decision == "edit" else self.after

    @property
    def is_settled(self) -> bool:
        """A person has said what the text is."""
        return self.decision in ("accept", "edit")


COLUMNS = tuple(field.name for field in fields(Row))


def read_review(path: Path) -> dict[str, Row]:
    """The rows of a review by their identity.

    Raises:
        DatasetError: a decision is none that is known, or an edit has no text; the message says the line.
    """
    found: dict[str, Row] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise DatasetError(f"{path.name} has the columns {', '.join(COLUMNS)}.")
            for line in reader:
                row = Row(**{column: line[column] or "" for column in COLUMNS})
                row = replace(row, decision=row.decision.strip().lower())
                if row.decision not in DECISIONS:
                    raise DatasetError(
                        f"{path.name}, line {reader.line_num}: a decision is accept, reject or edit, or is left empty."
                    )
                if row.decision == "edit" and not row.text.strip():
                    raise DatasetError(f"{path.name}, line {reader.line_num}: an edit needs its text.")
                found[row.id] = row
    except OSError as error:
        raise DatasetError(f"{path.name} cannot be read: {error.strerror}.") from error
    return found


def write_review(path: Path, rows: Iterable[Row]) -> None:
    """Write rows; what a person filled in at the same place for the same words stays."""
    filled = read_review(path) if path.exists() else {}
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerows(astuple(_with_filled_in(row, filled.get(row.id))) for row in rows)
    write_whole(path, stream.getvalue().encode("utf-8-sig"))


def _with_filled_in(row: Row, filled: Row | None) -> Row:
    said = (row.id, row.speaker, row.before, row.after)
    if filled is None or (filled.id, filled.speaker, filled.before, filled.after) != said:
        return row
    return filled if filled.decision or filled.text or filled.note else row
