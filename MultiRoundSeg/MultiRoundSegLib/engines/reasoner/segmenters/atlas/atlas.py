"""An atlas: an image and its masks, in memory or named by files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from MultiRoundSegLib.images import Mask, Volume
from MultiRoundSegLib.images.readers import read_segmentation, read_volume


@dataclass(frozen=True, eq=False)
class Atlas:
    """A template or a patient's earlier scan.

    Attributes:
        volume: the image.
        masks: gives its masks as they are now, on the image's grid; they may overlap. Asked in every round, so
            that corrections count.
    """

    volume: Volume
    masks: Callable[[], Sequence[Mask]]


def read_atlas(image: Path | str, labels: Path | str, names: Path | str | None = None) -> Atlas:
    """An atlas of an image file and its segmentation.

    Args:
        image: any image that `read_volume` reads.
        labels: the segmentation on the image's voxels: .seg.nrrd, DICOM SEG or a label map.
        names: the table of names of a label map, where the map does not carry them.

    Raises:
        ImageReadError: a file cannot be used.
        GeometryMismatchError: image and segmentation do not share their voxels.
    """
    volume = read_volume(image)
    masks = read_segmentation(labels, reference=volume.geometry, names=names)
    return Atlas(volume, lambda: masks)
