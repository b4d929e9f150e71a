"""Voxels that clients sent, by their SHA-256, kept as long as a session uses them and a little longer."""

from __future__ import annotations

import hashlib
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import EngineBusyError, VolumeUnknownError, WireError

from .limits import Limits

Voxels = NDArray[np.uint8]
_HASHED_AT_ONCE = 2**21
_RETRY_S = 30.0


@dataclass
class Kept:
    """The voxels of one volume.

    Attributes:
        data: the bytes.
        users: sessions that use them.
        used_at: when they were last asked for, `time.monotonic`.
    """

    data: Voxels
    users: set[str] = field(default_factory=set)
    used_at: float = field(default_factory=time.monotonic)


class Volumes:
    """Bytes by SHA-256; is used by one thread only."""

    def __init__(self, limits: Limits) -> None:
        """Start empty."""
        self._limits = limits
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self.arriving: set[Upload] = set()

    @property
    def size(self) -> int:
        """Bytes kept, or arriving."""
        return sum(len(kept.data) for kept in self._kept.values()) + sum(upload.size for upload in self.arriving)

    def get(self, digest: str) -> Kept:
        """The voxels of this SHA-256.

        Raises:
            VolumeUnknownError: they are not here.
        """
        if digest not in self._kept:
            raise VolumeUnknownError("The worker does not have the voxels of this volume (any more); send them.")
        kept = self._kept[digest]
        kept.used_at = time.monotonic()
        self._kept.move_to_end(digest)
        return kept

    def keep(self, digest: str, data: Voxels) -> None:
        """Keep voxels."""
        self._kept.setdefault(digest, Kept(data))

    def make_room(self, size: int) -> None:
        """Forget voxels that nobody uses, until others of this size have room.

        Raises:
            EngineBusyError: those in use leave no room.
        """
        self._forget(lambda kept: self.size + size > self._limits.kept_bytes)
        if self.size + size > self._limits.kept_bytes:
            raise EngineBusyError("The volumes of other sessions leave no room in the worker; ask again.", _RETRY_S)

    def tidy(self) -> None:
        """Forget what nobody has used for a while."""
        oldest = time.monotonic() - self._limits.unused_volume_s
        self._forget(lambda kept: kept.used_at < oldest)

    def _forget(self, condition: Callable[[Kept], bool]) -> None:
        """Forget unused voxels, the longest unused first, for which a condition holds."""
        for digest, kept in list(self._kept.items()):
            if not kept.users and condition(kept):
                del self._kept[digest]


class Upload:
    """Bytes that arrive in pieces, gathered into one buffer of the size that was promised.

    Their SHA-256 is computed in a thread of its own while more arrive.
    """

    def __init__(self, size: int, *, is_gzip: bool) -> None:
        """Expect `size` bytes, after undoing gzip where it was used."""
        self._data = np.empty(size, np.uint8)
        self._filled = self._hashed = 0
        self._sha = hashlib.sha256()
        self._hashing = ThreadPoolExecutor(1)
        self._gzip = zlib.decompressobj(wbits=31) if is_gzip else None

    @property
    def size(self) -> int:
        """Bytes that are expected."""
        return len(self._data)

    def add(self, piece: bytes) -> None:
        """Take the next piece.

        Raises:
            WireError: there are more bytes than promised, or they are no gzip.
        """
        if self._gzip:
            room = len(self._data) - self._filled + 1
            try:
                piece = self._gzip.decompress(piece, room)
            except zlib.error as error:
                raise WireError("The voxels that were received are damaged.") from error
        end = self._filled + len(piece)
        if end > len(self._data):
            raise WireError("More voxels were received than were promised.")
        self._data[self._filled : end] = np.frombuffer(piece, np.uint8)
        self._filled = end
        if self._filled - self._hashed >= _HASHED_AT_ONCE:
            self._hash()

    def finish(self, digest: str) -> Voxels:
        """All bytes.

        Raises:
            WireError: some are missing, or they have another SHA-256.
        """
        self._hash()
        self._hashing.shutdown()
        if self._filled != len(self._data) or self._sha.hexdigest() != digest:
            raise WireError("The voxels that were received are cut off or damaged; send them again.")
        return self._data

    def _hash(self) -> None:
        self._hashing.submit(self._sha.update, self._data[self._hashed : self._filled].data)
        self._hashed = self._filled
