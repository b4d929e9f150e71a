"""The module's logic: rounds of dialogue over nodes of the scene, with or without a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import slicer

from MultiRoundSegLib.conversation import Conversation, Question, Reference, Round
from MultiRoundSegLib.conversation.record import save_record
from MultiRoundSegLib.engines import Engine, Progress, create_engine, no_progress
from MultiRoundSegLib.errors import CancelledError, ReferenceNotFoundError
from MultiRoundSegLib.images import SliceView, Volume, default_window

from .overlap import Overlap
from .scene_images import volume_of
from .scene_rounds import SceneRound, keep_round, take_back_last
from .sessions import Sessions
from .show import centre_views
from .transcript import Transcript


class MultiRoundSegLogic:
    """Asks engines about volumes and writes their masks as segments.

    Usable from the panel, the Python console and batch scripts:

        logic = MultiRoundSegLogic()
        first = logic.ask(volumeNode, "segment the right kidney")
        second = logic.ask(volumeNode, "the other one", references=[Reference(1)])
    """

    def __init__(self, create: Callable[..., Engine] = create_engine) -> None:
        """Start with no engine; the first question makes one.

        Args:
            create: makes an engine from its name and settings.
        """
        self._sessions = Sessions(create)

    def ask(
        self,
        volumeNode: Any,
        text: str,
        segmentationNode: Any = None,
        references: Sequence[Reference | int] = (),
        *,
        engine: str = "reasoner",
        settings: dict[str, Any] | None = None,
        view: SliceView | None = None,
        overlap: Overlap | str = Overlap.ALLOW,
        atlasNode: Any = None,
        progress: Progress | None = None,
    ) -> SceneRound:
        """Ask one question about a volume and write the answer's masks as segments.

        Args:
            volumeNode: the volume to ask about; of a sequence, the frame it shows now.
            text: the question, in English or Chinese.
            segmentationNode: where the masks go; by default the one of the dialogue, or a new one.
            references: earlier masks meant besides those the text names; a number means the first
                mask of that round.
            engine: one of `engine_names()`.
            settings: the engine's own settings.
            view: the slice on the screen, for engines that look at one slice.
            overlap: what happens where a mask meets earlier segments of the segmentation.
            atlasNode: another volume, such as an earlier scan, whose segments may be carried over by
                registration, where the engine can do that.
            progress: is told each step, and may raise `CancelledError`.

        Returns:
            The round, kept in the scene, and the IDs of its segments.

        Raises:
            MultiRoundSegError: it could not be carried out; the scene is as it was before.
        """
        if volumeNode is None or not text.strip():
            raise ValueError("a question needs a volume node and a text")
        text = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate would end Slicer's process
        volume = volume_of(volumeNode)
        transcript = Transcript(volumeNode)
        conversation = transcript.conversation(segmentationNode)
        question = Question(text, _with_window(view, volume), tuple(_reference(r) for r in references), volume.frame)
        session = self._sessions.open(volumeNode, volume, engine, settings or {}, atlasNode)
        answer = session.answer(question, conversation, progress=progress or no_progress)
        if not slicer.mrmlScene.IsNodePresent(volumeNode):
            raise CancelledError("The volume was removed while the question was being answered.")
        node = segmentationNode or next(reversed(transcript.segmentation_nodes), None)
        return keep_round(transcript, conversation, question, answer, node, Overlap(overlap))

    def undo(self, volumeNode: Any) -> Round:
        """Take back the last round: its segments go, and voxels it took from others come back.

        Raises:
            ReferenceNotFoundError: there is no round to take back.
        """
        transcript = Transcript(volumeNode)
        conversation = transcript.conversation()
        if not conversation.rounds:
            raise ReferenceNotFoundError("There is no round to undo.")
        take_back_last(transcript)
        return conversation.rounds[-1]

    def conversation(self, volumeNode: Any, segmentationNode: Any = None) -> Conversation:
        """The dialogue about a volume, with every mask as it is in the scene now.

        Args:
            volumeNode: the volume.
            segmentationNode: a segmentation that counts whatever volume it was made on, as in `ask`.
        """
        return Transcript(volumeNode).conversation(segmentationNode)

    def show(self, volumeNode: Any, reference: Reference | int | None = None) -> None:
        """Centre the slice views on the largest island of a mask; by default of the last one.

        Raises:
            ReferenceNotFoundError: there is no such mask.
            EmptyMaskError: it is empty.
        """
        conversation = self.conversation(volumeNode)
        if reference is None:
            reference = next(reversed(conversation.made()), Reference(1))
        centre_views(conversation.mask(_reference(reference)), volumeNode)

    def colours(self, volumeNode: Any) -> dict[Reference, tuple[float, float, float]]:
        """The colour of each segment that a round made, red, green and blue from 0 to 1."""
        transcript = Transcript(volumeNode)
        return {
            Reference(number, index): node.GetSegmentation().GetSegment(segment_id).GetColor()
            for number, data in enumerate(transcript.rounds, start=1)
            for index, entry in enumerate(data["segments"])
            for node, segment_id in filter(None, [transcript.segment(entry)])
        }

    def segmentations(self, volumeNode: Any) -> list[Any]:
        """The segmentation nodes that the dialogue was written to and that are still there."""
        return Transcript(volumeNode).segmentation_nodes

    def exportRecord(self, volumeNode: Any, folder: str | Path) -> Path:
        """Write the dialogue to a folder: `rounds.json` and one mask file per mask."""
        return save_record(self.conversation(volumeNode), Path(folder))

    def close(self) -> None:
        """Release the engine; the next question opens it again."""
        self._sessions.close()


def _reference(reference: Reference | int) -> Reference:
    if isinstance(reference, Reference):
        return reference
    if isinstance(reference, bool) or not isinstance(reference, int):
        raise ValueError(f"a reference is the number of a round or a Reference, not {reference!r}")
    return Reference(reference)


def _with_window(view: SliceView | None, volume: Volume) -> SliceView | None:
    """The view with the window it is shown to a model with, so that the round records it."""
    if view is None or view.window is not None:
        return view
    return replace(view, window=default_window(volume))
