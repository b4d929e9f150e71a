"""Where the atlas shows what a place of the volume shows, and masks carried along."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.geometry import FloatArray

from .working import BoolImage

_MARGIN_SPACINGS = 1.5  # how far around a mask it is looked for: an atlas may be this much larger than the volume


@dataclass(frozen=True, eq=False)
class Warp:
    """A map from the volume to the atlas: first the displacement, then the affine.

    Attributes:
        affine: (4, 4) RAS to RAS, mm.
        displacement: (K, J, I, 3) RAS mm on `grid`; beyond it that of the nearest voxel.
        grid: of the displacement, along RAS.
        atlas: the grid of the atlas.
    """

    affine: FloatArray
    displacement: NDArray[np.float32]
    grid: Geometry
    atlas: Geometry

    def atlas_kji(self, ras: FloatArray) -> FloatArray:
        """Continuous indices (N, 3) in the atlas of positions (N, 3) in the volume, RAS mm."""
        from scipy import ndimage

        where = self.grid.kji(ras).T
        moved = [ndimage.map_coordinates(part, where, order=1, mode="nearest") for part in self._parts]
        return self._indices(ras + np.stack(moved, axis=-1))

    @cached_property
    def nearest(self) -> NDArray[np.int32]:
        """Indices (K, J, I, 3) in the atlas nearest to the voxels of `grid`; some lie outside it."""
        indices = np.stack(np.meshgrid(*map(np.arange, self.grid.shape), indexing="ij"), axis=-1)
        return np.rint(self._indices(self.grid.ras(indices) + self.displacement)).astype(np.int32)

    @cached_property
    def _parts(self) -> NDArray[np.float32]:
        return np.ascontiguousarray(np.moveaxis(self.displacement, -1, 0))

    def _indices(self, displaced: FloatArray) -> FloatArray:
        return self.atlas.kji(displaced @ self.affine[:3, :3].T + self.affine[:3, 3])


def neighbourhood(mask: Mask, warp: Warp) -> BoolImage:
    """(K, J, I) voxels of the warp's grid whose place in the atlas is in a mask or close to it."""
    from scipy import ndimage

    near = np.zeros(warp.grid.shape, dtype=bool)
    if mask.is_empty:
        return near
    spacing = np.array(mask.geometry.spacing[::-1])
    margin = np.ceil(_MARGIN_SPACINGS * warp.grid.spacing[0] / spacing).astype(np.intp)
    grown = ndimage.maximum_filter(np.pad(mask.crop, [(n, n) for n in margin]), size=(2 * margin + 1).tolist())
    indices = warp.nearest - mask.corner + margin
    inside = ((indices >= 0) & (indices < grown.shape)).all(axis=-1)
    near[inside] = grown[tuple(indices[inside].T)]
    return near


def carry(mask: Mask, near: BoolImage, warp: Warp, geometry: Geometry, *, progress: Progress) -> Mask:
    """A mask of the atlas on the volume's grid.

    A voxel is inside where the linearly interpolated mask is at least one half; so every mask is carried by
    itself, and masks that overlap still do.

    Args:
        mask: on the atlas's grid.
        near: its `neighbourhood`.
        warp: from the volume to the atlas.
        geometry: of the volume.
        progress: is told each slice.
    """
    low, high = _box(near, warp.grid, geometry)
    if (high <= low).any():
        return Mask.empty(geometry, mask.label, mask.code)
    crop = np.zeros(high - low, dtype=bool)
    rows = np.stack(np.meshgrid([0], *map(np.arange, crop.shape[1:]), indexing="ij"), axis=-1)[0] + low
    for k in range(len(crop)):
        progress(k / len(crop), mask.label)
        ras = geometry.ras(rows + np.array([k, 0, 0]))
        nearest = np.clip(np.rint(warp.grid.kji(ras)).astype(np.intp), 0, np.array(near.shape) - 1)
        wanted = near[tuple(np.moveaxis(nearest, -1, 0))]
        if wanted.any():
            crop[k, wanted] = _share_inside(mask, warp.atlas_kji(ras[wanted])) >= 0.5
    return Mask.from_crop(crop, tuple(low.tolist()), geometry, mask.label, mask.code)


def _box(near: BoolImage, grid: Geometry, geometry: Geometry) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and past-the-last index (k, j, i) of the box on the volume's grid that holds some voxels of another."""
    where = np.argwhere(near)
    if len(where) == 0:
        return np.zeros(3, np.intp), np.zeros(3, np.intp)
    ends = np.stack([where.min(axis=0) - 0.5, where.max(axis=0) + 0.5])
    corners = np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(-1, 3)
    indices = geometry.kji(grid.ras(corners))
    low, high = np.floor(indices.min(axis=0)), np.ceil(indices.max(axis=0)) + 1
    return (
        np.clip(low, 0, geometry.shape).astype(np.intp),
        np.clip(high, 0, geometry.shape).astype(np.intp),
    )


def _share_inside(mask: Mask, indices: FloatArray) -> NDArray[np.float32]:
    """The mask (1 inside, 0 outside), interpolated linearly at continuous indices (N, 3)."""
    from scipy import ndimage

    where = (indices - mask.corner).T
    crop = mask.crop.astype(np.float32)
    return np.asarray(ndimage.map_coordinates(crop, where, order=1, mode="grid-constant"))
