"""The segmenter `labels`: structures of a segmentation that is already there."""

from __future__ import annotations

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.conversation import GIVEN, Conversation, Reference
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Volume

from .segmenter import Candidate, Found, SegmenterInfo


class LabelsSegmenter:
    """Takes masks from those given before the dialogue, as a teacher with an atlas has them."""

    info = SegmenterInfo("labels", "existing segmentation", "已有的分割", sees_image=False)
    is_ready = True

    def __init__(self, anatomy: Anatomy) -> None:
        """Use these structures to understand the names of labels."""
        self._anatomy = anatomy

    def open(self, volume: Volume) -> LabelsSegmenter:
        """The given masks belong to the dialogue, so nothing is kept of the volume."""
        return self

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

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """The given mask as it is now."""
        progress(0.5, candidate.label)
        assert isinstance(candidate.key, Reference), "candidates of this segmenter are given masks"
        return Found(history.latest(candidate.key))
