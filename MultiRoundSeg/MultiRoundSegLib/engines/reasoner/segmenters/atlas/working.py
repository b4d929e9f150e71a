"""Images as registration sees them: on a grid along RAS, about 2 mm, with intensities from 0 to 1.

Any geometry (oblique, flipped, sheared) is resampled once to a box whose axes run along RAS, so that what
registers images needs to know only a spacing and an origin. Its physical space is RAS, mm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import OutsideDomainError
from MultiRoundSegLib.images import Geometry, Volume
from MultiRoundSegLib.images.geometry import FloatArray
from MultiRoundSegLib.images.resample import resample

SPACING_MM = 2.0
MARGIN_VOXELS = 6  # around the image, so that what an atlas shows beyond it is known
MOST_VOXELS = 1_500_000  # a larger box gets a wider spacing, so that time and memory stay bounded
THINNEST_MM = 50.0  # along each axis; a thinner slab looks much the same in several places
_RIM_VOXELS = 2
_LEVELS = 256
_TAILS = (0.005, 0.995)

FloatImage = NDArray[np.float32]
BoolImage = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WorkingImage:
    """An image to be registered.

    Attributes:
        image: (K, J, I) from 0 to 1; where nothing was imaged, it goes on as at the edge.
        seen: (K, J, I) whether a voxel was imaged.
        geometry: the grid, along RAS and with one spacing.
    """

    image: FloatImage
    seen: BoolImage
    geometry: Geometry

    def halved(self) -> WorkingImage:
        """The same at twice the spacing."""
        image = _block_means(self.image)
        seen = _block_means(self.seen.astype(np.float32)) >= 0.5
        return WorkingImage(image, seen, _coarser(self.geometry, (2, 2, 2), image.shape))


def working_image(volume: Volume, *, progress: Progress) -> WorkingImage:
    """A volume as registration sees it.

    Args:
        volume: a grey 3-D image.
        progress: is told as the volume is read.

    Raises:
        OutsideDomainError: it is a colour or flat image, or has no contrast.
    """
    if volume.is_colour:
        raise OutsideDomainError(f"{volume.name} is a colour image; an atlas needs a grey 3-D image.")
    voxels, geometry = _thinned(volume, progress)
    box, extents = _box_around(geometry)
    if min(extents) < THINNEST_MM:
        raise OutsideDomainError(
            f"{volume.name} is thinner than {THINNEST_MM:g} mm; registering an atlas needs a thicker image."
        )
    image, inside = resample(voxels, geometry, box)
    seen = inside & _near_content(image, inside)
    return WorkingImage(_equalised(image, seen, volume.name), seen, box)


def _thinned(volume: Volume, progress: Progress) -> tuple[FloatImage, Geometry]:
    """Means of blocks of voxels that together are no larger than a working voxel, so that noise is averaged."""
    steps = tuple(
        max(1, min(int(SPACING_MM / spacing), size))
        for spacing, size in zip(volume.geometry.spacing[::-1], volume.geometry.shape, strict=True)
    )
    shape = tuple(size // step for size, step in zip(volume.geometry.shape, steps, strict=True))
    (slices, rows, columns), (high, long, wide) = shape, steps
    means = np.empty(shape, np.float32)
    for k in range(slices):
        progress(k / slices, f"reading {volume.name}")
        slab = volume.voxels[k * high : (k + 1) * high, : rows * long, : columns * wide]
        means[k] = slab.reshape(high, rows, long, columns, wide).mean(axis=(0, 2, 4), dtype=np.float32)
    return np.nan_to_num(means), _coarser(volume.geometry, steps, means.shape)


def _coarser(geometry: Geometry, steps: tuple[int, ...], shape: tuple[int, ...]) -> Geometry:
    """The grid of blocks of `steps` (k, j, i) voxels."""
    matrix = geometry.ijk_to_ras.copy()
    matrix[:3, 3] = geometry.ras((np.array(steps) - 1) / 2)
    matrix[:3, :3] *= steps[::-1]
    return Geometry((shape[0], shape[1], shape[2]), matrix)


def _box_around(geometry: Geometry) -> tuple[Geometry, FloatArray]:
    """A grid along RAS that holds every voxel of another grid with a margin, and the extents without it, mm."""
    corners = np.stack(np.meshgrid(*[(-0.5, n - 0.5) for n in geometry.shape], indexing="ij"), axis=-1)
    ras = geometry.ras(corners).reshape(-1, 3)
    extents = np.ptp(ras, axis=0)
    spacing = max(SPACING_MM, float(np.prod(extents) / MOST_VOXELS) ** (1 / 3))
    i, j, k = (int(np.ceil(length / spacing)) + 2 * MARGIN_VOXELS for length in extents)
    matrix = np.diag([spacing, spacing, spacing, 1.0])
    matrix[:3, 3] = ras.mean(axis=0) - (np.array([i, j, k]) - 1) * spacing / 2
    return Geometry((k, j, i), matrix), extents


def _near_content(image: FloatImage, inside: BoolImage) -> BoolImage:
    """Where there is more than the background of a cut-out (a brain without its skull, a circular field of view).

    A cut-out has its lowest value in exactly equal voxels all around. Another image may show something there, so
    that it does not count as imaged, except for a rim, which tells the outline.
    """
    from scipy import ndimage

    content = inside & (image > image[inside].min())
    return np.asarray(ndimage.binary_dilation(content, iterations=_RIM_VOXELS))


def _equalised(image: FloatImage, seen: BoolImage, name: str) -> FloatImage:
    """Intensities from 0 to 1, spread where there are many, so that every kind of image has contrast in its tissue.

    It is the mean of two scales: the rank of an intensity among those seen, and its place between their extremes.

    Raises:
        OutsideDomainError: there is no contrast.
    """
    values = np.sort(image[seen][:: max(1, image.size // 400_000)])
    if len(values) == 0:
        raise OutsideDomainError(f"{name} has the same value everywhere; there is nothing that an atlas could fit.")
    low, high = np.quantile(values, _TAILS)
    if high <= low:
        raise OutsideDomainError(f"{name} has hardly any contrast; there is nothing that an atlas could fit.")
    levels = np.linspace(low, high, _LEVELS)
    rank = (np.searchsorted(values, levels, "left") + np.searchsorted(values, levels, "right")) / (2 * len(values))
    linear = np.linspace(0, 1, _LEVELS)
    blended = (linear + (rank - rank[0]) / (rank[-1] - rank[0])) / 2
    return np.asarray(np.interp(image, levels, blended), dtype=np.float32)


def _block_means(image: FloatImage) -> FloatImage:
    """(K, J, I) means of blocks of 2 x 2 x 2; an odd last layer counts twice."""
    padded = np.pad(image, [(0, n % 2) for n in image.shape], mode="edge")
    k, j, i = (n // 2 for n in padded.shape)
    blocks = padded.reshape(k, 2, j, 2, i, 2)
    return np.asarray(blocks.mean(axis=(1, 3, 5)), dtype=np.float32)
