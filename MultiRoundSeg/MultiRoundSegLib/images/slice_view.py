"""What a 2-D model sees of a volume: one slice as a picture, and the way back for masks."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from MultiRoundSegLib.errors import GeometryMismatchError

from .geometry import FloatArray, Geometry
from .mask import BoolArray, Mask
from .volume import Volume
from .windows import Window, default_window, grey_of

Plane = Literal["axial", "coronal", "sagittal"]
PLANES: tuple[Plane, ...] = ("axial", "coronal", "sagittal")

# Directions (RAS) of a picture's columns to the right and of its rows downwards: radiological
# display, the patient's right on the left of the image.
_RIGHTWARDS = {"axial": (-1, 0, 0), "coronal": (-1, 0, 0), "sagittal": (0, -1, 0)}
_DOWNWARDS = {"axial": (0, -1, 0), "coronal": (0, 0, -1), "sagittal": (0, 0, -1)}


@dataclass(frozen=True)
class SliceView:
    """One slice of a volume, cut along the volume's own voxel axes.

    Attributes:
        plane: the anatomical plane nearest to the slice.
        index: number of the slice along the voxel axis that the plane cuts, from 0.
        window: values shown from black to white; None for the modality's stated rule. A colour image is
            shown in colour without a window, and as grey values with one.
    """

    plane: Plane = "axial"
    index: int = 0
    window: Window | None = None

    def pixels(self, volume: Volume) -> NDArray[np.uint8]:
        """The picture, (H, W, 3) uint8 RGB, square pixels, radiological display.

        Raises:
            ValueError: the volume has no slice of this number.
        """
        cut = self._cut(volume.voxels, volume.geometry)
        window = self.window or default_window(volume)
        if window is not None:
            grey = window.apply(grey_of(cut) if volume.is_colour else cut)
            cut = np.repeat(grey[..., None], 3, axis=-1)
        rows, columns = self._sampling(volume.geometry)
        return np.ascontiguousarray(cut[rows][:, columns].astype(np.uint8))

    def is_within(self, geometry: Geometry) -> bool:
        """Whether a volume on this grid has the slice."""
        return 0 <= self.index < geometry.shape[voxel_axes(geometry)[self.plane]]

    def region(self, mask: Mask) -> BoolArray:
        """(H, W) the mask as it lies on the picture."""
        rows, columns = self._sampling(mask.geometry)
        return np.ascontiguousarray(self._cut(mask.voxels, mask.geometry)[rows][:, columns])

    def lift(self, region: NDArray[np.generic], volume: Volume, label: str = "") -> Mask:
        """The mask on the volume's grid of a region drawn on the picture.

        Exact inverse of `region`: `lift(region(mask))` is the mask's own slice, voxel for voxel.

        Args:
            region: (H, W), non-zero is inside; as large as `pixels`.
            volume: the volume that was shown.
            label: what a person calls it.

        Raises:
            GeometryMismatchError: the region is not as large as the picture.
        """
        rows, columns = self._sampling(volume.geometry)
        if region.shape != (len(rows), len(columns)):
            raise GeometryMismatchError(
                f"a region of {region.shape} does not fit a picture of {(len(rows), len(columns))}"
            )
        voxels = np.zeros(volume.geometry.shape, dtype=bool)
        self._cut(voxels, volume.geometry)[...] = region[_middle(rows)][:, _middle(columns)] != 0
        return Mask(voxels, volume.geometry, label)

    def centre_ras(self, geometry: Geometry) -> FloatArray:
        """Patient position (3,) of the middle of the slice, mm."""
        kji = (np.asarray(geometry.shape) - 1) / 2
        kji[voxel_axes(geometry)[self.plane]] = self.index
        return geometry.ras(kji)

    def _cut(self, voxels: NDArray[np.generic], geometry: Geometry) -> NDArray[np.generic]:
        """The slice as a view of the array, rows downwards and columns to the right."""
        axes = voxel_axes(geometry)
        axis = axes[self.plane]
        if not self.is_within(geometry):
            raise ValueError(
                f"the volume has {geometry.shape[axis]} {self.plane} slices, there is no slice {self.index}"
            )
        row_axis, column_axis = self._picture_axes(axes)
        cut = voxels[(slice(None),) * axis + (self.index,)]
        if row_axis > column_axis:
            cut = cut.swapaxes(0, 1)
        flip_rows = _along(geometry, row_axis) @ _DOWNWARDS[self.plane] < 0
        flip_columns = _along(geometry, column_axis) @ _RIGHTWARDS[self.plane] < 0
        return cut[:: -1 if flip_rows else 1, :: -1 if flip_columns else 1]

    def _picture_axes(self, axes: dict[Plane, int]) -> tuple[int, int]:
        """Array axes that run down and across the picture."""
        down: Plane = "coronal" if self.plane == "axial" else "axial"
        across: Plane = "coronal" if self.plane == "sagittal" else "sagittal"
        return axes[down], axes[across]

    def _sampling(self, geometry: Geometry) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """For each row and each column of the picture, the voxel it shows.

        The pixel is as large as the finer spacing, so each voxel is shown by at least one pixel.
        """
        axes = self._picture_axes(voxel_axes(geometry))
        spacings = [geometry.spacing[2 - axis] for axis in axes]
        pixel_mm = min(spacings)
        rows, columns = (
            _nearest_voxels(geometry.shape[axis], spacing / pixel_mm)
            for axis, spacing in zip(axes, spacings, strict=True)
        )
        return rows, columns


def voxel_axes(geometry: Geometry) -> dict[Plane, int]:
    """The array axis that each plane cuts: of all assignments the one best aligned with the patient."""
    directions = np.abs([_along(geometry, axis) for axis in range(3)])
    sagittal, coronal, axial = max(
        itertools.permutations(range(3)),
        key=lambda axes: sum(directions[axis, n] for n, axis in enumerate(axes)),
    )
    return {"axial": axial, "coronal": coronal, "sagittal": sagittal}


def nearest_view(geometry: Geometry, slice_to_ras: ArrayLike, window: Window | None = None) -> SliceView | None:
    """The slice of the volume that a slice viewer shows.

    An oblique viewer plane gives the volume's slice that is most parallel to it and passes nearest
    to its centre. Halves between two slices go to the higher index, so no slice is ever skipped.

    Args:
        geometry: the volume's grid.
        slice_to_ras: (4, 4) of the viewer, mm: columns right, up, normal, centre.
        window: the window to show it with.

    Returns:
        The view, or None where the viewer plane passes outside the volume.
    """
    matrix = np.asarray(slice_to_ras, dtype=np.float64)
    normal, centre = matrix[:3, 2], matrix[:3, 3]
    planes = voxel_axes(geometry)
    plane = max(PLANES, key=lambda p: abs(_slice_normal(geometry, planes[p]) @ normal))
    index = nearest_index(float(geometry.kji(centre)[planes[plane]]))
    return SliceView(plane, index, window) if 0 <= index < geometry.shape[planes[plane]] else None


def nearest_index(position: float) -> int:
    """The voxel index nearest to a continuous index; exact halves go up (rounding noise aside)."""
    return math.floor(round(position, 6) + 0.5)


def _along(geometry: Geometry, axis: int) -> FloatArray:
    """Unit RAS direction in which an array axis (0 = k, 1 = j, 2 = i) runs."""
    direction = geometry.ijk_to_ras[:3, 2 - axis]
    return np.asarray(direction / np.linalg.norm(direction))


def _slice_normal(geometry: Geometry, axis: int) -> FloatArray:
    """Unit normal of the slices along an array axis; not the axis itself where the grid is sheared."""
    normal = np.linalg.inv(geometry.ijk_to_ras[:3, :3])[2 - axis]
    return np.asarray(normal / np.linalg.norm(normal))


def _nearest_voxels(voxels: int, pixels_per_voxel: float) -> NDArray[np.intp]:
    pixels = math.floor(voxels * pixels_per_voxel + 0.5)
    centres = (np.arange(pixels) + 0.5) / pixels_per_voxel
    return np.minimum(centres.astype(np.intp), voxels - 1)


def _middle(shown: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each voxel the middle one of the pixels that show it."""
    _, first, count = np.unique(shown, return_index=True, return_counts=True)
    return first + count // 2
