"""Panels drawn in a .ui file, as `slicer.util.loadUI` loads them."""

import pytest
import qt
import slicer
from panel.shim import drive

UI_FILE = """<?xml version="1.0" encoding="UTF-8"?>
<ui version="4.0">
 <class>Panel</class>
 <widget class="qMRMLWidget" name="Panel">
  <layout class="QVBoxLayout" name="verticalLayout">
   <item>
    <widget class="ctkCollapsibleButton" name="inputs">
     <property name="text"><string>Inputs</string></property>
     <layout class="QFormLayout" name="formLayout">
      <item row="0" column="0">
       <widget class="QLabel" name="label"><property name="text"><string>Volume:</string></property></widget>
      </item>
      <item row="0" column="1">
       <widget class="qMRMLNodeComboBox" name="volume">
        <property name="nodeTypes">
         <stringlist><string>vtkMRMLScalarVolumeNode</string></stringlist>
        </property>
        <property name="noneEnabled"><bool>true</bool></property>
        <property name="SlicerParameterName" stdset="0"><string>inputVolume</string></property>
       </widget>
      </item>
     </layout>
    </widget>
   </item>
  </layout>
 </widget>
 <customwidgets>
  <customwidget><class>ctkCollapsibleButton</class><extends>QWidget</extends></customwidget>
  <customwidget><class>qMRMLNodeComboBox</class><extends>QWidget</extends></customwidget>
  <customwidget><class>qMRMLWidget</class><extends>QWidget</extends></customwidget>
 </customwidgets>
 <connections>
  <connection>
   <sender>Panel</sender><signal>mrmlSceneChanged(vtkMRMLScene*)</signal>
   <receiver>volume</receiver><slot>setMRMLScene(vtkMRMLScene*)</slot>
  </connection>
 </connections>
</ui>
"""


@pytest.fixture
def panel(tmp_path, empty_scene):
    path = tmp_path / "Panel.ui"
    path.write_text(UI_FILE)
    return slicer.util.loadUI(str(path))


def test_its_widgets_are_found_by_name(panel):
    ui = slicer.util.childWidgetVariables(panel)
    assert panel.className() == "qMRMLWidget"
    assert ui.label.text == "Volume:"
    assert ui.inputs.text == "Inputs"
    assert isinstance(ui.volume, slicer.qMRMLNodeComboBox)


def test_properties_of_stand_ins_and_dynamic_properties_are_set(panel):
    volume = slicer.util.findChild(panel, "volume")
    assert volume.nodeTypes == ("vtkMRMLScalarVolumeNode",)
    assert volume.noneEnabled
    assert volume.property("SlicerParameterName") == "inputVolume"


def test_the_scene_reaches_the_lists_of_nodes_by_the_connections_of_the_file(panel, empty_scene):
    panel.setMRMLScene(empty_scene)
    assert slicer.util.findChild(panel, "volume").mrmlScene() is empty_scene


def test_a_collapsible_button_hides_its_content(panel, show):
    ui = slicer.util.childWidgetVariables(show(panel))
    heard = []
    ui.inputs.connect("contentsCollapsed(bool)", heard.append)
    ui.inputs.collapsed = True
    assert not ui.label.visible
    ui.inputs.collapsed = False
    assert ui.label.visible
    assert heard == [True, False]


def test_a_widget_without_a_stand_in_is_refused(tmp_path):
    path = tmp_path / "Panel.ui"
    path.write_text(UI_FILE.replace("ctkCollapsibleButton", "ctkRangeWidget"))
    with pytest.raises(ValueError, match="no stand-in for ctkRangeWidget"):
        slicer.util.loadUI(str(path))


def test_a_missing_file_is_an_error():
    with pytest.raises(RuntimeError, match="file not found"):
        slicer.util.loadUI("nowhere.ui")


def test_a_picture_of_a_widget_can_be_saved(panel, show, tmp_path):
    drive.grab(show(panel), tmp_path / "panel.png")
    assert not qt.QImage(str(tmp_path / "panel.png")).isNull()
