"""Masks as short text, for keeping small ones inside JSON: cropped, one bit a voxel, zlib, base64."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any

import numpy as np

from .geometry import Geometry
from .mask import Mask


def pack(mask: Mask) -> dict[str, Any]:
    """A JSON object of the voxels; label and grid are the keeper's."""
    bits = zlib.compress(np.packbits(mask.crop).tobytes())
    return {
        "corner": list(mask.corner),
        "shape": list(mask.crop.shape),
        "bits": base64.b64encode(bits).decode("ascii"),
    }


def unpack(packed: dict[str, Any], geometry: Geometry, label: str) -> Mask:
    """The mask of a JSON object.

    Raises:
        ValueError: the object is damaged, or does not fit the grid.
    """
    k, j, i = (int(n) for n in packed["corner"])
    shape = tuple(int(n) for n in packed["shape"])
    if len(shape) != 3 or any(not 0 <= size <= limit for size, limit in zip(shape, geometry.shape, strict=True)):
        raise ValueError(f"a packed mask of {shape} does not fit a grid of {geometry.shape}")
    count = math.prod(shape)
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(packed["bits"], validate=True), (count + 7) // 8 + 1)
    except (binascii.Error, zlib.error) as error:
        raise ValueError("a packed mask is damaged") from error
    if len(data) != (count + 7) // 8:
        raise ValueError("a packed mask holds the wrong number of voxels")
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=count)
    return Mask.from_crop(bits.reshape(shape), (k, j, i), geometry, label)
