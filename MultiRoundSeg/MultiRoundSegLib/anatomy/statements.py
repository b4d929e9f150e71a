"""Reads what is said of structures: the tables in the folder statements, one file a region of the body."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .language import Language
from .relations import load_relations
from .structure import SIDES, Entity, Side, Structure

HERE = Path(__file__).parent / "statements"
COLUMNS = ("structure", "relation", "object", "en", "zh")


@dataclass(frozen=True)
class Place:
    """A structure in a statement, on one side only where the statement is true of that side only."""

    structure: Structure
    side: Side | None = None

    def name(self, language: Language) -> str:
        """How it is called, with the side where there is one."""
        return Entity(self.structure, self.side).name(language) if self.side else self.structure.any_name(language)


@dataclass(frozen=True)
class Statement:
    """What one row of a table says.

    Attributes:
        subject: of what it is said.
        relation: a key of relations.csv.
        objects: other structures; without a side they are on the subject's own. Two for "between".
        english: short phrases, in whose words people describe the subject.
        chinese: the same in Chinese; no translations of each other.
    """

    subject: Place
    relation: str
    objects: tuple[Place, ...] = ()
    english: tuple[str, ...] = ()
    chinese: tuple[str, ...] = ()

    def phrases(self, language: Language) -> tuple[str, ...]:
        """The phrases in a language."""
        return self.english if language == "en" else self.chinese


def read_statements(structures: Mapping[str, Structure], folder: Path = HERE) -> tuple[Statement, ...]:
    """All statements.

    Args:
        structures: by key.
        folder: with the tables, whose columns are structure, relation, object, en, zh. A structure or
            object is a key, with ":left" or ":right" where it is true of one side only; phrases are apart
            by semicolons.

    Raises:
        ValueError: a row cannot be used; the message names file, line and fault.
    """
    places = _Places(structures)
    found: list[Statement] = []
    for where, row in _rows(folder):
        fault = next(_faults_of(row, places), None)
        if fault:
            raise ValueError(f"{where}: {fault}")
        found.append(_statement(row, places))
    return tuple(found)


def check_statements(structures: Mapping[str, Structure], folder: Path = HERE) -> list[str]:
    """Every fault of the tables as "file, line N: fault"."""
    places = _Places(structures)
    return [f"{where}: {fault}" for where, row in _rows(folder) for fault in _faults_of(row, places)]


class _Places:
    """The places of statements by how they are written; each is read once, as most stand in many rows."""

    def __init__(self, structures: Mapping[str, Structure]) -> None:
        self._structures = structures
        self._read: dict[str, Place | str] = {}

    def read(self, name: str) -> Place | str:
        """The place, or what is wrong with the name."""
        known = self._read.get(name)
        if known is None:
            known = self._read[name] = self._of(name)
        return known

    def _of(self, name: str) -> Place | str:
        key, _, written = name.partition(":")
        structure = self._structures.get(key)
        if structure is None:
            return f"there is no structure {key!r}"
        side = next((side for side in SIDES if side == written), None)
        if written and side not in structure.sides:
            return f"{key!r} has no side {written!r}"
        return Place(structure, side)


def _rows(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The rows with where they stand; empty ones of a file whose columns are not COLUMNS."""
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file)
            right = tuple(next(reader, ())) == COLUMNS
            for row in reader:
                yield f"{path.name}, line {reader.line_num}", row if right else []


def _faults_of(row: list[str], places: _Places) -> Iterator[str]:
    if len(row) != len(COLUMNS):
        yield f"a row has the cells {', '.join(COLUMNS)}; put quotes around a cell that holds a comma"
        return
    subject, key, there, english, chinese = row
    objects = there.split()
    for name in (subject, *objects):
        place = places.read(name)
        if isinstance(place, str):
            yield place
    relation = load_relations().get(key)
    if relation is None:
        yield f"there is no relation {key!r}"
    elif not relation.has_object and objects:
        yield f"{key!r} takes no object"
    elif relation.has_object and len(objects) != (2 if key == "between" else 1):
        yield f"{key!r} takes {'two objects' if key == 'between' else 'one object'}"
    elif not objects and not (english or chinese):
        yield "it says nothing"


def _statement(row: list[str], places: _Places) -> Statement:
    subject, *objects = (place for name in (row[0], *row[2].split()) if isinstance(place := places.read(name), Place))
    return Statement(subject, row[1], tuple(objects), _phrases(row[3]), _phrases(row[4]))


def _phrases(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, cell.replace("；", ";").split(";"))))
