"""How good the brain network is: Dice on a labelled MR, and on changed versions of the same MR.

The truth is FreeSurfer's segmentation (aseg, or aparc+aseg with its cortical areas).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import CLASSES, KINDS, PAIRED, RIGHT
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.volume import Volume

Labels = NDArray[np.uint8]
_LEAST_PART = 0.1

# FreeSurfer numbers that are part of a structure but do not say of which side or which ventricle:
# {number: kinds whose nearest voxel decides}. Choroid plexus, hypointensity, corpus callosum.
_NEAREST = {31: (3, 4), 63: (3, 4), 77: (1,), 251: (1,), 252: (1,), 253: (1,), 254: (1,), 255: (1,)}


@dataclass(frozen=True)
class Score:
    """Agreement of two label volumes.

    Attributes:
        dice: of each kind of structure, the mean of its sides; NaN where it is in neither volume.
        swapped: fraction of the voxels of paired kinds, right in kind, that lie on the wrong side.
    """

    dice: dict[str, float]
    swapped: float

    @property
    def mean(self) -> float:
        """Mean Dice of the kinds but the inferior lateral ventricle, which is narrower than a voxel."""
        return float(np.nanmean([value for name, value in self.dice.items() if not name.startswith("inferior")]))


def truth_from_freesurfer(numbers: NDArray[np.integer]) -> Labels:
    """Labels of a FreeSurfer segmentation (K, J, I); what the network does not know is background."""
    labels = np.zeros(numbers.shape, np.uint8)
    for index, kind in enumerate(KINDS, start=1):
        labels[numbers == kind.left] = index
        if kind.right is not None:
            labels[numbers == kind.right] = index + RIGHT
    cortex = 2
    hemisphere = numbers // 1000  # 1xxx and 11xxx are areas of the left cortex, 2xxx and 12xxx of the right
    labels[np.isin(hemisphere, (1, 11))] = cortex
    labels[np.isin(hemisphere, (2, 12))] = cortex + RIGHT
    for kinds in set(_NEAREST.values()):
        undecided = np.isin(numbers, [number for number, asked in _NEAREST.items() if asked == kinds])
        _take_nearest(labels, undecided, kinds)
    return labels


def compare(found: Labels, truth: Labels, whole: Labels | None = None) -> Score:
    """Score labels against the truth on the same grid.

    Args:
        found: (K, J, I).
        truth: (K, J, I).
        whole: the truth of the whole image, where this is a part of it; structures of which less than a tenth is
            in the part are not scored.
    """
    count = 2 * RIGHT
    pairs = np.bincount(truth.ravel().astype(np.intp) * count + found.ravel(), minlength=count * count)
    table = pairs.reshape(count, count)
    dice = {}
    for kind in range(1, CLASSES):
        sides = [kind, kind + RIGHT] if PAIRED[kind] else [kind]
        least = [0 if whole is None else _LEAST_PART * np.count_nonzero(whole == side) for side in sides]
        sides = [
            s
            for s, n in zip(sides, least, strict=True)
            if table[s].sum() + table[:, s].sum() > 0 and table[s].sum() >= n
        ]
        values = [2 * table[s, s] / (table[s].sum() + table[:, s].sum()) for s in sides]
        dice[KINDS[kind - 1].name] = float(np.mean(values)) if values else float("nan")
    paired = np.flatnonzero(PAIRED)
    crossed = table[paired, paired + RIGHT].sum() + table[paired + RIGHT, paired].sum()
    agreed = table[paired, paired].sum() + table[paired + RIGHT, paired + RIGHT].sum()
    return Score(dice, float(crossed / max(1, crossed + agreed)))


def variants(volume: Volume, truth: Labels) -> Iterator[tuple[str, Volume, Callable[[Labels], Labels], Labels]]:
    """The same MR made harder: (name, volume, what brings found labels to the truth's grid, truth)."""
    voxels = volume.voxels.astype(np.float32)
    yield "inverted contrast", _like(volume, np.where(voxels > 0, voxels.max() - voxels + 1, 0)), _same, truth
    for axis, name in enumerate("kji"):
        thick, spread = thick_slices(volume, axis, 5)
        yield f"5 mm slices along {name}", thick, spread, truth[_whole(truth.shape, axis, 5)]
    yield "simulated skull", _like(volume, with_skull(voxels)), _same, truth
    for axis, name in enumerate("kji"):
        middle = int(np.mean(np.flatnonzero((truth > 0).any(axis=tuple(a for a in range(3) if a != axis)))))
        for half, window in (("first", slice(0, middle)), ("last", slice(middle, None))):
            part = tuple(window if a == axis else slice(None) for a in range(3))
            yield f"{half} half along {name}", crop(volume, part), _same, truth[part]


def orientations(volume: Volume) -> Iterator[tuple[str, Volume, Callable[[Labels], Labels]]]:
    """The same MR stored in all 48 orders and directions of its axes."""
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        flips = tuple(slice(None, None, sign) for sign in signs)
        matrix = np.eye(4)
        for new, old in enumerate(order):
            matrix[:, 2 - new] = volume.geometry.ijk_to_ras[:, 2 - old] * (signs[new])
        first = [0 if signs[new] > 0 else volume.voxels.shape[order[new]] - 1 for new in range(3)]
        corner = np.array([first[order.index(old)] for old in range(3)], dtype=np.float64)
        matrix[:, 3] = [*volume.geometry.ras(corner), 1]
        voxels = np.ascontiguousarray(volume.voxels.transpose(order)[flips])
        turned = Volume(voxels, Geometry(voxels.shape, matrix), volume.modality)
        yield f"axes {order} {signs}", turned, partial(_turn_back, flips=flips, order=order)


def crop(volume: Volume, part: tuple[slice, ...]) -> Volume:
    """A part of a volume; the slices of (k, j, i) have step 1."""
    matrix = volume.geometry.ijk_to_ras.copy()
    matrix[:3, 3] = volume.geometry.ras([window.start or 0 for window in part])
    voxels = volume.voxels[part]
    return Volume(voxels, Geometry(voxels.shape, matrix), volume.modality)


def thick_slices(volume: Volume, axis: int, thickness: int) -> tuple[Volume, Callable[[Labels], Labels]]:
    """Averages of neighbouring slices, and what repeats found labels on the slices they came from."""
    voxels = np.moveaxis(volume.voxels[_whole(volume.voxels.shape, axis, thickness)].astype(np.float32), axis, 0)
    averaged = voxels.reshape(-1, thickness, *voxels.shape[1:]).mean(axis=1)
    averaged = np.ascontiguousarray(np.moveaxis(averaged, 0, axis))
    matrix = volume.geometry.ijk_to_ras.copy()
    first = np.zeros(3)
    first[axis] = (thickness - 1) / 2
    matrix[:3, 3] = volume.geometry.ras(first)
    matrix[:3, 2 - axis] *= thickness
    spread = partial(np.repeat, repeats=thickness, axis=axis)
    return Volume(averaged, Geometry(averaged.shape, matrix), volume.modality), spread


def with_skull(voxels: NDArray[np.float32], seed: int = 0) -> NDArray[np.float32]:
    """A skull-stripped image (K, J, I; 1 mm) inside shells of fluid, bone and scalp, in noisy air."""
    from scipy import ndimage

    brain = ndimage.binary_closing(np.pad(voxels > 0, 20), iterations=6)[20:-20, 20:-20, 20:-20]
    away = ndimage.distance_transform_edt(~brain)
    white = np.percentile(voxels[voxels > 0], 90)
    shells = np.select([away <= 3, away <= 8, away <= 14], [0.2, 0.08, 0.85], 0.0) * white
    noise = np.random.default_rng(seed).normal(0, 0.02 * white, voxels.shape)
    return np.abs(np.where(voxels > 0, voxels, shells) + noise).astype(np.float32)


def _take_nearest(labels: Labels, undecided: NDArray[np.bool_], kinds: tuple[int, ...]) -> None:
    """Give undecided voxels the label of the nearest voxel of some kinds."""
    from scipy import ndimage

    sources = np.isin(labels & (RIGHT - 1), kinds)
    if not undecided.any() or not sources.any():
        return
    nearest = ndimage.distance_transform_edt(~sources, return_distances=False, return_indices=True)
    labels[undecided] = labels[tuple(axis[undecided] for axis in nearest)]


def _like(volume: Volume, voxels: NDArray[np.float32]) -> Volume:
    return Volume(voxels.astype(np.float32), volume.geometry, volume.modality)


def _same(found: Labels) -> Labels:
    return found


def _turn_back(found: Labels, flips: tuple[slice, ...], order: tuple[int, ...]) -> Labels:
    """Undo a change of the order and direction of axes."""
    return np.asarray(found[flips].transpose(np.argsort(order)))


def _whole(shape: tuple[int, ...], axis: int, thickness: int) -> tuple[slice, ...]:
    """The part of an array that whole thick slices cover."""
    size = shape[axis] // thickness * thickness
    return tuple(slice(0, size) if a == axis else slice(None) for a in range(len(shape)))
