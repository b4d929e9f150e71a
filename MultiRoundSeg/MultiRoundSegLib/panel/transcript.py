"""The dialogue about a volume, kept in the scene: a text node that points to its volume and segmentations.

The text is JSON (see `conversation.round_json`); each segment of a round is named there by its ID
and by which of the node's segmentation references it lives in. Names and voxels are not stored:
they are read from the segments, so what a person renamed or corrected is what counts.
"""

from __future__ import annotations

from typing import Any

import slicer

from MultiRoundSegLib.conversation import Conversation, Reference, Round
from MultiRoundSegLib.conversation.round_json import decode_code, decode_round, encode_round
from MultiRoundSegLib.errors import RecordError
from MultiRoundSegLib.images import Mask
from MultiRoundSegLib.images.packing import pack, unpack

from .scene_images import geometry_of
from .scene_masks import segment_mask
from .transcript_json import VERSION, read_rounds, write_rounds

ROUND_TAG = "MultiRoundSeg.Round"
"""Segment tag that holds the number of the round which made it."""

_VOLUME_ROLE = "MultiRoundSeg.volume"
_SEGMENTATION_ROLE = "MultiRoundSeg.segmentation"
_ATTRIBUTE = "MultiRoundSeg.transcript"


class Transcript:
    """The dialogue of one volume node, as the scene has it now."""

    def __init__(self, volume_node: Any) -> None:
        """Find the volume's transcript in the scene; there may be none yet."""
        self.volume_node = volume_node
        self._text_node: Any = _find(volume_node)

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The rounds as JSON objects.

        Raises:
            RecordError: the text node was damaged or written by a newer version.
        """
        if self._text_node is None:
            return []
        try:
            return read_rounds(self._text_node.GetText() or "")
        except ValueError as error:
            raise self._damaged() from error

    @property
    def segmentation_nodes(self) -> list[Any]:
        """The segmentations that rounds were written to and that are still there, oldest first."""
        return _written_to(self._text_node) if self._text_node else []

    def conversation(self, chosen: Any = None) -> Conversation:
        """The dialogue with every mask as the scene has it now: renamed, corrected by hand or deleted.

        Segments that no dialogue made are given masks, if their segmentation was made on this volume or on
        no volume that is known, or was chosen: now, or by an earlier round that was written to it.

        Args:
            chosen: a segmentation node that counts whatever volume it was made on.

        Raises:
            RecordError: the saved dialogue is damaged.
            ImageReadError: the volume holds no image.
        """
        rounds = self.rounds
        conversation = Conversation(geometry_of(self.volume_node), self._given(rounds, chosen))
        try:
            for data in rounds:
                self._restore(data, conversation)
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged() from error
        return conversation

    def segment(self, entry: dict[str, Any]) -> tuple[Any, str] | None:
        """Segmentation node and segment ID of a round's segment; None where it was deleted."""
        node = (
            self._text_node.GetNthNodeReference(_SEGMENTATION_ROLE, entry["segmentation"]) if self._text_node else None
        )
        there = node is not None and node.GetSegmentation().GetSegment(entry["id"]) is not None
        return (node, entry["id"]) if there else None

    def append(self, round_: Round, segmentation_node: Any, segment_ids: list[str], taken: dict[str, Mask]) -> None:
        """Keep a round.

        Args:
            round_: the round.
            segmentation_node: where its masks were written.
            segment_ids: one per mask.
            taken: voxels that it took from earlier segments of that node, by segment ID, for undo.
        """
        rounds = self.rounds
        self._create()
        data = encode_round(round_)
        place = self._place_of(segmentation_node) if segment_ids else None
        for entry, segment_id in zip(data["segments"], segment_ids, strict=True):
            entry |= {"segmentation": place, "id": segment_id}
        data["taken"] = [{"segmentation": place, "id": key, "voxels": pack(mask)} for key, mask in taken.items()]
        self._write([*rounds, data])

    def made_by_last(self) -> list[tuple[Any, str]]:
        """Segmentation node and segment ID of each mask of the last round that is still there."""
        return [place for entry in self.rounds[-1]["segments"] if (place := self.segment(entry))]

    def taken_by_last(self) -> list[tuple[Any, str, Mask]]:
        """The voxels that the last round took from segments that are still there.

        Raises:
            RecordError: they are damaged.
        """
        geometry = geometry_of(self.volume_node)
        places = [(entry, self.segment(entry)) for entry in self.rounds[-1]["taken"]]
        try:
            return [(*place, unpack(entry["voxels"], geometry, "")) for entry, place in places if place]
        except (TypeError, ValueError) as error:
            raise self._damaged() from error

    def forget_last(self) -> None:
        """Take the last round out of the transcript."""
        self._write(self.rounds[:-1])

    def _damaged(self) -> RecordError:
        name = self._text_node.GetName()
        return RecordError(f"The dialogue in the text node {name} is damaged; delete the node to start anew.")

    def _restore(self, data: dict[str, Any], conversation: Conversation) -> None:
        places = [self.segment(entry) for entry in data["segments"]]
        present = [segment_mask(*place, self.volume_node) if place else None for place in places]
        masks = [
            (mask or Mask.empty(conversation.geometry)).renamed(entry["name"], decode_code(entry))
            for mask, entry in zip(present, data["segments"], strict=True)
        ]
        round_ = conversation.restore(decode_round(data, masks))
        for index, (mask, made) in enumerate(zip(present, masks, strict=True)):
            reference = Reference(round_.number, index)
            if mask is None:
                conversation.remove_mask(reference)
            elif mask.label != made.label:
                conversation.replace_mask(reference, mask.renamed(mask.label, made.code))

    def _given(self, rounds: list[dict[str, Any]], chosen: Any) -> list[Mask]:
        role = slicer.vtkMRMLSegmentationNode.GetReferenceImageGeometryReferenceRole()
        made = {place for data in rounds for entry in data["segments"] if (place := self.segment(entry))}
        others = [text_node for text_node in _text_nodes() if text_node is not self._text_node]
        of_others = {node for text_node in others for node in _written_to(text_node)}
        chosen_nodes = {chosen, *self.segmentation_nodes}
        return [
            segment_mask(node, segment_id, self.volume_node)
            for node in slicer.util.getNodesByClass("vtkMRMLSegmentationNode")
            if node in chosen_nodes or node.GetNodeReference(role) in (self.volume_node, None)
            for segment_id in node.GetSegmentation().GetSegmentIDs()
            if (node, segment_id) not in made and not (node in of_others and _is_of_a_round(node, segment_id))
        ]

    def _create(self) -> None:
        if self._text_node is None:
            name = f"MultiRoundSeg: {self.volume_node.GetName()}"
            self._text_node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLTextNode", name)
            self._text_node.SetAttribute(_ATTRIBUTE, str(VERSION))
            self._text_node.SetNodeReferenceID(_VOLUME_ROLE, self.volume_node.GetID())

    def _place_of(self, segmentation_node: Any) -> int:
        """Which of the node's references points to the segmentation; a new one where none does."""
        count = int(self._text_node.GetNumberOfNodeReferences(_SEGMENTATION_ROLE))
        for n in range(count):
            if self._text_node.GetNthNodeReference(_SEGMENTATION_ROLE, n) is segmentation_node:
                return n
        self._text_node.SetNthNodeReferenceID(_SEGMENTATION_ROLE, count, segmentation_node.GetID())
        return count

    def _write(self, rounds: list[dict[str, Any]]) -> None:
        self._text_node.SetText(write_rounds(rounds))


def _find(volume_node: Any) -> Any:
    return next((node for node in _text_nodes() if node.GetNodeReference(_VOLUME_ROLE) is volume_node), None)


def _text_nodes() -> list[Any]:
    return [node for node in slicer.util.getNodesByClass("vtkMRMLTextNode") if node.GetAttribute(_ATTRIBUTE)]


def _written_to(text_node: Any) -> list[Any]:
    """The segmentations that a dialogue was written to and that are still there, oldest first."""
    count = text_node.GetNumberOfNodeReferences(_SEGMENTATION_ROLE)
    nodes = (text_node.GetNthNodeReference(_SEGMENTATION_ROLE, n) for n in range(count))
    return [node for node in nodes if node is not None]


def _is_of_a_round(segmentation_node: Any, segment_id: str) -> bool:
    return bool(segmentation_node.GetSegmentation().GetSegment(segment_id).HasTag(ROUND_TAG))
