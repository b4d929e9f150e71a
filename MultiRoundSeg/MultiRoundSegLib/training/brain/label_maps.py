"""Label maps of heads as the brain network's training sees them: cropped, along RAS, one byte a voxel.

Beyond the structures to learn, the maps hold what else an image shows: skull, skin, vessels. Every
FreeSurfer number becomes an index into `TISSUES`, so that both sides of a structure look alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import CLASSES, KINDS, RIGHT

MARGIN_MM = 40  # of head kept around the brain
# Numbers of the label maps that are no structure to learn: {number: (appearance, label it counts as)}.
# An appearance is a FreeSurfer number whose tissue it shares, or itself.
_WHITE, _VENTRICLE, _HORN = 1, 3, 4
EXTRA = {
    0: (0, 0),
    24: (24, 0),  # fluid around the brain
    25: (25, _WHITE),  # lesion of the white matter
    57: (25, _WHITE + RIGHT),
    30: (30, 0),  # vessel
    62: (30, 0),
    72: (24, 0),  # fifth ventricle
    85: (85, 0),  # optic chiasm
    136: (136, _VENTRICLE),  # choroid plexus
    163: (136, _VENTRICLE + RIGHT),
    137: (136, _HORN),
    164: (136, _HORN + RIGHT),
    **{number: (number, 0) for number in (502, 506, 507, 508, 509, 511, 512, 514, 515, 516, 530)},
}
TISSUES = (*(kind.left for kind in KINDS), *sorted({tissue for tissue, _ in EXTRA.values()}))
OUTSIDE = TISSUES.index(0)
FLUID = TISSUES.index(24)


@dataclass(frozen=True)
class LabelMap:
    """A head.

    Attributes:
        tissues: (K, J, I) uint8 indices into `TISSUES`; axes are superior, anterior, right; 1 mm voxels.
        labels: (K, J, I) uint8 labels to learn, as `structures` defines them.
        brain_centre: (3,) (k, j, i) middle of the brain's bounding box.
    """

    tissues: NDArray[np.uint8]
    labels: NDArray[np.uint8]
    brain_centre: NDArray[np.float32]

    def save(self, path: Path) -> None:
        """Write the map as a compressed .npz."""
        np.savez_compressed(path, tissues=self.tissues, labels=self.labels, brain_centre=self.brain_centre)

    @classmethod
    def load(cls, path: Path) -> LabelMap:
        """Read what `save` wrote."""
        with np.load(path) as file:
            return cls(file["tissues"], file["labels"], file["brain_centre"])


def read_label_map(path: Path) -> LabelMap:
    """Read a label map with FreeSurfer numbers and 1 mm voxels along the axes of the patient.

    Raises:
        ValueError: the voxels are not 1 mm, or a number is unknown.
    """
    import SimpleITK as sitk  # noqa: N813 - the name everybody uses

    image = sitk.DICOMOrient(sitk.ReadImage(str(path)), "RAS")  # axes that run towards these
    if not np.allclose(image.GetSpacing(), 1, atol=1e-3):
        raise ValueError(f"{path.name} has voxels of {image.GetSpacing()} mm, not 1 mm")
    return label_map(np.rint(sitk.GetArrayFromImage(image)).astype(np.int64))


def label_map(numbers: NDArray[np.int64]) -> LabelMap:
    """A label map from FreeSurfer numbers (K, J, I) along (superior, anterior, right), 1 mm.

    Raises:
        ValueError: a number is unknown.
    """
    tissue_of, label_of = _tables()
    unknown = np.setdiff1d(np.unique(numbers), list(tissue_of))
    if unknown.size:
        raise ValueError(f"the label map holds unknown FreeSurfer numbers: {unknown.tolist()}")
    size = max(tissue_of) + 1
    tissues, labels = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    for number in tissue_of:
        tissues[number], labels[number] = tissue_of[number], label_of[number]
    brain = np.argwhere(labels[numbers] > 0)
    low = np.maximum(brain.min(axis=0) - MARGIN_MM, 0)
    crop = tuple(slice(a, b + 1 + MARGIN_MM) for a, b in zip(low, brain.max(axis=0), strict=True))
    centre = (brain.min(axis=0) + brain.max(axis=0)) / 2 - low
    return LabelMap(tissues[numbers[crop]], labels[numbers[crop]], centre.astype(np.float32))


def _tables() -> tuple[dict[int, int], dict[int, int]]:
    """The tissue and the label of every FreeSurfer number."""
    tissue_of = {number: TISSUES.index(tissue) for number, (tissue, _) in EXTRA.items()}
    label_of = {number: label for number, (_, label) in EXTRA.items()}
    for index in range(1, CLASSES):
        kind = KINDS[index - 1]
        tissue_of[kind.left], label_of[kind.left] = index - 1, index
        if kind.right is not None:
            tissue_of[kind.right], label_of[kind.right] = index - 1, index + RIGHT
    return tissue_of, label_of
