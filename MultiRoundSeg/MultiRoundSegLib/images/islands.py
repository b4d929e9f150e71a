"""The largest connected piece of a mask, and a voxel that stands for it."""

from __future__ import annotations

import numpy as np

from .geometry import FloatArray
from .mask import BoolArray


def largest_island(voxels: BoolArray) -> BoolArray:
    """The largest piece of (K, J, I) voxels that touch by their faces; of equal ones the first."""
    from scipy import ndimage

    islands, count = ndimage.label(voxels)
    if count < 2:
        return voxels
    sizes = np.bincount(islands.ravel())
    sizes[0] = 0
    return np.asarray(islands == sizes.argmax())


def most_central(positions: FloatArray) -> FloatArray:
    """Of positions (N, 3) the one nearest to their mean: the mean of a curved structure lies outside it."""
    distances = np.linalg.norm(positions - positions.mean(axis=0), axis=1)
    return np.asarray(positions[distances.argmin()])
