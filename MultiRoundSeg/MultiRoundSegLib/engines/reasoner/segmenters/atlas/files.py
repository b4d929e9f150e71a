"""Opens an atlas that is named by its files."""

from __future__ import annotations

from pathlib import Path

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.images.readers import read_segmentation, read_volume

from .segmenter import AtlasSegmenter


def read_atlas(
    image: Path | str, labels: Path | str, *, anatomy: Anatomy, names: Path | str | None = None
) -> AtlasSegmenter:
    """An atlas of an image file and its segmentation.

    Args:
        image: any image that `read_volume` reads.
        labels: the segmentation on the image's voxels: .seg.nrrd, DICOM SEG or a label map.
        anatomy: understands the names.
        names: the table of names of a label map, where the map does not carry them.

    Raises:
        ImageReadError: a file cannot be used.
        GeometryMismatchError: image and segmentation do not share their voxels.
    """
    atlas = read_volume(image)
    return AtlasSegmenter(atlas, read_segmentation(labels, reference=atlas.geometry, names=names), anatomy)
