"""The words of a question that count: names, sides, references, separators, and what was not understood."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.anatomy import Anatomy, Side
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention as Pointer
from MultiRoundSegLib.conversation import spans_of

from . import plain_words
from .segmenters import Candidate

Sides = tuple[Side, ...]
BOTH: Sides = ("left", "right")

Kind = Literal["name", "own", "reference", "side", "all", "one", "other", "same", "range", "separator", "unknown"]

_PATTERNS: tuple[tuple[str, Kind, Sides], ...] = (
    (
        r"\b(?:on\s+)?(?:the\s+)?(?:same|that|this)\s+side\b|\bipsilateral\b|同侧|同一侧|同边|这一侧|这侧|该侧|患侧|病侧|同一边",
        "same",
        (),
    ),
    (
        r"\b(?:the\s+)?other\b(?:\s+(?:one|side))?|\bopposite\b(?:\s+side)?|\bcontralateral\b(?:\s+side)?|\bcounterpart\b|\btwin\b"
        r"|\bmirror\s+image\b|\bmirror(?:ed)?(?:\s+(?:it|that|this|them))?\b|\bswap\s+sides?\b|\bflip\s+(?:it|side|sides)\b|\b(?:healthy|unaffected|good|normal)\s+side\b|对侧正常|健侧|对侧|對側|另外?一?(?:个|侧|边|只|颗|根)|另外那个|对面",
        "other",
        (),
    ),
    (r"\bboth\b|\bbilateral(?:ly)?\b|左右|双侧|双|两侧|两边|两个|两", "side", BOTH),
    (r"\bleft(?:-sided)?\b|\bl\b|\blt\b|\bsinist(?:er|ra|rum)\b|左(?:侧|边|面)?", "side", ("left",)),
    (r"\bright(?:-sided)?\b|\br\b|\brt\b|\bdext(?:er|ra|rum)\b|右(?:侧|边|面)?", "side", ("right",)),
    (r"\ball\b|\bevery\b|\beach\b|所有|全部|全|每一?个?", "all", ()),
    (
        r"\bone\s+(?=\w)|\bjust\s+one\b|\bonly\s+one\b|\ba\s+single\b|一侧|单侧|一个|那个|哪个|一根|一只|一颗|一块|一条",
        "one",
        (),
    ),
    (r"\s*(?:-|–|~|～|至|到|\bto\b|\bthrough\b)\s*", "range", ()),
    (r"[,;+/，、；。.!?！？\n]|\band\b|&|\bplus\b|和|与|及|跟|以及", "separator", ()),
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
    for match in plain_words.NOT_A_SIDE.finditer(text):
        found.blank(*match.span())
    names = anatomy.mentions(found.rest)
    for name in names:
        if name.adjective and not all(other.adjective for other in names):
            found.blank(name.start, name.end)  # "hepatic" beside a noun; its own noun, if unknown, is left over
        else:
            found.add(Token(name.start, name.end, "name", name=name))
    for pattern, kind, sides in _PATTERNS:
        for match in re.finditer(pattern, found.rest, re.IGNORECASE):
            found.add(Token(*match.span(), kind, sides))
    for match in re.finditer(r"[A-Za-z0-9]+|[^\W_a-zA-Z0-9]+", plain_words.CHINESE.sub(_blanks, found.rest)):
        if match[0].casefold() not in plain_words.ENGLISH:
            found.add(Token(*match.span(), "unknown"))
    return sorted(found.tokens, key=lambda token: token.start)


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
