"""A message: a JSON object and blobs of bytes.

    b"MRSEG" + version byte | uint32 length of the header | header | blob | blob ...

Numbers are little-endian. The header is the JSON object in UTF-8; its "blobs" says [{"size", "sha256"}] of each.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from MultiRoundSegLib.errors import WireError

MAGIC = b"MRSEG\x01"
LARGEST_HEADER = 16 * 2**20
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True)
class Message:
    """What a message says.

    Attributes:
        header: a JSON object.
        blobs: bytes it refers to by number.
    """

    header: dict[str, Any]
    blobs: Sequence[bytes] = ()

    def encode(self) -> bytes:
        """The bytes that travel."""
        blobs = [{"size": len(blob), "sha256": hashlib.sha256(blob).hexdigest()} for blob in self.blobs]
        header = json.dumps(self.header | {"blobs": blobs}, ensure_ascii=False, allow_nan=False).encode()
        return b"".join([MAGIC, _LENGTH.pack(len(header)), header, *self.blobs])

    @classmethod
    def decode(cls, data: bytes) -> Message:
        """The message in these bytes.

        Raises:
            WireError: they are not exactly one whole message.
        """
        start = len(MAGIC) + _LENGTH.size
        if len(data) < start or not data.startswith(MAGIC):
            raise WireError("What was received is no message of MultiRoundSeg.")
        (length,) = _LENGTH.unpack_from(data, len(MAGIC))
        if length > LARGEST_HEADER or start + length > len(data):
            raise WireError("A message is cut off, or its header is too large.")
        header = read_json(data[start : start + length])
        return cls(header, _blobs(header.pop("blobs", None), memoryview(data)[start + length :]))

    def blob(self, number: Any) -> bytes:
        """A blob that the header refers to.

        Raises:
            WireError: there is none of this number.
        """
        if type(number) is not int or not 0 <= number < len(self.blobs):
            raise WireError(f"A message refers to a part {number!r} that it does not have.")
        return self.blobs[number]


def read_json(data: bytes) -> dict[str, Any]:
    """A JSON object.

    Raises:
        WireError: the bytes are none, or hold NaN or Infinity.
    """
    try:
        value = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise WireError("What was received is no valid JSON.") from error
    if not isinstance(value, dict):
        raise WireError("What was received is no JSON object.")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _blobs(entries: Any, data: memoryview) -> tuple[bytes, ...]:
    if not isinstance(entries, list):
        raise WireError("The header of a message does not list its parts.")
    blobs = []
    for entry in entries:
        size = entry.get("size") if isinstance(entry, dict) else None
        if type(size) is not int or not 0 <= size <= len(data):
            raise WireError("A message is cut off.")
        blob = bytes(data[:size])
        if hashlib.sha256(blob).hexdigest() != entry.get("sha256"):
            raise WireError("A part of a message was changed on its way.")
        blobs.append(blob)
        data = data[size:]
    if len(data):
        raise WireError("A message is longer than it says.")
    return tuple(blobs)
