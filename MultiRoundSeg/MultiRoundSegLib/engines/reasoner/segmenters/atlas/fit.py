"""How well a registered atlas fits: the share of its local contrast that the volume explains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .working import BoolImage, FloatImage, WorkingImage

_WINDOW_VOXELS = 7  # of twice the spacing


@dataclass(frozen=True, eq=False)
class Fit:
    """Local contrast of the atlas, and what the volume explains of it.

    In a window around each voxel the squared correlation of both images is the share of the atlas's variance
    that a linear function of the volume explains; neither the sign nor the strength of the contrast matters.
    It is measured at twice the spacing of the registration, which averages noise.

    Attributes:
        contrast: (K, J, I) variance of the warped atlas within the window; 0 where not both images were taken.
        explained: (K, J, I) the part of it that the volume explains.
    """

    contrast: FloatImage
    explained: FloatImage

    @property
    def overall(self) -> float:
        """The explained share, 0 to 1, of all contrast of the atlas."""
        return float(self.explained.sum() / max(float(self.contrast.sum()), 1e-9))

    def within(self, region: BoolImage) -> float:
        """The explained share within a region (on the grid of the registration).

        Where the atlas has no contrast at all there, nothing but the overall share can be said.
        """
        coarse = region[::2, ::2, ::2]
        contrast = float(self.contrast[coarse].sum())
        return float(self.explained[coarse].sum() / contrast) if contrast > 1e-6 else self.overall


def measure_fit(volume: WorkingImage, atlas: WorkingImage) -> Fit:
    """How well a warped atlas fits the volume on whose grid it lies."""
    from scipy import ndimage

    volume, atlas = volume.halved(), atlas.halved()
    both = volume.seen & atlas.seen

    def mean(image: FloatImage) -> FloatImage:
        return np.asarray(ndimage.uniform_filter(image, _WINDOW_VOXELS, mode="constant"))

    share = np.maximum(mean(both.astype(np.float32)), 1e-3)
    first, second = np.where(both, atlas.image, 0), np.where(both, volume.image, 0)
    mean_first, mean_second = mean(first) / share, mean(second) / share
    variance_first = np.maximum(mean(first * first) / share - mean_first**2, 0)
    variance_second = np.maximum(mean(second * second) / share - mean_second**2, 0)
    covariance = mean(first * second) / share - mean_first * mean_second
    explained = np.minimum(covariance**2 / np.maximum(variance_second, 1e-6), variance_first)
    return Fit(variance_first * both, explained * both)
