"""The voxels of a mask as bytes, cropped, one bit a voxel, zlib; and as short text inside JSON."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .geometry import Geometry
from .mask import Mask


def pack(mask: Mask) -> dict[str, Any]:
    """A JSON object of the voxels; label and grid are the keeper's."""
    return place(mask) | {"bits": base64.b64encode(to_bits(mask)).decode("ascii")}


def unpack(packed: dict[str, Any], geometry: Geometry, label: str) -> Mask:
    """The mask of a JSON object.

    Raises:
        ValueError: the object is damaged, or does not fit the grid.
    """
    try:
        bits = base64.b64decode(packed["bits"], validate=True)
    except binascii.Error as error:
        raise ValueError("a packed mask is damaged") from error
    return from_bits(bits, packed, geometry, label)


def place(mask: Mask) -> dict[str, Any]:
    """Where the box of a mask lies, and its size."""
    return {"corner": list(mask.corner), "shape": list(mask.crop.shape)}


def to_bits(mask: Mask) -> bytes:
    """The voxels of a mask's box."""
    return zlib.compress(np.packbits(mask.crop).tobytes(), level=1)


def from_bits(bits: bytes, place: dict[str, Sequence[int]], geometry: Geometry, label: str) -> Mask:
    """The mask of its bytes and of where its box lies.

    Raises:
        ValueError: the bytes are damaged, or the box does not fit the grid.
    """
    k, j, i = (int(n) for n in place["corner"])
    shape = tuple(int(n) for n in place["shape"])
    if len(shape) != 3 or any(not 0 <= size <= limit for size, limit in zip(shape, geometry.shape, strict=True)):
        raise ValueError(f"a packed mask of {shape} does not fit a grid of {geometry.shape}")
    count = math.prod(shape)
    try:
        data = zlib.decompressobj().decompress(bits, (count + 7) // 8 + 1)
    except zlib.error as error:
        raise ValueError("a packed mask is damaged") from error
    if len(data) != (count + 7) // 8:
        raise ValueError("a packed mask holds the wrong number of voxels")
    voxels = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=count)
    return Mask.from_crop(voxels.reshape(shape), (k, j, i), geometry, label)
