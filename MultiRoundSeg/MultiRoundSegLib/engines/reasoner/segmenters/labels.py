"""The segmenter `labels`: structures of a segmentation that is already there."""

from __future__ import annotations

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.conversation import GIVEN, Conversation, Reference
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Mask, Volume

from .segmenter import Candidate


class LabelsSegmenter:
    """Takes masks from those given before the dialogue, as a teacher with an atlas has them."""

    def __init__(self, anatomy: Anatomy) -> None:
        """Use these structures to understand the names of labels."""
        self._anatomy = anatomy

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """One candidate per given mask; nothing is read yet."""
        return tuple(
            Candidate(
                entity=self._anatomy.identify(mask.label, mask.code),
                label=mask.label,
                title=history.name(Reference(GIVEN, index)),
                key=Reference(GIVEN, index),
            )
            for index, mask in enumerate(history.given)
        )

    def segment(self, candidate: Candidate, volume: Volume, history: Conversation, *, progress: Progress) -> Mask:
        """The given mask as it is now."""
        progress(0.5, candidate.label)
        assert isinstance(candidate.key, Reference), "candidates of this segmenter are given masks"
        return history.latest(candidate.key)
