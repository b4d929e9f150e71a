"""Keeping a round in the scene: its masks as segments, its words in the transcript; all of it or nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import slicer

from MultiRoundSegLib.anatomy import language_of
from MultiRoundSegLib.conversation import Answer, Conversation, Question, Round
from MultiRoundSegLib.images import Mask, union, without

from .appearance import dress
from .overlap import Overlap, say_protected, settle
from .scene_masks import may_meet, refuse_surfaces, segment_mask, write_mask
from .transcript import ROUND_TAG, Transcript

MADE_BY_ROUND = "MultiRoundSeg.MadeByRound"
"""Attribute of a segmentation node that a round made because there was none to write to."""


@dataclass(frozen=True)
class SceneRound:
    """A round and where its masks went.

    Attributes:
        round: question and answer.
        segmentation_node: the segmentation its masks were written to; None where it has none.
        segment_ids: one ID per mask.
    """

    round: Round
    segmentation_node: Any | None = None
    segment_ids: tuple[str, ...] = ()


def keep_round(
    transcript: Transcript,
    conversation: Conversation,
    question: Question,
    answer: Answer,
    segmentation_node: Any | None,
    choice: Overlap,
) -> SceneRound:
    """Write masks and transcript; on any failure the scene is as it was before.

    Args:
        transcript: of the volume.
        conversation: the dialogue so far; the round is recorded there too.
        question: what was asked.
        answer: what the engine said.
        segmentation_node: where masks go; None for a new one.
        choice: what happens where a mask meets earlier segments of that segmentation.
    """
    volume_node = transcript.volume_node
    if answer.masks and segmentation_node:
        refuse_surfaces(segmentation_node)
    earlier = _met(segmentation_node, volume_node, answer.masks) if segmentation_node else {}
    settled = settle(answer.masks, earlier, choice)
    answer = say_protected(answer, settled.masks, language_of(question.text))
    if not answer.masks:
        round_ = conversation.record(question, answer)
        transcript.append(round_, None, [], {})
        return SceneRound(round_)
    node = segmentation_node or _segmentation_for_round(volume_node)
    segment_ids: list[str] = []
    try:
        round_ = conversation.record(question, answer)
        for mask in answer.masks:
            segment_ids.append(_add_segment(node, round_.number, mask))
            write_mask(node, segment_ids[-1], mask, volume_node)
        for segment_id, lost in settled.taken.items():
            write_mask(node, segment_id, without(earlier[segment_id], [lost]), volume_node)
        transcript.append(round_, node, segment_ids, settled.taken)
    except Exception:
        logging.exception("A round could not be written; the scene is put back as it was.")
        _put_back(node, segment_ids, {s: earlier[s] for s in settled.taken}, volume_node)
        if segmentation_node is None:
            _remove(node)
        raise
    return SceneRound(round_, node, tuple(segment_ids))


def take_back_last(transcript: Transcript) -> None:
    """Undo the last round: its segments go, what it took comes back; on any failure nothing is changed.

    A segmentation that a round had made is removed with its last segment.
    """
    volume_node = transcript.volume_node
    made, taken = transcript.made_by_last(), transcript.taken_by_last()
    for node in {node for node, _, _ in taken}:
        refuse_surfaces(node)
    present = [segment_mask(node, segment_id, volume_node) for node, segment_id, _ in taken]
    whole = [union([mask, lost], "") for mask, (_, _, lost) in zip(present, taken, strict=True)]
    try:
        for (node, segment_id, _), mask in zip(taken, whole, strict=True):
            write_mask(node, segment_id, mask, volume_node)
    except Exception:
        logging.exception("A round could not be undone; the scene is put back as it was.")
        for (node, segment_id, _), mask in zip(taken, present, strict=True):
            write_mask(node, segment_id, mask, volume_node)
        raise
    for node, segment_id in made:
        node.GetSegmentation().RemoveSegment(segment_id)
    transcript.forget_last()
    for node in {node for node, _ in made}:
        if node.GetAttribute(MADE_BY_ROUND) and node.GetSegmentation().GetNumberOfSegments() == 0:
            _remove(node)


def new_segmentation(volume_node: Any, name: str) -> Any:
    """A segmentation node on the volume's grid, under the volume's parent transform."""
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
    node.CreateDefaultDisplayNodes()
    node.SetReferenceImageGeometryParameterFromVolumeNode(volume_node)
    node.SetAndObserveTransformNodeID(volume_node.GetTransformNodeID())
    _place_beside(node, volume_node)
    return node


def _remove(node: Any) -> None:
    """Remove a segmentation with the nodes that show and store it, which Slicer would leave behind."""
    with_it = [node.GetNthDisplayNode(n) for n in range(node.GetNumberOfDisplayNodes())]
    with_it += [node.GetNthStorageNode(n) for n in range(node.GetNumberOfStorageNodes())]
    for removed in (node, *filter(None, with_it)):
        slicer.mrmlScene.RemoveNode(removed)


def _segmentation_for_round(volume_node: Any) -> Any:
    node = new_segmentation(volume_node, f"{volume_node.GetName()} dialogue")
    node.SetAttribute(MADE_BY_ROUND, "1")
    return node


def _place_beside(node: Any, volume_node: Any) -> None:
    """Put the segmentation into the volume's study or folder of the subject hierarchy."""
    hierarchy = slicer.vtkMRMLSubjectHierarchyNode.GetSubjectHierarchyNode(slicer.mrmlScene)
    item, volume_item = (hierarchy.GetItemByDataNode(n) for n in (node, volume_node)) if hierarchy else (0, 0)
    if item and volume_item:
        hierarchy.SetItemParent(item, hierarchy.GetItemParent(volume_item))


def _met(node: Any, volume_node: Any, masks: Sequence[Mask]) -> dict[str, Mask]:
    """The segments, by ID, that may share a voxel with the masks; the others need not be read."""
    return {
        segment_id: segment_mask(node, segment_id, volume_node)
        for segment_id in node.GetSegmentation().GetSegmentIDs()
        if any(may_meet(node, segment_id, volume_node, mask.bounding_box()) for mask in masks)
    }


def _add_segment(node: Any, number: int, mask: Mask) -> str:
    """An empty segment that looks like the mask's structure and knows its round."""
    segment_id = str(node.GetSegmentation().AddEmptySegment("", mask.label))
    segment = node.GetSegmentation().GetSegment(segment_id)
    dress(segment, mask)
    segment.SetTag(ROUND_TAG, str(number))
    return segment_id


def _put_back(node: Any, added: Sequence[str], changed: Mapping[str, Mask], volume_node: Any) -> None:
    for segment_id in added:
        node.GetSegmentation().RemoveSegment(segment_id)
    for segment_id, mask in changed.items():
        write_mask(node, segment_id, mask, volume_node)
