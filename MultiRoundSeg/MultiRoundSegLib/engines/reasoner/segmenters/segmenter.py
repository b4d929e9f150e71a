"""The small protocol of those who find WHERE a structure is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from MultiRoundSegLib.anatomy import Entity, Language
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Mask, Volume


@dataclass(frozen=True)
class SegmenterInfo:
    """What a segmenter is good for.

    Attributes:
        name: one word, for settings and the record.
        title: what a person calls it, in the middle of an English sentence.
        title_zh: the same in Chinese.
        modalities: DICOM modalities it is made for; empty for any.
        region: the part of the body it knows, for a person; empty for any.
        seconds: about how long the first structure of a volume takes on two processor cores.
        weights: SHA-256 of its weights; None where it has none.
        sees_image: it looks at the image itself, so an empty mask means that the structure is not there.
    """

    name: str
    title: str
    title_zh: str
    modalities: tuple[str, ...] = ()
    region: str = ""
    seconds: float = 0.0
    weights: str | None = None
    sees_image: bool = True

    def title_in(self, language: Language) -> str:
        """What a person calls it."""
        return self.title_zh if language == "zh" else self.title


@dataclass(frozen=True)
class Candidate:
    """A structure that a segmenter can find.

    Attributes:
        entity: the known structure; None for a name that only its author knows.
        label: what the segmenter calls it.
        title: the label with what tells it from others of the same name.
        key: the segmenter's own handle.
    """

    entity: Entity | None
    label: str
    title: str
    key: Hashable


@dataclass(frozen=True)
class Found:
    """What a segmenter found.

    Attributes:
        mask: on the volume's grid; empty where the structure is not in the image.
        score: its own estimate of the mask's quality, 0 to 1; None where it has none.
        by: who found it; several for a whole made of parts.
        disputes: others who found the structure elsewhere.
    """

    mask: Mask
    score: float | None = None
    by: tuple[SegmenterInfo, ...] = ()
    disputes: tuple[Dispute, ...] = ()


@dataclass(frozen=True)
class Dispute:
    """That another segmenter found a structure elsewhere.

    Attributes:
        other: who.
        dice: the overlap of both masks, 0 to 1.
    """

    other: SegmenterInfo
    dice: float


class Finder(Protocol):
    """A segmenter at work on one volume; what is costly is done once, when first needed."""

    @property
    def is_ready(self) -> bool:
        """Whether finding a structure costs next to nothing now."""

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """Everything that may be asked for in this volume; quick."""

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """Find one structure.

        Raises:
            OutsideDomainError: the volume is nothing that this segmenter can work on.
            CancelledError: `progress` said so.
        """


class Segmenter(Protocol):
    """Finds structures in volumes."""

    @property
    def info(self) -> SegmenterInfo:
        """What it is good for."""

    def open(self, volume: Volume) -> Finder:
        """Take in a volume; quick."""
