"""Where each DICOM image lies: single-frame and multi-frame objects in one form."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray

from .dicom_files import frame_count

_SPACINGS = ("PixelSpacing", "ImagerPixelSpacing", "NominalScannedPixelSpacing")


@dataclass(frozen=True, eq=False)
class Plane:
    """One image of a series.

    Attributes:
        path: the file that holds it.
        frame: its index in the file, from 0.
        shape: (rows, columns).
        position: Image Position (Patient) (0020,0032), (3,) LPS mm; None where missing.
        orientation: Image Orientation (Patient) (0020,0037) as (2, 3): the directions in which the
            columns and the rows are counted; None where missing.
        spacing: distance between rows and between columns, mm; None where missing.
        step_mm: Spacing Between Slices or Slice Thickness; None where missing.
        slope: physical value = stored value * slope + intercept (0028,1053).
        intercept: (0028,1052).
        order: (acquisition number, instance number, frame): tells images at one position apart.
    """

    path: Path
    frame: int
    shape: tuple[int, int]
    position: FloatArray | None
    orientation: FloatArray | None
    spacing: FloatArray | None
    step_mm: float | None
    slope: float
    intercept: float
    order: tuple[int, int, int]


def planes_of(path: Path, header: Any) -> list[Plane]:
    """The images in one file.

    Enhanced objects describe each frame in functional groups (DICOM PS3.3 C.7.6.16); in others the
    attributes stand at the top.

    Raises:
        ImageReadError: an attribute has a value that cannot be understood.
    """
    try:
        return [_plane(path, header, frame) for frame in range(frame_count(header))]
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise ImageReadError(f"{path.name} has a damaged DICOM attribute ({error}); export it again.") from error


def functional_group(header: Any, frame: int, keyword: str) -> Any:
    """The item that describes a frame: its own, else the shared one, else the object itself."""
    own = header.get("PerFrameFunctionalGroupsSequence") or []
    shared = header.get("SharedFunctionalGroupsSequence") or []
    for groups in (own[frame : frame + 1], shared[:1]):
        if groups and groups[0].get(keyword):
            return groups[0].get(keyword)[0]
    return header


def _plane(path: Path, header: Any, frame: int) -> Plane:
    measures = functional_group(header, frame, "PixelMeasuresSequence")
    values = functional_group(header, frame, "PixelValueTransformationSequence")
    spacings = [_numbers(group.get(name), 2) for name in _SPACINGS for group in (measures, header)]
    step_mm = measures.get("SpacingBetweenSlices") or measures.get("SliceThickness")
    orientation = _numbers(
        functional_group(header, frame, "PlaneOrientationSequence").get("ImageOrientationPatient"), 6
    )
    return Plane(
        path,
        frame,
        (int(header.Rows), int(header.Columns)),
        _numbers(functional_group(header, frame, "PlanePositionSequence").get("ImagePositionPatient"), 3),
        None if orientation is None else orientation.reshape(2, 3),
        next((spacing for spacing in spacings if spacing is not None and spacing.min() > 0), None),
        abs(float(step_mm)) if step_mm else None,
        _number(values.get("RescaleSlope"), 1.0) or 1.0,
        _number(values.get("RescaleIntercept"), 0.0),
        (int(header.get("AcquisitionNumber") or 0), int(header.get("InstanceNumber") or 0), frame),
    )


def _number(value: Any, default: float) -> float:
    return default if value is None or value == "" else float(value)


def _numbers(values: Any, count: int) -> FloatArray | None:
    if values is None or len(values) != count:
        return None
    return np.array([float(value) for value in values])
