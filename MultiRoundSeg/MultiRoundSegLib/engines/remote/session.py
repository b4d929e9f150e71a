"""One volume in the hands of a worker; the dialogue stays here, so that a worker may come and go."""

from __future__ import annotations

import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import (
    EngineBusyError,
    SessionExpiredError,
    VolumeUnknownError,
    WireError,
)
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.wire.masks import encode_mask
from MultiRoundSegLib.wire.rounds import decode_answer, encode_ask
from MultiRoundSegLib.wire.volumes import chunks, describe, travelling_voxels

from .background import Background
from .connection import Connection, ConnectionLostError, NobodyThereError

if TYPE_CHECKING:
    from .engine import RemoteEngine

_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 3.0
"""The first try to reach a lost worker again follows at once, each further one after a longer pause."""
_TRIES = 4
"""At least, however long the worker was lost: its connection may be cut again after a long answer."""
_AGAIN = (EngineBusyError, SessionExpiredError, VolumeUnknownError, ConnectionLostError)
"""After these the same job is asked again."""
_SENT = 0.1
"""The share of a first round's progress that sending the volume takes."""

Post = Callable[[Any], None]


class RemoteSession:
    """Asks a worker about one volume."""

    def __init__(self, engine: RemoteEngine, connection: Connection, volume: Volume) -> None:
        """Hold the volume; nothing is sent yet."""
        self._engine = engine
        self._connection = connection
        self._volume = volume
        self._voxels: NDArray[np.generic] | None = None
        self._description: dict[str, Any] = {}
        self._path: str | None = None
        self._reached = False  # the worker was there once

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """See `EngineSession.answer`; a worker that forgot the session, or was restarted, is asked again.

        Raises:
            EngineUnavailableError: the worker cannot be reached.
            WireError: what it sent is damaged.
        """
        progress(0.0, "asking the worker")
        for reference in question.references:
            history.mask(reference)
        background = Background(progress)
        body = encode_ask(question, history).encode()
        job, busy_until = str(uuid.uuid4()), time.monotonic() + self._connection.timeouts.busy_s
        tries, lost_at = 0, 0.0
        while True:
            try:
                answer = self._ask(job, body, history, background)
                progress(1.0, "done")
                return answer
            except EngineBusyError as error:
                if time.monotonic() + error.retry_after_s > busy_until:
                    raise
                background.tell(0.0, "waiting for the engine")
                background.wait(error.retry_after_s)
            except (SessionExpiredError, VolumeUnknownError, ConnectionLostError) as error:
                if not isinstance(error, ConnectionLostError):
                    self._path = None
                lost_at = lost_at or time.monotonic()
                is_gone = tries >= _TRIES and time.monotonic() - lost_at > self._connection.timeouts.gone_s
                if is_gone or (isinstance(error, NobodyThereError) and not self._reached):
                    raise
                background.tell(0.0, "the worker does not answer; asking again")
                background.wait(min(tries * _PAUSE_S, _LONGEST_PAUSE_S))
                tries += 1

    def close(self) -> None:
        """Let the worker forget the volume; it finds out by itself where it cannot be told."""
        if self._path:
            self._connection.delete(self._path)
        self._path = None

    def _ask(self, job: str, body: bytes, history: Conversation, background: Background) -> Answer:
        connection = self._connection
        if self._path is None:
            background.run(lambda post: self._engine.info)
            self._reached = True
            self._path = self._open(background)
        path = f"{self._path}/jobs/{job}"
        try:
            background.run(lambda post: connection.put(path, body))
            background.run(
                lambda post: self._listen(path, post), lambda event: self._hear(event, path, history, background)
            )
            message = background.run(lambda post: connection.get_message(f"{path}/result"))
        except _AGAIN:
            raise
        except BaseException:
            self._forget(path)
            raise
        self._forget(path)
        return decode_answer(message, self._volume.geometry)

    def _listen(self, path: str, post: Post) -> None:
        """Post the events of a job until it is over."""
        with self._connection.events(f"{path}/events") as events:
            for event in events:
                post(event)
                if event[0] == "end":
                    return
        raise ConnectionLostError(f"The connection to the worker {self._connection.address.host} was cut.")

    def _hear(
        self, event: tuple[str, dict[str, Any]], path: str, history: Conversation, background: Background
    ) -> None:
        name, data = event
        try:
            if name == "progress":
                background.tell(_SENT + (1 - _SENT) * float(data["fraction"]), str(data["message"]))
            elif name == "masks":
                for place in data["wanted"]:
                    reference = Reference(int(place["round"]), int(place["mask"]) - 1)
                    body = encode_mask(history.latest(reference)).encode()
                    target = f"{path}/masks/{place['round']}/{place['mask']}"
                    background.run(lambda post, target=target, body=body: self._connection.put(target, body))  # type: ignore[misc]
        except (KeyError, TypeError, ValueError) as error:
            raise WireError("The worker told something that is not understood.") from error

    def _open(self, background: Background) -> str:
        """The path of a new session; the voxels are sent where the worker does not have them."""
        connection = self._connection
        if self._voxels is None:
            background.tell(0.0, "preparing the volume")
            self._voxels = background.run(lambda post: travelling_voxels(self._volume))
            self._description = background.run(lambda post: describe(self._volume, self._voxels))  # type: ignore[arg-type]
        try:
            opened = background.run(lambda post: connection.post_json("/sessions", self._description))
        except VolumeUnknownError:
            background.run(self._send, lambda sent: background.tell(_SENT * sent, "sending the volume"))
            opened = background.run(lambda post: connection.post_json("/sessions", self._description))
        if not isinstance(opened.get("session"), str):
            raise WireError("The worker did not say which session it opened.")
        return f"/sessions/{opened['session']}"

    def _send(self, post: Post) -> None:
        assert self._voxels is not None, "voxels are made before they are sent"
        path, pieces = f"/volumes/{self._description['sha256']}", Pieces(self._voxels, post)
        if self._connection.address.is_loopback:
            self._connection.upload(path, pieces, {})
        else:
            self._connection.upload(path, _gzipped(pieces), {"Content-Encoding": "gzip"})

    def _forget(self, path: str) -> None:
        """Tell the worker, without waiting for it, that a job is wanted no more."""
        threading.Thread(target=self._connection.delete, args=(path,), daemon=True).start()


class Pieces:
    """The bytes of voxels in pieces, as a body for `requests`; it tells which share is on its way."""

    def __init__(self, voxels: NDArray[np.generic], post: Post) -> None:
        """Send these voxels, and post the share, 0 to 1, before each piece."""
        self._voxels, self._post = voxels, post

    def __len__(self) -> int:
        """Bytes in all."""
        return int(self._voxels.nbytes)

    def __iter__(self) -> Iterator[memoryview]:
        """The pieces."""
        sent = 0
        for piece in chunks(self._voxels):
            self._post(sent / len(self))
            yield piece
            sent += len(piece)


def _gzipped(pieces: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    """Pieces as one gzip stream."""
    gzip = zlib.compressobj(level=1, wbits=31)
    for piece in pieces:
        yield gzip.compress(piece)
    yield gzip.flush()
