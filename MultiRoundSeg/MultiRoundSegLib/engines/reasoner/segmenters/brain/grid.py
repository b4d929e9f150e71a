"""The grid and the intensities that the brain network sees; training and inference share them.

The network works on a box whose axes run along RAS: (k, j, i) is (superior, anterior, right).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.resample import resample

SPACING_MM = 1.5
SHAPE = (96, 128, 96)  # 144 x 192 x 144 mm: a brain; sizes are multiples of the network's stride, 16
PERCENTILES = (1.0, 99.0)


def box(centre_ras: ArrayLike, shape: tuple[int, int, int] = SHAPE) -> Geometry:
    """The network's grid around a point.

    Args:
        centre_ras: (3,) RAS position of the middle of the box, mm.
        shape: voxels along (superior, anterior, right), multiples of 16.
    """
    matrix = np.diag([SPACING_MM, SPACING_MM, SPACING_MM, 1.0])
    half = (np.array(shape[::-1]) - 1) / 2 * SPACING_MM
    matrix[:3, 3] = np.asarray(centre_ras, dtype=np.float64) - half
    return Geometry(shape, matrix)


def normalise(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Intensities scaled to 0..1 between the 1st and 99th percentile of what is not zero.

    Zero means "not imaged" (outside the field of view, or a removed skull) and stays zero. Every
    eighth voxel is looked at, which moves the percentiles less than noise does.

    Args:
        image: (K, J, I) on the network's grid.
    """
    seen = image[::2, ::2, ::2]
    seen = seen[seen != 0]
    if seen.size == 0:
        return np.zeros_like(image)
    low, high = np.percentile(seen, PERCENTILES)
    scaled = np.clip((image - low) / max(float(high - low), 1e-6), 0, 1)
    return np.where(image == 0, 0, scaled).astype(np.float32)


def on_box(voxels: NDArray[np.generic], source: Geometry, target: Geometry) -> NDArray[np.float32]:
    """An image (K, J, I) on the network's grid; zero where it was not imaged or is no number."""
    image, imaged = resample(voxels, source, target)
    image[~(imaged & np.isfinite(image))] = 0
    return image
