"""Reads what is said of structures: the tables in the folder statements, one file a region of the body."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
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
    found: list[Statement] = []
    for number, row in _rows(folder):
        fault = next(faults_of(row, structures), None)
        if fault:
            raise ValueError(f"{number}: {fault}")
        found.append(_statement(row, structures))
    return tuple(found)


def check_statements(structures: Mapping[str, Structure], folder: Path = HERE) -> list[str]:
    """Every fault of the tables as "file, line N: fault"."""
    return [f"{number}: {fault}" for number, row in _rows(folder) for fault in faults_of(row, structures)]


def faults_of(row: Mapping[str, str | None], structures: Mapping[str, Structure]) -> Iterator[str]:
    """What is wrong with a row."""
    if set(row) != set(COLUMNS) or any(not isinstance(value, str) for value in row.values()):
        yield f"a row has the cells {', '.join(COLUMNS)}; put quotes around a cell that holds a comma"
        return
    relation = load_relations().get(row["relation"] or "")
    objects = (row["object"] or "").split()
    for name in ((row["structure"] or ""), *objects):
        yield from _faults_of_place(name, structures)
    if relation is None or (not relation.has_object and objects):
        yield f"there is no relation {row['relation']!r}" if relation is None else f"{relation.key!r} takes no object"
    elif relation.has_object and len(objects) != (2 if relation.key == "between" else 1):
        yield f"{relation.key!r} takes {'two objects' if relation.key == 'between' else 'one object'}"
    elif not objects and not (row["en"] or row["zh"]):
        yield "it says nothing"


def _rows(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                yield f"{path.name}, line {reader.line_num}", row


def _faults_of_place(name: str, structures: Mapping[str, Structure]) -> Iterable[str]:
    key, _, side = name.partition(":")
    if key not in structures:
        return [f"there is no structure {key!r}"]
    return [f"{key!r} has no side {side!r}"] if side and side not in structures[key].sides else []


def _statement(row: Mapping[str, str], structures: Mapping[str, Structure]) -> Statement:
    return Statement(
        _place(row["structure"], structures),
        row["relation"],
        tuple(_place(name, structures) for name in row["object"].split()),
        _phrases(row["en"]),
        _phrases(row["zh"]),
    )


def _place(name: str, structures: Mapping[str, Structure]) -> Place:
    key, _, side = name.partition(":")
    return Place(structures[key], next((s for s in SIDES if s == side), None))


def _phrases(cell: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in cell.replace("；", ";").split(";") if phrase.strip())
