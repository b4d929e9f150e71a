"""Which Python object stands for which object of Qt, how long, and how Python subclasses get their events."""

import gc

import pytest
import qt
from panel.shim import drive, faults


class Filter(qt.QObject):
    """Takes the Return key and notes every key."""

    def __init__(self, parent=None):
        super().__init__(parent)
        self.keys = []

    def eventFilter(self, watched, event):
        if event.type() != qt.QEvent.KeyPress or event.key() == qt.Qt.Key_Shift:
            return False
        self.keys.append((watched, event.key(), event.modifiers() & qt.Qt.ShiftModifier))
        return event.key() == qt.Qt.Key_Return


class Editor(qt.QPlainTextEdit):
    """Lets Qt handle every key after noting it."""

    def __init__(self, *arguments):
        qt.QPlainTextEdit.__init__(self, *arguments)
        self.keys = []

    def keyPressEvent(self, event):
        self.keys.append(event.key())
        qt.QPlainTextEdit.keyPressEvent(self, event)


def test_isinstance_knows_the_exact_class_only():
    button = qt.QPushButton()
    assert isinstance(button, qt.QPushButton)
    assert not isinstance(button, qt.QWidget)
    assert button.inherits("QWidget")
    assert button.className() == "QPushButton"


def test_qt_returns_the_same_python_object_while_it_is_used():
    widget = qt.QWidget()
    layout = qt.QVBoxLayout(widget)
    button = qt.QPushButton()
    button.objectName = "send"
    layout.addWidget(button)
    assert button.parent() is widget
    assert button.parentWidget() is widget
    assert widget.layout() is layout
    assert widget.findChild(qt.QPushButton, "send") is button
    assert widget.findChild("QPushButton") is button
    assert widget.findChildren(qt.QPushButton) == (button,)
    assert widget.children() == (layout, button)
    assert layout.itemAt(0).widget() is button


def test_children_are_found_by_the_class_they_inherit():
    widget = qt.QWidget()
    button = qt.QPushButton(widget)
    assert widget.findChild(qt.QAbstractButton) is button
    assert widget.findChild(qt.QLabel) is None


def test_a_python_subclass_comes_back_as_itself_from_its_parent():
    widget = qt.QWidget()
    Editor(widget).keys.append("typed")
    gc.collect()
    assert widget.findChild(qt.QPlainTextEdit).keys == ["typed"]


def test_an_object_without_a_parent_dies_with_its_last_reference():
    editor = qt.QPlainTextEdit()
    editor.installEventFilter(Filter())
    drive.press(editor, qt.Qt.Key_Return)
    assert editor.plainText == "\n"


def test_a_destroyed_object_is_false_and_refuses_to_be_used():
    widget = qt.QWidget()
    button = qt.QPushButton(widget)
    del widget
    assert not button
    with pytest.raises(ValueError, match="destroyed QPushButton"):
        button.click()
    with pytest.raises(ValueError, match="destroyed QPushButton"):
        _ = button.text
    with pytest.raises(AttributeError, match="destroyed QPushButton"):
        button.text = "x"


def test_an_event_filter_sees_events_and_can_take_them():
    editor = qt.QPlainTextEdit()
    keys = Filter(editor)
    editor.installEventFilter(keys)
    drive.press(editor, qt.Qt.Key_A)
    drive.press(editor, qt.Qt.Key_Return)
    drive.press(editor, qt.Qt.Key_Return, qt.Qt.ShiftModifier)
    assert editor.plainText == "a"
    assert [key for _, key, _ in keys.keys] == [qt.Qt.Key_A, qt.Qt.Key_Return, qt.Qt.Key_Return]
    assert [bool(shift) for _, _, shift in keys.keys] == [False, False, True]
    assert all(watched is editor for watched, _, _ in keys.keys)


def test_an_event_filter_must_say_whether_it_took_the_event():
    class Silent(qt.QObject):
        def eventFilter(self, watched, event):
            pass

    editor = qt.QPlainTextEdit()
    silent = Silent(editor)
    editor.installEventFilter(silent)
    drive.press(editor, qt.Qt.Key_A)
    editor.removeEventFilter(silent)
    assert "must return True or False" in str(faults.recorded_exceptions[0])
    faults.clear()


def test_an_event_handler_calls_the_one_of_qt_by_its_class():
    editor = Editor()
    drive.type_text(editor, "ab")
    assert editor.keys == [qt.Qt.Key_A, qt.Qt.Key_B]
    assert editor.plainText == "ab"


def test_an_event_handler_can_not_call_the_one_of_qt_by_super():
    class Wrong(qt.QPlainTextEdit):
        def keyPressEvent(self, event):
            super().keyPressEvent(event)

    editor = Wrong()
    drive.press(editor, qt.Qt.Key_A)
    assert "'super' object has no attribute 'keyPressEvent'" in str(faults.recorded_exceptions[0])
    faults.clear()


def test_a_subclass_of_a_python_subclass_inherits_its_handlers():
    class Counting(Editor):
        def keyPressEvent(self, event):
            super().keyPressEvent(event)
            self.count = len(self.keys)

    editor = Counting()
    drive.type_text(editor, "abc")
    assert editor.count == 3


def test_an_object_whose_init_was_forgotten_says_so():
    class Forgetful(qt.QWidget):
        def __init__(self):
            pass

    with pytest.raises(ValueError, match="__init__ was not called"):
        Forgetful().show()


def test_a_warning_of_qt_is_recorded():
    widget = qt.QWidget()
    qt.QVBoxLayout(widget)
    qt.QVBoxLayout(widget)
    assert "which already has a layout" in faults.recorded_warnings[0]
    faults.clear()
