"""Chinese characters: traditional ones as simplified ones, and which sound alike.

The two tables are made from OpenCC (Apache-2.0) and pypinyin (MIT), see SOURCES.md, so that neither needs to
be installed in Slicer.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

_LOOK_ALIKE = (
    "髂骼",
    "房旁",
    "肋助",
    "桡挠",
    "胫径",
    "脾牌",
    "囊襄",
    "膀傍旁",
    "末未",
    "颈劲",
    "髓隋",
    "壳壶",
    "腔控",
    "肱肮",
)
"""Characters that are taken for each other by hand or by machine."""
HERE = Path(__file__).parent


def simplified(text: str) -> str:
    """A text in simplified characters; positions stay."""
    return text if text.isascii() else text.translate(_simplified())


def sound_of(text: str) -> tuple[str, ...]:
    """The first reading of each character, without tones."""
    return tuple(min(_syllables().get(character, {character})) for character in text)


def sound_alike(one: str, other: str) -> bool:
    """Whether two characters have a reading in common, whatever the tone, or look nearly the same."""
    if any(one in group and other in group for group in _LOOK_ALIKE):
        return True
    syllables = _syllables()
    return not syllables.get(one, frozenset()).isdisjoint(syllables.get(other, frozenset()))


@cache
def _simplified() -> dict[int, str]:
    with (HERE / "traditional.csv").open(encoding="utf-8", newline="") as file:
        return {ord(c): row["simplified"] for row in csv.DictReader(file) for c in row["traditional"]}


@cache
def _syllables() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    with (HERE / "pinyin.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for character in row["characters"]:
                found.setdefault(character, set()).add(row["syllable"])
    return {character: frozenset(syllables) for character, syllables in found.items()}
