"""How bright each tissue is in a synthetic image: anything at all, or grey, white and fluid as MR shows them.

The idea is SynthSeg's (Billot et al., Medical Image Analysis 2023): a network that saw every contrast
needs no image of a particular one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .label_maps import EXTRA, FLUID, OUTSIDE, TISSUES

Floats = NDArray[np.float32]

# How far a tissue lies from grey (0) to white matter (1) where MR tells the two apart by myelin; read off
# T1-weighted images scaled to white matter 110, cortex 70. Tissues by FreeSurfer number.
_WHITENESS = {
    2: 1.0,
    3: 0.0,
    7: 0.95,
    8: -0.05,
    10: 0.5,
    11: 0.2,
    12: 0.35,
    13: 0.75,
    16: 0.75,
    17: 0.0,
    18: 0.0,
    25: 0.2,
    26: 0.1,
    28: 0.65,
    85: 0.6,
    136: -0.3,
}
_FLUIDS = (4, 5, 14, 15, 24)
_T1, _T2, _FLAIR = (0.63, 1.0, 0.15), (0.55, 0.35, 1.0), (0.85, 0.65, 0.15)  # grey, white, fluid
_BRAIN = [index for index, number in enumerate(TISSUES) if number not in EXTRA or number in (25, 136)]


def tissue_means(rng: np.random.Generator, *, strength: float, arbitrary: float = 0.4) -> Floats:
    """A random brightness, about 0..1, of every tissue.

    Args:
        rng: where chance comes from.
        strength: 0 draws MR-like contrasts only, 1 also arbitrary ones.
        arbitrary: how often, at full strength, tissues are unlike those of any MR.
    """
    means = rng.uniform(0, 1, len(TISSUES))
    if rng.random() >= arbitrary * strength:
        grey, white, fluid = _grey_white_fluid(rng)
        for index, number in enumerate(TISSUES):
            if number in _FLUIDS:
                means[index] = fluid + rng.normal(0, 0.03)
            elif number in _WHITENESS:
                whiteness = _WHITENESS[number] + rng.normal(0, 0.08)
                means[index] = grey + whiteness * (white - grey) + rng.normal(0, 0.02)
    means[OUTSIDE] = rng.uniform(0, 1) if rng.random() < 0.15 else rng.uniform(0, 0.1)
    return means.astype(np.float32)


def strip_skull(rng: np.random.Generator, means: Floats) -> Floats:
    """Brightnesses of an image whose skull was removed: zero outside the brain, perhaps without its fluid."""
    kept = [*_BRAIN, FLUID, TISSUES.index(30), TISSUES.index(85)]
    if rng.random() < 0.5:
        kept.remove(FLUID)
    stripped = np.zeros_like(means)
    stripped[kept] = means[kept]
    return stripped


def _grey_white_fluid(rng: np.random.Generator) -> tuple[float, float, float]:
    """Brightness of grey and white matter and fluid: a known weighting with some play, or random."""
    choice = rng.random()
    if choice < 0.6:
        known = _T1 if choice < 0.36 else _T2 if choice < 0.48 else _FLAIR
        grey, white, fluid = np.array(known) + rng.normal(0, 0.06, 3)
        return float(grey), float(white), float(fluid)
    grey, white, fluid = rng.uniform(0, 1, 3)
    while abs(grey - white) < 0.1:
        white = rng.uniform(0, 1)
    return float(grey), float(white), float(fluid)
