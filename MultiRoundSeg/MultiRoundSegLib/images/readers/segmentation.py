"""Opens a segmentation of any supported format as masks on an image's grid."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.mask import Mask

from .dicom_files import dicom_header
from .dicom_seg import read_dicom_seg
from .label_names import read_label_names
from .lattice import part_of_grid
from .nrrd_header import read_nrrd_header
from .seg_nrrd import is_seg_nrrd, read_seg_nrrd
from .stored import Array, StoredImage, rescaled
from .volume_file import stored_reader


def read_segmentation(
    path: Path | str, *, reference: Geometry, names: Path | str | Mapping[int, str] | None = None
) -> list[Mask]:
    """Read Slicer's .seg.nrrd, a DICOM SEG, or a label map in any image format.

    Args:
        path: the file.
        reference: the grid of the image it belongs to; every mask lies on the whole of it. A file that covers a crop
            of the same voxels, or counts them along other axes, is placed voxel by voxel.
        names: of the label values of a label map, or the file that holds them (see
            `read_label_names`). Without it a label table in the NIfTI header is used, and
            values without a name are called "label 7". Other formats carry their names.

    Returns:
        One mask for each segment, or for each label value in the map from the smallest.

    Raises:
        ImageReadError: the file is no segmentation, or cannot be read.
        GeometryMismatchError: it lies on other voxels than the image, or reaches outside it.
    """
    path = Path(path)
    reader = stored_reader(path)
    if reader is None:
        return _dicom_segments(path, reference)
    if path.suffix.lower() in (".nrrd", ".nhdr"):
        header = read_nrrd_header(path)
        if is_seg_nrrd(header):
            return read_seg_nrrd(path, header, reference)
    table = read_label_names(names) if isinstance(names, (str, Path)) else names
    return _labels(reader(path), reference, path.name, table)


def _dicom_segments(path: Path, reference: Geometry) -> list[Mask]:
    header = dicom_header(path)
    if header is None or header.get("Modality") != "SEG" or "SegmentSequence" not in header:
        raise ImageReadError(
            f"{path.name} is no segmentation; choose a .seg.nrrd, a label map (such as NIfTI) or a DICOM SEG."
        )
    return read_dicom_seg(path, header, reference)


def _labels(stored: StoredImage, reference: Geometry, file_name: str, names: Mapping[int, str] | None) -> list[Mask]:
    from scipy import ndimage

    labels, corner = part_of_grid(_label_values(stored, file_name), stored.geometry, reference, file_name)
    table = stored.names if names is None else names
    masks = []
    for value, box in enumerate(ndimage.find_objects(labels), start=1):
        if box is not None:
            k, j, i = (start + part.start for start, part in zip(corner, box, strict=True))
            name = table.get(value, f"label {value}")
            masks.append(Mask.from_crop(labels[box] == value, (k, j, i), reference, name))
    return masks


def _label_values(stored: StoredImage, name: str) -> Array:
    """(K, J, I) int32.

    Raises:
        ImageReadError: the file is no label map.
    """
    frames, *_, components = stored.voxels.shape
    if frames > 1 or components > 1:
        raise ImageReadError(f"{name} is no label map: it holds several values per voxel; choose another file.")
    values = rescaled(stored.voxels[0, ..., 0], stored.slope, stored.intercept)
    labels = values.astype(np.int32)
    if not np.array_equal(labels, values) or labels.min() < 0:
        raise ImageReadError(f"{name} is no label map: it holds fractions or negative values; choose another file.")
    return labels
