"""Dice, gIoU and cIoU as the field reports them for reasoning segmentation.

gIoU is the mean of the IoU of all masks, cIoU the sum of all intersections over the sum of all unions. Where neither
mask has a pixel, Dice and IoU are 1. The published code of MediRound adds 1e-5 or so to its denominators, so that a
perfect score reads 0.99999, and gives a cIoU of 0 where nothing was to be found and nothing was; here it is 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Overlap:
    """Two masks compared.

    Attributes:
        intersection: pixels in both.
        predicted: pixels of the prediction.
        truth: pixels of the truth.
    """

    intersection: int
    predicted: int
    truth: int

    @property
    def union(self) -> int:
        """Pixels in either."""
        return self.predicted + self.truth - self.intersection

    @property
    def dice(self) -> float:
        """2 I / (A + B)."""
        return 2 * self.intersection / (self.predicted + self.truth) if self.union else 1.0

    @property
    def iou(self) -> float:
        """I / U."""
        return self.intersection / self.union if self.union else 1.0


def overlap(predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Overlap:
    """Compare two masks of one shape.

    Raises:
        ValueError: they have different shapes.
    """
    if predicted.shape != truth.shape:
        raise ValueError(f"masks of {predicted.shape} and {truth.shape} cannot be compared")
    counts = (np.count_nonzero(mask) for mask in (predicted & truth, predicted, truth))
    return Overlap(*map(int, counts))


def summary(overlaps: Iterable[Overlap]) -> dict[str, float | int]:
    """All masks together: "dice", "giou", "ciou" and their "count"; of none, only the count."""
    found = list(overlaps)
    if not found:
        return {"count": 0}
    union = sum(one.union for one in found)
    return {
        "dice": float(np.mean([one.dice for one in found])),
        "giou": float(np.mean([one.iou for one in found])),
        "ciou": sum(one.intersection for one in found) / union if union else 1.0,
        "count": len(found),
    }
