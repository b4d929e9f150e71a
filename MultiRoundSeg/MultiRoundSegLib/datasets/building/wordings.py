"""Questions and answers in words: each is put together from a request, a description and a reference.

Texts of the table have slots: those of their kind (`SLOTS`), and words that can stand for each other, which the table
has under "word".
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from string import Formatter
from typing import TypeVar

import numpy as np

from MultiRoundSegLib.anatomy import Language

T = TypeVar("T")
TABLE = Path(__file__).with_name("wordings.csv")
Key = tuple[str, str, Language]
Choose = Callable[[Sequence[str]], str]
"""Takes one of several texts."""
SLOTS = frozenset({"what", "anchor", "anchor2", "n", "name", "phrase"})
"""Slots that are not words of the table."""
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
        return self._ways("request", language) * self._ways(relation, language, asks)

    def _ways(self, relation: str, language: Language, asks: str = "") -> int:
        texts = self.of(relation, language, asks)
        return sum(prod(len(self.of("word", language, word)) for word in _words_in(text)) for text in texts)

    def text(self, relation: str, language: Language, choose: Choose, asks: str = "", **slots: str | int) -> str:
        """A text of a kind.

        Args:
            relation: the kind.
            language: of the text.
            choose: takes one text of a kind, and each word that can stand for others in it.
            asks: the end of the relation that is asked for.
            slots: what is put in.
        """
        text = choose(self.of(relation, language, asks))
        words = {word: choose(self.of("word", language, word)) for word in _words_in(text)}
        return text.format(**words, **slots)

    def question(self, description: str, language: Language, choose: Choose) -> str:
        """A request for what is described."""
        return capitalised(self.text("request", language, choose, what=description))

    def anchor(self, number: int, language: Language, choose: Choose, *, is_last: bool) -> str:
        """Words for the mask of an earlier round."""
        texts = self.of("anchor", language) + (self.of("anchor_last", language) if is_last else ())
        return choose(texts).format(n=number)

    def with_plain_answers(self) -> Wordings:
        """The same, but all answers are worded as the first of their kind is."""
        return Wordings({key: texts[:1] if key[0] in _ANSWERS else texts for key, texts in self.parts.items()})

    def for_restating(self) -> Wordings:
        """The same for answers that restate a question: what was described in free words is not repeated."""
        brief: dict[Key, tuple[str, ...]] = {
            ("described", "", language): self.of("restated_described", language) for language in _LANGUAGES
        }
        return Wordings({**self.parts, **brief})

    def apart(self, share: float = 0.2) -> tuple[Wordings, Wordings]:
        """Two that share no request and no description: those to learn from, and the rest.

        Which is which depends on the text alone, so that it does not matter where in the table it stands.
        """
        taught: dict[Key, tuple[str, ...]] = {}
        unseen: dict[Key, tuple[str, ...]] = {}
        for key, texts in self.parts.items():
            count = max(1, round(share * len(texts))) if len(texts) >= _LEAST and not _is_reference(key) else 0
            kept_apart = sorted(texts, key=lambda text: zlib.crc32(text.encode()))[:count]
            taught[key] = tuple(text for text in texts if text not in kept_apart)
            unseen[key] = tuple(kept_apart) or texts
        return Wordings(taught), Wordings(unseen)


def one_of(values: Sequence[T], rng: np.random.Generator) -> T:
    """Any value."""
    return values[int(rng.integers(len(values)))]


def at_random(rng: np.random.Generator) -> Choose:
    """Takes any text."""
    return lambda texts: one_of(texts, rng)


def first(texts: Sequence[str]) -> str:
    """Takes the text that stands first in the table."""
    return texts[0]


def capitalised(text: str) -> str:
    """A sentence begins with a capital."""
    return text[0].upper() + text[1:]


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
_EVERYWHERE = ("word", "anchor", "answer", "told", "refused", "named", "side", "same_side", "other_side", "restated")


def _is_reference(key: Key) -> bool:
    """Whether a text is a word, or only points to a round or a side: these are few, and are used everywhere."""
    return key[0].startswith(_EVERYWHERE)


@cache
def _words_in(text: str) -> tuple[str, ...]:
    """Slots of a text that words of the table fill."""
    return tuple(slot for _, slot, _, _ in Formatter().parse(text) if slot and slot not in SLOTS)
