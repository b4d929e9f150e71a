"""The plan of a round, as data: what is to be segmented, why, and what cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from MultiRoundSegLib.anatomy import Entity
from MultiRoundSegLib.conversation import Reference

from .segmenters import Candidate
from .weighing import Reason

Trouble = Literal[
    "absent",  # a known structure that this segmentation does not have
    "unsided",  # the segmentation has it, but does not say on which side
    "one_sided",  # the structure asked about has no other side
    "not_understood",  # no structure was recognised in the words
    "unclear",  # some words are not understood, and they may change what is meant
    "not_meant",  # the language model finds nothing that is meant
    "excludes",  # the words take something away
    "no_labels",  # there is nothing to take structures from
]


@dataclass(frozen=True)
class Target:
    """One mask to make.

    Attributes:
        entity: the structure; None for a name that only its author knows.
        label: what the mask will be called where there is no entity.
        candidates: what the segmenter is asked for; their union is the mask.
        copied: an earlier mask to be shown again instead.
        opposite_of: the mask whose other side this is.
        reason: why a structure that is described, not named, is meant.
    """

    entity: Entity | None
    label: str
    candidates: tuple[Candidate, ...] = ()
    copied: Reference | None = None
    opposite_of: Reference | None = None
    reason: Reason | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Refusal:
    """Something asked for that cannot be had.

    Attributes:
        trouble: why.
        entity: the structure, where it is known.
        reference: the earlier mask concerned, where there is one.
        words: those that are not understood.
    """

    trouble: Trouble
    entity: Entity | None = None
    reference: Reference | None = None
    words: str = ""


@dataclass(frozen=True)
class Choice:
    """A question back: readings that are equally good.

    Attributes:
        options: targets to choose from.
    """

    options: tuple[Target, ...]


@dataclass(frozen=True)
class Plan:
    """What a round will do.

    Attributes:
        targets: masks to make.
        refusals: what cannot be had.
        choice: a question back; nothing is segmented then.
        used: earlier masks that the plan stands on.
        dropped: what was taken away.
        in_words: an answer in words is wanted.
    """

    targets: tuple[Target, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    choice: Choice | None = None
    used: tuple[Reference, ...] = ()
    dropped: tuple[Target, ...] = ()
    in_words: bool = False
