"""One question in the hands of the worker: its state, its progress, the masks it waits for, its result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.conversation import Answer, Reference
from MultiRoundSegLib.errors import CancelledError, EngineError, MultiRoundSegError
from MultiRoundSegLib.images import Mask

State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Status:
    """What a listener sees of a job.

    Attributes:
        state: how far it is.
        fraction: 0 to 1 of the work.
        message: what is being done.
        wanted: masks of the dialogue that the engine waits for.
    """

    state: State = "waiting"
    fraction: float = 0.0
    message: str = "waiting for the engine"
    wanted: tuple[Reference, ...] = ()


class Job:
    """Is written by the thread of the device and read by those who serve the client."""

    def __init__(self, mask_wait_s: float) -> None:
        """Begin as waiting; a mask that was asked for must come within `mask_wait_s` seconds."""
        self.answer: Answer | None = None
        self.error: MultiRoundSegError | None = None
        self._mask_wait_s = mask_wait_s
        self._status = Status()
        self._cancelled = False
        self._masks: dict[Reference, Mask] = {}
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []
        self._at_end: Callable[[State], None] | None = None

    @property
    def status(self) -> Status:
        """How it is now."""
        return self._status

    @property
    def is_over(self) -> bool:
        """Whether there is a result, an error, or neither because it was cancelled."""
        return self._status.state in OVER

    @contextmanager
    def heard_by(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call a function, from whatever thread, when the status changed."""
        with self._changed:
            self._listeners.append(listener)
        try:
            yield
        finally:
            with self._changed:
                self._listeners.remove(listener)

    def at_end(self, note: Callable[[State], None]) -> None:
        """Call a function once when it is over; a second one is not called."""
        with self._changed:
            self._at_end = self._at_end or note

    def tell(self, fraction: float, message: str) -> None:
        """The engine's `Progress`.

        Raises:
            CancelledError: the client wants it no more.
        """
        with self._changed:
            if self._cancelled:
                raise CancelledError("Cancelled; nothing was changed.")
            self._set(Status("running", min(max(fraction, 0.0), 1.0), message, self._status.wanted))

    def read(self, reference: Reference) -> Mask:
        """A mask of the dialogue, which the client is asked for once.

        Raises:
            CancelledError: the client wants the job no more.
            EngineError: the mask did not come in time.
        """
        with self._changed:
            if reference not in self._masks:
                self._want((*self._status.wanted, reference))
                self._changed.wait_for(lambda: reference in self._masks or self._cancelled, self._mask_wait_s)
                self._want(tuple(other for other in self._status.wanted if other != reference))
            if self._cancelled:
                raise CancelledError("Cancelled; nothing was changed.")
            if reference not in self._masks:
                raise EngineError("A mask of the dialogue did not arrive in time; ask again.")
            return self._masks[reference]

    def supply(self, reference: Reference, mask: Mask) -> None:
        """Hand over a mask that was asked for; one that was not, or is here already, is dropped."""
        with self._changed:
            if reference not in self._status.wanted:
                return
            self._masks[reference] = mask
            self._changed.notify_all()

    def cancel(self) -> None:
        """Stop at the next step of the engine's progress, or before it begins."""
        with self._changed:
            self._cancelled = True
            if self._status.state == "waiting":
                self._end("cancelled")
            self._changed.notify_all()

    def finish(self, answer: Answer) -> None:
        """Keep the result, unless nobody wants it any more."""
        with self._changed:
            if self._cancelled:
                self._end("cancelled")
            else:
                self.answer = answer
                self._end("done")

    def fail(self, error: MultiRoundSegError) -> None:
        """Keep why there is no result."""
        with self._changed:
            self.error = error
            self._end("cancelled" if isinstance(error, CancelledError) else "failed")

    def _end(self, state: State) -> None:
        self._masks.clear()
        was_over = self.is_over
        self._set(Status(state, 1.0, ""))
        if self._at_end and not was_over:
            self._at_end(state)

    def _want(self, wanted: tuple[Reference, ...]) -> None:
        self._set(Status("running", self._status.fraction, self._status.message, wanted))

    def _set(self, status: Status) -> None:
        if not self.is_over:
            self._status = status
            for listener in self._listeners:
                listener()
