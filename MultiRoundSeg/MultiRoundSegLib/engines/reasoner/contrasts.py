"""Names of which only the telling word is said: "the inferior one" after the superior vena cava, "不是上，是下"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from MultiRoundSegLib.anatomy import Anatomy, Entity

from . import plain_words
from .telling_words import CHINESE, ENGLISH, WORDS

_REFUSING = frozenset(("not", "no", "instead", "but", "rather", "n't"))
_ASKED_IN_CHINESE = re.compile(
    r"(?:不是|不要|不对)?(?P<not>\w)?[侧边]?(?:的|的?那[个根块条])?[，,、。\s]*"
    r"(?:而?是|换成?|要的?是?|我要|改成?|应该是)(?P<meant>\w)(?:的|的?那[个根块条])?[。！!吧]*"
)


def named_in_full(text: str, last: Entity | None, anatomy: Anatomy) -> str:
    """The text or, where it says only what is different from the last result, the name that is meant.

    Args:
        text: as typed, in simplified characters.
        last: the one structure that the last result shows; None where it shows none or several.
        anatomy: knows which names there are.
    """
    if last is None:
        return text
    for name in (*_in_english(text, last), *_in_chinese(text, last)):
        meant = anatomy.identify(name)
        if meant and meant.structure != last.structure:
            side = last.side if last.side in meant.structure.sides else None
            return Entity(meant.structure, side).name("en") if text.isascii() else f"{name}{_side_in_chinese(side)}"
    return text


def _side_in_chinese(side: str | None) -> str:
    return {"left": "，左侧", "right": "，右侧", None: ""}[side]


def _in_english(text: str, last: Entity) -> Iterator[str]:
    """The names of the last result with another telling word."""
    words = re.findall(r"[a-z]+", text.lower())
    beside = re.sub(r"[A-Za-z]+|\W|_", "", plain_words.CHINESE.sub("", re.sub("[不换]", "", text)))
    telling = [word for word in words if word not in plain_words.ENGLISH and word not in _REFUSING]
    if beside or not telling or not WORDS.issuperset(telling):
        return
    for pattern in last.structure.english:
        said = pattern.lower().split()
        for group in ENGLISH:
            here = [word for word in said if word in group]
            meant = [word for word in telling if word in group and word not in here]
            if len(here) == 1 and len(meant) == 1 and set(telling) <= {*here, *meant}:
                yield " ".join(meant[0] if word == here[0] else word for word in said if word != "{side}")


def _in_chinese(text: str, last: Entity) -> Iterator[str]:
    match = _ASKED_IN_CHINESE.fullmatch(text.strip())
    if match is None:
        return
    for pattern in last.structure.chinese:
        for group in CHINESE:
            here = [letter for letter in pattern if letter in group]
            if len(here) == 1 and match["meant"] in group and match["not"] in (None, here[0], match["meant"]):
                yield pattern.replace("{side}", "").replace(here[0], match["meant"])
