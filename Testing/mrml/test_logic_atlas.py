"""An earlier scan in the scene lends its segments to another one; going back and forth costs nothing."""

from typing import Any

import numpy as np
import slicer
from engine_contract import Told
from fakes import FakeEngine, answer
from scene_parts import add_segment, voxels_of

from MultiRoundSegLib.images.combine import dice
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic
from MultiRoundSegLib.panel.scene_masks import segment_mask


def add_scan(shift_mm: float, name: str) -> tuple[Any, np.ndarray]:
    """A body of ellipsoids, moved to the left, and the voxels of the lesion in it."""
    k, j, i = np.indices((40, 36, 44)) * 3.0
    i = i + shift_mm
    image = np.zeros(k.shape)
    lesion = ((k - 70) / 9) ** 2 + ((j - 50) / 9) ** 2 + ((i - 80) / 9) ** 2 < 1
    image[((k - 60) / 55) ** 2 + ((j - 54) / 40) ** 2 + ((i - 66) / 45) ** 2 < 1] = 100
    image[((k - 65) / 25) ** 2 + ((j - 50) / 20) ** 2 + ((i - 80) / 22) ** 2 < 1] = 160
    image[((k - 55) / 40) ** 2 + ((j - 30) / 9) ** 2 + ((i - 60) / 9) ** 2 < 1] = 250
    image[lesion] = 60
    noise = np.random.default_rng(len(name)).normal(0, 3, image.shape)
    node = slicer.util.addVolumeFromArray((image + noise).astype(np.int16), np.diag([3.0, 3.0, 3.0, 1.0]), name)
    return node, lesion


def test_a_hand_made_segment_of_an_earlier_scan_is_carried_to_the_follow_up(scene: Any) -> None:
    prior, lesion = add_scan(0.0, "prior")
    follow_up, moved = add_scan(6.0, "follow-up")
    add_segment(prior, "my lesion", lesion)
    logic = MultiRoundSegLogic()
    done = logic.ask(follow_up, "segment my lesion", atlasNode=prior)
    assert done.round.answer.text.startswith("Here is the my lesion"), done.round.answer.text
    assert "atlas prior" in done.round.answer.text
    found = segment_mask(done.segmentation_node, done.segment_ids[0], follow_up)
    truth = segment_mask(*add_segment(follow_up, "truth", moved), follow_up)
    assert dice(found, truth) > 0.8
    assert voxels_of(done.segmentation_node, done.segment_ids[0], follow_up).shape == moved.shape
    role = slicer.vtkMRMLSegmentationNode.GetReferenceImageGeometryReferenceRole()
    assert done.segmentation_node.GetNodeReference(role) is follow_up


def test_a_scan_is_registered_once_whatever_is_asked_between(scene: Any) -> None:
    prior, lesion = add_scan(0.0, "prior")
    follow_up, _ = add_scan(6.0, "follow-up")
    node, segment_id = add_segment(prior, "my lesion", lesion)
    logic, first, again = MultiRoundSegLogic(), Told(), Told()
    logic.ask(follow_up, "my lesion", atlasNode=prior, progress=first)
    logic.ask(prior, "my lesion")
    node.GetSegmentation().GetSegment(segment_id).SetName("its rim")
    done = logic.ask(follow_up, "its rim", atlasNode=prior, progress=again)
    assert done.round.answer.status == "answered", done.round.answer.text
    assert "judging the fit" in first.messages
    assert "judging the fit" not in again.messages


def test_sessions_of_removed_and_changed_volumes_are_closed(scene: Any) -> None:
    closed: list[str] = []
    engine = FakeEngine(lambda question, history, volume: answer("no"))
    opening = engine.open

    def open_counted(volume: Any) -> Any:
        session = opening(volume)
        session.close = lambda: closed.append(volume.name)  # type: ignore[method-assign]
        return session

    engine.open = open_counted  # type: ignore[method-assign]
    logic = MultiRoundSegLogic(lambda name: engine)
    one, other = (slicer.util.addVolumeFromArray(np.zeros((4, 4, 4)), np.eye(4), name) for name in ("one", "other"))
    for node in (one, other, one):
        logic.ask(node, "?")
    assert [volume.name for volume in engine.opened] == ["one", "other"]
    slicer.util.arrayFromVolume(one)[:] = 1
    slicer.util.arrayFromVolumeModified(one)
    logic.ask(one, "?")
    assert closed == ["one"]
    slicer.mrmlScene.RemoveNode(other)
    logic.ask(one, "?")
    assert closed == ["one", "other"]
    logic.close()
    assert closed == ["one", "other", "one"]


def test_an_atlas_without_segments_offers_nothing(scene: Any) -> None:
    prior, _ = add_scan(0.0, "prior")
    follow_up, _ = add_scan(6.0, "follow-up")
    assert MultiRoundSegLogic().ask(follow_up, "the liver", atlasNode=prior).round.answer.status == "none"
