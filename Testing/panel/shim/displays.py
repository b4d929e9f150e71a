"""What `slicer.util` would show in a message box: kept for the test, and answered by it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import slicer.util

from . import qt


@dataclass(frozen=True)
class Display:
    """One message box: its level ("error", "warning", "info" or "question") and text."""

    level: str
    text: str


displayed: list[Display] = []
_answers: list[bool] = []

_LEVELS = {logging.ERROR: "error", logging.WARNING: "warning", logging.INFO: "info"}


def answer_next_question(yes: bool) -> None:
    """Answer the next yes/no or ok/cancel question that nobody has answered yet."""
    _answers.append(yes)


def clear() -> None:
    """Forget all message boxes and answers."""
    displayed.clear()
    _answers.clear()


def install() -> None:
    """Have the message boxes of `slicer.util` kept here; none opens."""
    slicer.util._messageDisplay = _keep
    slicer.util.messageBox = _refuse_message_box


def _keep(level: int, text: str, _testing_value: Any, *_: Any, **options: Any) -> int | None:
    buttons = options.get("standardButtons", qt.QMessageBox.Ok)
    accepting = [button for button in (qt.QMessageBox.Yes, qt.QMessageBox.Retry) if buttons & button]
    is_question = bool(accepting) or bool(buttons & qt.QMessageBox.Cancel)
    displayed.append(Display("question" if is_question else _LEVELS[level], text))
    if not is_question:
        return None
    if not _answers:
        raise RuntimeError(f"The test did not say how to answer the question: {text}")
    yes = accepting[0] if accepting else qt.QMessageBox.Ok
    refusing = next(b for b in (qt.QMessageBox.No, qt.QMessageBox.Cancel, qt.QMessageBox.Close) if buttons & b)
    return int(yes if _answers.pop(0) else refusing)


def _refuse_message_box(text: str, *_: Any, **__: Any) -> None:
    raise RuntimeError(f"slicer.util.messageBox has no stand-in; use infoDisplay and its like for: {text}")
