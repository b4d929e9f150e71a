"""Whether a mask's logits look like those of something that is there, without any training.

Three figures of a map, as MedVeriSeg has them (arXiv 2604.10242): how far its peaks stand out, how close together they
lie, how much of them is one piece. All above their thresholds: present; all below: absent; else unsure.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

THRESHOLDS = (0.60, 0.50, 0.60)
"""Of strength, compactness and purity, as published."""
_PEAKS, _ACTIVE, _LEAST_ACTIVE = 0.95, 0.80, 0.40
_STRENGTH_CENTRE, _STRENGTH_WIDTH, _SPREAD_WIDTH = 1.20, 0.60, 0.18


@dataclass(frozen=True)
class Evidence:
    """Three figures, 0 to 1.

    Attributes:
        strength: how far the peaks stand out of the rest.
        compactness: how close together they lie.
        purity: how much of them is one piece.
    """

    strength: float
    compactness: float
    purity: float

    @property
    def is_absent(self) -> bool:
        """Whether all three say that nothing is there."""
        return all(value < threshold for value, threshold in zip(astuple(self), THRESHOLDS, strict=True))

    def __str__(self) -> str:
        return f"strength {self.strength:.2f}, compactness {self.compactness:.2f}, purity {self.purity:.2f}"


def evidence_in(logits: NDArray[np.float32]) -> Evidence:
    """The evidence in a map (H, W)."""
    from scipy import ndimage

    middle, high = np.quantile(logits, (0.5, _PEAKS))
    scale = max(float(high - middle), 1e-6)
    raw = max((float(logits[logits >= high].mean()) - middle) / scale, 0.0)
    strength = 1 / (1 + math.exp(-(raw - _STRENGTH_CENTRE) / _STRENGTH_WIDTH))
    scores = ndimage.uniform_filter(np.maximum((logits - middle) / scale, 0), 3)
    positive = scores[scores > 0]
    if not len(positive):
        return Evidence(strength, 0.0, 0.0)
    active = np.where(scores > max(float(np.quantile(positive, _ACTIVE)), _LEAST_ACTIVE), scores, 0)
    total = float(active.sum())
    if total == 0:
        return Evidence(strength, 0.0, 0.0)
    places = np.stack(np.nonzero(active), axis=1)
    weights = active[active > 0] / total
    distances = np.linalg.norm(places - weights @ places, axis=1) / np.hypot(*active.shape)
    pieces, count = ndimage.label(active > 0, np.ones((3, 3)))
    largest = max(ndimage.sum_labels(active, pieces, range(1, count + 1)))
    return Evidence(strength, math.exp(-float(weights @ distances) / _SPREAD_WIDTH), float(largest) / total)
