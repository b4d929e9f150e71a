"""The panel driven as a person does: type, press, see the text, see the segment in the real scene."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qt
import slicer
from fakes import FakeEngine, answer, echo, stored
from panel.shim import drive
from panel.shim.modules import close_module, open_module
from scene_parts import OneAfterAnother, add_segment, add_volume, block, counts, names

from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.errors import EngineError, PackageMissingError
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic

TEN = slice(0, 10)
MODULE_FILE = Path(__file__).parents[2] / "MultiRoundSeg" / "MultiRoundSeg.py"


@pytest.fixture
def volume(empty_scene: Any) -> Any:
    return add_volume((20, 20, 20), name="scan")


@pytest.fixture
def module(volume: Any) -> Iterator[Any]:
    """The module as Slicer opens it, with one scan loaded."""
    widget = open_module(MODULE_FILE)
    drive.process_events()
    yield widget
    close_module(widget)


def with_engines(module: Any, *engines: Any) -> Any:
    """Let these engines answer, one after another, instead of those that are named."""
    answering = OneAfterAnother(engines)
    module.panel.logic = MultiRoundSegLogic(lambda name: answering)
    return module.panel


def say(panel: Any, text: str) -> None:
    """Type a question and press Enter."""
    drive.type_text(panel.ui.questionEdit, text)
    drive.press(panel.ui.questionEdit, qt.Qt.Key_Return)
    drive.process_events()


def read(panel: Any) -> str:
    return panel.ui.messageBrowser.plainText


def the_segmentation() -> Any:
    return slicer.util.getNodesByClass("vtkMRMLSegmentationNode")[-1]


def test_the_chosen_atlas_is_handed_to_the_engine_and_kept_with_the_scene(module: Any, volume: Any) -> None:
    prior = add_volume((20, 20, 20), name="prior")
    add_segment(prior, "my lesion", block(prior, TEN, TEN, TEN, "").voxels)
    settings: list[dict[str, Any]] = []

    def create(name: str, **given: Any) -> Any:
        settings.append(given)
        return stored(block(volume, TEN, TEN, TEN, "found"))

    module.panel.logic = MultiRoundSegLogic(create)
    say(module.panel, "anything")
    module.panel.ui.atlasSelector.setCurrentNode(prior)
    say(module.panel, "anything")
    assert settings[0] == {}
    assert settings[1]["atlas"].volume.name == "prior"
    assert [mask.label for mask in settings[1]["atlas"].masks()] == ["my lesion"]
    assert module.logic.getParameterNode().GetNodeReference("atlas") is prior


def test_the_first_scan_is_chosen_and_the_panel_says_what_to_do(module: Any, volume: Any) -> None:
    assert module.panel.volume_node is volume
    assert module.panel.ui.askButton.enabled
    assert not module.panel.ui.undoButton.enabled
    assert not module.panel.ui.cancelButton.enabled
    assert module.panel.choice.place == "here"


def test_a_typed_question_becomes_a_named_segment(module: Any, volume: Any) -> None:
    node, _ = add_segment(volume, "kidney_right", block(volume, TEN, TEN, slice(0, 5), "").voxels)
    add_segment(volume, "kidney_left", block(volume, TEN, TEN, slice(12, 20), "").voxels, node)
    say(module.panel, "segment the right kidney")
    assert "[1]" in read(module.panel)
    assert "right kidney" in read(module.panel)
    assert module.panel.ui.questionEdit.plainText == ""
    assert counts(the_segmentation(), volume) == {"right kidney": 500}
    say(module.panel, "对侧的那个")
    assert "左肾" in read(module.panel)
    assert counts(the_segmentation(), volume) == {"right kidney": 500, "左肾": 800}


def test_the_button_asks_too_and_an_empty_question_does_nothing(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    drive.click(panel.ui.askButton)
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []
    drive.type_text(panel.ui.questionEdit, "liver")
    drive.click(panel.ui.askButton)
    assert names(the_segmentation()) == ["liver"]


def test_shift_enter_breaks_the_line(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored())
    drive.type_text(panel.ui.questionEdit, "the liver")
    drive.press(panel.ui.questionEdit, qt.Qt.Key_Return, qt.Qt.ShiftModifier)
    drive.type_text(panel.ui.questionEdit, "please")
    assert panel.ui.questionEdit.plainText == "the liver\nplease"
    assert read(panel).count("[1]") == 0


def test_a_chip_that_is_pressed_is_what_the_question_is_about(module: Any, volume: Any) -> None:
    first, second = (block(volume, TEN, TEN, slice(0, size), label) for size, label in ((3, "liver"), (5, "spleen")))
    panel = with_engines(module, stored(first), stored(second), echo())
    say(panel, "a")
    say(panel, "b")
    chips = [button for button in panel.ui.chipsContents.findChildren("QToolButton") if button.visible]
    assert [chip.text for chip in chips] == ["[1] liver", "[2] spleen"]
    drive.click(chips[0])
    say(panel, "inside this")
    last = panel.logic.conversation(volume).rounds[-1]
    assert last.question.references == (Reference(1),)
    assert last.answer.masks[0].voxel_count == 300
    assert not any(b.checked for b in panel.ui.chipsContents.findChildren("QToolButton") if b.visible)


def test_a_proposed_answer_can_be_clicked(module: Any, volume: Any) -> None:
    node, _ = add_segment(volume, "kidney_right", block(volume, TEN, TEN, slice(0, 5), "").voxels)
    add_segment(volume, "kidney_left", block(volume, TEN, TEN, slice(12, 20), "").voxels, node)
    say(module.panel, "the kidney")
    assert "Which one is meant" in read(module.panel)
    module.panel.ui.messageBrowser.anchorClicked.emit(qt.QUrl("choose:1.2"))
    assert counts(the_segmentation(), volume) == {"right kidney": 500}


def test_undo_takes_back_the_last_round(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    say(panel, "liver")
    drive.click(panel.ui.undoButton)
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []
    assert "[1]" not in read(panel)
    assert not panel.ui.undoButton.enabled


def test_show_centres_the_views_on_the_largest_island(module: Any, volume: Any) -> None:
    two_islands = block(volume, slice(4, 9), slice(4, 9), slice(4, 9), "x").voxels
    two_islands[18, 18, 18] = True
    from MultiRoundSegLib.images import Mask
    from MultiRoundSegLib.panel.scene_images import geometry_of

    panel = with_engines(module, stored(Mask(two_islands, geometry_of(volume), "cyst")))
    say(panel, "cyst")
    drive.click(panel.ui.showButton)
    red = slicer.app.layoutManager().sliceWidget("Red").mrmlSliceNode()
    centre = [red.GetSliceToRAS().GetElement(row, 3) for row in range(3)]
    assert centre == pytest.approx([6, 6, 6])


@pytest.mark.parametrize(
    ("choice", "expected"), [("allow", (1000, 1000)), ("protect", (1000, 500)), ("overwrite", (500, 1000))]
)
def test_the_overlap_choice_is_used(module: Any, volume: Any, choice: str, expected: tuple[int, int]) -> None:
    panel = with_engines(
        module,
        stored(block(volume, TEN, TEN, TEN, "A")),
        stored(block(volume, TEN, TEN, slice(5, 15), "B")),
    )
    say(panel, "A")
    panel.ui.overlapSelector.currentIndex = panel.ui.overlapSelector.findData(choice)
    say(panel, "B")
    assert tuple(counts(the_segmentation(), volume).values()) == expected


def test_escape_cancels_and_leaves_question_and_scene_as_they_were(module: Any, volume: Any) -> None:
    seen = []

    class Slow:
        info = stored().info

        def open(self, image: Volume) -> Any:
            return self

        def answer(self, question: Question, history: Conversation, *, progress: Any) -> Answer:
            for step in range(100):
                if step == 3:
                    seen.append((panel.ui.cancelButton.enabled, panel.ui.askButton.enabled, panel.ui.progressBar.value))
                    drive.press(panel.ui.questionEdit, qt.Qt.Key_Escape)
                progress(step / 100, "looking 50% closer")
            raise AssertionError("it went on")

        def close(self) -> None:
            """Holds nothing."""

    slicer.vtkMRMLSubjectHierarchyNode.GetSubjectHierarchyNode(slicer.mrmlScene)  # Slicer always has one
    before = slicer.mrmlScene.GetNumberOfNodes()
    panel = with_engines(module, Slow())
    say(panel, "liver")
    assert seen == [(True, False, 2)]
    assert "Cancelled" in read(panel)
    assert panel.ui.questionEdit.plainText == "liver"
    assert slicer.mrmlScene.GetNumberOfNodes() == before
    assert panel.ui.askButton.enabled


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (EngineError("The worker does not answer; start it again."), "The worker does not answer"),
        (ZeroDivisionError("secret detail"), "Something unexpected went wrong"),
    ],
)
def test_any_trouble_is_one_sentence_and_the_question_stays(
    module: Any, volume: Any, fault: Exception, words: str, caplog: Any
) -> None:
    def fail(question: Question, history: Conversation, image: Volume) -> Answer:
        raise fault

    panel = with_engines(module, FakeEngine(fail))
    say(panel, "liver")
    assert words in read(panel)
    assert "secret detail" not in read(panel)
    assert panel.ui.questionEdit.plainText == "liver"
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []


def test_without_a_scan_it_says_what_to_do(module: Any, volume: Any) -> None:
    slicer.mrmlScene.RemoveNode(volume)
    drive.process_events()
    assert module.panel.volume_node is None
    say(module.panel, "liver")
    assert "Load a scan" in read(module.panel)


def test_each_volume_shows_its_own_dialogue(module: Any, volume: Any) -> None:
    other = add_volume((20, 20, 20), name="other")
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    say(panel, "liver")
    panel.ui.volumeSelector.setCurrentNode(other)
    assert "liver" not in read(panel)
    panel.ui.volumeSelector.setCurrentNode(volume)
    assert "liver" in read(panel)


def test_renaming_a_segment_renames_it_in_the_dialogue(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    say(panel, "?")
    segmentation = the_segmentation().GetSegmentation()
    segmentation.GetSegment(segmentation.GetNthSegmentID(0)).SetName("hepar")
    drive.wait_until(lambda: "hepar" in read(panel))
    segmentation.RemoveSegment(segmentation.GetNthSegmentID(0))
    drive.wait_until(lambda: "deleted" in read(panel))


def test_html_in_questions_and_names_is_shown_as_text(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "<b>x</b>")))
    say(panel, "a <img src='x'> & b")
    assert "a <img src='x'> & b" in read(panel)
    assert "<b>x</b>" in read(panel)


def test_a_closed_scene_empties_the_panel_and_a_loaded_one_fills_it(module: Any, volume: Any, tmp_path: Path) -> None:
    from offscreen.scene import load_scene, save_scene

    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    say(panel, "where is the liver")
    save_scene(tmp_path / "scene.mrb")
    slicer.mrmlScene.Clear(0)
    drive.process_events()
    assert "liver" not in read(panel)
    load_scene(tmp_path / "scene.mrb")
    drive.process_events()
    assert "where is the liver" in read(panel)
    assert panel.ui.undoButton.enabled


def test_the_slice_on_the_screen_and_its_window_are_kept_with_the_round(module: Any, volume: Any) -> None:
    slicer.util.updateVolumeFromArray(volume, np.arange(8000, dtype=np.int16).reshape(20, 20, 20))
    red = slicer.app.layoutManager().sliceWidget("Red").mrmlSliceNode()
    red.SetOrientationToAxial()
    red.SetSliceOffset(7.4)
    panel = with_engines(module, stored())
    say(panel, "?")
    view = panel.logic.conversation(volume).rounds[0].question.view
    assert (view.plane, view.index) == ("axial", 7)
    assert "percentiles" in view.window.name


def test_an_answer_in_words_shows_no_segment(module: Any, volume: Any) -> None:
    panel = with_engines(module, FakeEngine(lambda q, h, v: answer("It filters the blood.")))
    say(panel, "what does the kidney do?")
    assert "It filters the blood." in read(panel)
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []


@pytest.mark.parametrize("consent", [True, False])
def test_a_missing_package_is_offered_and_the_question_is_asked_again(module: Any, volume: Any, consent: bool) -> None:
    offered: list[PackageMissingError] = []

    def reply(question: Question, history: Conversation, image: Volume) -> Answer:
        if not offered or not consent:
            raise PackageMissingError("It needs onnxruntime.", "onnxruntime", 20)
        return answer("ok", block(volume, TEN, TEN, TEN, "thalamus"))

    def install(missing: PackageMissingError) -> bool:
        offered.append(missing)
        return consent

    panel = with_engines(module, FakeEngine(reply))
    panel._install = install
    say(panel, "thalamus")
    assert [missing.package for missing in offered] == ["onnxruntime"]
    assert ("It needs onnxruntime" in read(panel)) is not consent
    assert panel.ui.questionEdit.plainText == ("" if consent else "thalamus")


def test_the_shown_volume_is_chosen_and_never_a_label_map(empty_scene: Any) -> None:
    labels = slicer.util.addVolumeFromArray(
        np.ones((4, 4, 4)), nodeClassName="vtkMRMLLabelMapVolumeNode", name="labels"
    )
    first, shown = add_volume((4, 4, 4), name="first"), add_volume((4, 4, 4), name="shown")
    selection = slicer.app.applicationLogic().GetSelectionNode()
    selection.SetActiveVolumeID(shown.GetID())
    widget = open_module(MODULE_FILE)
    drive.process_events()
    assert widget.panel.volume_node is shown
    close_module(widget)
    selection.SetActiveVolumeID(labels.GetID())
    slicer.mrmlScene.GetSingletonNode("MultiRoundSeg", "vtkMRMLScriptedModuleNode").RemoveNodeReferenceIDs("volume")
    widget = open_module(MODULE_FILE)
    drive.process_events()
    assert widget.panel.volume_node is first
    close_module(widget)
    selection.SetActiveVolumeID(None)


def test_a_volume_without_an_image_gets_a_sentence_in_the_panel(module: Any, volume: Any) -> None:
    empty = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode", "empty")
    module.panel.ui.volumeSelector.setCurrentNode(empty)
    assert "holds no image" in read(module.panel)


def test_the_background_of_the_slice_views_is_the_volume_that_is_shown(module: Any, volume: Any) -> None:
    from MultiRoundSegLib.panel.choices import shown_volume

    tensor = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLDiffusionTensorVolumeNode")
    other = add_volume((4, 4, 4), name="other")
    view = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSliceCompositeNode")
    view.SetBackgroundVolumeID(tensor.GetID())
    assert shown_volume() is volume
    view.SetBackgroundVolumeID(other.GetID())
    assert shown_volume() is other
    slicer.mrmlScene.RemoveNode(view)


def test_the_reader_stays_in_place_until_a_round_is_added(module: Any, volume: Any) -> None:
    liver = FakeEngine(lambda q, h, v: answer("words\n" * 30, block(volume, TEN, TEN, TEN, "liver")))
    panel = with_engines(module, liver)
    say(panel, "?")
    bar = panel.ui.messageBrowser.verticalScrollBar()
    margin = 8  # of the text, in pixels
    assert bar.value >= bar.maximum - margin > 50
    bar.value = 10
    segment = the_segmentation().GetSegmentation().GetNthSegment(0)
    segment.SetName("a much longer name than it had before")
    drive.wait_until(lambda: "much longer" in read(panel))
    assert bar.value == 10
    say(panel, "again")
    assert bar.value >= bar.maximum - margin


def test_a_link_to_a_round_that_is_gone_is_said(module: Any, volume: Any) -> None:
    module.panel.ui.messageBrowser.anchorClicked.emit(qt.QUrl("choose:7.1"))
    assert "Something unexpected went wrong" in read(module.panel)


def test_a_dialogue_that_was_mended_is_shown_without_the_complaint(module: Any, volume: Any) -> None:
    panel = with_engines(module, stored(block(volume, TEN, TEN, TEN, "liver")))
    say(panel, "liver")
    text_node = slicer.util.getNodesByClass("vtkMRMLTextNode")[0]
    whole = text_node.GetText()
    text_node.SetText("{")
    panel.refresh()
    assert read(panel).count("is damaged") == 1
    text_node.SetText(whole)
    panel.refresh()
    assert "is damaged" not in read(panel)
    assert "liver" in read(panel)


def test_entering_again_and_again_adds_no_second_reaction(module: Any, volume: Any) -> None:
    for _ in range(3):
        module.enter()
    other = add_volume((4, 4, 4), name="other")
    changes = []
    module.panel.refresh = lambda: changes.append(1)
    module.panel.ui.volumeSelector.setCurrentNode(other)
    assert changes == [1]
    assert module.logic.getParameterNode().GetNodeReference("volume") is other
