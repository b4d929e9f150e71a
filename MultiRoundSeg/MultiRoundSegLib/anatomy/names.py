"""Every way in which the entities of a structure are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .language import Language
from .structure import Entity, Side, Structure, labels, with_side
from .words import plural_of


@dataclass(frozen=True)
class Form:
    """What a written name says.

    Attributes:
        entity: the structure, with the side if the name includes it.
        plural: whether it is an English plural.
        adjective: whether it is an English adjective ("renal").
    """

    entity: Entity
    plural: bool = False
    adjective: bool = False


def written_forms(structure: Structure) -> Iterator[tuple[str, Form]]:
    """Names as people write them, in both languages, singular before plural."""
    plurals = structure.english_plurals
    if plurals:
        plurals += tuple(plural_of(name) for name in structure.english if "{S}" not in name)
    for side in (None, *structure.sides):
        entity = Entity(structure, side)
        yield from _written(structure.english, side, "en", Form(entity))
        yield from _written(structure.chinese, side, "zh", Form(entity))
        yield from _written(plurals, side, "en", Form(entity, plural=True))
        yield from _written(structure.english_adjectives, side, "en", Form(entity, adjective=True))


def label_forms(structure: Structure) -> Iterator[tuple[str, Form]]:
    """Labels of TotalSegmentator and FreeSurfer."""
    for side in (None, *structure.sides):
        for label in labels(structure.totalsegmentator + structure.freesurfer, side):
            yield label, Form(Entity(structure, side))


def _written(patterns: Iterable[str], side: Side | None, language: Language, form: Form) -> Iterator[tuple[str, Form]]:
    for pattern in patterns:
        for text in with_side(pattern, side, language):
            yield text, form
