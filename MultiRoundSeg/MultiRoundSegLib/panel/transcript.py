"""The dialogue about a volume, kept in the scene: a text node that points to its volume and segmentations.

The text is JSON (see `conversation.round_json`); each segment of a round is named there by its ID
and by which of the node's segmentation references it lives in. Names and voxels are not stored:
they are read from the segments, so what a person renamed or corrected is what counts.
"""

from __future__ import annotations

import json
from typing import Any

import slicer

from MultiRoundSegLib.conversation import Conversation, Reference, Round
from MultiRoundSegLib.conversation.round_json import decode_code, decode_round, encode_round
from MultiRoundSegLib.errors import RecordError
from MultiRoundSegLib.images import Mask
from MultiRoundSegLib.images.packing import pack, unpack

from .scene_images import geometry_of
from .scene_masks import segment_mask

FORMAT = "multiroundseg-transcript"
VERSION = 1
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
            data = json.loads(self._text_node.GetText() or "{}")
            version, rounds = data["version"], data["rounds"]
        except (ValueError, KeyError, TypeError) as error:
            raise RecordError(
                f"The dialogue in the text node {self._text_node.GetName()} is damaged; delete the node to start anew."
            ) from error
        if version != VERSION:
            raise RecordError(
                f"The dialogue was saved by another version ({version}) of MultiRoundSeg; update to go on."
            )
        return list(rounds)

    @property
    def segmentation_nodes(self) -> list[Any]:
        """The segmentations that rounds were written to and that are still there, oldest first."""
        count = self._text_node.GetNumberOfNodeReferences(_SEGMENTATION_ROLE) if self._text_node else 0
        nodes = (self._text_node.GetNthNodeReference(_SEGMENTATION_ROLE, n) for n in range(count))
        return [node for node in nodes if node is not None]

    def conversation(self) -> Conversation:
        """The dialogue with every mask as the scene has it now: renamed, corrected by hand or deleted.

        Segments of the scene that no round made are given masks.
        """
        rounds = self.rounds
        conversation = Conversation(geometry_of(self.volume_node), self._given(rounds))
        for data in rounds:
            self._restore(data, conversation)
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

    def drop_last(self) -> tuple[list[tuple[Any, str]], list[tuple[Any, str, Mask]]]:
        """Forget the last round.

        Returns:
            Its segments that are still there, and the voxels it took from others that are still there.
        """
        rounds = self.rounds
        last = rounds.pop()
        made = [place for entry in last["segments"] if (place := self.segment(entry))]
        geometry = geometry_of(self.volume_node)
        taken = [
            (*place, unpack(entry["voxels"], geometry, "")) for entry in last["taken"] if (place := self.segment(entry))
        ]
        self._write(rounds)
        return made, taken

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

    def _given(self, rounds: list[dict[str, Any]]) -> list[Mask]:
        """Every segment of the scene that belongs to this image and that no round of it made."""
        made = {place for data in rounds for entry in data["segments"] if (place := self.segment(entry))}
        return [
            segment_mask(node, segment_id, self.volume_node)
            for node in _segmentations_for(self.volume_node)
            for segment_id in node.GetSegmentation().GetSegmentIDs()
            if (node, segment_id) not in made
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
        data = {"format": FORMAT, "version": VERSION, "rounds": rounds}
        self._text_node.SetText(json.dumps(data, ensure_ascii=False))


def _find(volume_node: Any) -> Any:
    for node in slicer.util.getNodesByClass("vtkMRMLTextNode"):
        if node.GetAttribute(_ATTRIBUTE) and node.GetNodeReference(_VOLUME_ROLE) is volume_node:
            return node
    return None


def _segmentations_for(volume_node: Any) -> list[Any]:
    """Segmentations that were made on this volume or on none that is known; failing these, all others."""
    role = slicer.vtkMRMLSegmentationNode.GetReferenceImageGeometryReferenceRole()
    nodes = slicer.util.getNodesByClass("vtkMRMLSegmentationNode")
    own = [node for node in nodes if node.GetNodeReference(role) in (volume_node, None)]
    return own or nodes
