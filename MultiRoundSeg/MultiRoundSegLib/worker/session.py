"""One client's volume in the hands of the engine, and its questions."""

from __future__ import annotations

import time
from collections import OrderedDict, deque

from MultiRoundSegLib.engines import Engine, EngineSession
from MultiRoundSegLib.errors import (
    CancelledError,
    EngineBusyError,
    EngineError,
    EngineUnavailableError,
    MultiRoundSegError,
    OutOfMemoryError,
    PackageMissingError,
    SessionExpiredError,
)
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.wire.message import Message
from MultiRoundSegLib.wire.rounds import decode_ask

from .job import Job
from .limits import Limits, TooLargeError
from .line import Line
from .log import note_failure

_FORGOTTEN = 256
"""Of so many questions a session remembers that they were cancelled or fetched."""
_RETRY_S = 2.0


class Session:
    """Questions about one volume; the engine takes the volume in when the first one is at its turn."""

    def __init__(self, identity: str, digest: str, volume: Volume, engine: Engine, line: Line, limits: Limits) -> None:
        """Hold a volume.

        Args:
            identity: the session's ID.
            digest: SHA-256 of the voxels.
            volume: what is asked about.
            engine: who answers.
            line: where its work waits.
            limits: how much is kept.
        """
        self.identity = identity
        self.digest = digest
        self.volume = volume
        self.used_at = time.monotonic()
        self._engine = engine
        self._line = line
        self._limits = limits
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._forgotten: deque[str] = deque(maxlen=_FORGOTTEN)
        self._session: EngineSession | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether a question waits or is being answered."""
        return any(not job.is_over for job in self._jobs.values())

    def ask(self, name: str, message: Message) -> Job:
        """Put a question into the line; one that is known by its name is not asked twice.

        Raises:
            WireError: the question is damaged.
            TooLargeError: its text is too long.
            CancelledError: it was cancelled before it arrived.
            EngineBusyError: too much is waiting.
        """
        if name in self._jobs:
            return self._jobs[name]
        if name in self._forgotten:
            raise CancelledError("Cancelled; nothing was changed.")
        if sum(not job.is_over for job in self._jobs.values()) >= self._limits.unfinished:
            raise EngineBusyError("This session has too many unanswered questions; ask again.", _RETRY_S)
        job = Job(self._limits.mask_wait_s)
        question, history = decode_ask(message, self.volume.geometry, job.read)
        if len(question.text) > self._limits.question_characters:
            raise TooLargeError(
                f"A question may have {self._limits.question_characters} characters; this one has {len(question.text)}."
            )

        def work() -> None:
            if job.is_over:
                return
            try:
                job.tell(0.0, "taking in the volume")
                if self._session is None:
                    self._session = self._engine.open(self.volume)
                job.finish(self._session.answer(question, history, progress=job.tell))
            except BaseException as error:
                job.fail(as_told(error).with_traceback(None))  # its frames hold image and question

        self._line.add(self.identity, work)
        self._jobs[name] = job
        self._forget_old_results()
        return job

    def job(self, name: str) -> Job:
        """A question that was asked.

        Raises:
            SessionExpiredError: it is not known (any more).
        """
        if name not in self._jobs:
            raise SessionExpiredError("The worker does not know this question (any more); ask it again.")
        return self._jobs[name]

    def forget(self, name: str) -> None:
        """Cancel a question, or forget its result; one that is not known is forgotten already."""
        self._forgotten.append(name)
        job = self._jobs.pop(name, None)
        if job:
            job.cancel()

    def close(self) -> None:
        """Cancel everything, and let the engine forget the volume at its next turn."""
        for name in list(self._jobs):
            self.forget(name)
        self._line.add(self.identity, self._close_engine, is_asked=False)

    def _close_engine(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _forget_old_results(self) -> None:
        over = [name for name, job in self._jobs.items() if job.is_over]
        for name in over[: max(0, len(over) - self._limits.results)]:
            del self._jobs[name]


def as_told(error: BaseException) -> MultiRoundSegError:
    """What the client is told of a failure; what is not made for people goes to the log, without the question."""
    if isinstance(error, PackageMissingError):
        return EngineUnavailableError(f"{error} Install it in the environment of the worker.")
    if isinstance(error, MultiRoundSegError):
        return error
    note_failure("The engine failed", error)
    if isinstance(error, MemoryError) or "OutOfMemory" in type(error).__name__:
        return OutOfMemoryError(
            "The work does not fit into the worker's memory; crop the image to what is asked about, or use "
            "another worker."
        )
    return EngineError("The engine failed on this question; the worker's log says why.")
