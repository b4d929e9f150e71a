"""Noticing that segments were renamed, deleted or corrected by hand, so that the dialogue shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import qt
import slicer
from slicer.util import VTKObservationMixin

_PAUSE_MS = 300
"""Changes within this time, such as strokes of a brush, are shown together."""


class SegmentWatch(VTKObservationMixin):  # type: ignore[misc]
    """Calls back once, a moment after segments changed."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """Watch nothing yet."""
        VTKObservationMixin.__init__(self)
        self._timer = qt.QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.connect("timeout()", changed)

    def watch(self, segmentation_nodes: Iterable[Any]) -> None:
        """Watch these segmentations from now on, and no others."""
        self.removeObservers()
        events = slicer.vtkSegmentation
        for node in segmentation_nodes:
            for event in (events.SegmentModified, events.SegmentRemoved, events.SourceRepresentationModified):
                self.addObserver(node.GetSegmentation(), event, self._note)

    def stop(self) -> None:
        """Watch nothing any more."""
        self.removeObservers()
        self._timer.stop()

    def _note(self, caller: Any, event: Any) -> None:
        self._timer.start()
