"""The kinds of relation between structures: what a statement can say."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from .language import Language

Family = Literal["attribute", "hierarchy", "lesion", "spatial", "inference"]
"""The five kinds of relation of MEMR-Seg: attributes and functions, hierarchy, organ and lesion, spatial
neighbours, strong inference."""
FAMILIES: tuple[Family, ...] = ("attribute", "hierarchy", "lesion", "spatial", "inference")


@dataclass(frozen=True)
class Relation:
    """What a statement can say of a structure: one row of relations.csv.

    Attributes:
        key: our own identifier.
        family: which of the five kinds it belongs to.
        has_object: it holds between two structures; else it is said in free words.
        english: the sentence with {subject} and {object}; empty without an object.
        chinese: the same in Chinese.
    """

    key: str
    family: Family
    has_object: bool
    english: str
    chinese: str

    def sentence(self, subject: str, object_: str, language: Language) -> str:
        """The relation said of two names, without a full stop."""
        return (self.english if language == "en" else self.chinese).format(subject=subject, object=object_)


@cache
def load_relations(path: Path = Path(__file__).parent / "relations.csv") -> dict[str, Relation]:
    """All relations by key.

    Raises:
        ValueError: a row names no family.
    """
    found: dict[str, Relation] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            family = next((name for name in FAMILIES if name == row["family"]), None)
            if family is None:
                raise ValueError(f"relations.csv, row {row['relation']!r}: there is no family {row['family']!r}")
            has_object = row["object"] == "yes"
            found[row["relation"]] = Relation(row["relation"], family, has_object, row["en"], row["zh"])
    return found
