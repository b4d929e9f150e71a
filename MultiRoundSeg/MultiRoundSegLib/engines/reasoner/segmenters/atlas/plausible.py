"""What a registration must be like to be believed; anything else is refused, never painted.

The bounds were set between pairs of images that belong together (heads of different people; a torso and its turned,
rescaled copy, its negative or its part: fit at least 0.85, folding at most 0.003) and pairs that do not (head against
abdomen or chest: fit at most 0.72 where the other bounds let them pass). A head with its skull against a brain without
comes to 0.75 at most, and is refused because its masks can be far off all the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import OutsideDomainError
from MultiRoundSegLib.images.geometry import FloatArray

from .fit import Fit
from .working import WorkingImage

SCALES = (0.6, 1.7)
"""Stretch along the three principal directions of the affine."""
LEAST_OVERLAP = 0.5
"""Share of the smaller image that the other one shows too."""
LEAST_FIT = 0.78
"""Explained share of the atlas's local contrast (see `Fit`)."""
MOST_FOLDING = 0.04
"""Share of the common region where the displacement turns space inside out."""


def verify_alignment(
    affine: FloatArray, volume: WorkingImage, aligned: WorkingImage, atlas: WorkingImage, name: str
) -> None:
    """Refuse an affine that stretches too much or hardly brings the images together.

    Args:
        affine: (4, 4) from the volume to the atlas, mm.
        volume: the volume.
        aligned: the atlas on the grid of the volume.
        atlas: the atlas on its own grid.
        name: of the atlas.

    Raises:
        OutsideDomainError: the atlas does not fit.
    """
    stretch = np.linalg.svd(affine[:3, :3], compute_uv=False)
    if stretch.min() < SCALES[0] or stretch.max() > SCALES[1]:
        raise _refusal(name, f"it would be stretched {max(1 / stretch.min(), stretch.max()):.1f} times")
    common_mm3 = np.count_nonzero(volume.seen & aligned.seen) * volume.geometry.voxel_volume_mm3
    atlas_mm3 = _seen_mm3(atlas) / float(np.prod(stretch))
    overlap = common_mm3 / min(_seen_mm3(volume), atlas_mm3)
    if overlap < LEAST_OVERLAP:
        raise _refusal(name, f"only {overlap:.0%} of the smaller image is in the other")


def verify_fit(fit: Fit, displacement: NDArray[np.float32], volume: WorkingImage, name: str) -> None:
    """Refuse an atlas that does not look like the volume, or was torn to look like it.

    Raises:
        OutsideDomainError: the atlas does not fit.
    """
    if fit.overall < LEAST_FIT:
        raise _refusal(name, f"{fit.overall:.2f} of its contrast is explained, {LEAST_FIT:g} is needed")
    folded = _folding(displacement, volume)
    if folded > MOST_FOLDING:
        raise _refusal(name, f"it would be folded in {folded:.0%} of the image")


def _refusal(name: str, reason: str) -> OutsideDomainError:
    return OutsideDomainError(
        f"The atlas {name} does not fit this image ({reason}); choose one of the same part of the body, "
        "and both with or both without the skull."
    )


def _seen_mm3(image: WorkingImage) -> float:
    return float(np.count_nonzero(image.seen)) * image.geometry.voxel_volume_mm3


def _folding(displacement: NDArray[np.float32], volume: WorkingImage) -> float:
    """Share of the imaged voxels where the determinant of the Jacobian is not positive."""
    along = [np.gradient(displacement, volume.geometry.spacing[0], axis=axis)[volume.seen] for axis in (2, 1, 0)]
    jacobian = np.stack(along, axis=-1) + np.eye(3, dtype=np.float32)
    determinant = np.einsum("ni,ni->n", jacobian[:, 0], np.cross(jacobian[:, 1], jacobian[:, 2]))
    return float(np.mean(determinant <= 0))
