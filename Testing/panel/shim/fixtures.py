"""Fixtures for the tests of the panel, to be imported by their conftest.py after `install()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import slicer

from . import application, displays, drive, faults


@pytest.fixture(autouse=True)
def no_slot_exceptions() -> Iterator[None]:
    """Fail the test if a slot, an event handler or a timer raised, or Qt gave a warning."""
    faults.clear()
    yield
    drive.process_events()
    exceptions, warnings = list(faults.recorded_exceptions), list(faults.recorded_warnings)
    faults.clear()
    assert exceptions == []
    assert warnings == []


@pytest.fixture(autouse=True)
def fresh_settings() -> None:
    """Give the test empty settings."""
    application.use_temporary_settings()


@pytest.fixture(autouse=True)
def displayed() -> Iterator[list[displays.Display]]:
    """Give the message boxes that `slicer.util` would have shown, oldest first."""
    displays.clear()
    yield displays.displayed
    displays.clear()


@pytest.fixture
def empty_scene() -> Iterator[Any]:
    """Give the scene without nodes but singletons; it is emptied again afterwards."""
    slicer.mrmlScene.Clear(False)
    yield slicer.mrmlScene
    slicer.mrmlScene.Clear(False)


@pytest.fixture
def show() -> Iterator[Callable[[Any], Any]]:
    """Give a function that shows a top-level widget and returns it; all are deleted afterwards."""
    shown: list[Any] = []

    def show_widget(widget: Any) -> Any:
        shown.append(widget)
        widget.show()
        drive.process_events()
        return widget

    yield show_widget
    for widget in shown:
        if widget:
            widget.hide()
            widget.deleteLater()
    drive.process_events()
