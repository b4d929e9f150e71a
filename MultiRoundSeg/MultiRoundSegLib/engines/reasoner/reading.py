"""What the words of a question say, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.anatomy import (
    Language,
    Side,
    Structure,
)
from MultiRoundSegLib.conversation import Reference

from .description import Description
from .operations import Action
from .segmenters import Candidate
from .sides import Sides


@dataclass(frozen=True)
class Wanted:
    """One structure that the question names.

    Attributes:
        structures: what the name may mean; several for an ambiguous name; none where only a side
            was named ("the left one").
        sides: the sides the words name.
        many: the words ask for every one of the kind ("all", plural).
        side_of: the side is that of an earlier mask, or the other one.
        references: earlier masks named with it ("the liver of [1]").
        plural: the name is a plural.
        named_sides: the side that the name has in some of its meanings ("LV").
    """

    structures: tuple[Structure, ...]
    sides: Sides = ()
    many: bool = False
    side_of: Literal["same", "other"] | None = None
    references: tuple[Reference, ...] = ()
    named_sides: tuple[tuple[Structure, Side], ...] = ()
    plural: bool = False


@dataclass(frozen=True)
class Pointed:
    """Earlier masks, or their other sides.

    Attributes:
        references: the masks; none for those of the last round.
        other: their other sides are asked for.
    """

    references: tuple[Reference, ...]
    other: bool


@dataclass(frozen=True)
class Own:
    """Candidates called by a name that only its author knows; several where they share it."""

    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Unclear:
    """A clause with words that are not understood.

    Attributes:
        words: the clause.
        named: what it names besides.
    """

    words: str
    named: tuple[Wanted, ...] = ()


Item = Wanted | Pointed | Own | Unclear | Description


@dataclass(frozen=True)
class Reading:
    """What the words of a question say.

    Attributes:
        language: of the question, and so of the answer.
        items: what is asked for, in order; of an operation, what it works on, none for the last result.
        action: the operation; None where something is just asked for.
        part: what the operation keeps, takes away, adds, or is told by.
        told: the same read as a description.
        steps: how many places further down a series; negative for up.
        reaches: all on the way down or up are meant too.
        mends: it corrects the question before ("no, i meant ...").
    """

    language: Language
    items: tuple[Item, ...]
    action: Action | None = None
    part: tuple[Item, ...] = ()
    told: Description | None = None
    steps: int = 0
    reaches: bool = False
    mends: bool = False
