"""The small protocol of those who find WHERE a structure is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from MultiRoundSegLib.anatomy import Entity
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Mask, Volume


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


class Segmenter(Protocol):
    """Finds structures in a volume."""

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """Everything that may be asked for in this volume."""

    def segment(self, candidate: Candidate, volume: Volume, history: Conversation, *, progress: Progress) -> Mask:
        """The structure's mask on the volume's grid; empty where the structure is not in the image.

        Raises:
            CancelledError: `progress` said so.
        """
