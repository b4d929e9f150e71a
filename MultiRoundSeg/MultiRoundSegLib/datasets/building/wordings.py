"""Questions and answers in words: each is put together from a request, a description and a reference."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from MultiRoundSegLib.anatomy import Language

TABLE = Path(__file__).with_name("wordings.csv")
Key = tuple[str, str, Language]
_ANSWERS = ("answer", "told", "refused")
_LEAST = 2
"""Wordings of one kind that can be kept apart: below this all are used everywhere."""


@dataclass(frozen=True)
class Wordings:
    """The parts of sentences.

    Attributes:
        parts: the texts of each relation, end asked for, and language; see wordings.csv.
    """

    parts: dict[Key, tuple[str, ...]]

    def of(self, relation: str, language: Language, asks: str = "") -> tuple[str, ...]:
        """The texts of a kind; none where the table has none."""
        return self.parts.get((relation, asks, language), ())

    def can_ask(self, relation: str, asks: str, language: Language) -> bool:
        """Whether a relation can be asked for."""
        return bool(self.of(relation, language, asks))

    def count(self, relation: str, asks: str, language: Language) -> int:
        """In how many ways a relation is asked for, however the anchor is called."""
        return len(self.of("request", language)) * len(self.of(relation, language, asks))

    def some(self, relation: str, language: Language, rng: np.random.Generator, asks: str = "") -> str:
        """One text of a kind."""
        texts = self.of(relation, language, asks)
        return texts[int(rng.integers(len(texts)))]

    def question(self, description: str, language: Language, rng: np.random.Generator) -> str:
        """A request for what is described."""
        text = self.some("request", language, rng).format(what=description)
        return text[0].upper() + text[1:]

    def anchor(self, number: int, language: Language, rng: np.random.Generator, *, is_last: bool) -> str:
        """Words for the mask of an earlier round."""
        texts = self.of("anchor", language) + (self.of("anchor_last", language) if is_last else ())
        return texts[int(rng.integers(len(texts)))].format(n=number)

    def with_plain_answers(self) -> Wordings:
        """The same, but all answers are worded as the first of their kind is."""
        return Wordings({key: texts[:1] if key[0] in _ANSWERS else texts for key, texts in self.parts.items()})

    def apart(self, share: float = 0.2) -> tuple[Wordings, Wordings]:
        """Two that share no request and no description: those to learn from, and the rest."""
        taught: dict[Key, tuple[str, ...]] = {}
        unseen: dict[Key, tuple[str, ...]] = {}
        for key, texts in self.parts.items():
            last = max(1, round(share * len(texts))) if len(texts) >= _LEAST and not _is_reference(key) else 0
            taught[key], unseen[key] = (texts[:-last], texts[-last:]) if last else (texts, texts)
        return Wordings(taught), Wordings(unseen)


def described(description: str, addition: str) -> str:
    """A description with where it is: in Chinese, what ends with 的 stands before it."""
    return addition + description if addition.endswith("的") else description + addition


@cache
def load_wordings(path: Path = TABLE) -> Wordings:
    """The table that comes with the package.

    Raises:
        ValueError: a row has no language, or says nothing.
    """
    parts: dict[Key, list[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            language: Language | None = next((one for one in _LANGUAGES if one == row["language"]), None)
            if language is None or not row["text"]:
                raise ValueError(f"wordings.csv: a row of {row['relation']!r} has no language or no text")
            parts.setdefault((row["relation"], row["asks"], language), []).append(row["text"])
    return Wordings({key: tuple(texts) for key, texts in parts.items()})


_LANGUAGES: Sequence[Language] = ("en", "zh")


def _is_reference(key: Key) -> bool:
    """Whether a text only points to a round or a side: these are few, and are used everywhere."""
    return key[0].startswith(("anchor", "answer", "told", "refused", "named", "side", "same_side", "other_side"))
