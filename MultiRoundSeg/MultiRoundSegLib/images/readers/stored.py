"""What a file stores before it is a `Volume`: frames, components and scaling still to be settled."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import Geometry

Array = NDArray[Any]

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class StoredImage:
    """The content of one image file.

    Attributes:
        voxels: (T, K, J, I, C) as stored; T frames of C components per voxel.
        geometry: the grid of each frame.
        slope: physical value = stored value * slope + intercept.
        intercept: see `slope`.
        names: structure names by label value, where the file itself carries them.
    """

    voxels: Array
    geometry: Geometry
    slope: float = 1.0
    intercept: float = 0.0
    names: Mapping[int, str] = field(default_factory=dict)


def chosen_frame(name: str, count: int, frame: int | None) -> tuple[int, str | None]:
    """Which frame to take.

    Args:
        name: of the file, for the error.
        count: number of frames there are.
        frame: the wanted one, from 1; None where nobody chose.

    Returns:
        Its index from 0, and its description ("3 of 20"), None where there is one frame only.

    Raises:
        ImageReadError: a choice is needed, or there is no such frame.
    """
    if frame is None and count > 1:
        raise ImageReadError(f"{name} holds {count} frames; choose one of them by its number, 1 to {count}.")
    number = 1 if frame is None else frame
    if not 1 <= number <= count:
        frames = "one frame only" if count == 1 else f"frames 1 to {count}"
        raise ImageReadError(f"{name} has {frames}, so there is no frame {number}; choose another one.")
    return number - 1, f"{number} of {count}" if count > 1 else None


def rescaled(values: Array, slope: float, intercept: float) -> Array:
    """Physical values; integers stay integers (16 bit where they fit) when the scaling allows it."""
    if (slope, intercept) == (1.0, 0.0):
        return values
    if values.dtype.kind in "iu" and float(slope).is_integer() and float(intercept).is_integer():
        whole = values.astype(np.int64) * int(slope) + int(intercept)
        fits = whole.size == 0 or (whole.min() >= -32768 and whole.max() <= 32767)
        return whole.astype(np.int16 if fits else np.int32)
    scaled = values.astype(np.float64) * slope + intercept
    return scaled.astype(np.result_type(values.dtype, np.float32))


def usable_voxels(voxels: Array, name: str) -> Array:
    """The voxels a `Volume` can hold.

    Grey values keep their type. Three or four 8-bit components are colour (alpha is dropped). NaN
    and infinite values lie outside what was measured; they become the smallest finite value, which a
    log warning tells.

    Args:
        voxels: (K, J, I, C) physical values.
        name: of the file, for errors.

    Returns:
        (K, J, I), or (K, J, I, 3) uint8 for colour; C-contiguous, native byte order.

    Raises:
        ImageReadError: there are no voxels, no usable components, or no contrast.
    """
    if voxels.size == 0:
        raise ImageReadError(f"{name} holds no voxels; choose another file.")
    grey_or_colour = _one_or_three_components(voxels, name)
    native = grey_or_colour.astype(grey_or_colour.dtype.newbyteorder("="), copy=False)
    measured = np.ascontiguousarray(_finite(native, name))
    if measured.min() == measured.max():
        raise ImageReadError(f"{name} has the same value everywhere, so there is nothing to segment in it.")
    return measured


def _one_or_three_components(voxels: Array, name: str) -> Array:
    components = voxels.shape[-1]
    if np.iscomplexobj(voxels):
        raise ImageReadError(f"{name} holds complex numbers; save its magnitude and open that.")
    if components == 1:
        grey = voxels[..., 0]
        return grey.astype(np.uint8) if grey.dtype == np.bool_ else grey
    if components not in (3, 4):
        raise ImageReadError(f"{name} has {components} components per voxel; a grey or RGB image is needed.")
    if voxels.dtype != np.uint8:
        raise ImageReadError(
            f"{name} has {components} components of type {voxels.dtype} per voxel; "
            "a colour image needs 8 bits per channel."
        )
    return voxels[..., :3]


def _finite(values: Array, name: str) -> Array:
    if values.dtype.kind != "f":
        return values
    finite = np.isfinite(values)
    if finite.all():
        return values
    if not finite.any():
        raise ImageReadError(f"{name} holds no number at all (every voxel is NaN); choose another file.")
    lowest = values[finite].min()
    count = int(values.size - np.count_nonzero(finite))
    _logger.warning("%s: %d voxels that are not finite were set to the lowest value, %g", name, count, lowest)
    return np.where(finite, values, lowest)
