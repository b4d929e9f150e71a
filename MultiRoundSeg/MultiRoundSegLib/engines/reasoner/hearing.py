"""A question as it was meant: simplified characters, numbers written out, typing errors mended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from MultiRoundSegLib.anatomy import Knowledge, Spelling, common_words, cue_words, mend, simplified

from . import plain_words

_FIRST_OF_ALL = (
    "left",
    "right",
    "both",
    "show",
    "side",
    "other",
    "opposite",
    "same",
    "which",
    "where",
    "contralateral",
    "ipsilateral",
)
_WORD = re.compile(r"[a-z]+")
_SERIES = re.compile(
    r"\b(?P<side>(?:left|right|L|R)\s+)?ribs\s+(?P<numbers>\d{1,2}(?:\s*(?:-|–|to|through|,|and|&)\s*\d{1,2})+)\b"
    r"|\b(?P<letter>[CTLctl])(?P<first>\d{1,2})\s*(?:-|–|/|to)\s*(?P<last>\d{1,2})\b"
    r"|第?(?P<zh>\d{1,2}(?:\s*(?:-|–|~|至|到|、|和)\s*第?\d{1,2})+)\s*(?P<zh_kind>肋骨?)",
    re.IGNORECASE,
)
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
_BY = re.compile(r"-|–|~|至|到|to|through", re.IGNORECASE)


@dataclass(frozen=True)
class Heard:
    """A question as it was meant.

    Attributes:
        text: with everything mended.
        mended: the words that were typed wrong, each with what was meant.
    """

    text: str
    mended: tuple[tuple[str, str], ...] = ()


def hear(text: str, knowledge: Knowledge, own_names: Iterable[str] = ()) -> Heard:
    """What was meant by a text.

    Args:
        text: as typed.
        knowledge: the names that may be meant.
        own_names: of segments in the scene, which are right as they are.
    """
    text = _SERIES.sub(_written_out, simplified(text))
    spelling = _spelling(knowledge)
    own = {word for name in own_names for word in re.findall(r"[a-z]+", name.lower())}
    slips = [slip for slip in spelling.english(text) if text[slip.start : slip.end].lower() not in own]
    pairs = [(text[slip.start : slip.end], slip.word) for slip in slips]
    text = mend(text, slips)
    places = [(m.start, m.end) for m in knowledge.anatomy.mentions(text)]
    places += [match.span() for name in own_names for match in re.finditer(re.escape(name), text)]
    chinese = spelling.chinese(text, places)
    pairs += [(text[slip.start : slip.end], slip.word) for slip in chinese]
    return Heard(mend(text, chinese), tuple(pairs))


def _written_out(match: re.Match[str]) -> str:
    """Every number of a series with its kind: "ribs 10-12" is "rib 10, rib 11, rib 12"."""
    if match["letter"]:
        return f"{match['letter']}{match['first']}-{match['letter']}{match['last']}"
    numbers = match["numbers"] or match["zh"]
    values = [int(number) for number in re.findall(r"\d+", numbers)]
    if len(values) == 2 and _BY.search(numbers) and 0 < values[1] - values[0] < 24:
        values = list(range(values[0], values[1] + 1))
    if match["zh"]:
        return "、".join(f"第{value}{match['zh_kind']}" for value in values)
    return ", ".join(f"{match['side'] or ''}{_ORDINALS[value - 1]} ribs" for value in values if value <= len(_ORDINALS))


@cache
def _spelling(knowledge: Knowledge) -> Spelling:
    """Names count before words for relations, these before words that ask, and these before all else."""
    structures = knowledge.anatomy.structures
    names = [n for s in structures for n in (*s.english, *s.english_plurals, *s.english_adjectives)]
    names += [word for category in knowledge.categories for word in category.english]
    said = [phrase for statement in knowledge.statements for phrase in statement.english]
    groups = (
        _FIRST_OF_ALL,
        _words(names, 4),
        _words(cue_words(), 4),
        _words(plain_words.ENGLISH, 4),
        _words(said, 5),
    )
    chinese = [name.replace("{side}", "").replace("{S}", "") for s in structures for name in s.chinese]
    return Spelling(groups, common_words(), chinese)


def _words(phrases: Iterable[str], least: int) -> list[str]:
    return [word for phrase in phrases for word in _WORD.findall(phrase.lower()) if len(word) >= least]
