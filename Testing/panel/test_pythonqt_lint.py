"""What the lint refuses, on tiny sources, and that the panel holds none of it."""

from pathlib import Path

import pytest
from panel.pythonqt_lint import faults

MODULE = Path(__file__).parents[2] / "MultiRoundSeg"
SOURCES = [MODULE / "MultiRoundSeg.py", *sorted((MODULE / "MultiRoundSegLib" / "panel").rglob("*.py"))]

REFUSED = {
    "a signal named without its signature": 'button.connect("clicked", self.onClicked)',
    "a signal disconnected without its signature": 'button.disconnect("clicked")',
    "a default that the signal overwrites": 'button.connect("clicked(bool)", lambda number=1: undo(number))',
    "a default that a named signal overwrites": "button.clicked.connect(lambda number=1: undo(number))",
    "isinstance with a class of Qt": "isinstance(button, qt.QWidget)",
    "isinstance with several classes of Qt": "isinstance(button, (str, qt.QWidget))",
    "super in a subclass of Qt": (
        "class Editor(qt.QPlainTextEdit):\n  def keyPressEvent(self, event):\n    super().keyPressEvent(event)"
    ),
    "super of any method of Qt": "class Editor(qt.QLabel):\n  def show(self):\n    super().show()",
    "super of an event anywhere": "class Editor(Base):\n  def focusInEvent(self, e):\n    super().focusInEvent(e)",
    "keywords in a constructor": 'qt.QPushButton(text="Send")',
    "keywords in a static method": 'qt.QFileDialog.getOpenFileName(None, caption="Open")',
    "keywords for a widget of Slicer": "slicer.qMRMLNodeComboBox(parent=panel)",
    "keywords for a widget of CTK": 'ctk.ctkCollapsibleButton(text="Advanced")',
    "a thread of Qt with its own run": "class Worker(qt.QThread):\n  def run(self):\n    pass",
    "a property that is called": "text = self.ui.question.text()",
    "a property of a call's result that is called": "visible = panel.window().visible()",
    "the property plainText that is called": "self.ui.question.plainText()",
    "a scoped enumerator": "qt.Qt.AlignmentFlag.AlignLeft",
    "a scoped enumerator of a class": "qt.QMessageBox.StandardButton.Yes",
    "a timer in a thread": (
        "def work():\n  qt.QTimer.singleShot(0, done)\nthreading.Thread(target=work, daemon=True).start()"
    ),
    "the scene in the method of a thread": (
        "class A:\n  def go(self):\n    Thread(target=self.work)\n  def work(self):\n    slicer.mrmlScene.Clear()"
    ),
    "the scene in a pool": "def work():\n  slicer.mrmlScene.Clear()\npool.submit(work)",
    "Qt in the lambda of a thread": "Thread(target=lambda: qt.QApplication.beep())",
    "a heavy import at the top": "import torch.nn",
    "a heavy import in a try at the top": "try:\n  from requests import get\nexcept ImportError:\n  get = None",
    "a heavy import in a class": "class A:\n  import SimpleITK",
    "the wrong Qt": "from PySide6 import QtWidgets",
}

ACCEPTED = {
    "a full signature": 'button.connect("clicked(bool)", self.onClicked)',
    "a signal by name": "button.clicked.connect(self.onClicked)",
    "a default that no argument overwrites": 'button.connect("clicked()", lambda number=1: undo(number))',
    "a keyword-only default": 'button.connect("clicked(bool)", lambda *_, number=1: undo(number))',
    "isinstance with another class": "isinstance(text, str)",
    "inherits": 'button.inherits("QWidget")',
    "super of the constructor": "class A(qt.QObject):\n  def __init__(self):\n    super().__init__()",
    "super in a class that is not of Qt": "class A(Base):\n  def setup(self):\n    super().setup()",
    "an event by its class": (
        "class A(qt.QLabel):\n  def keyPressEvent(self, e):\n    qt.QLabel.keyPressEvent(self, e)"
    ),
    "keywords for Python": "Answer(text='Liver', masks=())",
    "keywords for slicer.util": "slicer.util.errorDisplay('No.', windowTitle='MultiRoundSeg')",
    "a property that is read": "text = self.ui.question.text",
    "the method toPlainText": "self.ui.question.toPlainText()",
    "the text of a list item, which is a method": "self.roundItem.text()",
    "the value of a setting": "qt.QSettings().value('Server')",
    "an enumerator": "qt.Qt.AlignLeft | qt.QMessageBox.Yes",
    "a thread that only emits": "def work(self):\n  self.done.emit(1)\nThread(target=work)",
    "Qt outside the thread": "def work():\n  pass\ndef show():\n  qt.QLabel()\nThread(target=work)",
    "a heavy import in a function": "def read():\n  import pydicom",
    "a heavy import for types": "if TYPE_CHECKING:\n  import torch",
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED.keys())
def test_it_refuses(source):
    assert len(faults(source)) == 1


@pytest.mark.parametrize("source", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_it_accepts(source):
    assert faults(source) == []


def test_it_names_the_line_and_what_to_write_instead():
    (fault,) = faults("import qt\n\nqt.QMessageBox.StandardButton.Yes\n")
    assert fault.line == 3
    assert fault.message.endswith("write qt.QMessageBox.Yes")


@pytest.mark.parametrize("path", SOURCES, ids=[path.name for path in SOURCES])
def test_the_panel_holds_nothing_that_pythonqt_fails_on(path):
    assert faults(path.read_text(encoding="utf-8")) == []
