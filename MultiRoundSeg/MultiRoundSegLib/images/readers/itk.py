"""Reads NRRD and MetaImage through SimpleITK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import FloatArray, Geometry

from .nrrd_header import read_nrrd_header
from .quiet import quiet_codecs
from .stored import Array, StoredImage

# ITK counts patient positions towards left and back, this program towards right and front.
LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0])


def read_nrrd(path: Path) -> StoredImage:
    """Read a .nrrd or .nhdr file; a further axis of kind "list" counts frames.

    Raises:
        ImageReadError: not NRRD, cut short, or of a kind that is no image.
    """
    header = read_nrrd_header(path)
    stored = _read(path)
    if not header.counts_layers or stored.voxels.shape[0] > 1:
        return stored
    return StoredImage(np.moveaxis(stored.voxels, -1, 0)[:, 0, ..., None], stored.geometry)


def read_meta_image(path: Path) -> StoredImage:
    """Read a .mha or .mhd file.

    Raises:
        ImageReadError: not a MetaImage, cut short, or without its data file.
    """
    return _read(path)


def _read(path: Path) -> StoredImage:
    import SimpleITK

    try:
        with quiet_codecs():
            image = SimpleITK.ReadImage(str(path))
            array: Array = SimpleITK.GetArrayFromImage(image)
    except RuntimeError as error:
        raise ImageReadError(
            f"{path.name} is damaged, cut short or of a kind that is not read; copy or export it again."
        ) from error
    components = image.GetNumberOfComponentsPerPixel()
    if image.GetDimension() > 4:
        raise ImageReadError(f"{path.name} has {image.GetDimension()} dimensions; save one volume of it.")
    sizes = [1, 1, *image.GetSize()[::-1]][-4:]
    voxels = array.reshape(*sizes, components)
    return StoredImage(voxels, Geometry((sizes[1], sizes[2], sizes[3]), _ijk_to_ras(image)))


def _ijk_to_ras(image: Any) -> FloatArray:
    """(4, 4), mm, of the first three axes; a 2-D image lies in the axial plane through the origin."""
    rank = min(image.GetDimension(), 3)
    dimension = image.GetDimension()
    direction, spacing, origin = np.eye(3), np.ones(3), np.zeros(3)
    direction[:rank, :rank] = np.reshape(image.GetDirection(), (dimension, dimension))[:rank, :rank]
    spacing[:rank] = image.GetSpacing()[:rank]
    origin[:rank] = image.GetOrigin()[:rank]
    affine = np.eye(4)
    affine[:3, :3] = LPS_TO_RAS @ (direction * spacing)
    affine[:3, 3] = LPS_TO_RAS @ origin
    return affine
