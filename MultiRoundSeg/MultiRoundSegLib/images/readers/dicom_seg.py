"""Reads DICOM Segmentation objects (PS3.3 A.51): binary, fractional and label map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.errors import GeometryMismatchError, ImageReadError
from MultiRoundSegLib.images.code import Code
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.mask import BoolArray, Mask

from .dicom_pixels import stored_values
from .dicom_planes import Plane, functional_group, planes_of
from .itk import LPS_TO_RAS
from .lattice import part_of_grid
from .stored import Array

_BACKGROUND = 0
"""Label maps may describe their background as a segment of its own."""


def read_dicom_seg(path: Path, header: Any, reference: Geometry) -> list[Mask]:
    """The segments of a DICOM SEG on the reference grid, in their order.

    A fractional segment holds the voxels of at least half its maximum.

    Raises:
        ImageReadError: the file is damaged.
        GeometryMismatchError: its frames do not lie on slices of the reference.
    """
    frames = stored_values(path)[..., 0]
    planes = planes_of(path, header)
    if len(planes) != len(frames):
        raise ImageReadError(f"{path.name} has {len(frames)} of {len(planes)} frames; export it again.")
    geometries = [_frame_geometry(plane, reference, path.name) for plane in planes]
    masks = []
    for segment in header.SegmentSequence:
        number = int(segment.SegmentNumber)
        if number == _BACKGROUND:
            continue
        whole = np.zeros(reference.shape, dtype=bool)
        for index, geometry in enumerate(geometries):
            inside = _segment_in_frame(frames[index], header, index, number)
            if inside is not None and inside.any():
                part, (k, j, i) = part_of_grid(inside[None], geometry, reference, path.name)
                whole[k : k + part.shape[0], j : j + part.shape[1], i : i + part.shape[2]] |= part
        masks.append(Mask(whole, reference, str(segment.get("SegmentLabel") or f"label {number}"), _code(segment)))
    return masks


def _segment_in_frame(frame: Array, header: Any, index: int, number: int) -> BoolArray | None:
    """(J, I) voxels of a segment; None where the frame belongs to another one."""
    kind = header.get("SegmentationType")
    if kind == "LABELMAP":
        return np.asarray(frame == number)
    group = functional_group(header, index, "SegmentIdentificationSequence")
    if int(group.get("ReferencedSegmentNumber") or 1) != number:
        return None
    threshold = float(header.get("MaximumFractionalValue") or 1) / 2 if kind == "FRACTIONAL" else 1
    return np.asarray(frame >= threshold)


def _frame_geometry(plane: Plane, reference: Geometry, name: str) -> Geometry:
    """The frame as one slice of the reference's lattice.

    A frame tells its in-plane axes; the step to the next slice is the reference's.
    """
    if plane.position is None or plane.orientation is None or plane.spacing is None:
        raise GeometryMismatchError(f"{name} does not say where its frames lie; export it again.")
    between_rows, between_columns = plane.spacing
    affine = np.eye(4)
    affine[:3, 0] = LPS_TO_RAS @ (plane.orientation[0] * between_columns)
    affine[:3, 1] = LPS_TO_RAS @ (plane.orientation[1] * between_rows)
    normal = np.cross(affine[:3, 0], affine[:3, 1])
    steps = reference.ijk_to_ras[:3, :3]
    affine[:3, 2] = steps[:, np.abs(normal @ steps / reference.spacing).argmax()]
    affine[:3, 3] = LPS_TO_RAS @ plane.position
    try:
        return Geometry((1, *plane.shape), affine)
    except ValueError as error:
        raise GeometryMismatchError(f"{name} has frames without a valid orientation; export it again.") from error


def _code(segment: Any) -> Code | None:
    concepts = segment.get("SegmentedPropertyTypeCodeSequence")
    if not concepts:
        return None
    concept = concepts[0]
    value = concept.get("CodeValue") or concept.get("LongCodeValue") or ""
    return Code(str(concept.get("CodingSchemeDesignator", "")), str(value), str(concept.get("CodeMeaning", "")))
