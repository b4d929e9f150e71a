"""Dialogues in the scene: renamed, deleted, re-created, duplicated and corrected segments; save, reload, import."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import slicer
import vtk
from fakes import echo, stored
from offscreen.scene import close_scene, import_scene, load_scene, save_scene
from scene_parts import add_segment, add_segmentation, add_volume, asks, block, counts, names

from MultiRoundSegLib.conversation import Reference
from MultiRoundSegLib.errors import EngineError, ImageReadError, RecordError, ReferenceNotFoundError
from MultiRoundSegLib.images import Mask
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic
from MultiRoundSegLib.panel.scene_images import geometry_of
from MultiRoundSegLib.panel.scene_masks import write_mask

TEN = slice(0, 10)


@pytest.fixture
def volume(scene: Any) -> Any:
    return add_volume((20, 20, 20))


def liver(volume: Any, depth: int = 10) -> Mask:
    return block(volume, slice(0, depth), TEN, TEN, "liver")


def segment_of(done: Any) -> Any:
    return done.segmentation_node.GetSegmentation().GetSegment(done.segment_ids[0])


def sees(answered: Any) -> list[int]:
    """Voxels of the masks that an echo answered with."""
    return [mask.voxel_count for mask in answered.round.answer.masks]


def test_a_renamed_segment_answers_to_both_names_and_the_dialogue_shows_the_new_one(volume: Any) -> None:
    logic = asks(stored(liver(volume)), echo())
    segment_of(logic.ask(volume, "liver")).SetName("hepar")
    for text in ("inside the liver", "inside the hepar"):
        done = logic.ask(volume, text)
        assert done.round.answer.used == (Reference(1),)
        assert sees(done) == [1000]
    assert logic.conversation(volume).name(Reference(1)) == "[1] hepar"
    assert logic.conversation(volume).rounds[0].answer.masks[0].label == "liver"


def test_a_deleted_segment_is_reported_and_a_new_one_of_its_name_is_used_and_said(volume: Any) -> None:
    logic = asks(stored(liver(volume)), echo())
    first = logic.ask(volume, "liver")
    first.segmentation_node.GetSegmentation().RemoveSegment(first.segment_ids[0])
    with pytest.raises(ReferenceNotFoundError, match="'liver' of round 1 was deleted"):
        logic.ask(volume, "?", references=[1])
    with pytest.raises(ReferenceNotFoundError, match="deleted"):
        logic.ask(volume, "inside the liver")
    add_segment(volume, "liver", liver(volume, 5).voxels, first.segmentation_node)
    with pytest.raises(ReferenceNotFoundError, match="deleted"):
        logic.ask(volume, "inside [1]")
    done = logic.ask(volume, "inside the liver")
    assert sees(done) == [500]
    assert "was deleted" in done.round.answer.text


def test_a_name_that_two_segments_have_is_asked_back_with_their_volumes(volume: Any) -> None:
    node, _ = add_segment(volume, "kidney", liver(volume).voxels)
    add_segment(volume, "kidney", liver(volume, 5).voxels, node)
    answer = asks(echo()).ask(volume, "in the kidney").round.answer
    assert answer.status == "clarify"
    assert "1.00 ml" in answer.text
    assert "0.50 ml" in answer.text
    assert answer.choices == ("in the kidney (Atlas, 1)", "in the kidney (Atlas, 2)")
    assert sees(asks(echo()).ask(volume, answer.choices[1])) == [500]


def test_one_name_in_two_segmentations_is_asked_back_with_theirs(volume: Any) -> None:
    add_segment(volume, "liver", liver(volume).voxels, add_segmentation(volume, "A"))
    add_segment(volume, "liver", liver(volume, 5).voxels, add_segmentation(volume, "B"))
    answer = asks(echo()).ask(volume, "in the liver").round.answer
    assert answer.choices == ("in the liver (A)", "in the liver (B)")


def test_the_next_round_sees_what_was_corrected_by_hand(volume: Any) -> None:
    logic = asks(stored(liver(volume)), echo())
    first = logic.ask(volume, "liver")
    assert sees(logic.ask(volume, "in [1]")) == [1000]
    write_mask(first.segmentation_node, first.segment_ids[0], liver(volume, 3), volume)
    assert logic.conversation(volume).stale_rounds() == (2,)
    assert sees(logic.ask(volume, "in [1]")) == [300]
    assert logic.conversation(volume).stale_rounds() == (2,)


def test_a_cloned_segmentation_does_not_take_over_the_rounds(volume: Any) -> None:
    logic = asks(stored(liver(volume)), echo())
    first = logic.ask(volume, "liver")
    clone = add_segmentation(volume, "Copy")
    clone.GetSegmentation().DeepCopy(first.segmentation_node.GetSegmentation())
    done = logic.ask(volume, "in [1]")
    assert done.round.answer.used == (Reference(1),)
    assert logic.ask(volume, "in the liver").round.answer.status == "clarify"


def test_segments_of_other_images_and_other_dialogues_are_not_taken_for_this_one(volume: Any) -> None:
    other = add_volume((20, 20, 20), name="other")
    node, _ = add_segment(other, "liver", liver(volume).voxels, add_segmentation(other, "of other"))
    done = asks(stored(liver(other))).ask(other, "liver")
    done.segmentation_node.SetReferenceImageGeometryParameterFromVolumeNode(None)
    logic = asks(echo())
    assert logic.conversation(volume).given == ()
    assert logic.ask(volume, "in the liver").round.answer.status == "none"
    answer = logic.ask(volume, "in the liver", node).round.answer
    assert answer.status == "answered"
    assert answer.masks[0].voxel_count == 1000


def test_a_segmentation_chosen_for_a_round_stays_what_that_round_was_made_from(volume: Any) -> None:
    other = add_volume((20, 20, 20), name="other")
    node, _ = add_segment(other, "liver", liver(other).voxels, add_segmentation(other, "of other"))
    logic = asks(echo())
    logic.ask(volume, "in the liver", node)
    assert [mask.source for mask in logic.conversation(volume).given] == ["of other"]
    assert logic.conversation(volume).stale_rounds() == ()


def test_what_a_dialogue_made_is_given_to_no_other_even_when_its_volume_is_gone(volume: Any) -> None:
    other = add_volume((20, 20, 20), name="other")
    asks(stored(liver(other))).ask(other, "liver")
    slicer.mrmlScene.RemoveNode(other)
    assert MultiRoundSegLogic().conversation(volume).given == ()


def test_another_volumes_damaged_dialogue_does_not_stop_this_one(volume: Any) -> None:
    other = add_volume((20, 20, 20), name="other")
    asks(stored(liver(other))).ask(other, "liver")
    slicer.util.getNodesByClass("vtkMRMLTextNode")[0].SetText("{")
    assert MultiRoundSegLogic().conversation(volume).given == ()


def test_the_segmentation_of_a_dialogue_does_not_hide_the_others(volume: Any) -> None:
    add_segment(volume, "spleen", liver(volume, 3).voxels, add_segmentation(volume, "Atlas"))
    logic = asks(stored(liver(volume)), echo())
    logic.ask(volume, "liver")
    assert [mask.source for mask in logic.conversation(volume).given] == ["Atlas"]
    assert sees(logic.ask(volume, "in the spleen")) == [300]


def test_a_dialogue_survives_saving_closing_and_loading_the_scene(volume: Any, tmp_path: Path) -> None:
    logic = asks(stored(liver(volume).renamed("肝 | liver")), stored(), echo())
    first = logic.ask(volume, "肝脏 | the liver\nplease")
    logic.ask(volume, "nothing")
    logic.ask(volume, "in [1]")
    segment_of(first).SetName("肝")
    before = logic.conversation(volume)
    save_scene(tmp_path / "scene.mrb")
    close_scene()
    load_scene(tmp_path / "scene.mrb")
    again = slicer.util.getNode("scan")
    after = MultiRoundSegLogic().conversation(again)
    assert after == before
    assert after.stale_rounds() == ()
    assert after.rounds[0].question.text == "肝脏 | the liver\nplease"
    assert after.name(Reference(1)) == "[1] 肝"
    done = asks(echo()).ask(again, "in [1]")
    assert done.round.number == 4
    assert sees(done) == [1000]
    assert len(slicer.util.getNodesByClass("vtkMRMLSegmentationNode")) == 1


def test_importing_a_scene_twice_keeps_both_dialogues_apart(volume: Any, tmp_path: Path) -> None:
    logic = asks(stored(liver(volume)))
    logic.ask(volume, "liver")
    save_scene(tmp_path / "scene.mrb")
    import_scene(tmp_path / "scene.mrb")
    one, two = slicer.util.getNodesByClass("vtkMRMLScalarVolumeNode")
    logic = asks(stored(liver(one)), stored(liver(one, 2).renamed("small")))
    changed = logic.ask(two, "small")
    assert changed.round.number == 2
    assert [len(logic.conversation(node).rounds) for node in (one, two)] == [1, 2]
    assert names(changed.segmentation_node) == ["liver", "small"]
    logic.undo(one)
    assert [len(logic.conversation(node).rounds) for node in (one, two)] == [0, 2]
    assert counts(changed.segmentation_node, two) == {"liver": 1000, "small": 200}


def test_undo_after_reloading_gives_back_what_was_overwritten(volume: Any, tmp_path: Path) -> None:
    logic = asks(stored(liver(volume)), stored(liver(volume, 4).renamed("spleen")))
    logic.ask(volume, "liver")
    logic.ask(volume, "spleen", overlap="overwrite")
    save_scene(tmp_path / "scene.mrb")
    close_scene()
    load_scene(tmp_path / "scene.mrb")
    again = slicer.util.getNode("scan")
    node = slicer.util.getNodesByClass("vtkMRMLSegmentationNode")[0]
    assert counts(node, again) == {"liver": 600, "spleen": 400}
    MultiRoundSegLogic().undo(again)
    assert counts(node, again) == {"liver": 1000}


def test_closing_the_scene_leaves_no_dialogue_behind(volume: Any) -> None:
    asks(stored(liver(volume))).ask(volume, "liver")
    close_scene()
    assert MultiRoundSegLogic().conversation(add_volume((20, 20, 20))).rounds == ()


def test_a_deleted_segmentation_leaves_the_words(volume: Any) -> None:
    logic = asks(stored(liver(volume)), stored(liver(volume, 2)))
    slicer.mrmlScene.RemoveNode(logic.ask(volume, "liver").segmentation_node)
    conversation = logic.conversation(volume)
    assert conversation.rounds[0].question.text == "liver"
    assert conversation.is_removed(Reference(1))
    assert logic.ask(volume, "again").segmentation_node is not None


def test_two_volumes_have_dialogues_of_their_own(volume: Any) -> None:
    other = add_volume((4, 4, 4), name="other")
    logic = asks(stored(liver(volume)), stored())
    logic.ask(volume, "liver")
    assert logic.conversation(other).rounds == ()
    assert logic.conversation(volume).rounds[0].number == 1


def test_undo_of_nothing_is_refused(volume: Any) -> None:
    with pytest.raises(ReferenceNotFoundError, match="no round to undo"):
        MultiRoundSegLogic().undo(volume)


DAMAGES = [
    "{", "[]", '{"version": 1}', "", json.dumps({"version": 99, "rounds": []}), json.dumps({"version": 1, "rounds": 7}),
    json.dumps({"version": 1, "rounds": [7]}), json.dumps({"version": 1, "rounds": [{"segments": []}]}),
    json.dumps({"version": 1, "rounds": [{"segments": [{"id": 3, "segmentation": 0}]}]}),
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_transcript_is_said_and_nothing_is_overwritten(volume: Any, damage: str) -> None:
    logic = asks(stored(liver(volume)))
    logic.ask(volume, "liver")
    text_node = slicer.util.getNodesByClass("vtkMRMLTextNode")[0]
    text_node.SetText(damage)
    for use in (lambda: logic.ask(volume, "again"), lambda: logic.undo(volume), lambda: logic.conversation(volume)):
        with pytest.raises(RecordError):
            use()
    assert text_node.GetText() == damage


def test_of_a_sequence_the_frame_that_is_shown_is_asked_about_and_named(scene: Any) -> None:
    sequence = scene.AddNewNodeByClass("vtkMRMLSequenceNode", "beating heart")
    sequence.SetIndexName("time")
    sequence.SetIndexUnit("s")
    for number in range(3):
        frame = add_volume((4, 4, 4), value=10 * number, name=f"frame {number}")
        sequence.SetDataNodeAtValue(frame, f"{number / 10}")
        scene.RemoveNode(frame)
    browser = scene.AddNewNodeByClass("vtkMRMLSequenceBrowserNode")
    browser.SetAndObserveMasterSequenceNodeID(sequence.GetID())
    slicer.modules.sequences.logic().UpdateProxyNodesFromSequences(browser)
    proxy = browser.GetProxyNode(sequence)
    engine = stored()
    logic = asks(engine)
    for number in (0, 2):
        browser.SetSelectedItemNumber(number)
        slicer.modules.sequences.logic().UpdateProxyNodesFromSequences(browser)
        logic.ask(proxy, "?")
    assert [opened.voxels.mean() for opened in engine.opened] == [0, 20]
    frames = [round_.question.frame for round_ in logic.conversation(proxy).rounds]
    assert frames == ["1 of 3, time 0.0 s", "3 of 3, time 0.2 s"]


def test_a_record_of_the_scenes_dialogue_reads_back(volume: Any, tmp_path: Path) -> None:
    from MultiRoundSegLib.conversation.record import load_record

    logic = asks(stored(liver(volume)), stored())
    first = logic.ask(volume, "liver")
    logic.ask(volume, "nothing")
    write_mask(first.segmentation_node, first.segment_ids[0], liver(volume, 3), volume)
    assert logic.exportRecord(volume, tmp_path) == tmp_path / "rounds.json"
    record = load_record(tmp_path)
    assert record == logic.conversation(volume)
    assert record.geometry.matches(geometry_of(volume))
    assert record.mask(Reference(1)).voxel_count == 300
    assert np.array_equal(record.mask(Reference(1)).voxels, liver(volume, 3).voxels)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", 7), ("question", 5), ("status", "odd"), ("answer", None), ("score", "high"), ("seconds", "1"),
        ("frame", 3), ("choices", [1]), ("origin", {"engine": 1}), ("view", [1]), ("view", {"plane": "axial"}),
        ("used", [{"round": 1}]), ("references", [1]), ("segments", [{"id": "a", "segmentation": 0}]),
        ("segments", None), ("taken", None), ("taken", [{"segmentation": 0, "id": "a", "voxels": {}}]),
    ],
)  # fmt: skip
def test_a_field_of_the_wrong_kind_is_damage_too(volume: Any, field: str, value: Any) -> None:
    logic = asks(stored(liver(volume)))
    logic.ask(volume, "liver")
    text_node = slicer.util.getNodesByClass("vtkMRMLTextNode")[0]
    saved = json.loads(text_node.GetText())
    saved["rounds"][0][field] = value
    text_node.SetText(json.dumps(saved))
    for use in (logic.conversation, logic.undo):
        with pytest.raises(RecordError, match=r"damaged|cannot be read"):
            use(volume)
    assert len(slicer.util.getNodesByClass("vtkMRMLSegmentationNode")) == 1


def test_a_question_with_half_a_character_does_not_end_slicer(volume: Any) -> None:
    done = asks(stored()).ask(volume, "liver \ud83d please")
    assert done.round.question.text == "liver ? please"


@pytest.mark.parametrize("reference", ["1", True, 1.0])
def test_what_is_no_reference_is_refused(volume: Any, reference: Any) -> None:
    with pytest.raises(ValueError, match="a reference is"):
        asks(stored()).ask(volume, "?", references=[reference])


def test_an_undo_that_cannot_be_done_changes_nothing(volume: Any) -> None:
    logic = asks(stored(liver(volume)), stored(liver(volume, 4).renamed("spleen")))
    logic.ask(volume, "liver")
    node = logic.ask(volume, "spleen", overlap="overwrite").segmentation_node
    warp = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLBSplineTransformNode")
    grid = slicer.vtkOrientedBSplineTransform()
    coefficients = vtk.vtkImageData()
    coefficients.SetDimensions(4, 4, 4)
    coefficients.AllocateScalars(vtk.VTK_DOUBLE, 3)
    grid.SetCoefficientData(coefficients)
    warp.SetAndObserveTransformToParent(grid)
    node.SetAndObserveTransformNodeID(warp.GetID())
    with pytest.raises(ImageReadError, match="non-linear"):
        logic.undo(volume)
    node.SetAndObserveTransformNodeID(None)
    assert counts(node, volume) == {"liver": 600, "spleen": 400}
    logic.undo(volume)
    assert counts(node, volume) == {"liver": 1000}


def test_an_undo_never_writes_into_a_segmentation_that_has_become_surfaces(volume: Any) -> None:
    logic = asks(stored(liver(volume)), stored(liver(volume, 4).renamed("spleen")))
    logic.ask(volume, "liver")
    node = logic.ask(volume, "spleen", overlap="overwrite").segmentation_node
    node.GetSegmentation().CreateRepresentation("Closed surface")
    node.GetSegmentation().SetSourceRepresentationName("Closed surface")
    with pytest.raises(EngineError, match="surfaces"):
        logic.undo(volume)
    assert names(node) == ["liver", "spleen"]
    assert len(logic.conversation(volume).rounds) == 2


def test_a_segment_that_slicer_cannot_turn_into_voxels_is_said_and_never_read_as_empty(
    volume: Any, vtk_errors: list[str]
) -> None:
    node = add_segmentation(volume, "Contours")
    node.GetSegmentation().SetSourceRepresentationName("Planar contour")
    segment = slicer.vtkSegment()
    segment.SetName("ball")
    segment.AddRepresentation("Planar contour", vtk.vtkPolyData())
    node.GetSegmentation().AddSegment(segment)
    with pytest.raises(ImageReadError, match="ball is kept as planar contour"):
        asks(echo()).ask(volume, "in the ball")
    vtk_errors.clear()


def test_a_segmentation_of_surfaces_is_read_as_it_is_and_not_written_to(volume: Any) -> None:
    ball = vtk.vtkSphereSource()
    ball.SetCenter(10, 10, 10)
    ball.SetRadius(5)
    ball.SetThetaResolution(60)
    ball.SetPhiResolution(60)
    ball.Update()
    node = add_segmentation(volume, "Surfaces")
    node.GetSegmentation().SetSourceRepresentationName("Closed surface")
    node.AddSegmentFromClosedSurfaceRepresentation(ball.GetOutput(), "ball")
    assert sees(asks(echo()).ask(volume, "in the ball"))[0] == pytest.approx(4 / 3 * np.pi * 125, rel=0.08)
    assert not node.GetSegmentation().ContainsRepresentation("Binary labelmap")
    with pytest.raises(EngineError, match="surfaces"):
        asks(stored(liver(volume))).ask(volume, "liver", node)
    assert names(node) == ["ball"]


def test_the_segmentation_that_a_round_made_goes_with_it(volume: Any) -> None:
    logic = asks(stored(liver(volume)))
    logic.ask(volume, "liver")
    logic.undo(volume)
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationDisplayNode") == []
