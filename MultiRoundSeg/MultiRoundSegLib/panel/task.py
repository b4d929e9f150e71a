"""Blocking work beside the window: in a thread, looked after by a timer on the main thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

import qt

_LOOK_MS = 30
_TURN_S = 0.005
"""PythonQt keeps Python's lock while Qt waits for events; a thread runs only while the main thread waits for it."""

Post = Callable[[Any], None]


def _ignore(item: Any) -> None:
    """For tasks whose posts or results nobody wants."""


class Task:
    """A function that runs in a thread; what it posts and gives arrives on the main thread."""

    def __init__(
        self,
        work: Callable[[Post], Any],
        done: Callable[[Any], None] = _ignore,
        failed: Callable[[Exception], None] = _ignore,
        posted: Callable[[Any], None] = _ignore,
    ) -> None:
        """Start it.

        Args:
            work: is handed a function that posts things; it may not touch Qt or the scene.
            done: takes what the work gives.
            failed: takes what it raised.
            posted: takes each thing that it posted.
        """
        self._handlers = {"done": done, "failed": failed, "posted": posted}
        self._arrived: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._timer = qt.QTimer()
        self._timer.setInterval(_LOOK_MS)
        self._timer.connect("timeout()", self._look)
        self._timer.start()
        self._thread = threading.Thread(target=self._run, args=(work,), name="task", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether nothing more will arrive."""
        return not self._timer.active

    def drop(self, wait_s: float) -> None:
        """Let nothing more arrive; wait a little for the thread, which then ends by itself."""
        self._timer.stop()
        self._thread.join(wait_s)

    def _run(self, work: Callable[[Post], Any]) -> None:
        try:
            self._arrived.put(("done", work(lambda item: self._arrived.put(("posted", item)))))
        except Exception as error:
            self._arrived.put(("failed", error))

    def _look(self) -> None:
        """Give the thread its turn, then hand on what has arrived."""
        try:
            kind, value = self._arrived.get(timeout=_TURN_S)
            while True:
                if kind != "posted":
                    self._timer.stop()
                self._handlers[kind](value)
                kind, value = self._arrived.get_nowait()
        except queue.Empty:
            return
