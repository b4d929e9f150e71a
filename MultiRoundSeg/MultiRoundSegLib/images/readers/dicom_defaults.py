"""What is assumed where DICOM images do not say where they lie; each assumption is logged."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray

from .dicom_planes import Plane

T = TypeVar("T")

_AXIAL = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_ONE_MM = np.ones(2)

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class PlacedPlane:
    """An image whose place is known or assumed.

    Attributes:
        plane: the image.
        position: of its first pixel, (3,) LPS mm.
        orientation: (2, 3) directions in which columns and rows are counted.
        spacing: between rows and between columns, mm.
    """

    plane: Plane
    position: FloatArray
    orientation: FloatArray
    spacing: FloatArray

    @property
    def normal(self) -> FloatArray:
        """Unit normal (3,), LPS: row direction x column direction."""
        normal = np.cross(self.orientation[0], self.orientation[1])
        return np.asarray(normal / max(np.linalg.norm(normal), 1e-12))

    @property
    def step(self) -> FloatArray:
        """To the next slice (3,), LPS mm, as far as a single image can tell; 1 mm where it does not."""
        return self.normal * (self.plane.step_mm or 1.0)


def placed(planes: Sequence[Plane], name: str) -> list[PlacedPlane]:
    """The images of a series; an axial plane, pixels of 1 mm, the order of instance numbers are assumed.

    Raises:
        ImageReadError: only some of them lack an attribute, or they are separate pictures.
    """
    orientations = _all_or_none([plane.orientation for plane in planes], "orientation", name)
    spacings = _all_or_none([plane.spacing for plane in planes], "pixel spacing", name)
    positions = _all_or_none([plane.position for plane in planes], "position", name)
    several_files = len({plane.path for plane in planes}) > 1
    assumed = {
        "an axial plane": orientations is None,
        "pixels of 1 mm": spacings is None,
        "the order of instance numbers": positions is None and several_files,
    }
    if any(assumed.values()):
        what = ", ".join(assumption for assumption, needed in assumed.items() if needed)
        _logger.warning("%s does not say where its images lie; assumed: %s", name, what)
    whole = [
        PlacedPlane(plane, np.zeros(3), orientation, spacing)
        for plane, orientation, spacing in zip(
            planes, orientations or [_AXIAL] * len(planes), spacings or [_ONE_MM] * len(planes), strict=True
        )
    ]
    positions = positions or _by_instance_number(whole, name)
    return [
        PlacedPlane(p.plane, position, p.orientation, p.spacing) for p, position in zip(whole, positions, strict=True)
    ]


def _all_or_none(values: Sequence[T | None], what: str, name: str) -> list[T] | None:
    known = [value for value in values if value is not None]
    if known and len(known) < len(values):
        raise ImageReadError(f"{name} has images without {what}; export the whole series again.")
    return known or None


def _by_instance_number(planes: Sequence[PlacedPlane], name: str) -> list[FloatArray]:
    """One position for each file, so that the frames of one file (a cine loop) share it."""
    files = sorted({(p.plane.order[:2], p.plane.path) for p in planes})
    if len(files) > 1 and planes[0].plane.step_mm is None:
        raise ImageReadError(f"{name} holds {len(files)} separate images without a position; choose one file.")
    rank = {path: n for n, (_, path) in enumerate(files)}
    return [planes[0].step * rank[p.plane.path] for p in planes]
