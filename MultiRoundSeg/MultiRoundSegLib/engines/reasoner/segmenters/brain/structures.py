"""The structures of the brain network, and how FreeSurfer's numbers map to them.

Numbers are those of FreeSurferColorLUT.txt. A label is one byte: the kind of structure (0 is
background), plus `RIGHT` where a paired structure lies on the right. The network itself tells the
kinds apart and, separately, left from right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RIGHT = 32


@dataclass(frozen=True)
class Kind:
    """One kind of structure.

    Attributes:
        name: lower case, without the side.
        left: FreeSurfer number of the structure, or of its left half.
        right: FreeSurfer number of the right half; None for a structure of the midline.
    """

    name: str
    left: int
    right: int | None = None


KINDS = (
    Kind("cerebral white matter", 2, 41),
    Kind("cerebral cortex", 3, 42),
    Kind("lateral ventricle", 4, 43),
    Kind("inferior lateral ventricle", 5, 44),
    Kind("cerebellum white matter", 7, 46),
    Kind("cerebellum cortex", 8, 47),
    Kind("thalamus", 10, 49),
    Kind("caudate", 11, 50),
    Kind("putamen", 12, 51),
    Kind("pallidum", 13, 52),
    Kind("hippocampus", 17, 53),
    Kind("amygdala", 18, 54),
    Kind("accumbens area", 26, 58),
    Kind("ventral diencephalon", 28, 60),
    Kind("third ventricle", 14),
    Kind("fourth ventricle", 15),
    Kind("brain stem", 16),
)
CLASSES = len(KINDS) + 1  # with background
PAIRED = np.array([False, *(kind.right is not None for kind in KINDS)])


def label_numbers() -> dict[int, int]:
    """FreeSurfer number of every label byte: {label: number}."""
    numbers = {}
    for index, kind in enumerate(KINDS, start=1):
        numbers[index] = kind.left
        if kind.right is not None:
            numbers[index + RIGHT] = kind.right
    return numbers


def swap_sides(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Labels with left and right exchanged; structures of the midline stay."""
    swapped = np.where(PAIRED[labels & (RIGHT - 1)], labels ^ RIGHT, labels)
    return swapped.astype(np.uint8)
