"""The words of a question that count: names, sides, references, separators, and what was not understood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention as Pointer
from MultiRoundSegLib.conversation import spans_of

from . import plain_words
from .counting import ONE
from .segmenters import Candidate
from .sides import ANOTHER, BOTH, HEMISPHERE, NO_SIDE, PAIR, SAME, Sides, sides_in
from .wording import any_of

Kind = Literal[
    "name", "own", "reference", "side", "all", "one", "other", "same", "range", "separator", "two", "unknown"
]

_PATTERNS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (any_of("all\nevery\neach", "所有 全部 全 每一?个?"), "all"),
    (ONE, "one"),
    (any_of("(?:to|through|thru)", r"\s*(?:-|–|~|～|至|到)\s*"), "range"),
    (any_of("(?:and|plus)", r"[,;+/，、；。.!?！？\n&] 和 与 及 跟 以及"), "separator"),
)


@dataclass(frozen=True)
class Token:
    """One piece of a question.

    Attributes:
        start: position of its first character.
        end: position after its last character.
        kind: what it is.
        sides: for a side.
        name: for the name of a structure.
        pointer: for a reference to earlier masks.
        candidates: for a name that only the author of a mask knows.
    """

    start: int
    end: int
    kind: Kind
    sides: Sides = ()
    name: Name | None = None
    pointer: Pointer | None = None
    candidates: tuple[Candidate, ...] = ()


def tokens_of(
    text: str, pointers: Iterable[Pointer], anatomy: Anatomy, unknown: Iterable[Candidate] = ()
) -> list[Token]:
    """Cut a question into what counts, in order; words that only ask are left out.

    Args:
        text: the question.
        pointers: the references to earlier masks in it.
        anatomy: the names to look for.
        unknown: candidates with names that anatomy does not know.
    """
    found = _Found(text)
    for pointer in pointers:
        found.add(Token(pointer.start, pointer.end, "reference", pointer=pointer))
    for start, end, candidates in _own_names(text, unknown):
        found.add(Token(start, end, "own", candidates=candidates))
    for match in NO_SIDE.finditer(text):
        for word in re.finditer("left|right|左|右", match[0], re.IGNORECASE):
            found.blank(match.start() + word.start(), match.start() + word.end())
    for match in HEMISPHERE.finditer(found.rest):
        found.add(Token(*match.span(), "same" if any(v is not None for v in match.groupdict().values()) else "other"))
    _add_names(found, anatomy)
    for pieces in (_side_words, _counts, _unknown):
        for token in pieces(found.rest):
            found.add(token)
    return sorted(found.tokens, key=lambda token: token.start)


def _add_names(found: _Found, anatomy: Anatomy) -> None:
    names = anatomy.mentions(found.rest)
    for name in names:
        if name.adjective and not all(other.adjective for other in names):
            found.blank(name.start, name.end)  # "hepatic" beside a noun; its own noun, if unknown, is left over
        else:
            found.add(Token(name.start, name.end, "name", name=name))


def _counts(text: str) -> Iterator[Token]:
    for pattern, kind in _PATTERNS:
        for match in pattern.finditer(text):
            yield Token(*match.span(), kind)


def _unknown(text: str) -> Iterator[Token]:
    """Words that were not understood."""
    for match in re.finditer(r"[A-Za-z0-9]+|[^\W_a-zA-Z0-9]+", plain_words.CHINESE.sub(_blanks, text)):
        if match[0].casefold() not in plain_words.ENGLISH:
            yield Token(*match.span(), "unknown")


def _side_words(text: str) -> Iterator[Token]:
    for match in SAME.finditer(text):
        yield Token(*match.span(), "same")
    for match in ANOTHER.finditer(text):
        yield Token(*match.span(), "other")
    for match in PAIR.finditer(text):
        yield Token(*match.span(), "side", BOTH)
    for start, end, sides in sides_in(text):
        yield Token(start, end, "side", sides)
    for match in re.finditer("两(?:个|只|根|块|条|支|侧)?", text):
        yield Token(*match.span(), "two", BOTH)


def _own_names(text: str, unknown: Iterable[Candidate]) -> list[tuple[int, int, tuple[Candidate, ...]]]:
    """Where candidates are called by their label or, to tell two apart, by their title."""
    by_name: dict[str, tuple[Candidate, ...]] = {}
    for candidate in unknown:
        for name in {candidate.label.casefold(), candidate.title.casefold()}:
            by_name[name] = (*by_name.get(name, ()), candidate)
    return [(start, end, by_name[name]) for start, end, name in spans_of(by_name, text)]


class _Found:
    """Tokens found so far, and the text with their places blanked out."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.rest = text
        self.tokens: list[Token] = []

    def add(self, token: Token) -> None:
        """Take a token, unless its place is taken."""
        if self.rest[token.start : token.end] == self._text[token.start : token.end]:
            self.tokens.append(token)
            self.blank(token.start, token.end)

    def blank(self, start: int, end: int) -> None:
        """Let nothing more be found in this place."""
        self.rest = blanked(self.rest, start, end)


def blanked(text: str, start: int, end: int) -> str:
    """A text in which nothing can be found in this place; all other positions stay."""
    return text[:start] + BLANK * (end - start) + text[end:]


BLANK = "\x00"
"""What is put in the place of a character that is not to be looked at."""


def _blanks(match: re.Match[str]) -> str:
    return BLANK * len(match[0])
