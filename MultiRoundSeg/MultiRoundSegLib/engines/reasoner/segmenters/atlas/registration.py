"""An atlas registered to a volume: from two images to a warp and how well it fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Geometry, Volume
from MultiRoundSegLib.images.geometry import FloatArray
from MultiRoundSegLib.images.resample import resample

from .affine import align
from .demons import deform, warped
from .fit import Fit, measure_fit
from .itk import itk_image, part
from .plausible import verify_alignment, verify_fit
from .warp import Warp
from .working import WorkingImage, working_image


@dataclass(frozen=True, eq=False)
class Registration:
    """What is known once an atlas is registered.

    Attributes:
        warp: from the volume to the atlas.
        fit: how well the warped atlas fits, on the warp's grid.
    """

    warp: Warp
    fit: Fit


def register(volume: Volume, atlas: Volume, *, progress: Progress) -> Registration:
    """Register an atlas to a volume; the same images give the same result.

    Args:
        volume: a grey 3-D image.
        atlas: a grey 3-D image that shows the same part of the body or some of it.
        progress: is told at least once a second.

    Raises:
        OutsideDomainError: an image cannot be used, or the atlas does not fit.
        CancelledError: `progress` said so.
    """
    fixed = _levels(working_image(volume, progress=part(progress, 0.0, 0.03)))
    moving = _levels(working_image(atlas, progress=part(progress, 0.03, 0.05)))
    affine = align(fixed[:2], moving[:2], progress=part(progress, 0.05, 0.4))
    aligned = [_aligned(image, affine, level.geometry) for image, level in zip(moving, fixed, strict=True)]
    verify_alignment(affine, fixed[-1], aligned[-1], moving[-1], atlas.name)
    displacement = deform(fixed, aligned, progress=part(progress, 0.4, 0.95))
    progress(0.95, "judging the fit")
    fit = measure_fit(fixed[-1], _moved(aligned[-1], displacement))
    verify_fit(fit, displacement, fixed[-1], atlas.name)
    return Registration(Warp(affine, displacement, fixed[-1].geometry, atlas.geometry), fit)


def _levels(finest: WorkingImage) -> tuple[WorkingImage, WorkingImage, WorkingImage]:
    """The same image at four times, twice and once its spacing."""
    middle = finest.halved()
    return middle.halved(), middle, finest


def _aligned(image: WorkingImage, affine: FloatArray, target: Geometry) -> WorkingImage:
    """The atlas where the affine puts it, on a grid of the volume."""
    placed = Geometry(image.geometry.shape, np.linalg.inv(affine) @ image.geometry.ijk_to_ras)
    voxels, inside = resample(image.image, placed, target)
    seen = inside & (resample(image.seen, placed, target)[0] > 0.99)
    return WorkingImage(voxels, seen, target)


def _moved(image: WorkingImage, displacement: NDArray[np.float32]) -> WorkingImage:
    field = itk_image(displacement.astype(np.float64), image.geometry)
    seen = warped(image.seen.astype(np.float32), image.geometry, field) > 0.99
    return WorkingImage(warped(image.image, image.geometry, field), seen, image.geometry)
