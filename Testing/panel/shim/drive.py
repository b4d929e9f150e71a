"""What a user does to widgets: types, presses keys, clicks, waits, looks, and answers dialogs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtTest import QTest

from . import faults
from .classes import Wrapper, native_of, wrap
from .identity import to_qt


def type_text(widget: Wrapper, text: str) -> None:
    """Type a text into a widget: ASCII by its keys, anything else as an input method hands it over."""
    native = _focused(widget)
    for character in text:
        if character.isascii():
            QTest.keyClicks(native, character)
        else:
            event = _committed(character)
            QtCore.QCoreApplication.sendEvent(native, event)


def press(widget: Wrapper, key: int, modifiers: int | None = None) -> None:
    """Press and release one key, such as `qt.Qt.Key_Return`, with modifiers such as `qt.Qt.ShiftModifier`."""
    held = QtCore.Qt.KeyboardModifier.NoModifier if modifiers is None else to_qt(modifiers)
    QTest.keyClick(_focused(widget), QtCore.Qt.Key(int(key)), held)


def click(widget: Wrapper) -> None:
    """Click a button, or into the middle of another widget, which must be visible and enabled.

    Raises:
        AssertionError: a user could not click it.
    """
    native = native_of(widget, "click")
    is_check_box = isinstance(native, QtWidgets.QCheckBox)  # reacts at its box and text, not over its whole width
    place = QtCore.QPoint(8, native.height() // 2) if is_check_box else native.rect().center()
    click_at(widget, place.x(), place.y())


def click_at(widget: Wrapper, x: int, y: int) -> None:
    """Click at a place within a widget, in pixels from its upper left corner.

    Raises:
        AssertionError: a user could not click it.
    """
    native = native_of(widget, "click")
    if not native.isVisible() or not native.isEnabled():
        raise AssertionError(f"A user can not click {widget!r}: it is hidden or disabled.")
    QTest.mouseClick(native, QtCore.Qt.MouseButton.LeftButton, pos=QtCore.QPoint(x, y))


def process_events(seconds: float = 0.0) -> None:
    """Let timers and queued signals happen for this long, once at least."""
    until = time.monotonic() + seconds
    while True:
        QtWidgets.QApplication.processEvents()
        QtCore.QCoreApplication.sendPostedEvents(None, QtCore.QEvent.Type.DeferredDelete.value)
        if time.monotonic() >= until:
            return
        time.sleep(0.005)


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Let events happen until `condition` holds.

    Raises:
        TimeoutError: it did not hold in time.
    """
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= until:
            raise TimeoutError(f"Nothing came of it within {seconds} s.")
        process_events(0.01)


def grab(widget: Wrapper, path: Path) -> None:
    """Save a picture of the widget as a PNG."""
    if not native_of(widget, "grab").grab().save(str(path), "PNG"):
        raise OSError(f"The picture could not be saved as {path}.")


def when_dialog_opens(act: Callable[[Any], None], seconds: float = 5.0) -> None:
    """Call `act` with the next modal dialog, from within its event loop; it must close the dialog.

    A dialog that `act` leaves open is rejected; none within `seconds` counts as a fault of the test.
    """
    _DialogWatch(act, seconds)


class _DialogWatch(QtCore.QObject):
    def __init__(self, act: Callable[[Any], None], seconds: float) -> None:
        super().__init__(QtWidgets.QApplication.instance())
        self._act = act
        self._until = time.monotonic() + seconds
        self._timer = self.startTimer(10)

    def timerEvent(self, event: QtCore.QTimerEvent) -> None:
        dialog = QtWidgets.QApplication.activeModalWidget()
        if dialog is None and time.monotonic() < self._until:
            return
        self.killTimer(self._timer)
        self.deleteLater()
        if dialog is None:
            faults.record(TimeoutError("No dialog opened."))
            return
        faults.call_slot(self._act, (wrap(dialog),))
        if dialog.isVisible():
            dialog.reject()


def _focused(widget: Wrapper) -> Any:
    native = native_of(widget, "type into")
    native.setFocus()
    return native


def _committed(text: str) -> Any:
    event = QtGui.QInputMethodEvent()
    event.setCommitString(text)
    return event
