"""An image on another grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .geometry import Geometry
from .mask import BoolArray


def resample(voxels: NDArray[np.generic], source: Geometry, target: Geometry) -> tuple[NDArray[np.float32], BoolArray]:
    """An image on another grid by linear interpolation, going on as at its edge, and where it was imaged.

    A voxel images half its size around its centre, so that a single slice has a thickness.

    Args:
        voxels: (K, J, I) on `source`.
        source: the image's grid.
        target: the grid wanted.
    """
    from scipy import ndimage

    to_source = np.linalg.inv(source.ijk_to_ras) @ target.ijk_to_ras
    matrix, offset = to_source[:3, :3][::-1, ::-1], to_source[:3, 3][::-1]  # (k, j, i) order
    image = ndimage.affine_transform(
        np.asarray(voxels, dtype=np.float32), matrix, offset, target.shape, order=1, mode="nearest"
    )
    imaged = np.ones(target.shape, dtype=bool)
    indices = np.meshgrid(*(np.arange(n, dtype=np.float32) for n in target.shape), indexing="ij", sparse=True)
    for axis, size in enumerate(source.shape):
        position = sum(matrix[axis, other] * indices[other] for other in range(3)) + offset[axis]
        imaged &= (position >= -0.5) & (position <= size - 0.5)
    return image, imaged
