"""Words for what several structures are: vessel, lobe, nucleus; a description stands on one of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .structure import Structure


@dataclass(frozen=True)
class Category:
    """One row of categories.csv.

    Attributes:
        name: our own.
        english: words for it, in the singular.
        chinese: words for it.
        members: keys of the structures that are one; empty for words that any structure may be called by.
    """

    name: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    members: frozenset[str]


def read_categories(
    structures: Iterable[Structure], path: Path = Path(__file__).parent / "categories.csv"
) -> tuple[Category, ...]:
    """All categories.

    Args:
        structures: whose keys, or whose kinds ("kind:artery"), are members.
        path: of the table.

    Raises:
        ValueError: a member is neither.
    """
    structures = tuple(structures)
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(
            Category(
                row["category"],
                tuple(row["en"].split(";")),
                tuple(row["zh"].split(";")),
                frozenset(key for word in row["members"].split(";") if word for key in _members(word, structures)),
            )
            for row in csv.DictReader(file)
        )


def _members(word: str, structures: tuple[Structure, ...]) -> Iterator[str]:
    kind = word.removeprefix("kind:")
    found = [s.key for s in structures if (s.kind == kind if kind != word else s.key == word)]
    if not found:
        raise ValueError(f"categories.csv: {word!r} is neither a structure nor a kind of structures")
    yield from found
