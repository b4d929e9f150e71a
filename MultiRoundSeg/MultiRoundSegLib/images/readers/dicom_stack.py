"""Sorts the images of a series along the slice normal and builds the voxel grid they lie on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray, Geometry

from .dicom_defaults import PlacedPlane, placed
from .dicom_planes import Plane
from .itk import LPS_TO_RAS
from .stored import chosen_frame

_SAME_POSITION_MM = 0.01
_SAME_DIRECTION = 1e-3

# How far a slice may lie from where even spacing puts it, as a part of the slice distance: scanners
# round positions, but a missing slice moves its neighbours by about half a distance or more.
_EVENNESS = 0.1


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


def stacked(planes: Sequence[Plane], name: str, frame: int | None) -> Stack:
    """Put the images of a series in order.

    Images at one position (echoes, phases, time points) are frames of a 4-D series, in the order of
    their acquisition and instance numbers. Slices run along row direction x column direction, so the
    grid is right-handed; a gantry tilt gives a sheared grid.

    Raises:
        ImageReadError: the images form no volume, or a frame must be chosen.
    """
    if any(plane.shape != planes[0].shape for plane in planes):
        raise ImageReadError(f"{name} holds images of different sizes; choose a single file of it.")
    images = placed(planes, name)
    _refuse_mixtures(images, name)
    groups = _by_position(images)
    counts = {len(group) for group in groups}
    if len(counts) > 1:
        raise ImageReadError(
            f"{name} has {min(counts)} images at some positions and {max(counts)} at others; "
            "export one complete series."
        )
    index, description = chosen_frame(name, counts.pop(), frame)
    volume = [group[index] for group in groups]
    return Stack(tuple(image.plane for image in volume), _geometry(volume, name), description)


def _refuse_mixtures(images: Sequence[PlacedPlane], name: str) -> None:
    if np.ptp([image.orientation for image in images], axis=0).max() > _SAME_DIRECTION:
        raise ImageReadError(f"{name} holds images in several directions (a localizer?); choose a single file of it.")
    if np.ptp([image.spacing for image in images], axis=0).max() > _SAME_POSITION_MM:
        raise ImageReadError(f"{name} holds images of different pixel spacing; choose a single file of it.")


def _by_position(images: Sequence[PlacedPlane]) -> list[list[PlacedPlane]]:
    """Groups of images at one place along the normal, in its direction; by order within a group."""
    along = np.array([image.position @ images[0].normal for image in images])
    groups: list[list[PlacedPlane]] = []
    last = -np.inf
    for index in np.argsort(along, kind="stable"):
        if along[index] - last > _SAME_POSITION_MM:
            groups.append([])
        groups[-1].append(images[index])
        last = along[index]
    return [sorted(group, key=lambda image: image.plane.order) for group in groups]


def _geometry(volume: Sequence[PlacedPlane], name: str) -> Geometry:
    first = volume[0]
    between_rows, between_columns = first.spacing
    along_columns, along_rows = first.orientation
    step = first.step if len(volume) == 1 else _even_step(volume, name)
    affine = np.eye(4)
    affine[:3, :3] = LPS_TO_RAS @ np.stack([along_columns * between_columns, along_rows * between_rows, step], axis=1)
    affine[:3, 3] = LPS_TO_RAS @ first.position
    try:
        return Geometry((len(volume), *first.plane.shape), affine)
    except ValueError as error:
        raise ImageReadError(f"{name} has no valid orientation; export it again.") from error


def _even_step(volume: Sequence[PlacedPlane], name: str) -> FloatArray:
    """From one slice to the next, (3,) LPS mm.

    Raises:
        ImageReadError: the slices are not evenly spaced.
    """
    positions = np.stack([image.position for image in volume])
    step = (positions[-1] - positions[0]) / (len(volume) - 1)
    even = positions[0] + step * np.arange(len(volume))[:, None]
    if np.linalg.norm(positions - even, axis=1).max() <= _EVENNESS * np.linalg.norm(step):
        return np.asarray(step)
    gaps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    widest = int(gaps.argmax())
    raise ImageReadError(
        f"{name}: its slices are not evenly spaced ({gaps[widest]:.2f} mm between slices {widest + 1} and "
        f"{widest + 2}, {np.median(gaps):.2f} mm elsewhere); is a slice missing?"
    )
