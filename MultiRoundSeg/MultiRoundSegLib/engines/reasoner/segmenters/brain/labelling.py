"""From a brain MR to its labels: find the brain, run the network on a box around it, bring labels back.

Knows nothing of what runs the network: it is handed in as a function of arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress, no_progress
from MultiRoundSegLib.images.geometry import FloatArray, Geometry
from MultiRoundSegLib.images.islands import largest_island
from MultiRoundSegLib.images.volume import Volume

from . import grid
from .structures import CLASSES, PAIRED, RIGHT

# Image (1, 1, K, J, I) float32 in 0..1 to logits (1, CLASSES + 1, K, J, I); the last channel says "right".
Network = Callable[[NDArray[np.float32]], NDArray[np.float32]]


_LOOKS = 3  # times the box may move to the brain found so far
_CLOSE_ENOUGH_MM = 4.0


@dataclass(frozen=True)
class BrainLabels:
    """A labelled volume.

    Attributes:
        voxels: (K, J, I) uint8 on the volume's grid, as `structures` defines labels; 0 where there is none.
        certainty: for each label in it, the mean probability that the network gives it where it wins.
        overall: the same over all labels; 0 where nothing was found.
    """

    voxels: NDArray[np.uint8]
    certainty: dict[int, float]
    overall: float


def label_volume(
    volume: Volume, network: Network, shape: tuple[int, int, int] = grid.SHAPE, *, progress: Progress = no_progress
) -> BrainLabels:
    """Label a brain MR on its own grid.

    Args:
        volume: one grey-scale MR of a head or a part of it, any contrast and orientation.
        network: what tells the structures.
        shape: of the network's box.
        progress: is told each step.
    """
    progress(0.0, "finding the brain")
    centre = _middle_of_image(volume)
    for look in range(_LOOKS):
        box = grid.box(centre, shape)
        image = grid.normalise(grid.on_box(volume.voxels, volume.geometry, box))
        progress((1 + look) / (3 * _LOOKS), "labelling the brain")
        logits = network(image[None, None])[0]
        brain = largest_island((logits[:-1].argmax(axis=0) > 0) & (image > 0))
        if not brain.any():
            return BrainLabels(np.zeros(volume.geometry.shape, np.uint8), {}, 0.0)
        moved_to = _middle(brain, box)
        if np.linalg.norm(moved_to - centre) < _CLOSE_ENOUGH_MM:
            break
        centre = moved_to
    progress(0.4, "labelling its mirror image")
    logits = (logits + _mirrored(network, image)) / 2
    certainty, overall = _certainty(logits, brain)
    return BrainLabels(labels_on(volume.geometry, box, logits, brain, progress=progress), certainty, overall)


def _mirrored(network: Network, image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits of an image (K, J, I) as the network gives them for its mirror image, turned back."""
    logits = np.array(network(np.ascontiguousarray(image[None, None, ..., ::-1]))[0][..., ::-1])
    logits[CLASSES] *= -1
    return logits


def _certainty(logits: NDArray[np.float32], brain: NDArray[np.bool_]) -> tuple[dict[int, float], float]:
    """Mean winning probability of each label, and of all."""
    inside = logits[:, brain]
    kinds = inside[:CLASSES].argmax(axis=0)
    labels = kinds + RIGHT * (PAIRED[kinds] & (inside[CLASSES] > 0))
    winning = 1 / np.exp(inside[:CLASSES] - inside[:CLASSES].max(axis=0)).sum(axis=0)
    means = {int(label): float(winning[labels == label].mean()) for label in np.unique(labels)}
    return means, float(winning[kinds > 0].mean())


def labels_on(
    geometry: Geometry,
    box: Geometry,
    logits: NDArray[np.float32],
    brain: NDArray[np.bool_],
    *,
    progress: Progress = no_progress,
) -> NDArray[np.uint8]:
    """Labels on another grid: logits are interpolated linearly, then compared.

    Args:
        geometry: the grid wanted.
        box: the grid of the logits.
        logits: (CLASSES + 1, K, J, I).
        brain: (K, J, I) where on the box a structure may be; nothing is labelled farther than a voxel away.
        progress: is told each slice.
    """
    from scipy import ndimage

    nearby = ndimage.binary_dilation(brain, iterations=1)
    rows = np.ascontiguousarray(np.moveaxis(logits, 0, -1))
    labels = np.zeros(geometry.shape, np.uint8)
    for k in range(geometry.shape[0]):
        progress(0.4 + 0.6 * k / geometry.shape[0], "bringing the labels back")
        j, i = np.divmod(np.arange(geometry.shape[1] * geometry.shape[2]), geometry.shape[2])
        positions = box.kji(geometry.ras(np.stack([np.full_like(j, k), j, i], axis=-1)))
        within = np.flatnonzero(((positions >= 0) & (positions <= np.array(box.shape) - 1)).all(axis=-1))
        wanted = within[nearby[tuple(np.rint(positions[within]).astype(np.intp).T)]]
        labels[k, j[wanted], i[wanted]] = _labels_at(rows, positions[wanted])
    return labels


def _labels_at(rows: NDArray[np.float32], positions: FloatArray) -> NDArray[np.uint8]:
    """Labels (N,) at positions (N, 3) among logits (K, J, I, CLASSES + 1)."""
    low = np.minimum(positions.astype(np.intp), np.array(rows.shape[:3]) - 2)
    fraction = (positions - low).astype(np.float32)
    logits = np.zeros((len(positions), rows.shape[-1]), np.float32)
    for corner in np.ndindex(2, 2, 2):
        weight = np.where(corner, fraction, 1 - fraction).prod(axis=-1)
        logits += weight[:, None] * rows[tuple((low + corner).T)]
    kinds = logits[:, :CLASSES].argmax(axis=-1)
    right = PAIRED[kinds] & (logits[:, CLASSES] > 0)
    return np.asarray(kinds + RIGHT * right, dtype=np.uint8)


def _middle_of_image(volume: Volume) -> FloatArray:
    """RAS centre of mass of what is brighter than the mean: within the head of most images."""
    voxels = np.nan_to_num(np.asarray(volume.voxels, dtype=np.float32))
    bright = np.argwhere(voxels > voxels.mean())
    middle = bright.mean(axis=0) if len(bright) else (np.array(voxels.shape) - 1) / 2
    return volume.geometry.ras(middle)


def _middle(brain: NDArray[np.bool_], box: Geometry) -> FloatArray:
    """RAS middle of the bounding box of a brain."""
    where = np.argwhere(brain)
    return box.ras((where.min(axis=0) + where.max(axis=0)) / 2)
