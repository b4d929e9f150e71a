"""Places voxels on another grid where both have the same voxels in space; nothing is resampled."""

from __future__ import annotations

import numpy as np

from MultiRoundSegLib.errors import GeometryMismatchError
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.mask import Index

from .stored import Array

# How far voxel centres may lie apart, in voxels: files store directions and positions rounded.
_TOLERANCE_VOXELS = 0.05


def part_of_grid(voxels: Array, geometry: Geometry, reference: Geometry, name: str) -> tuple[Array, Index]:
    """The part of the reference grid that an array covers.

    The array's grid may be a crop of the reference grid, larger than it, or the same voxels counted
    along other axes or in the other direction.

    Args:
        voxels: (K, J, I) on `geometry`.
        geometry: the array's own grid.
        reference: the grid to place it on.
        name: of the file, for errors.

    Returns:
        The (k, j, i) part in the reference's order, and the index of its first voxel.

    Raises:
        GeometryMismatchError: the grids differ by more, or non-zero voxels lie outside the reference.
    """
    to_reference = np.linalg.inv(reference.ijk_to_ras) @ geometry.ijk_to_ras
    whole = np.rint(to_reference).astype(np.int64)
    turn = np.abs(whole[:3, :3])
    is_turn = (turn.sum(axis=0) == 1).all() and (turn.sum(axis=1) == 1).all()
    if not is_turn or _distance(to_reference, whole, geometry) > _TOLERANCE_VOXELS:
        raise GeometryMismatchError(
            f"{name} lies on another voxel grid than the image; resample it to the image's grid first."
        )
    placed, corner = _turned(voxels, whole)
    return _inside(placed, corner, reference, name)


def _distance(to_reference: Array, whole: Array, geometry: Geometry) -> float:
    """How far the two affines put a voxel of the array apart, in voxels of the reference."""
    corners = np.stack(np.meshgrid(*[(0, n - 1) for n in geometry.shape[::-1]], (1,), indexing="ij"), axis=-1)
    return float(np.abs(corners @ (to_reference - whole).T).max())


def _turned(voxels: Array, whole: Array) -> tuple[Array, Index]:
    """The array along the reference's axes, and where its first voxel then lies."""
    along_ijk = voxels.T
    axes = np.abs(whole[:3, :3]).argmax(axis=1)
    placed = along_ijk.transpose(axes)
    corner = []
    for axis in range(3):
        start = int(whole[axis, 3])
        if whole[axis, axes[axis]] < 0:
            placed = np.flip(placed, axis)
            start -= placed.shape[axis] - 1
        corner.append(start)
    return placed.T, (corner[2], corner[1], corner[0])


def _inside(placed: Array, corner: Index, reference: Geometry, name: str) -> tuple[Array, Index]:
    starts = [max(0, -start) for start in corner]
    ends = [min(size, limit - start) for start, size, limit in zip(corner, placed.shape, reference.shape, strict=True)]
    box = tuple(slice(start, max(start, end)) for start, end in zip(starts, ends, strict=True))
    if np.count_nonzero(placed) != np.count_nonzero(placed[box]):
        raise GeometryMismatchError(f"{name} reaches outside the image; choose the image it was made on.")
    k, j, i = (start + skipped for start, skipped in zip(corner, starts, strict=True))
    part = placed[box]
    return (part, (k, j, i)) if part.size else (part[:0, :0, :0], (0, 0, 0))
