"""Deformable alignment by demons with symmetric forces (Thirion 1998), whatever the contrast of the two images.

Demons compare intensities. As in Guimond 2001, those of one image are first replaced by the mean intensity that the
other image has at the same places; this is renewed at every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Geometry

from .itk import itk_image, part, told
from .working import FloatImage, WorkingImage

_ITERATIONS = (40, 30, 15)
_SHARES = (0.0, 0.05, 0.25, 1.0)
_SMOOTHNESS_VOXELS = 1.5
_BINS = 64
_NOISE = 0.02  # smaller differences of intensity move nothing
_MESSAGE = "fitting the atlas"


def deform(volume: Sequence[WorkingImage], atlas: Sequence[WorkingImage], *, progress: Progress) -> NDArray[np.float32]:
    """Displacements (K, J, I, 3) on the finest grid of the volume: where the atlas shows what lies at a voxel, RAS mm.

    Args:
        volume: levels, the coarsest first.
        atlas: the same levels, aligned to the volume and on its grids.
        progress: is told each iteration.
    """
    import SimpleITK

    field = None
    for level, (fixed, moving) in enumerate(zip(volume, atlas, strict=True)):
        share = part(progress, _SHARES[level], _SHARES[level + 1])
        share(0.0, _MESSAGE)
        field = _on_grid(field, fixed.geometry)
        comparable = _comparable(fixed, moving, field)
        share(0.0, _MESSAGE)
        demons = SimpleITK.FastSymmetricForcesDemonsRegistrationFilter()
        demons.SetNumberOfIterations(_ITERATIONS[level])
        demons.SetSmoothDisplacementField(True)
        demons.SetStandardDeviations(_SMOOTHNESS_VOXELS)
        demons.SetIntensityDifferenceThreshold(_NOISE)
        demons.SetMaximumUpdateStepLength(2.0)
        with told(demons, share, _MESSAGE, _ITERATIONS[level]):
            field = demons.Execute(*(itk_image(image, fixed.geometry) for image in comparable), field)
    return np.asarray(SimpleITK.GetArrayFromImage(field), dtype=np.float32)


def warped(image: FloatImage, geometry: Geometry, field: Any) -> FloatImage:
    """An image (K, J, I) seen through a SimpleITK displacement field on its own grid; 0 beyond its edge."""
    import SimpleITK

    moved = SimpleITK.Warp(
        itk_image(image, geometry),
        field,
        SimpleITK.sitkLinear,
        field.GetSize(),
        field.GetOrigin(),
        field.GetSpacing(),
        field.GetDirection(),
    )
    return np.asarray(SimpleITK.GetArrayFromImage(moved))


def _on_grid(field: Any, geometry: Geometry) -> Any:
    """A field on a finer grid; without displacement where there is none yet."""
    import SimpleITK

    still = itk_image(np.zeros((*geometry.shape, 3)), geometry)
    if field is None:
        return still
    return SimpleITK.Resample(field, still, SimpleITK.Transform(), useNearestNeighborExtrapolator=True)


def _comparable(fixed: WorkingImage, moving: WorkingImage, field: Any) -> tuple[FloatImage, FloatImage]:
    """Both images with intensities that mean the same, and equal where only one of them was imaged."""
    now = warped(moving.image, fixed.geometry, field)
    both = fixed.seen & (warped(moving.seen.astype(np.float32), fixed.geometry, field) > 0.99)
    from_moving, moving_tells = _means(now[both], fixed.image[both])
    from_fixed, fixed_tells = _means(fixed.image[both], now[both])
    if moving_tells >= fixed_tells:
        first, second = fixed.image, np.interp(moving.image, *from_moving).astype(np.float32)
    else:
        first, second = np.interp(fixed.image, *from_fixed).astype(np.float32), moving.image
    second = np.where(moving.seen, second, first)
    return np.where(fixed.seen, first, second), second


def _means(given: FloatImage, wanted: FloatImage) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], float]:
    """The mean of `wanted` for intensities of `given` (two rows to interpolate), and the correlation ratio."""
    bins = np.minimum((given * _BINS).astype(np.intp), _BINS - 1)
    counts = np.bincount(bins, minlength=_BINS)
    filled = counts > 0
    means = np.bincount(bins, wanted, minlength=_BINS)[filled] / counts[filled]
    centres = (np.flatnonzero(filled) + 0.5) / _BINS
    explained = np.average((means - wanted.mean()) ** 2, weights=counts[filled])
    return (centres, means), float(explained / max(float(wanted.var()), 1e-12))
