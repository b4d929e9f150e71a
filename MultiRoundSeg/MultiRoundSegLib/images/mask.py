"""A binary mask on a volume's grid, kept as the box that holds it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .code import Code
from .geometry import FloatArray, Geometry

BoolArray = NDArray[np.bool_]
Index = tuple[int, int, int]
Box = tuple[slice, slice, slice]


class Mask:
    """The voxels of one structure, on the whole grid of its volume.

    Only the part of the grid that holds the structure is kept in memory, so that a dialogue of
    many rounds on a large volume stays small; `voxels` gives the whole grid. A mask never changes:
    to correct one, make another.

    Attributes:
        geometry: the grid of the volume it belongs to.
        label: what a person calls it.
        code: the coded structure, where known.
        source: the segmentation it was taken from, to tell two of one name apart.
    """

    source: str | None = None

    def __init__(self, voxels: NDArray[np.generic], geometry: Geometry, label: str, code: Code | None = None) -> None:
        """Make a mask from the whole grid.

        Args:
            voxels: (K, J, I); non-zero is inside.
            geometry: the grid.
            label: what a person calls it.
            code: the coded structure.

        Raises:
            ValueError: the array does not lie on the grid.
        """
        if voxels.shape != geometry.shape:
            raise ValueError(f"a mask of {voxels.shape} does not fit a grid of {geometry.shape}")
        self.geometry, self.label, self.code = geometry, label, code
        self._read: Callable[[], Mask] | None = None
        self._part = _tight_part(voxels != 0, (0, 0, 0))

    @classmethod
    def from_crop(
        cls,
        crop: NDArray[np.generic],
        corner: Index,
        geometry: Geometry,
        label: str,
        code: Code | None = None,
    ) -> Mask:
        """Make a mask from a part of the grid; everything outside it is empty.

        Args:
            crop: (k, j, i) part; non-zero is inside the mask.
            corner: index (k, j, i) of the part's first voxel.
            geometry: the whole grid.
            label: what a person calls it.
            code: the coded structure.

        Raises:
            ValueError: the part reaches beyond the grid.
        """
        for start, size, limit in zip(corner, crop.shape, geometry.shape, strict=True):
            if start < 0 or start + size > limit:
                raise ValueError(f"a part of {crop.shape} at {corner} leaves a grid of {geometry.shape}")
        mask = cls.__new__(cls)
        mask.geometry, mask.label, mask.code, mask._read = geometry, label, code, None
        mask._part = _tight_part(crop != 0, corner)
        return mask

    @classmethod
    def empty(cls, geometry: Geometry, label: str = "", code: Code | None = None) -> Mask:
        """A mask without any voxel."""
        return cls.from_crop(np.zeros((0, 0, 0), dtype=bool), (0, 0, 0), geometry, label, code)

    @classmethod
    def deferred(
        cls,
        read: Callable[[], Mask],
        geometry: Geometry,
        label: str,
        code: Code | None = None,
        *,
        source: str | None = None,
    ) -> Mask:
        """A mask whose voxels are read when somebody first asks for them.

        Args:
            read: gives a mask on the same grid, whose voxels are taken; called once at most.
            geometry: the grid.
            label: what a person calls it.
            code: the coded structure.
            source: the segmentation it is taken from.
        """
        mask = cls.__new__(cls)
        mask.geometry, mask.label, mask.code, mask.source = geometry, label, code, source
        mask._read = read
        return mask

    @cached_property
    def _part(self) -> tuple[BoolArray, Index]:
        assert self._read is not None, "a mask made from voxels has its part from the start"
        return self._read()._part

    @property
    def crop(self) -> BoolArray:
        """(k, j, i) voxels inside the bounding box, read-only; (0, 0, 0) in size for an empty mask."""
        return self._part[0]

    @property
    def corner(self) -> Index:
        """Index (k, j, i) of the first voxel of `crop`."""
        return self._part[1]

    @property
    def voxels(self) -> BoolArray:
        """(K, J, I) the whole grid, made anew at each call."""
        whole = np.zeros(self.geometry.shape, dtype=bool)
        whole[self.bounding_box()] = self.crop
        return whole

    @property
    def is_empty(self) -> bool:
        """Whether no voxel is inside."""
        return self.crop.size == 0

    @property
    def voxel_count(self) -> int:
        """Number of voxels inside."""
        return int(np.count_nonzero(self.crop))

    @property
    def volume_ml(self) -> float:
        """Volume, millilitres."""
        return self.voxel_count * self.geometry.voxel_volume_mm3 / 1000.0

    def bounding_box(self) -> Box:
        """Slices (k, j, i) of the smallest box that holds the mask; empty slices for an empty mask."""
        k, j, i = (slice(start, start + size) for start, size in zip(self.corner, self.crop.shape, strict=True))
        return k, j, i

    def centroid_ras(self) -> FloatArray:
        """Mean patient position (3,) of the voxels, mm.

        Raises:
            ValueError: the mask is empty.
        """
        if self.is_empty:
            raise ValueError(f"the mask {self.label!r} is empty and has no centre")
        mean = [np.average(np.arange(n), weights=self.profile(axis)) for axis, n in enumerate(self.crop.shape)]
        return self.geometry.ras(np.asarray(mean) + self.corner)

    def profile(self, axis: int) -> NDArray[np.intp]:
        """Number of voxels in each slice of `crop` along an array axis."""
        others = tuple(a for a in range(3) if a != axis)
        return np.asarray(np.count_nonzero(self.crop, axis=others))

    def digest(self) -> str:
        """SHA-256 of the voxels; equal exactly when two masks on one grid have the same voxels."""
        sha = hashlib.sha256(repr((self.geometry.shape, self.corner, self.crop.shape)).encode())
        sha.update(np.packbits(self.crop).tobytes())
        return sha.hexdigest()

    def renamed(self, label: str, code: Code | None = None) -> Mask:
        """The same voxels under another label and code."""
        return Mask.deferred(lambda: self, self.geometry, label, code, source=self.source)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mask):
            return NotImplemented
        named_alike = (self.label, self.code) == (other.label, other.code)
        return named_alike and self.geometry.matches(other.geometry) and self.digest() == other.digest()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Mask({self.label!r}, grid {self.geometry.shape})"


def _tight_part(inside: BoolArray, corner: Index) -> tuple[BoolArray, Index]:
    """The smallest part that holds all voxels, copied and frozen, and where it starts."""
    box = []
    for axis in range(3):
        others = tuple(a for a in range(3) if a != axis)
        hits = np.flatnonzero(inside.any(axis=others))
        box.append(slice(int(hits[0]), int(hits[-1]) + 1) if hits.size else slice(0, 0))
    if any(part.stop == 0 for part in box):
        return np.zeros((0, 0, 0), dtype=bool), (0, 0, 0)
    crop = inside[tuple(box)].copy()
    crop.setflags(write=False)
    k, j, i = (part.start + start for part, start in zip(box, corner, strict=True))
    return crop, (k, j, i)
