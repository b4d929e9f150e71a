"""Writes a mask as NIfTI-1 on the image's own grid."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from MultiRoundSegLib.images.mask import Mask
from MultiRoundSegLib.images.readers.nifti_format import header_type

from .atomic import write_whole

_COMPRESSION = 6
_UINT8 = 2
_SCANNER = 1
_MILLIMETRES = 2
_DATA_OFFSET = 352


def write_mask(path: Path | str, mask: Mask) -> None:
    """Write 1 inside and 0 outside, uint8, on the whole grid of the image.

    The grid is stored in the sform, which holds every affine (oblique, left-handed, sheared); the
    qform cannot and is marked as unknown.

    Args:
        path: ends with .nii or .nii.gz; an existing file is replaced.
        mask: what to write.

    Raises:
        ValueError: the name has another ending.
    """
    path = Path(path)
    if not path.name.lower().endswith((".nii", ".nii.gz")):
        raise ValueError(f"a mask is written as .nii or .nii.gz, not as {path.name}")
    content = _header(mask) + b"\0" * 4 + mask.voxels.astype(np.uint8).tobytes()
    write_whole(path, gzip.compress(content, _COMPRESSION, mtime=0) if path.name.lower().endswith(".gz") else content)


def _header(mask: Mask) -> bytes:
    header = np.zeros(1, header_type(1, "<"))
    header["sizeof_hdr"] = 348
    header["magic"] = b"n+1"
    header["dim"] = (3, *mask.geometry.shape[::-1], 1, 1, 1, 1)
    header["datatype"], header["bitpix"] = _UINT8, 8
    header["pixdim"] = (1, *mask.geometry.spacing, 1, 1, 1, 1)
    header["vox_offset"] = _DATA_OFFSET
    header["scl_slope"] = 1
    header["xyzt_units"] = _MILLIMETRES
    header["sform_code"] = _SCANNER
    header["srow"] = mask.geometry.ijk_to_ras[:3]
    return header.tobytes()
