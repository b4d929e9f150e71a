"""Text whose phrases are tied to structures of a picture: "The <p>left kidney</p>{2} ...", and what makes it usable.

Marks are the numbers of `facts`. Written to a data set a phrase is "<p> left kidney </p> [SEG]", as MedSeg-R has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Anatomy, Entity, language_of
from MultiRoundSegLib.datasets.dialogues import TARGET
from MultiRoundSegLib.wire.chat import UnusableAnswerError

from .facts import Facts

_PHRASE = re.compile(r"<p>([^<>{}]*)</p>\s*\{(\d+)\}")
_LONGEST = 1000


@dataclass(frozen=True)
class Grounded:
    """A text that was checked.

    Attributes:
        text: with its marks.
        marks: of its phrases, in order.
    """

    text: str
    marks: tuple[int, ...]

    @property
    def written(self) -> str:
        """As it stands in a data set."""
        return _PHRASE.sub(lambda found: f"<p> {found[1].strip()} </p> {TARGET}", self.text)


def grounded(text: object, facts: Facts, anatomy: Anatomy) -> Grounded:
    """Check a text.

    Args:
        text: as the language model or a person wrote it.
        facts: of the picture.
        anatomy: knows the names.

    Raises:
        UnusableAnswerError: it is none, in the wrong language, has marks that are not there or not where they belong,
            or names what it was not told of; the message says which.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST or "\n" in text.strip():
        raise UnusableAnswerError(f"there is a text that is no line of at most {_LONGEST} characters.")
    words = text.strip()
    if language_of(words) != facts.language:
        raise UnusableAnswerError(f"{words!r} is not in {facts.told['language']}.")
    rest = _PHRASE.sub(lambda found: found[1], words)
    if re.search(r"[{}]|</?p>", rest) or TARGET in words:
        raise UnusableAnswerError(f"in {words!r} something is marked that is no <p>name</p>{{number}}.")
    phrases = [(phrase, int(mark)) for phrase, mark in _PHRASE.findall(words)]
    for phrase, mark in phrases:
        if mark not in facts.shown:
            raise UnusableAnswerError(f"there is no structure {{{mark}}}.")
        if not any(_is_meant(meant, facts.shown[mark]) for meant in _named(phrase, anatomy)):
            raise UnusableAnswerError(f"<p>{phrase}</p> is no name of {{{mark}}}, {_name(facts, mark)}.")
    known = [*facts.shown.values(), *facts.absent]
    for mention in anatomy.mentions(rest):
        if not any(_is_known(entity, known, anatomy) for entity in mention.entities):
            raise UnusableAnswerError(
                f"{rest[mention.start : mention.end]!r} is none of the structures that were told."
            )
    return Grounded(words, tuple(mark for _, mark in phrases))


def _name(facts: Facts, mark: int) -> str:
    return facts.shown[mark].name(facts.language)


def _named(phrase: str, anatomy: Anatomy) -> list[Entity]:
    return [entity for mention in anatomy.mentions(phrase) for entity in mention.entities]


def _is_meant(said: Entity, shown: Entity) -> bool:
    """Whether a name, which may leave the side out, can mean a structure."""
    return said.structure is shown.structure and said.side in (None, shown.side)


def _is_known(said: Entity, known: Iterable[Entity], anatomy: Anatomy) -> bool:
    """Whether a name means something that was told, or what contains it."""
    parts = anatomy.parts(said.structure.key)
    return any(_is_meant(said, entity) or entity.structure in parts for entity in known)
