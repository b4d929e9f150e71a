"""Faults that PythonQt only prints: here they are kept, so that a test can ask for none.

An exception in a slot, an event handler or a timer never reaches the code that caused it. It is printed and
added to `recorded_exceptions`; warnings of Qt itself are added to `recorded_warnings`.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from PySide6 import QtCore

recorded_exceptions: list[BaseException] = []
recorded_warnings: list[str] = []

_HARMLESS_WARNINGS = (
    "This plugin does not support",  # what the offscreen platform says about windows it does not have
    "QFont::setPointSize",
    "Cannot find font directory",
)


def record(exception: BaseException) -> None:
    """Print `exception` as PythonQt does, and keep it for the test."""
    recorded_exceptions.append(exception)
    traceback.print_exception(exception, file=sys.stderr)


def clear() -> None:
    """Forget all faults recorded so far."""
    recorded_exceptions.clear()
    recorded_warnings.clear()


def keep_qt_warnings() -> None:
    """Have Qt hand its warnings to `recorded_warnings`."""
    QtCore.qInstallMessageHandler(_on_qt_message)


def call_slot(slot: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Call `slot` with as many of `arguments` as it takes; what it raises is recorded, not raised.

    As in PythonQt, only Python functions and methods have their arguments cut; any other callable gets all.
    """
    try:
        slot(*arguments[: _accepted(slot)])
    except Exception as exception:
        record(exception)


def require_main_thread(what: str) -> None:
    """Refuse to touch Qt from another thread, where real Slicer crashes or does nothing.

    Raises:
        RuntimeError: this is not the main thread.
    """
    if threading.current_thread() is threading.main_thread():
        return
    error = RuntimeError(f"{what} is used from a Python thread; emit a qt.Signal and do it in its slot.")
    record(error)
    raise error


def _accepted(slot: Callable[..., Any]) -> int | None:
    """Return how many positional arguments `slot` takes, None for any number."""
    function = slot.__func__ if isinstance(slot, MethodType) else slot
    if not isinstance(function, FunctionType):
        return None
    takes_any_number = function.__code__.co_flags & 0x04  # CO_VARARGS
    if takes_any_number:
        return None
    return function.__code__.co_argcount - isinstance(slot, MethodType)


def _on_qt_message(kind: QtCore.QtMsgType, _context: QtCore.QMessageLogContext, text: str) -> None:
    sys.stderr.write(f"{text}\n")
    if kind is not QtCore.QtMsgType.QtDebugMsg and not text.startswith(_HARMLESS_WARNINGS):
        recorded_warnings.append(text)
