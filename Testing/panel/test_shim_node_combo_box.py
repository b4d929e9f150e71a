"""The list of nodes, on the real scene."""

import pytest
import slicer
from panel.shim import drive


@pytest.fixture
def combo_box(empty_scene):
    box = slicer.qMRMLNodeComboBox()
    box.nodeTypes = ["vtkMRMLScalarVolumeNode"]
    box.setMRMLScene(empty_scene)
    return box


@pytest.fixture
def heard(combo_box):
    nodes = []
    combo_box.connect("currentNodeChanged(vtkMRMLNode*)", nodes.append)
    return nodes


def a_volume(name):
    return slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode", name)


def test_it_is_disabled_until_it_has_a_scene(empty_scene):
    box = slicer.qMRMLNodeComboBox()
    assert not box.enabled
    assert box.mrmlScene() is None
    box.setMRMLScene(empty_scene)
    assert box.enabled
    assert box.mrmlScene() is empty_scene


def test_the_first_node_becomes_current_where_none_is_not_offered(combo_box, heard):
    volume = a_volume("CT")
    assert combo_box.currentNode() is volume
    assert combo_box.currentNodeID == volume.GetID()
    assert heard == [volume]


def test_none_stays_current_where_it_is_offered(combo_box, heard):
    combo_box.noneEnabled = True
    a_volume("CT")
    assert combo_box.currentNode() is None
    assert combo_box.currentNodeID == ""
    assert heard == []


def test_a_node_is_made_current_by_itself_or_by_its_id(combo_box, heard):
    ct, mr = a_volume("CT"), a_volume("MR")
    combo_box.setCurrentNode(mr)
    combo_box.setCurrentNodeID(ct.GetID())
    combo_box.currentNodeID = mr.GetID()
    assert heard == [ct, mr, ct, mr]
    assert combo_box.nodeCount() == 2


def test_a_removed_node_gives_way_to_another(combo_box, heard):
    ct, mr = a_volume("CT"), a_volume("MR")
    slicer.mrmlScene.RemoveNode(ct)
    assert combo_box.currentNode() is mr
    slicer.mrmlScene.RemoveNode(mr)
    assert heard == [ct, mr, None]


def test_closing_the_scene_leaves_no_node(combo_box):
    a_volume("CT")
    slicer.mrmlScene.Clear(False)
    assert combo_box.currentNode() is None
    assert combo_box.nodeCount() == 0


def test_only_nodes_of_its_types_are_offered_and_hidden_ones_are_not(combo_box):
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode")
    hidden = slicer.vtkMRMLScalarVolumeNode()
    hidden.SetHideFromEditors(True)
    slicer.mrmlScene.AddNode(hidden)
    assert combo_box.nodeCount() == 0
    combo_box.showHidden = True
    assert combo_box.nodeCount() == 1


def test_subclasses_are_offered_only_while_child_types_are_shown(combo_box):
    slicer.mrmlScene.AddNewNodeByClass("vtkMRMLLabelMapVolumeNode")
    assert combo_box.nodeCount() == 1
    combo_box.showChildNodeTypes = False
    assert combo_box.nodeCount() == 0


def test_a_renamed_node_is_shown_by_its_new_name(combo_box):
    a_volume("CT").SetName("Chest")
    assert combo_box.findChild("QComboBox").currentText == "Chest"


def test_a_renamed_current_node_is_told_again_as_slicer_does(combo_box, heard):
    volume = a_volume("CT")
    volume.SetName("Chest")
    volume.Modified()
    assert heard == [volume, volume]


def test_a_node_asked_for_before_the_scene_is_set_becomes_current_then(empty_scene):
    a_volume("CT")
    mr = a_volume("MR")
    box = slicer.qMRMLNodeComboBox()
    box.nodeTypes = ["vtkMRMLScalarVolumeNode"]
    box.setCurrentNode(mr)
    assert box.currentNode() is None
    box.setMRMLScene(empty_scene)
    assert box.currentNode() is mr


def test_a_user_picks_a_node_from_the_list(combo_box, heard, show):
    combo_box.noneEnabled = True
    combo_box.noneDisplay = "No volume"
    volume = a_volume("CT")
    inner = show(combo_box).findChild("QComboBox")
    assert inner.itemText(0) == "No volume"
    drive.press(inner, 0x01000015)  # Key_Down
    assert combo_box.currentNode() is volume
    assert heard == [volume]


def test_a_deleted_list_no_longer_follows_the_scene(empty_scene, capfd):
    box = slicer.qMRMLNodeComboBox()
    box.setMRMLScene(empty_scene)
    had_observers = empty_scene.HasObserver(empty_scene.NodeRemovedEvent)
    del box
    a_volume("CT")
    assert had_observers
    assert capfd.readouterr().err == ""
