"""A question as it was meant: simplified characters, numbers written out, typing errors mended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from MultiRoundSegLib.anatomy import (
    Entity,
    Knowledge,
    Mended,
    Spelling,
    cue_words,
    cues_in,
    is_common,
    mend,
    simplified,
)

from . import plain_words
from .contrasts import named_in_full
from .extremes import places_of_extremes
from .series import written_out
from .shared_heads import written_apart

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
_ASKED_IN_CHINESE = ("对侧", "同侧", "左侧", "右侧", "双侧", "两侧", "左边", "右边", "去掉", "只要", "标出")
_ASKING_NOT = re.compile(r"(?<=[\u4e00-\u9fff])[不没](?=[?？。！]*$)")
"""Such as "能单独分出来不": whether it can."""
_STUTTER = re.compile(r"([a-z])\1{2,}")
_CONFUSED = {
    "lumber": "lumbar",
    "prostrate": "prostate",
    "vain": "vein",
    "vains": "veins",
    "viens": "veins",
    "humorous": "humerus",
    "humerous": "humerus",
    "hart": "heart",
    "scull": "skull",
    "mussel": "muscle",
    "mussels": "muscles",
    "ribbs": "ribs",
    "vertibra": "vertebra",
}
"""Right words that are typed for words of anatomy."""
_CONFUSED_WORDS = re.compile(rf"\b(?:{'|'.join(_CONFUSED)})\b", re.IGNORECASE)
_LATIN = ("culi", "orum", "arum", "ales", "culorum")
"""Endings of Latin names, which are typed by those who know them."""
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Heard:
    """A question as it was meant.

    Attributes:
        text: with everything mended.
        mended: the words that were typed wrong, each with what was meant.
    """

    text: str
    mended: tuple[tuple[str, str], ...] = ()


def hear(
    text: str, knowledge: Knowledge, own_names: Iterable[str] = (), series: str = "", last: Entity | None = None
) -> Heard:
    """What was meant by a text.

    Args:
        text: as typed.
        knowledge: the names that may be meant.
        own_names: of segments in the scene, which are right as they are.
        series: what the last result belongs to, see `written_out`.
        last: the one structure that it shows, see `named_in_full`.
    """
    text = _ASKING_NOT.sub("吗", text)
    text = written_out(_STUTTER.sub(r"\1\1", simplified(text)), series)
    text = written_apart(named_in_full(text, last, knowledge.anatomy), knowledge.anatomy)
    spelling = _spelling(knowledge)
    own = {word for name in own_names for word in re.findall(r"[a-z]+", name.lower())}
    slips = [slip for slip in spelling.english(text) if text[slip.start : slip.end].lower() not in own]
    slips += [Mended(*m.span(), _CONFUSED[m[0].lower()]) for m in _CONFUSED_WORDS.finditer(text)]
    slips.sort(key=lambda slip: slip.start)
    pairs = [(text[slip.start : slip.end], slip.word) for slip in slips]
    text = mend(text, slips)
    places = [(m.start, m.end) for m in knowledge.anatomy.mentions(text)]
    words = [(cue.start, cue.end) for cue in cues_in(text)] + list(places_of_extremes(text))
    words += [
        m.span() for word in knowledge.category_words if len(word) > 1 for m in re.finditer(re.escape(word), text)
    ]
    places += [match.span() for name in own_names for match in re.finditer(re.escape(name), text)]
    chinese = spelling.chinese(text, places, words)
    pairs += [(text[slip.start : slip.end], slip.word) for slip in chinese]
    return Heard(mend(text, chinese), tuple(pairs))


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
    written = ((s, name.replace("{side}", "").replace("{S}", "")) for s in structures for name in s.chinese)
    chinese = [name for s, name in written if len(name) > 2 or s.totalsegmentator or s.freesurfer]
    return Spelling(groups, is_common, [*chinese, *_ASKED_IN_CHINESE])


def _words(phrases: Iterable[str], least: int) -> list[str]:
    words = (word for phrase in phrases for word in _WORD.findall(phrase.lower()))
    return [word for word in words if len(word) >= least and not word.endswith(_LATIN)]
