"""Volumes as they travel: a description in JSON, and the voxels as they lie in memory.

{"shape": [K, J, I], "components": 1, "dtype": "<i2", "ijk_to_ras": [[...] * 4] * 4, "modality": "CT",
"frame": null, "sha256": SHA-256 of the voxels}
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import WireError
from MultiRoundSegLib.images import Geometry, Volume

DTYPES = ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f4", "<f8")
_CHUNK = 2**20


def travelling_voxels(volume: Volume) -> NDArray[np.generic]:
    """The voxels as they travel: C order, little-endian, of a type that travels."""
    voxels = np.ascontiguousarray(volume.voxels)
    dtype = voxels.dtype.newbyteorder("<")
    if dtype.str not in DTYPES:
        dtype = np.dtype("|u1" if voxels.dtype == bool else "<f8")
    return voxels.astype(dtype, copy=False)


def describe(volume: Volume, voxels: NDArray[np.generic]) -> dict[str, Any]:
    """The description of a volume whose travelling voxels are given."""
    return {
        "shape": list(volume.geometry.shape),
        "components": 3 if volume.is_colour else 1,
        "dtype": voxels.dtype.str,
        "ijk_to_ras": volume.geometry.ijk_to_ras.tolist(),
        "modality": volume.modality,
        "frame": volume.frame,
        "sha256": hashlib.sha256(voxels.data.cast("B")).hexdigest(),
    }


def chunks(voxels: NDArray[np.generic]) -> Iterator[memoryview]:
    """The bytes of voxels in pieces of a mebibyte."""
    data = voxels.data.cast("B")
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK]


def size_of(description: dict[str, Any]) -> int:
    """Bytes of the voxels that a description promises.

    Raises:
        WireError: it is no description.
    """
    shape, components, dtype = _layout(description)
    return math.prod(shape) * components * dtype.itemsize


def restore(description: dict[str, Any], data: bytes | NDArray[np.uint8]) -> Volume:
    """The volume of a description and its voxels.

    Args:
        description: as `describe` makes it.
        data: the voxels' bytes; they are not copied.

    Raises:
        WireError: they do not fit each other, or the grid is none.
    """
    shape, components, dtype = _layout(description)
    if len(data) != math.prod(shape) * components * dtype.itemsize:
        raise WireError("The voxels that were received do not fit their description.")
    voxels = np.frombuffer(data, dtype).reshape(shape if components == 1 else (*shape, components))
    modality, frame = description.get("modality"), description.get("frame")
    if not isinstance(modality, str) or not (frame is None or isinstance(frame, str)):
        raise WireError("The description of a volume does not say its modality.")
    return Volume(voxels, _geometry(shape, description.get("ijk_to_ras")), modality, name="This image", frame=frame)


def _layout(description: dict[str, Any]) -> tuple[tuple[int, int, int], int, np.dtype[Any]]:
    shape, components, dtype = (description.get(key) for key in ("shape", "components", "dtype"))
    sizes = isinstance(shape, list) and len(shape) == 3 and all(type(n) is int and 0 < n < 2**31 for n in shape)
    if not sizes or components not in (1, 3) or dtype not in DTYPES or (components == 3 and dtype != "|u1"):
        raise WireError("The description of a volume names no shape and type of voxels that can be used.")
    k, j, i = shape  # type: ignore[misc]
    return (k, j, i), int(components), np.dtype(dtype)


def _geometry(shape: tuple[int, int, int], matrix: Any) -> Geometry:
    try:
        return Geometry(shape, np.asarray(matrix, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise WireError("The description of a volume has no matrix that places it in space.") from error
