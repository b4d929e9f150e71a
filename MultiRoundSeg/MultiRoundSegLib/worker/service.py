"""What a worker does, apart from HTTP: volumes and sessions of many clients in front of one engine."""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from typing import Any

import numpy as np

from MultiRoundSegLib.engines import Engine
from MultiRoundSegLib.errors import EngineBusyError, ImageReadError, SessionExpiredError, VolumeUnknownError
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.wire.volumes import restore, size_of

from .limits import Limits, TooLargeError
from .line import Line
from .session import Session
from .volumes import Upload, Volumes

_PROMISED = 256
"""Volumes that clients may have described without sending them yet."""
_RETRY_S = 10.0


class Service:
    """Serves one engine to many sessions; is used by one thread only, the engine works in another."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        """Begin with no session."""
        self.engine = engine
        self.limits = limits
        self.line = Line(limits.waiting)
        self._volumes = Volumes(limits)
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._promised: OrderedDict[str, int] = OrderedDict()  # sizes of volumes that clients described

    @property
    def session_count(self) -> int:
        """Sessions that are open."""
        return len(self._sessions)

    @property
    def kept_bytes(self) -> int:
        """Bytes of all volumes."""
        return self._volumes.size

    def open(self, description: dict[str, Any]) -> Volume:
        """The volume that a client describes, before it is checked.

        Raises:
            WireError: the description is none.
            TooLargeError: the volume is too large.
            VolumeUnknownError: its voxels must be sent first.
        """
        digest, size = str(description.get("sha256")), size_of(description)
        if size > self.limits.volume_bytes:
            raise TooLargeError(
                f"The volume has {size / 1e6:.0f} MB; this worker takes {self.limits.volume_bytes / 1e6:.0f} MB at "
                "most. Crop it."
            )
        try:
            return restore(description, self._volumes.get(digest).data)
        except VolumeUnknownError:
            self._promised[digest] = size
            while len(self._promised) > _PROMISED:
                self._promised.popitem(last=False)
            raise

    def begin(self, description: dict[str, Any], volume: Volume) -> Session:
        """Open a session on a checked volume; for it, the longest unused one may be closed.

        Raises:
            EngineBusyError: all sessions that may be open are at work.
        """
        self.tidy()
        if len(self._sessions) >= self.limits.sessions:
            self.close(self._longest_unused())
        session = Session(uuid.uuid4().hex, str(description["sha256"]), volume, self.engine, self.line, self.limits)
        self._volumes.get(session.digest).users.add(session.identity)
        self._sessions[session.identity] = session
        return session

    def expect(self, digest: str, *, is_gzip: bool) -> Upload | None:
        """A buffer for the voxels that a client described; None where they are here already.

        Raises:
            VolumeUnknownError: nobody described a volume of this SHA-256, at least not since the worker began.
            EngineBusyError: the volumes in use leave no room for it.
        """
        try:
            self._volumes.get(digest)
        except VolumeUnknownError:
            if digest not in self._promised:
                raise VolumeUnknownError(
                    "Voxels were sent that no description announced; open a session first."
                ) from None
            self._volumes.make_room(self._promised[digest])
            upload = Upload(self._promised[digest], is_gzip=is_gzip)
            self._volumes.arriving.add(upload)
            return upload
        return None

    def keep(self, digest: str, upload: Upload) -> None:
        """Keep voxels that have arrived.

        Raises:
            WireError: they are not what was announced.
        """
        self._volumes.keep(digest, upload.finish(digest))
        self._promised.pop(digest, None)

    def end(self, upload: Upload) -> None:
        """Give up the room that an upload took; what was kept of it is counted as kept."""
        self._volumes.arriving.discard(upload)

    def session(self, identity: str) -> Session:
        """A session that is open.

        Raises:
            SessionExpiredError: it is not (any more).
        """
        if identity not in self._sessions:
            raise SessionExpiredError("The worker does not know this session (any more); open it again.")
        session = self._sessions[identity]
        session.used_at = time.monotonic()
        self._sessions.move_to_end(identity)
        return session

    def close(self, identity: str) -> None:
        """Close a session; one that is not known is closed already."""
        session = self._sessions.pop(identity, None)
        if session:
            session.close()
            self._volumes.get(session.digest).users.discard(identity)

    def tidy(self) -> None:
        """Close idle sessions and forget unused volumes."""
        oldest = time.monotonic() - self.limits.idle_s
        for identity, session in list(self._sessions.items()):
            if session.used_at < oldest and not session.is_at_work:
                self.close(identity)
        self._volumes.tidy()

    def stop(self) -> None:
        """Close everything and end the engine's thread."""
        for identity in list(self._sessions):
            self.close(identity)
        self.line.close()

    def _longest_unused(self) -> str:
        for identity, session in self._sessions.items():
            if not session.is_at_work:
                return identity
        raise EngineBusyError(f"All {len(self._sessions)} sessions of the worker are at work; ask again.", _RETRY_S)


def check(volume: Volume) -> Volume:
    """Refuse a volume that no engine can work on.

    Raises:
        ImageReadError: it holds what is no number.
    """
    if volume.voxels.dtype.kind == "f" and not np.isfinite(volume.voxels).all():
        raise ImageReadError("The image holds voxels that are no numbers (NaN or infinite); replace them first.")
    return volume
