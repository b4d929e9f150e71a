"""Typed parameters on a real parameter node, and the widgets bound to them."""

import pytest
import qt
import slicer
import vtk
from panel.shim import drive
from slicer.parameterNodeWrapper import parameterNodeWrapper


@parameterNodeWrapper
class Parameters:
    volume: slicer.vtkMRMLScalarVolumeNode
    text: str
    engine: str = "reasoner"
    on_server: bool = False
    rounds: int = 3
    level: float = 40.0

    def describe(self):
        return f"{self.engine} x {self.rounds}"


@pytest.fixture
def node(empty_scene):
    return empty_scene.AddNewNodeByClass("vtkMRMLScriptedModuleNode")


@pytest.fixture
def parameters(node):
    return Parameters(node)


@pytest.fixture
def panel():
    return qt.QWidget()


@pytest.fixture
def gui(panel, empty_scene):
    layout = qt.QVBoxLayout(panel)
    widgets = {
        "volume": slicer.qMRMLNodeComboBox(),
        "engine": qt.QLineEdit(),
        "text": qt.QTextEdit(),
        "on_server": qt.QCheckBox("On a server"),
        "rounds": qt.QSpinBox(),
        "level": qt.QDoubleSpinBox(),
    }
    widgets["volume"].nodeTypes = ["vtkMRMLScalarVolumeNode"]
    widgets["volume"].noneEnabled = True
    widgets["volume"].setMRMLScene(empty_scene)
    for name, widget in widgets.items():
        widget.objectName = name
        widget.setProperty("SlicerParameterName", name)
        layout.addWidget(widget)
    return slicer.util.childWidgetVariables(panel)


def test_defaults_are_written_to_a_new_node(parameters, node):
    assert (parameters.volume, parameters.text, parameters.engine) == (None, "", "reasoner")
    assert (parameters.on_server, parameters.rounds, parameters.level) == (False, 3, 40.0)
    assert node.GetParameter("engine") == "reasoner"
    assert parameters.describe() == "reasoner x 3"


def test_values_are_kept_in_the_node_and_found_by_another_wrapper(parameters, node):
    volume = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode")
    parameters.volume = volume
    parameters.on_server = True
    parameters.level = 7
    again = Parameters(node)
    assert again.volume is volume
    assert again.on_server is True
    assert again.level == 7.0
    assert node.GetNodeReference("volume") is volume


def test_a_value_of_another_type_is_refused(parameters):
    with pytest.raises(ValueError, match="rounds takes int"):
        parameters.rounds = "three"
    with pytest.raises(ValueError, match="volume takes vtkMRMLScalarVolumeNode"):
        parameters.volume = slicer.vtkMRMLTextNode()


def test_a_type_without_a_stand_in_is_refused():
    class Unknown:
        points: list[int]

    with pytest.raises(TypeError, match="have no stand-in"):
        parameterNodeWrapper(Unknown)


def test_defaults_come_back_after_the_scene_was_closed(empty_scene):
    node = slicer.vtkMRMLScriptedModuleNode()
    node.SetSingletonTag("Parameters")
    node = empty_scene.AddNode(node)
    parameters = Parameters(node)
    parameters.rounds = 9
    empty_scene.Clear(False)
    assert parameters.rounds == 3


def test_one_event_is_sent_for_several_changes(parameters):
    events = []
    parameters.AddObserver(vtk.vtkCommand.ModifiedEvent, lambda *_: events.append(1))
    with slicer.util.NodeModify(parameters):
        parameters.rounds = 4
        parameters.engine = "remote"
    assert events == [1]


def test_widgets_show_the_parameters_and_follow_them(parameters, gui):
    parameters.connectGui(gui)
    assert (gui.engine.text, gui.rounds.value, gui.level.value) == ("reasoner", 3, 40.0)
    parameters.volume = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode")
    parameters.on_server = True
    assert gui.volume.currentNode() is parameters.volume
    assert gui.on_server.checked


def test_what_the_user_changes_is_written_to_the_node(parameters, gui, show):
    parameters.connectGui(gui)
    show(gui.on_server.window())
    drive.click(gui.on_server)
    gui.engine.selectAll()
    drive.type_text(gui.engine, "remote")
    drive.type_text(gui.text, "liver")
    gui.rounds.value = 5
    gui.volume.setCurrentNode(slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode"))
    assert (parameters.on_server, parameters.engine, parameters.rounds) == (True, "remote", 5)
    assert parameters.text == "liver"
    assert parameters.volume is gui.volume.currentNode()


def test_disconnected_widgets_neither_follow_nor_write(parameters, gui):
    tag = parameters.connectGui(gui)
    parameters.disconnectGui(tag)
    parameters.rounds = 8
    gui.engine.text = "remote"
    assert gui.rounds.value == 3
    assert parameters.engine == "reasoner"


def test_a_widget_that_slicer_does_not_bind_to_a_type_is_refused(parameters):
    with pytest.raises(RuntimeError, match="str can not be bound to a QPlainTextEdit"):
        parameters.connectParametersToGui({"text": qt.QPlainTextEdit()})
