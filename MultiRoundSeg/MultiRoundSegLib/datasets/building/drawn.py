"""Regions as a person might draw them, made from true ones."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from MultiRoundSegLib.datasets.dialogues import Region


def by_hand(region: Region, rng: np.random.Generator) -> Region:
    """A structure a little too large, too small or aside; what is moved over the edge of the picture is cut off.

    Args:
        region: (H, W) bool.
        rng: chooses.
    """
    drawn = [region, ndimage.binary_dilation(region), ndimage.binary_erosion(region)][int(rng.integers(3))]
    moved: Region = ndimage.shift(drawn.astype(np.uint8), rng.integers(-1, 2, size=2), order=0) > 0
    return moved if moved.any() else region
