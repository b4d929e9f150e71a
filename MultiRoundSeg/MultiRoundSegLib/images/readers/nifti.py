"""Reads NIfTI-1 and NIfTI-2 with the affine exactly as stored.

ITK replaces a sheared affine by the nearest rotation and takes the qform in some cases where the
sform is valid, so the header is read here.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray, Geometry

from .compressed import plain_bytes
from .nifti_format import MILLIMETRES_PER_UNIT, VOXEL_TYPES, header_type, quaternion_affine, voxel_sizes
from .stored import Array, StoredImage

_LAYOUTS = [
    (1, header_type(1, "<")),
    (1, header_type(1, ">")),
    (2, header_type(2, "<")),
    (2, header_type(2, ">")),
]

_logger = logging.getLogger(__name__)


def read_nifti(path: Path) -> StoredImage:
    """Read a .nii or .nii.gz file.

    The sform is the affine where its code is above 0, else the qform where its code is above 0, else
    the voxel sizes along the patient axes from right to left and front to back, as ITK does.

    Raises:
        ImageReadError: not NIfTI, cut short, or of a type that is no image.
    """
    content = plain_bytes(path)
    header = _header(content, path.name)
    voxels = _voxels(content, header, path.name)
    slope, intercept = float(header["scl_slope"]), float(header["scl_inter"])
    if not (np.isfinite([slope, intercept]).all() and slope) or voxels.shape[-1] > 1:
        slope, intercept = 1.0, 0.0
    try:
        geometry = Geometry(voxels.shape[1:4], _affine(header, path.name))
    except ValueError as error:
        raise ImageReadError(f"{path.name} has no valid voxel grid in its header: {error}.") from error
    return StoredImage(voxels, geometry, slope, intercept, _label_table(content, header))


def _header(content: bytes, name: str) -> NDArray[Any]:
    for version, layout in _LAYOUTS:
        if len(content) < layout.itemsize:
            continue
        header = np.frombuffer(content, layout, count=1)[0]
        if header["sizeof_hdr"] == layout.itemsize and header["magic"][:3] == f"n+{version}".encode():
            return header  # type: ignore[no-any-return]
    raise ImageReadError(f"{name} is not a NIfTI file or is cut short; choose another file.")


def _voxels(content: bytes, header: NDArray[Any], name: str) -> Array:
    """(T, K, J, I, C) as stored."""
    rank = int(header["dim"][0])
    sizes = [int(n) for n in header["dim"][1 : rank + 1]] + [1] * (7 - rank)
    if not 1 <= rank <= 7 or min(sizes) < 1 or sizes[5:] != [1, 1]:
        raise ImageReadError(f"{name} has sizes {sizes[:rank]}, which are no 2-D, 3-D or 4-D image.")
    if int(header["datatype"]) not in VOXEL_TYPES:
        raise ImageReadError(f"{name} holds voxels of NIfTI type {header['datatype']}, which is no image type.")
    kind, components = VOXEL_TYPES[int(header["datatype"])]
    i, j, k, frames, vectors = sizes[:5]
    stored_type = np.dtype(kind).newbyteorder(header.dtype["datatype"].byteorder)
    count = components * i * j * k * frames * vectors
    offset = int(header["vox_offset"])
    if offset < 0 or len(content) < offset + count * stored_type.itemsize:
        raise ImageReadError(f"{name} is cut short: voxels are missing at its end; copy or export it again.")
    flat = np.frombuffer(content, stored_type, count, offset)
    if components > 1:
        return flat.reshape(frames * vectors, k, j, i, components)
    return np.moveaxis(flat.reshape(vectors, frames, k, j, i), 0, -1)


def _affine(header: NDArray[Any], name: str) -> FloatArray:
    """(4, 4) IJK to RAS, mm."""
    if header["sform_code"] > 0:
        affine = np.eye(4)
        affine[:3] = header["srow"]
    elif header["qform_code"] > 0:
        affine = quaternion_affine(header)
    else:
        _logger.warning("%s says nothing about its orientation; its axes are taken as left and back", name)
        affine = np.diag([*(voxel_sizes(header) * (-1.0, -1.0, 1.0)), 1.0])
    affine[:3] *= MILLIMETRES_PER_UNIT.get(int(header["xyzt_units"]) & 7, 1.0)
    return affine


def _label_table(content: bytes, header: NDArray[Any]) -> dict[int, str]:
    """Names from a header extension that holds a label table in XML (as Caret and TotalSegmentator do)."""
    names = {}
    for text in _extensions(content, header):
        if b"<LabelTable" not in text:
            continue
        try:
            labels = list(ElementTree.fromstring(text.strip(b"\0 \r\n")).iter("Label"))
            names.update({int(label.attrib["Key"]): (label.text or "").strip() for label in labels})
        except (ElementTree.ParseError, KeyError, ValueError) as error:
            _logger.warning("the names in the header are damaged and not used: %s", error)
    return {value: name for value, name in names.items() if name}


def _extensions(content: bytes, header: NDArray[Any]) -> list[bytes]:
    start, end = header.dtype.itemsize, int(header["vox_offset"])
    if end <= start + 4 or content[start] == 0:
        return []
    found, at = [], start + 4
    while at + 8 <= end:
        size = int(np.frombuffer(content, header.dtype["sizeof_hdr"], 1, at)[0])
        if size < 8:
            break
        found.append(content[at + 8 : at + size])
        at += size
    return found
