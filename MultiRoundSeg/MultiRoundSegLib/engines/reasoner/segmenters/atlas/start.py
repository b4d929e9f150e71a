"""Where registration begins: translations under which two images look most alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images.geometry import FloatArray

from .working import WorkingImage

_STEP_MM = 24.0
_MOST_POINTS = 4000
_LEAST_OVERLAP = 0.4  # of the smaller image
_BINS = 16
_TOLD_EVERY = 100


def best_translations(volume: WorkingImage, atlas: WorkingImage, count: int, *, progress: Progress) -> list[FloatArray]:
    """Translations (3,) from the volume to the atlas, RAS mm, best first.

    Tried are all of a lattice of 24 mm around the alignment of the middles, and none at all (images of one
    patient in one position). They are ranked by normalised mutual information (Studholme 1999) among points
    that both images show, and of neighbours on the lattice only the best is kept.

    Args:
        volume: coarse.
        atlas: coarse.
        count: how many are wanted at most.
        progress: is told every few translations.
    """
    points, values = _points(volume)
    fewest = _LEAST_OVERLAP * min(1.0, _seen_ml(atlas) / _seen_ml(volume)) * len(points)
    ranked = []
    shifts = [np.zeros(3), *_lattice(volume, atlas)]
    for number, shift in enumerate(shifts):
        if number % _TOLD_EVERY == 0:
            progress(number / len(shifts), "placing the atlas")
        likeness = _likeness(points + shift, values, atlas, fewest)
        if likeness is not None:
            ranked.append((likeness, shift))
    chosen: list[FloatArray] = []
    for _, shift in sorted(ranked, key=lambda pair: -pair[0]):
        if all(np.abs(shift - other).max() > 1.1 * _STEP_MM for other in chosen):
            chosen.append(shift)
        if len(chosen) == count:
            break
    return chosen


def _points(image: WorkingImage) -> tuple[FloatArray, NDArray[np.intp]]:
    """RAS positions (N, 3) spread over what was imaged, and their intensities in bins (N,)."""
    where = np.argwhere(image.seen)
    where = where[:: max(1, len(where) // _MOST_POINTS)]
    return image.geometry.ras(where), _binned(image.image[tuple(where.T)])


def _binned(values: NDArray[np.float32]) -> NDArray[np.intp]:
    return np.minimum(values * _BINS, _BINS - 1).astype(np.intp)


def _seen_ml(image: WorkingImage) -> float:
    return float(np.count_nonzero(image.seen)) * image.geometry.voxel_volume_mm3 / 1000


def _lattice(volume: WorkingImage, atlas: WorkingImage) -> FloatArray:
    """(N, 3) translations under which the boxes overlap by half of the smaller one along each axis."""
    positions = [image.geometry.ras(np.argwhere(image.seen)) for image in (volume, atlas)]
    boxes = [np.ptp(ras, axis=0) for ras in positions]
    middles = [(ras.min(axis=0) + ras.max(axis=0)) / 2 for ras in positions]
    reach = (boxes[0] + boxes[1]) / 2 - np.minimum(*boxes) / 2
    steps = [np.arange(-n, n + 1) * _STEP_MM for n in (reach // _STEP_MM).astype(int)]
    lattice = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(middles[1] - middles[0] + lattice)


def _likeness(points: FloatArray, values: NDArray[np.intp], atlas: WorkingImage, fewest: float) -> float | None:
    """Normalised mutual information, 1 to 2; None where too few points lie in the atlas."""
    indices = np.rint(atlas.geometry.kji(points)).astype(np.intp)
    inside = ((indices >= 0) & (indices < atlas.geometry.shape)).all(axis=1)
    k, j, i = indices[inside].T
    seen = atlas.seen[k, j, i]
    if np.count_nonzero(seen) < max(fewest, 1):
        return None
    pairs = values[inside][seen] * _BINS + _binned(atlas.image[k, j, i][seen])
    joint = np.bincount(pairs, minlength=_BINS * _BINS).reshape(_BINS, _BINS) / len(pairs)
    together = _entropy(joint.ravel())
    return (_entropy(joint.sum(axis=0)) + _entropy(joint.sum(axis=1))) / together if together > 0 else None


def _entropy(probabilities: FloatArray) -> float:
    positive = probabilities[probabilities > 0]
    return float(-(positive * np.log(positive)).sum())
