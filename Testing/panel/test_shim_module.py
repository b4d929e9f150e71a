"""A scripted module opened as Slicer opens it, and what `slicer.app` and `slicer.util` offer it."""

import logging

import ctk
import pytest
import qt
import slicer
from panel.shim import application, displays, drive, modules

SOURCE = """
import qt, slicer
from slicer.i18n import tr as _, translate
from slicer.ScriptedLoadableModule import *
from slicer.util import VTKObservationMixin


class Tiny(ScriptedLoadableModule):
    def __init__(self, parent):
        ScriptedLoadableModule.__init__(self, parent)
        self.parent.title = _("Tiny")
        self.parent.categories = [translate("qSlicerAbstractCoreModule", "Segmentation")]


class TinyWidget(ScriptedLoadableModuleWidget, VTKObservationMixin):
    def __init__(self, parent=None):
        ScriptedLoadableModuleWidget.__init__(self, parent)
        VTKObservationMixin.__init__(self)
        self.steps = []

    def setup(self):
        ScriptedLoadableModuleWidget.setup(self)
        self.layout.addWidget(qt.QLabel(_("Hello")))
        self.addObserver(slicer.mrmlScene, slicer.mrmlScene.EndCloseEvent, self.onSceneEndClose)
        self.steps.append("setup")

    def enter(self):
        self.steps.append("enter")

    def exit(self):
        self.steps.append("exit")

    def cleanup(self):
        self.removeObservers()
        self.steps.append("cleanup")

    def onSceneEndClose(self, caller, event):
        self.steps.append("close")


class TinyLogic(ScriptedLoadableModuleLogic):
    pass
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "Tiny.py"
    path.write_text(SOURCE)
    (tmp_path / "Resources").mkdir()
    return path


def test_a_module_is_set_up_entered_left_and_cleaned_up(source, empty_scene):
    widget = modules.open_module(source)
    assert widget.layout.itemAt(0).widget().text == "Hello"
    assert slicer.modules.tiny.title == "Tiny"
    assert slicer.modules.tiny.widgetRepresentation().self() is widget
    assert widget.resourcePath("UI/Tiny.ui") == str(source.parent / "Resources" / "UI/Tiny.ui")
    empty_scene.Clear(False)
    modules.close_module(widget)
    empty_scene.Clear(False)
    assert widget.steps == ["setup", "enter", "close", "exit", "cleanup"]
    assert not widget.parent
    assert not hasattr(slicer.modules, "tiny")


def test_a_module_can_not_be_given_attributes_that_slicer_does_not_know(source):
    with pytest.raises(AttributeError):
        modules.ScriptedModule(source).titel = "Tiny"


def test_a_logic_has_one_parameter_node_that_survives_closing_the_scene(empty_scene):
    from slicer.ScriptedLoadableModule import ScriptedLoadableModuleLogic

    class OnlyLogic(ScriptedLoadableModuleLogic):
        pass

    node = OnlyLogic().getParameterNode()
    assert node.GetAttribute("ModuleName") == "Only"
    empty_scene.Clear(False)
    assert OnlyLogic().getParameterNode() is node
    assert node.GetAttribute("ModuleName") == "Only"


def test_messages_are_kept_for_the_test_and_not_shown(displayed):
    slicer.util.errorDisplay("The worker did not answer.")
    slicer.util.warningDisplay("The scan is large.")
    slicer.util.infoDisplay("Saved.")
    assert displayed == [
        displays.Display("error", "The worker did not answer."),
        displays.Display("warning", "The scan is large."),
        displays.Display("info", "Saved."),
    ]


@pytest.mark.parametrize("yes", [True, False])
def test_a_question_gets_the_answer_that_the_test_gave(displayed, yes):
    displays.answer_next_question(yes)
    assert slicer.util.confirmYesNoDisplay("Download 40 MB?") is yes
    displays.answer_next_question(yes)
    assert slicer.util.confirmOkCancelDisplay("Replace it?") is yes
    assert [message.level for message in displayed] == ["question", "question"]


def test_a_question_nobody_answers_fails():
    with pytest.raises(RuntimeError, match="did not say how to answer"):
        slicer.util.confirmYesNoDisplay("Download 40 MB?")


def test_an_error_within_try_with_error_display_is_shown(displayed, caplog):
    caplog.set_level(logging.CRITICAL)
    with pytest.raises(OSError, match="full"), slicer.util.tryWithErrorDisplay("Saving failed."):
        raise OSError("The disk is full.")
    assert displayed[0].level == "error"
    assert displayed[0].text.startswith("Saving failed.")


def test_what_waits_for_the_end_of_start_up_is_called_then():
    calls = []

    def note():
        calls.append(1)

    slicer.app.connect("startupCompleted()", note)
    assert calls == []
    application.complete_startup()
    slicer.app.disconnect("startupCompleted()", note)
    assert calls == [1]


def test_the_three_slice_views_show_what_is_asked_of_them(empty_scene):
    layout_manager = slicer.app.layoutManager()
    assert layout_manager.sliceViewNames() == ("Red", "Green", "Yellow")
    volume = empty_scene.AddNewNodeByClass("vtkMRMLScalarVolumeNode")
    slicer.util.setSliceViewerLayers(background=volume)
    red = layout_manager.sliceWidget("Red")
    assert red.mrmlSliceNode().GetOrientation() == "Axial"
    assert red.sliceLogic().GetSliceCompositeNode().GetBackgroundVolumeID() == volume.GetID()
    assert layout_manager.sliceWidget("Blue") is None


def test_slice_views_stay_usable_after_the_scene_was_closed(empty_scene):
    empty_scene.Clear(False)
    node = slicer.app.layoutManager().sliceWidget("Green").mrmlSliceNode()
    node.JumpSliceByCentering(1.0, 2.0, 3.0)
    assert node.GetSliceToRAS().GetElement(1, 3) == pytest.approx(2.0)
    assert empty_scene.GetNodeByID(node.GetID()) is node


def test_settings_are_empty_at_first_and_kept_apart_from_the_user_s():
    assert slicer.util.settingsValue("MultiRoundSeg/Server", "none") == "none"
    qt.QSettings().setValue("MultiRoundSeg/Server", "http://127.0.0.1:8000")
    assert slicer.app.userSettings().value("MultiRoundSeg/Server") == "http://127.0.0.1:8000"


def test_text_of_any_script_can_be_typed_and_keys_pressed():
    edit = qt.QLineEdit()
    drive.type_text(edit, "Segment the liver 肝脏")
    drive.press(edit, qt.Qt.Key_Backspace)
    assert edit.text == "Segment the liver 肝"


def test_a_click_needs_a_visible_enabled_widget(show):
    button = qt.QPushButton("Send")
    with pytest.raises(AssertionError, match="hidden or disabled"):
        drive.click(button)
    button.enabled = False
    with pytest.raises(AssertionError, match="hidden or disabled"):
        drive.click(show(button))


def test_a_dialog_is_answered_while_it_is_open():
    drive.when_dialog_opens(lambda box: box.button(qt.QMessageBox.Yes).click())
    question = qt.QMessageBox.question(None, "Delete", "Delete it?", qt.QMessageBox.Yes | qt.QMessageBox.No)
    assert question == qt.QMessageBox.Yes


def test_a_dialog_that_is_left_open_is_rejected():
    drive.when_dialog_opens(lambda dialog: None)
    assert qt.QDialog().exec_() == qt.QDialog.Rejected


def test_a_click_on_its_title_collapses_a_collapsible_button(show):
    button = ctk.ctkCollapsibleButton("Advanced")
    label = qt.QLabel("x", button)
    show(button)
    button.resize(100, 40)
    qt.QVBoxLayout(button).addWidget(label)
    drive.click_at(button, 5, 5)
    assert button.collapsed
    assert not label.visible
