"""Lists whose names share words: "superior and inferior vena cava", "gluteus maximus and medius", "上、下腔静脉"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from MultiRoundSegLib.anatomy import Anatomy

from .telling_words import CHINESE, ENGLISH, WORDS

_WORD = rf"(?:{'|'.join(sorted(WORDS))})"
_COMMA = r"(?:\s*,?\s*\b(?:and|or|plus)\b\s*|\s*[,/&+]\s*)"
_IN_ENGLISH = re.compile(
    rf"(?P<side>\b(?:left|right|both)\s+)?(?P<before>(?:\b[a-z]+\s+){{0,2}})\b(?P<list>{_WORD}(?:{_COMMA}{_WORD})+)\b"
    r"(?P<behind>(?:\s+[a-z]+){0,4})",
    re.IGNORECASE,
)
_LETTER = f"[{''.join(CHINESE)}]"
_IN_CHINESE = re.compile(
    rf"(?P<before>[^\W、A-Za-z]{{0,3}}?)(?P<list>{_LETTER}(?:[、和与及跟/]{_LETTER})+)(?P<behind>[^\W、A-Za-z]{{0,5}})"
)


def written_apart(text: str, anatomy: Anatomy) -> str:
    """The text with each name of such a list in full; other lists stay as they are.

    Args:
        text: as typed, in simplified characters.
        anatomy: knows which names there are.
    """
    text = _IN_ENGLISH.sub(lambda match: _in_english(match, anatomy), text)
    return _IN_CHINESE.sub(lambda match: _in_chinese(match, anatomy), text)


def _in_english(match: re.Match[str], anatomy: Anatomy) -> str:
    telling = [word.lower() for word in re.findall(_WORD, match["list"], re.IGNORECASE)]
    if not any(set(telling) <= set(group) for group in ENGLISH):
        return match[0]
    before, behind = match["before"].split(), match["behind"].split()
    for first, last in _widths(len(before), len(behind)):
        head, tail = before[len(before) - first :], behind[:last]
        names = [_known(" ".join((*head, word, *tail)), anatomy) for word in telling]
        if all(names):
            side = match["side"] or ""
            rest = " ".join((side.strip(), *before[: len(before) - first])).strip() if first < len(before) else ""
            listed = " and ".join(f"{'' if rest else side}{name}" for name in names)
            return " ".join(part for part in (rest, listed, *behind[last:]) if part)
    return match[0]


def _known(name: str, anatomy: Anatomy) -> str:
    """A name or its singular, whichever is known; empty for neither."""
    return next((form for form in (name, name.removesuffix("s")) if anatomy.identify(form)), "")


def _in_chinese(match: re.Match[str], anatomy: Anatomy) -> str:
    telling = re.findall(_LETTER, match["list"])
    if not any(set(telling) <= set(group) for group in CHINESE):
        return match[0]
    before, behind = match["before"], match["behind"]
    for first, last in _widths(len(before), len(behind)):
        cut = len(before) - first
        names = [f"{before[cut:]}{letter}{behind[:last]}" for letter in telling]
        if all(map(anatomy.identify, names)):
            return before[:cut] + "、".join(names) + behind[last:]
    return match[0]


def _widths(before: int, behind: int) -> Iterator[tuple[int, int]]:
    """How many words are shared before and behind: the most first, and at least one."""
    pairs = [(b, e) for b in range(before + 1) for e in range(behind + 1) if b + e]
    return iter(sorted(pairs, key=lambda pair: -sum(pair)))
