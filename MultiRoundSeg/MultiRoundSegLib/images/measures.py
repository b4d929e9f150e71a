"""What can be measured of a mask, besides its volume."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .mask import Mask
from .volume import Volume
from .windows import grey_of

_FEW = 200


def longest_diameter_mm(mask: Mask) -> float:
    """The longest distance between the centres of two voxels of a mask, mm; 0 for one voxel or none.

    Only corners of the mask's convex hull can be that far apart.
    """
    positions = mask.geometry.ras(_ends(mask.crop)[:, ::-1]) if not mask.is_empty else np.zeros((0, 3))
    if len(positions) > _FEW:
        from scipy.spatial import ConvexHull

        # Flat masks have no hull in space; joggled a little they have one.
        positions = positions[ConvexHull(positions, qhull_options="QJ").vertices]
    if len(positions) < 2:
        return 0.0
    from scipy.spatial.distance import pdist

    return float(pdist(positions).max())


def mean_intensity(mask: Mask, volume: Volume) -> float:
    """The mean of a volume's voxels within a mask that is not empty; of a colour image, of its grey values."""
    voxels = volume.voxels[mask.bounding_box()]
    return float((grey_of(voxels) if volume.is_colour else voxels)[mask.crop].mean(dtype=np.float64))


def _ends(inside: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(N, 3) indices of the voxels that are first or last in their row along each axis, as corners of a hull are."""
    ends = inside.copy()
    for axis, line in enumerate(np.ogrid[tuple(map(slice, inside.shape))]):
        first = inside.argmax(axis=axis, keepdims=True)
        last = inside.shape[axis] - 1 - np.flip(inside, axis).argmax(axis=axis, keepdims=True)
        ends &= (line == first) | (line == last)
    return np.argwhere(ends)
