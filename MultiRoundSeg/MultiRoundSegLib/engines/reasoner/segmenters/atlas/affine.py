"""Affine alignment by mutual information (Mattes 2003), from coarse to fine, from several beginnings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import OutsideDomainError
from MultiRoundSegLib.images.geometry import FloatArray

from .itk import itk_image, part, told
from .start import best_translations
from .working import WorkingImage

_BEGINNINGS = 4
_BINS = 32
_ITERATIONS = 50
_AFFINE_STEP = 0.125  # of a voxel: larger first steps of twelve parameters jump out of the optimum
_MESSAGE = "aligning the atlas"


def align(volume: Sequence[WorkingImage], atlas: Sequence[WorkingImage], *, progress: Progress) -> FloatArray:
    """The affine (4, 4) from RAS of the volume to RAS of the atlas, mm.

    Args:
        volume: two levels, the coarser first.
        atlas: the same levels of the atlas.
        progress: is told each iteration.

    Raises:
        OutsideDomainError: the images have nothing in common.
    """
    shifts = best_translations(volume[0], atlas[0], _BEGINNINGS, progress=part(progress, 0.0, 0.1))
    ends = np.linspace(0.1, 0.5, len(shifts) + 1)
    tries = [
        _refined(_similarity(volume[0], shift), volume[0], atlas[0], 1.0, part(progress, begin, end))
        for shift, begin, end in zip(shifts, ends[:-1], ends[1:], strict=True)
    ]
    found = [result for result in tries if result is not None]
    if not found:
        raise OutsideDomainError("The atlas does not fit this image; choose one of the same part of the body.")
    _, affine = min(found, key=lambda pair: pair[0])
    for level, (begin, end) in enumerate([(0.5, 0.65), (0.65, 1.0)]):
        share = part(progress, begin, end)
        refined = _refined(_as_affine(affine), volume[level], atlas[level], _AFFINE_STEP, share)
        affine = refined[1] if refined else affine
    return _matrix(affine)


def _similarity(volume: WorkingImage, shift: FloatArray) -> Any:
    """A transform that only shifts, and may turn and scale around the middle of the volume."""
    import SimpleITK

    similarity = SimpleITK.Similarity3DTransform()
    similarity.SetCenter(volume.geometry.ras(np.argwhere(volume.seen).mean(axis=0)).tolist())
    similarity.SetTranslation(shift.tolist())
    return similarity


def _as_affine(transform: Any) -> Any:
    import SimpleITK

    affine = SimpleITK.AffineTransform(3)
    affine.SetCenter(transform.GetCenter())
    affine.SetMatrix(transform.GetMatrix())
    affine.SetTranslation(transform.GetTranslation())
    return affine


def _refined(
    transform: Any, volume: WorkingImage, atlas: WorkingImage, first_step: float, progress: Progress
) -> tuple[float, Any] | None:
    """Optimise a transform in place, with a first step of so many voxels.

    Returns:
        The mutual information (negative) and the transform that has it; None where the images lose each other.
    """
    import SimpleITK

    method = SimpleITK.ImageRegistrationMethod()
    method.SetNumberOfWorkUnits(1)  # sums of several would differ in their last digits from run to run
    method.SetMetricAsMattesMutualInformation(_BINS)
    method.SetMetricFixedMask(itk_image(volume.seen.astype(np.uint8), volume.geometry))
    method.SetMetricMovingMask(itk_image(atlas.seen.astype(np.uint8), atlas.geometry))
    method.SetMetricSamplingStrategy(method.NONE)
    method.SetInterpolator(SimpleITK.sitkLinear)
    method.SetOptimizerAsRegularStepGradientDescent(
        learningRate=first_step * volume.geometry.spacing[0],
        minStep=0.01,
        numberOfIterations=_ITERATIONS,
        relaxationFactor=0.6,
    )
    method.SetOptimizerScalesFromPhysicalShift()
    method.SetInitialTransform(transform, inPlace=True)
    try:
        with told(method, progress, _MESSAGE, _ITERATIONS):
            method.Execute(itk_image(volume.image, volume.geometry), itk_image(atlas.image, atlas.geometry))
    except RuntimeError:
        return None
    return method.GetMetricValue(), transform


def _matrix(affine: Any) -> FloatArray:
    matrix = np.eye(4)
    matrix[:3, :3] = np.reshape(affine.GetMatrix(), (3, 3))
    centre = np.array(affine.GetCenter())
    matrix[:3, 3] = centre + affine.GetTranslation() - matrix[:3, :3] @ centre
    return matrix
