"""Blocking work in a thread of its own, while the calling thread stays alive."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import CancelledError

TICK_S = 0.03
"""How often the calling thread looks around: a window that is drawn every 30 ms feels alive."""

T = TypeVar("T")


class Background:
    """Runs functions in threads, and meanwhile what they post in the calling thread.

    In Slicer the calling thread is the only one that may touch the scene and the window.
    """

    def __init__(self, progress: Progress) -> None:
        """Tell this progress, about every 30 ms."""
        self._progress = progress
        self._told = (0.0, "asking the worker")

    def tell(self, fraction: float, message: str) -> None:
        """Note the progress that the calling thread tells next; it never goes back."""
        self._told = (max(fraction, self._told[0]), message or self._told[1])

    def run(self, work: Callable[[Callable[[Any], None]], T], handle: Callable[[Any], None] = lambda item: None) -> T:
        """What a function gives that may block.

        Args:
            work: runs in a thread; it is handed a function that posts things.
            handle: takes what was posted, in the calling thread.

        Raises:
            CancelledError: the progress said so; the thread ends when it posts again, and what it gives is dropped.
        """
        posted: queue.Queue[tuple[str, Any]] = queue.Queue()
        is_dropped = threading.Event()

        def post(item: Any) -> None:
            if is_dropped.is_set():
                raise CancelledError("Cancelled; nothing was changed.")
            posted.put(("item", item))

        def task() -> None:
            try:
                posted.put(("done", work(post)))
            except BaseException as error:
                posted.put(("failed", error))

        threading.Thread(target=task, name="worker request", daemon=True).start()
        try:
            result: T = self._gather(posted, handle)
            return result
        finally:
            is_dropped.set()

    def _gather(self, posted: queue.Queue[tuple[str, Any]], handle: Callable[[Any], None]) -> Any:
        """Hand on what a thread posts until it is done, and tell progress meanwhile."""
        while True:
            self._progress(*self._told)
            try:
                kind, value = posted.get(timeout=TICK_S)
            except queue.Empty:
                continue
            if kind == "done":
                return value
            if kind == "failed":
                raise value
            handle(value)

    def wait(self, seconds: float) -> None:
        """Let time pass.

        Raises:
            CancelledError: the progress said so.
        """
        pause = threading.Event()
        self.run(lambda post: pause.wait(seconds))
