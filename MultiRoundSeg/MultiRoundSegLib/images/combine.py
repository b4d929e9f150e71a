"""Unions, differences and overlap of masks, computed on their boxes instead of the whole grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .code import Code
from .mask import BoolArray, Box, Index, Mask


def union(masks: Sequence[Mask], label: str, code: Code | None = None) -> Mask:
    """Every voxel of any of the masks.

    Raises:
        ValueError: no mask was given.
    """
    if not masks:
        raise ValueError("a union needs at least one mask")
    filled = [mask for mask in masks if not mask.is_empty]
    if not filled:
        return masks[0].renamed(label, code)
    corners = np.array([mask.corner for mask in filled])
    ends = corners + np.array([mask.crop.shape for mask in filled])
    k, j, i = (int(n) for n in corners.min(axis=0))
    crop = np.zeros(ends.max(axis=0) - (k, j, i), dtype=bool)
    for mask in filled:
        crop[_shifted(mask.bounding_box(), (k, j, i))] |= mask.crop
    return Mask.from_crop(crop, (k, j, i), filled[0].geometry, label, code)


def without(mask: Mask, others: Sequence[Mask]) -> Mask:
    """The voxels of a mask that are in none of the others; label and code stay."""
    crop = mask.crop.copy()
    for other in others:
        crop &= ~_seen_from(mask, other)
    return Mask.from_crop(crop, mask.corner, mask.geometry, mask.label, mask.code)


def dice(mask: Mask, other: Mask) -> float:
    """Dice coefficient of two masks on one grid, 0 to 1; 1 where both are empty."""
    voxels = mask.voxel_count + other.voxel_count
    return 2 * int(np.count_nonzero(mask.crop & _seen_from(mask, other))) / voxels if voxels else 1.0


def _seen_from(mask: Mask, other: Mask) -> BoolArray:
    """The other mask's voxels inside the box of the first."""
    seen = np.zeros(mask.crop.shape, dtype=bool)
    common = tuple(
        slice(max(a.start, b.start), max(max(a.start, b.start), min(a.stop, b.stop)))
        for a, b in zip(mask.bounding_box(), other.bounding_box(), strict=True)
    )
    seen[_shifted(common, mask.corner)] = other.crop[_shifted(common, other.corner)]
    return seen


def _shifted(box: tuple[slice, ...], corner: Index) -> Box:
    k, j, i = (slice(part.start - start, part.stop - start) for part, start in zip(box, corner, strict=True))
    return k, j, i
