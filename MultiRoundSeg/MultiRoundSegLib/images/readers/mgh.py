"""Reads FreeSurfer's MGH and MGZ.

Source of the layout: FreeSurfer wiki, "MGH/MGZ volume format".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray, Geometry

from .compressed import plain_bytes
from .stored import StoredImage

_HEADER = np.dtype(
    [
        ("version", ">i4"),
        ("sizes", ">4i4"),  # i, j, k, frames
        ("type", ">i4"),
        ("degrees_of_freedom", ">i4"),
        ("has_orientation", ">i2"),
        ("spacing", ">3f4"),
        ("directions", ">(3,3)f4"),  # one row per voxel axis, RAS
        ("centre", ">3f4"),  # RAS of the voxel at half the sizes
    ]
)
_DATA_OFFSET = 284
_VOXEL_TYPES = {0: ">u1", 1: ">i4", 3: ">f4", 4: ">i2", 10: ">u2"}

# The coronal orientation that FreeSurfer assumes where a file has none.
_CORONAL = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def read_mgh(path: Path) -> StoredImage:
    """Read a .mgh or .mgz file.

    Raises:
        ImageReadError: not MGH, cut short, or of an unknown voxel type.
    """
    content = plain_bytes(path)
    if len(content) < _DATA_OFFSET:
        raise ImageReadError(f"{path.name} is cut short or no MGH file; copy or export it again.")
    header = np.frombuffer(content, _HEADER, count=1)[0]
    i, j, k, frames = (int(n) for n in header["sizes"])
    if header["version"] != 1 or min(i, j, k, frames) < 1 or int(header["type"]) not in _VOXEL_TYPES:
        raise ImageReadError(f"{path.name} is not an MGH file that can be read; choose another file.")
    voxel_type = np.dtype(_VOXEL_TYPES[int(header["type"])])
    count = i * j * k * frames
    if len(content) < _DATA_OFFSET + count * voxel_type.itemsize:
        raise ImageReadError(f"{path.name} is cut short: voxels are missing at its end; copy it again.")
    voxels = np.frombuffer(content, voxel_type, count, _DATA_OFFSET).reshape(frames, k, j, i, 1)
    try:
        return StoredImage(voxels, Geometry((k, j, i), _affine(header)))
    except ValueError as error:
        raise ImageReadError(f"{path.name} has no valid voxel grid in its header: {error}.") from error


def _affine(header: NDArray[Any]) -> FloatArray:
    """(4, 4) IJK to RAS, mm."""
    known = header["has_orientation"] > 0
    directions = header["directions"].astype(np.float64) if known else _CORONAL
    spacing = header["spacing"].astype(np.float64) if known else np.ones(3)
    centre = header["centre"].astype(np.float64) if known else np.zeros(3)
    affine = np.eye(4)
    affine[:3, :3] = directions.T * spacing
    affine[:3, 3] = centre - affine[:3, :3] @ (header["sizes"][:3] / 2)
    return affine
