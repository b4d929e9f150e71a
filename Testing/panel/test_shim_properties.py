"""Properties, methods and enumerators, as PythonQt offers them."""

import pytest
import qt
from panel.shim import drive


def test_a_property_is_a_plain_attribute_that_can_be_read_and_set():
    button = qt.QPushButton("Send")
    button.text = "Stop"
    button.enabled = False
    assert (button.text, button.enabled) == ("Stop", False)


def test_calling_a_property_fails_as_its_value_is_not_a_function():
    with pytest.raises(TypeError, match="'str' object is not callable"):
        qt.QPushButton("Send").text()


def test_a_property_that_only_qt_sets_can_not_be_assigned():
    with pytest.raises(AttributeError, match="not writable"):
        qt.QComboBox().count = 3


def test_a_property_does_not_accept_none():
    with pytest.raises(AttributeError, match="does not accept None"):
        qt.QLabel().text = None


def test_an_unknown_attribute_can_be_neither_read_nor_set_on_an_object_of_qt():
    label = qt.QLabel()
    with pytest.raises(AttributeError, match="no attribute named 'colour'"):
        _ = label.colour
    with pytest.raises(AttributeError, match="can not be added"):
        label.colour = "red"


def test_a_python_subclass_may_have_attributes_of_its_own():
    class Label(qt.QLabel):
        pass

    label = Label()
    label.colour = "red"
    assert label.colour == "red"


@pytest.mark.parametrize("name", ["setText", "clicked", "MenuButtonPopup", "click"])
def test_what_qt_defines_can_not_be_overwritten(name):
    with pytest.raises(AttributeError, match="can not be overwritten"):
        setattr(qt.QToolButton(), name, print)


def test_getters_that_are_not_named_like_the_property_are_methods():
    label = qt.QLabel("words")
    assert label.isEnabled()
    assert qt.QPlainTextEdit("words").toPlainText() == qt.QPlainTextEdit("words").plainText == "words"


def test_the_document_of_a_text_browser_is_a_property():
    browser = qt.QTextBrowser()
    browser.plainText = "one"
    assert browser.document.toPlainText() == "one"


def test_single_shot_of_a_timer_is_set_by_its_method_only():
    timer = qt.QTimer()
    timer.setSingleShot(True)
    assert timer.isSingleShot()
    with pytest.raises(AttributeError, match="can not be overwritten"):
        timer.singleShot = True


def test_name_is_another_word_for_object_name():
    label = qt.QLabel()
    label.name = "answer"
    assert label.objectName == label.name == "answer"


def test_a_dynamic_property_can_be_read_and_set_as_an_attribute_once_it_exists():
    label = qt.QLabel()
    label.setProperty("SlicerParameterName", "volume")
    label.SlicerParameterName = "mask"
    assert label.property("SlicerParameterName") == label.SlicerParameterName == "mask"


def test_enumerators_are_integers_of_the_class():
    assert qt.Qt.AlignLeft == 1
    assert isinstance(qt.QMessageBox.Yes, int)
    assert qt.Qt.AlignLeft | qt.Qt.AlignTop == 33
    assert qt.Qt.UserRole + 1 == 257


def test_enumerators_go_into_methods_and_properties_and_come_back_as_integers():
    label = qt.QLabel()
    label.setAlignment(qt.Qt.AlignRight | qt.Qt.AlignBottom)
    assert label.alignment == 66
    label.alignment = qt.Qt.AlignCenter
    assert label.alignment == 132


def test_lists_kept_in_an_item_come_back_as_tuples():
    item = qt.QListWidgetItem("round 1")
    item.setData(qt.Qt.UserRole, [1, [2, 3]])
    assert item.data(qt.Qt.UserRole) == (1, (2, 3))
    assert isinstance(item.data(qt.Qt.UserRole), tuple)


def test_constructors_and_methods_take_no_keywords():
    with pytest.raises(TypeError, match="no keyword arguments: text"):
        qt.QPushButton(text="Send")
    with pytest.raises(TypeError, match="no keyword arguments"):
        qt.QVBoxLayout().addWidget(qt.QLabel(), stretch=1)
    with pytest.raises(TypeError, match="no keyword arguments"):
        qt.QTimer.singleShot(msec=1)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (qt.Qt, "AlignmentFlag"),
        (qt.QMessageBox, "StandardButton"),
        (qt.QFormLayout(), "setRowVisible"),
        (qt.QCheckBox(), "checkStateChanged"),
        (qt.QWidget(), "setScreen"),
        (qt, "QKeyCombination"),
    ],
)
def test_what_came_with_qt_6_is_not_there(owner, name):
    with pytest.raises(AttributeError):
        getattr(owner, name)


def test_the_scoped_enumerators_of_qt_6_are_not_there():
    with pytest.raises(AttributeError):
        _ = qt.Qt.AlignmentFlag.AlignLeft


def test_a_file_dialog_returns_the_path_alone(tmp_path):
    def choose(dialog):
        dialog.findChild("QLineEdit", "fileNameEdit").text = str(tmp_path / "scan.nrrd")
        dialog.accept()

    (tmp_path / "scan.nrrd").write_bytes(b"")
    drive.when_dialog_opens(choose)
    assert qt.QFileDialog.getOpenFileName(None, "Open", str(tmp_path)) == str(tmp_path / "scan.nrrd")
