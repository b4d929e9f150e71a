"""Sorts the images of a series along the slice normal and builds the voxel grid they lie on."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray, Geometry

from .dicom_planes import Plane
from .itk import LPS_TO_RAS
from .stored import chosen_frame

_SAME_POSITION_MM = 0.01
_SAME_DIRECTION = 1e-3

# How far a slice may lie from where even spacing puts it, as a part of the slice distance: scanners
# round positions, but a missing slice moves its neighbours by about half a distance or more.
_EVENNESS = 0.1

_AXIAL = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Stack:
    """The images of one volume.

    Attributes:
        planes: in the order of the volume's slices.
        geometry: the grid.
        frame: "3 of 20" where the series holds several volumes.
    """

    planes: tuple[Plane, ...]
    geometry: Geometry
    frame: str | None


def stacked(planes: list[Plane], name: str, frame: int | None) -> Stack:
    """Put the images of a series in order.

    Images at one position (echoes, phases, time points) are frames of a 4-D series, in the order of
    their acquisition and instance numbers. Slices run along row direction x column direction, so the
    grid is right-handed; a gantry tilt gives a sheared grid. What the files do not say is assumed and
    logged as a warning: an axial plane, the order of instance numbers, pixels of 1 mm.

    Raises:
        ImageReadError: the images form no volume, or a frame must be chosen.
    """
    _refuse_mixtures(planes, name)
    planes = _completed(planes, name)
    groups = _by_position(planes)
    counts = {len(group) for group in groups}
    if len(counts) > 1:
        raise ImageReadError(
            f"{name} has {min(counts)} images at some positions and {max(counts)} at others; "
            "export one complete series."
        )
    index, description = chosen_frame(name, counts.pop(), frame)
    volume = tuple(group[index] for group in groups)
    return Stack(volume, _geometry(volume, name), description)


def _refuse_mixtures(planes: list[Plane], name: str) -> None:
    first = planes[0]
    if any(plane.shape != first.shape for plane in planes):
        raise ImageReadError(f"{name} holds images of different sizes; choose a single file of it.")
    for one, other in ((plane.orientation, first.orientation) for plane in planes):
        if (one is None) != (other is None) or (
            one is not None and other is not None and np.abs(one - other).max() > _SAME_DIRECTION
        ):
            raise ImageReadError(
                f"{name} holds images in several directions (a localizer?); choose a single file of it."
            )
    spacings = [plane.spacing for plane in planes if plane.spacing is not None]
    if spacings and np.ptp(spacings, axis=0).max() > _SAME_POSITION_MM:
        raise ImageReadError(f"{name} holds images of different pixel spacing; choose a single file of it.")


def _completed(planes: list[Plane], name: str) -> list[Plane]:
    """The planes with everything that the files leave out; they are alike, so the first one tells."""
    first = planes[0]
    if first.orientation is None:
        _logger.warning("%s says nothing about its orientation; it is taken as axial", name)
        planes = [replace(plane, orientation=_AXIAL) for plane in planes]
    if any(plane.spacing is None for plane in planes):
        _logger.warning("%s says nothing about its pixel spacing; it is taken as 1 mm", name)
        spacing = np.ones(2) if first.spacing is None else first.spacing
        planes = [replace(plane, spacing=spacing) for plane in planes]
    missing = [plane for plane in planes if plane.position is None]
    if not missing:
        return planes
    if len(missing) < len(planes):
        raise ImageReadError(f"{name} has images without a position; export the series again.")
    return _positioned(planes, name)


def _positioned(planes: list[Plane], name: str) -> list[Plane]:
    """One position for each file, so that the frames of one file (a cine loop) share it."""
    step = _normal(planes[0]) * (planes[0].step_mm or 1.0)
    files = sorted({(plane.order[:2], plane.path) for plane in planes})
    if len(files) > 1 and planes[0].step_mm is None:
        raise ImageReadError(
            f"{name} holds {len(files)} separate images without a position; choose one file."
        )
    _logger.warning("%s says nothing about its position; files are stacked by their instance numbers", name)
    rank = {path: n for n, (_, path) in enumerate(files)}
    return [replace(plane, position=step * rank[plane.path]) for plane in planes]


def _by_position(planes: list[Plane]) -> list[list[Plane]]:
    """Groups of images at one place along the normal, in its direction; by order within a group."""
    normal = _normal(planes[0])
    groups: list[list[Plane]] = []
    last = -np.inf
    for along, plane in sorted(((float(_position(p) @ normal), p) for p in planes), key=lambda pair: pair[0]):
        if along - last > _SAME_POSITION_MM:
            groups.append([])
        groups[-1].append(plane)
        last = along
    return [sorted(group, key=lambda plane: plane.order) for group in groups]


def _geometry(planes: tuple[Plane, ...], name: str) -> Geometry:
    first = planes[0]
    assert first.orientation is not None, "completed planes have an orientation"
    assert first.spacing is not None, "completed planes have a spacing"
    between_rows, between_columns = first.spacing
    columns_lps = np.stack(
        [first.orientation[0] * between_columns, first.orientation[1] * between_rows, _step(planes, name)],
        axis=1,
    )
    affine = np.eye(4)
    affine[:3, :3] = LPS_TO_RAS @ columns_lps
    affine[:3, 3] = LPS_TO_RAS @ _position(first)
    try:
        return Geometry((len(planes), *first.shape), affine)
    except ValueError as error:
        raise ImageReadError(f"{name} has no valid orientation; export it again.") from error


def _step(planes: tuple[Plane, ...], name: str) -> FloatArray:
    """From one slice to the next, (3,) LPS mm.

    Raises:
        ImageReadError: the slices are not evenly spaced.
    """
    if len(planes) == 1:
        return _normal(planes[0]) * (planes[0].step_mm or 1.0)
    positions = np.stack([_position(plane) for plane in planes])
    step = (positions[-1] - positions[0]) / (len(planes) - 1)
    even = positions[0] + step * np.arange(len(planes))[:, None]
    if np.linalg.norm(positions - even, axis=1).max() <= _EVENNESS * np.linalg.norm(step):
        return np.asarray(step)
    gaps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    widest = int(gaps.argmax())
    raise ImageReadError(
        f"{name}: its slices are not evenly spaced ({gaps[widest]:.2f} mm between slices {widest + 1} and "
        f"{widest + 2}, {np.median(gaps):.2f} mm elsewhere); is a slice missing?"
    )


def _normal(plane: Plane) -> FloatArray:
    assert plane.orientation is not None, "completed planes have an orientation"
    normal = np.cross(plane.orientation[0], plane.orientation[1])
    return np.asarray(normal / max(np.linalg.norm(normal), 1e-12))


def _position(plane: Plane) -> FloatArray:
    assert plane.position is not None, "completed planes have a position"
    return plane.position
