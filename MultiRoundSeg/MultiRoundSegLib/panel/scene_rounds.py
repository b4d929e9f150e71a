"""Keeping a round in the scene: its masks as segments, its words in the transcript; all of it or nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import slicer

from MultiRoundSegLib.anatomy import Language, language_of
from MultiRoundSegLib.conversation import Answer, Conversation, Question, Round
from MultiRoundSegLib.images import Mask, without

from .appearance import dress
from .overlap import Overlap, settle
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
    answer = _without_hidden(answer, settled.masks)
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
            slicer.mrmlScene.RemoveNode(node)
        raise
    return SceneRound(round_, node, tuple(segment_ids))


def new_segmentation(volume_node: Any, name: str) -> Any:
    """A segmentation node on the volume's grid, under the volume's parent transform."""
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
    node.CreateDefaultDisplayNodes()
    node.SetReferenceImageGeometryParameterFromVolumeNode(volume_node)
    node.SetAndObserveTransformNodeID(volume_node.GetTransformNodeID())
    _place_beside(node, volume_node)
    return node


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


def _without_hidden(answer: Answer, masks: Sequence[Mask]) -> Answer:
    """The answer with what is left of its masks, and in words what was left to protected earlier segments."""
    language = language_of(answer.text)
    lost_ml = sum(before.volume_ml - after.volume_ml for before, after in zip(answer.masks, masks, strict=True))
    left = tuple(mask for mask in masks if not mask.is_empty)
    if lost_ml <= 0:
        return replace(answer, masks=left)
    names = (", " if language == "en" else "、").join(mask.label for mask in masks)
    if not left:
        text = _NOTHING_LEFT[language].format(names=names)
        return replace(answer, text=text, masks=(), status="none", score=None)
    return replace(answer, text=f"{answer.text} {_LEFT_OUT[language].format(volume=lost_ml)}", masks=left)


_NOTHING_LEFT: dict[Language, str] = {
    "en": "All of it belongs to earlier segments, which are protected: {names}.",
    "zh": "{names}全部属于先前受保护的分割，没有新增体素。",
}
_LEFT_OUT: dict[Language, str] = {
    "en": "(Of this {volume:.3g} ml belong to earlier segments, which are protected, and were left out.)",
    "zh": "（其中{volume:.3g} ml属于先前受保护的分割，未写入。）",
}


def _put_back(node: Any, added: Sequence[str], changed: Mapping[str, Mask], volume_node: Any) -> None:
    for segment_id in added:
        node.GetSegmentation().RemoveSegment(segment_id)
    for segment_id, mask in changed.items():
        write_mask(node, segment_id, mask, volume_node)
