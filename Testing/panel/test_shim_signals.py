"""Signals and slots, as PythonQt connects them."""

import functools
import threading

import pytest
import qt
from panel.shim import drive, faults


class Sender(qt.QObject):
    finished = qt.Signal(object)
    moved = qt.Signal(int, int)


def test_a_signal_is_connected_by_its_signature_or_by_its_name():
    button, heard = qt.QPushButton(), []
    assert button.connect("clicked(bool)", lambda checked: heard.append(("signature", checked)))
    assert button.clicked.connect(lambda checked: heard.append(("name", checked)))
    button.click()
    assert heard == [("signature", False), ("name", False)]


@pytest.mark.parametrize("signature", ["clicked", "pressed(bool)", "currentIndexChanged(QString)"])
def test_a_signature_that_the_object_does_not_have_is_refused(signature):
    with pytest.raises(ValueError, match="has no signal"):
        qt.QPushButton().connect(signature, print)


def test_a_combo_box_tells_its_index_and_not_its_text():
    box, heard = qt.QComboBox(), []
    box.addItem("reasoner")
    box.connect("currentIndexChanged(int)", heard.append)
    box.addItem("remote")
    box.setCurrentIndex(1)
    assert heard == [1]
    with pytest.raises(ValueError, match="has no signal"):
        box.connect("currentIndexChanged(QString)", heard.append)


def test_a_slot_gets_as_many_arguments_as_it_takes():
    sender, heard = Sender(), []
    sender.moved.connect(lambda: heard.append(()))
    sender.moved.connect(lambda row: heard.append((row,)))
    sender.moved.connect(lambda row, column: heard.append((row, column)))
    sender.moved.connect(lambda *everything: heard.append(everything))
    sender.moved.emit(1, 2)
    assert heard == [(), (1,), (1, 2), (1, 2)]


def test_a_default_of_a_slot_is_overwritten_by_the_arguments_of_the_signal():
    button, heard = qt.QPushButton(), []
    button.connect("clicked(bool)", lambda number=7: heard.append(number))
    button.click()
    assert heard == [False]


def test_a_partial_gets_all_arguments():
    button = qt.QPushButton()
    button.connect("clicked(bool)", functools.partial(lambda: None))
    button.click()
    assert "takes 0 positional arguments" in str(faults.recorded_exceptions[0])
    faults.clear()


def test_a_slot_of_qt_can_be_connected():
    button, label = qt.QPushButton(), qt.QLabel()
    button.setCheckable(True)
    button.connect("toggled(bool)", label.setDisabled)
    button.click()
    assert not label.enabled


def test_disconnecting_takes_the_slot_or_all_slots_away():
    button, heard = qt.QPushButton(), []
    button.connect("clicked()", heard.clear)
    button.connect("clicked(bool)", heard.append)
    button.clicked.connect(heard.append)
    assert button.disconnect("clicked(bool)", heard.append)
    button.click()
    assert heard == [False]
    assert button.clicked.disconnect()
    button.click()
    assert not button.disconnect("clicked(bool)", heard.append)


def test_an_exception_in_a_slot_is_recorded_and_the_next_slot_is_called():
    button, heard = qt.QPushButton(), []
    button.connect("clicked()", lambda: 1 / 0)
    button.connect("clicked()", lambda: heard.append("next"))
    button.click()
    assert heard == ["next"]
    assert isinstance(faults.recorded_exceptions[0], ZeroDivisionError)
    faults.clear()


def test_an_exception_in_a_timer_is_recorded():
    qt.QTimer.singleShot(0, lambda: 1 / 0)
    drive.process_events(0.02)
    assert isinstance(faults.recorded_exceptions[0], ZeroDivisionError)
    faults.clear()


def test_a_signal_emitted_in_a_python_thread_arrives_in_the_main_thread():
    sender, heard = Sender(), []
    sender.finished.connect(lambda result: heard.append((result, threading.current_thread())))
    thread = threading.Thread(target=lambda: sender.finished.emit({"masks": [1]}))
    thread.start()
    thread.join()
    assert heard == []
    drive.process_events()
    assert heard == [({"masks": [1]}, threading.main_thread())]


def test_a_timer_shot_from_a_python_thread_never_fires_and_is_refused():
    def work():
        with pytest.raises(RuntimeError, match="from a Python thread"):
            qt.QTimer.singleShot(0, print)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(faults.recorded_exceptions) == 1
    faults.clear()


def test_a_widget_touched_in_a_python_thread_is_refused():
    label, refused = qt.QLabel(), []

    def work():
        for touch in (lambda: label.text, lambda: label.setText("x"), lambda: setattr(label, "text", "x")):
            with pytest.raises(RuntimeError, match="from a Python thread"):
                touch()
            refused.append(touch)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(refused) == 3
    faults.clear()


def test_a_thread_of_qt_with_its_own_run_is_refused():
    with pytest.raises(TypeError, match="crashes Slicer"):

        class Worker(qt.QThread):
            def run(self):
                pass


def test_what_is_no_function_can_not_be_a_slot():
    with pytest.raises(TypeError, match="cannot be called"):
        qt.QPushButton().clicked.connect("slot")
