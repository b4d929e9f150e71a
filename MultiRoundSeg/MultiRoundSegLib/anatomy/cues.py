"""Words that ask for a relation: "behind", "drains into", "汇入"."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Asks = Literal["subject", "object", "verb", "verb_back"]
"""Which end of the relation is asked for. "subject": S in "S is behind it"; "object": the parent in "its
parent"; "verb": the end on the verb's other side ("the vein that drains it", "what it drains into");
"verb_back": the same of a verb in the passive ("supplied by it")."""


@dataclass(frozen=True)
class Cue:
    """Words of a text that ask for a relation.

    Attributes:
        start: position of their first character.
        end: position after their last character.
        relation: a key of relations.csv.
        asks: which end of it is asked for.
    """

    start: int
    end: int
    relation: str
    asks: Asks


def cues_in(text: str) -> list[Cue]:
    """The words for relations in a text, in order; longer ones hide shorter ones in the same place."""
    found = [
        Cue(*match.span(), relation, asks)
        for pattern, relation, asks in _patterns()
        for match in pattern.finditer(text)
    ]
    return sorted(_longest(found), key=lambda cue: cue.start)


def cue_words() -> frozenset[str]:
    """The English words in which relations are asked for."""
    phrases = (pattern.pattern for pattern, _, _ in _patterns())
    return frozenset(word for phrase in phrases for word in re.findall(r"(?<!\\)[a-z]{3,}", phrase))


def _longest(cues: list[Cue]) -> Iterator[Cue]:
    for cue in cues:
        size = cue.end - cue.start
        if not any(
            other.end - other.start > size and other.start < cue.end and cue.start < other.end for other in cues
        ):
            yield cue


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str, Asks], ...]:
    asks: dict[str, Asks] = {"subject": "subject", "object": "object", "verb": "verb", "verb_back": "verb_back"}
    with (Path(__file__).parent / "cues.csv").open(encoding="utf-8", newline="") as file:
        return tuple((_pattern(row), row["relation"], asks[row["asks"]]) for row in csv.DictReader(file))


def _pattern(row: dict[str, str]) -> re.Pattern[str]:
    english = "|".join(_english(phrase) for phrase in row["en"].split(";"))
    chinese = "|".join(re.escape(phrase) for phrase in sorted(row["zh"].split(";"), key=len, reverse=True) if phrase)
    return re.compile(rf"\b(?:{english})\b|{chinese}" if chinese else rf"\b(?:{english})\b", re.IGNORECASE)


def _english(phrase: str) -> str:
    return r"\s+".join(re.escape(word).replace(r"\*", r"\w*") for word in phrase.split())
