"""The NIfTI header: where its fields lie and what its two affines mean.

Sources: the NIfTI-1 and NIfTI-2 standards (nifti1.h, nifti2.h), NIH.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.images.geometry import FloatArray

_FIELDS = {
    # name: (NIfTI-1 type, NIfTI-1 byte offset, NIfTI-2 type, NIfTI-2 byte offset)
    "sizeof_hdr": ("i4", 0, "i4", 0),
    "magic": ("S4", 344, "S8", 4),
    "dim": ("8i2", 40, "8i8", 16),
    "datatype": ("i2", 70, "i2", 12),
    "bitpix": ("i2", 72, "i2", 14),
    "pixdim": ("8f4", 76, "8f8", 104),
    "vox_offset": ("f4", 108, "i8", 168),
    "scl_slope": ("f4", 112, "f8", 176),
    "scl_inter": ("f4", 116, "f8", 184),
    "xyzt_units": ("u1", 123, "i4", 500),
    "qform_code": ("i2", 252, "i4", 344),
    "sform_code": ("i2", 254, "i4", 348),
    "quatern": ("3f4", 256, "3f8", 352),
    "qoffset": ("3f4", 268, "3f8", 376),
    "srow": ("(3,4)f4", 280, "(3,4)f8", 400),
}


def header_type(version: int, byte_order: Literal["<", ">"]) -> np.dtype[Any]:
    """The header as a numpy record.

    Args:
        version: 1 or 2.
        byte_order: "<" or ">".
    """
    column = 0 if version == 1 else 2
    layout: Any = {
        "names": list(_FIELDS),
        "formats": [field[column] for field in _FIELDS.values()],
        "offsets": [field[column + 1] for field in _FIELDS.values()],
        "itemsize": 348 if version == 1 else 540,
    }
    record: np.dtype[Any] = np.dtype(np.dtype(layout).newbyteorder(byte_order))
    return record


# NIfTI data types that an image can have, as numpy types and components per voxel.
VOXEL_TYPES = {
    2: ("u1", 1),
    4: ("i2", 1),
    8: ("i4", 1),
    16: ("f4", 1),
    64: ("f8", 1),
    128: ("u1", 3),
    256: ("i1", 1),
    512: ("u2", 1),
    768: ("u4", 1),
    1024: ("i8", 1),
    1280: ("u8", 1),
    2304: ("u1", 4),
}

MILLIMETRES_PER_UNIT = {1: 1000.0, 2: 1.0, 3: 0.001}
"""By the lower three bits of `xyzt_units`: metre, millimetre, micrometre."""


def quaternion_affine(header: NDArray[Any]) -> FloatArray:
    """The (4, 4) IJK-to-RAS affine of the qform ("method 2" of the standard), in the file's unit."""
    b, c, d = (float(value) for value in header["quatern"])
    rest = 1.0 - (b * b + c * c + d * d)
    if rest < 1e-7:  # a rotation of 180 degrees, whose rounding would otherwise give a root of less than 0
        length = np.sqrt(b * b + c * c + d * d)
        a, b, c, d = 0.0, b / length, c / length, d / length
    else:
        a = float(np.sqrt(rest))
    rotation = np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c],
        ]
    )
    handedness = -1.0 if header["pixdim"][0] < 0 else 1.0
    affine = np.eye(4)
    affine[:3, :3] = rotation * (voxel_sizes(header) * (1.0, 1.0, handedness))
    affine[:3, 3] = header["qoffset"]
    return affine


def voxel_sizes(header: NDArray[Any]) -> FloatArray:
    """Voxel size (3,) along (i, j, k) in the file's unit; 1 where the header has none."""
    sizes = np.abs(np.asarray(header["pixdim"][1:4], dtype=np.float64))
    return np.where((sizes > 0) & np.isfinite(sizes), sizes, 1.0)
