"""The line in front of the device: sessions take turns, whoever asks most."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

from MultiRoundSegLib.errors import EngineBusyError

from .log import note_failure

_FIRST_GUESS_S = 2.0
_SMOOTHING = 0.2
_ENDS_WITHIN_S = 2.0

Work = Callable[[], None]


class Line:
    """Runs work in one thread, one piece after another; owners take turns."""

    def __init__(self, waiting: int) -> None:
        """Let at most this many pieces of work wait."""
        self._waiting = waiting
        self._queues: OrderedDict[Hashable, deque[Work]] = OrderedDict()
        self._served: Hashable = None
        self._changed = threading.Condition()
        self._closed = False
        self._seconds = _FIRST_GUESS_S
        self._thread = threading.Thread(target=self._run, name="device", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """Pieces of work that wait."""
        with self._changed:
            return sum(map(len, self._queues.values()))

    def add(self, owner: Hashable, work: Work, *, is_asked: bool = True) -> None:
        """Let work wait for its owner's turn.

        Args:
            owner: who takes turns with others.
            work: what to run; it may not raise.
            is_asked: somebody asked for it, so that it may be refused; else it is tidying up.

        Raises:
            EngineBusyError: too much is waiting.
        """
        with self._changed:
            if is_asked and len(self) >= self._waiting:
                seconds = max(1.0, self._seconds * self._waiting)
                raise EngineBusyError(
                    f"The engine is busy with {self._waiting} other questions; ask again in {seconds:.0f} s.", seconds
                )
            self._queues.setdefault(owner, deque()).append(work)
            self._changed.notify_all()

    def close(self) -> None:
        """Drop what waits and end the thread; what runs is given a moment to finish."""
        with self._changed:
            self._closed = True
            self._queues.clear()
            self._changed.notify_all()
        self._thread.join(_ENDS_WITHIN_S)

    def _run(self) -> None:
        while work := self._next():
            started = time.monotonic()
            try:
                work()
            except BaseException as error:
                note_failure("A piece of work failed", error)
            self._seconds += _SMOOTHING * (time.monotonic() - started - self._seconds)
            del work  # it holds a session, and so an image

    def _next(self) -> Work | None:
        """The next piece of work; the owner of the one before goes to the end of the line."""
        with self._changed:
            self._changed.wait_for(lambda: self._queues or self._closed)
            if self._closed:
                return None
            if self._served in self._queues:
                self._queues.move_to_end(self._served)
            self._served = next(iter(self._queues))
            queue = self._queues[self._served]
            work = queue.popleft()
            if not queue:
                del self._queues[self._served]
            return work
