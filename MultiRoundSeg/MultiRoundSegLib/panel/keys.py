"""Keys of the question field: Enter sends, Shift+Enter breaks the line, Esc cancels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import qt


class QuestionKeys(qt.QObject):  # type: ignore[misc]
    """An event filter, since PythonQt does not let a subclass call the base class's key handler."""

    def __init__(self, send: Callable[[], None], cancel: Callable[[], None]) -> None:
        """Call these on Enter and Esc."""
        qt.QObject.__init__(self)
        self._send = send
        self._cancel = cancel

    def eventFilter(self, watched: Any, event: Any) -> bool:
        """Take Enter and Esc; leave every other key to the field."""
        if event.type() != qt.QEvent.KeyPress:
            return False
        enter = event.key() in (qt.Qt.Key_Return, qt.Qt.Key_Enter)
        if enter and not event.modifiers() & qt.Qt.ShiftModifier:
            self._send()
            return True
        if event.key() == qt.Qt.Key_Escape:
            self._cancel()
            return True
        return False
