"""Reads PNG, JPEG, TIFF and BMP through Pillow, which reports a picture that is cut short."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.geometry import Geometry

from .itk import LPS_TO_RAS
from .stored import Array, StoredImage

_GREY = ("L", "I", "I;16", "I;16B", "I;16L", "F")
_WITH_RESOLUTION = ("JPEG", "TIFF")
_MM_PER_INCH = 25.4


def read_picture(path: Path) -> StoredImage:
    """Read a picture as a volume; pages of a TIFF are its slices.

    Grey pictures of 8, 16 or 32 bits keep their values; all others become 8-bit RGB without alpha. The
    picture lies in the axial plane, its first row in front. A pixel is 1 mm wide, or as wide as the
    resolution in a JPEG or TIFF says; Slicer does the same.

    Raises:
        ImageReadError: not a picture, cut short, or with pages of different sizes.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures
            with Image.open(path) as picture:
                spacing = _pixel_spacing(picture)
                pages = []
                for page in range(getattr(picture, "n_frames", 1)):
                    picture.seek(page)
                    pages.append(_page(picture))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ImageReadError(f"{path.name} is damaged, cut short or no picture; choose another file.") from error
    if len({page.shape for page in pages}) > 1:
        raise ImageReadError(f"{path.name} has pages of different sizes; save them as separate files.")
    voxels = np.stack(pages)[None]
    affine = np.eye(4)
    affine[:3, :3] = LPS_TO_RAS * (*spacing, 1.0)
    return StoredImage(voxels, Geometry(voxels.shape[1:4], affine))


def _page(picture: Any) -> Array:
    """(J, I, C)."""
    if picture.mode in _GREY:
        return np.array(picture)[..., None]
    if picture.mode in ("1", "LA"):
        return np.array(picture.convert("L"))[..., None]
    return np.array(picture.convert("RGB"))


def _pixel_spacing(picture: Any) -> tuple[float, float]:
    """Along (i, j), mm."""
    if picture.format not in _WITH_RESOLUTION or "dpi" not in picture.info:
        return 1.0, 1.0
    across, down = (float(dots) for dots in picture.info["dpi"])
    if across <= 1 or down <= 1:  # Pillow's word for a TIFF without resolution
        return 1.0, 1.0
    return _MM_PER_INCH / across, _MM_PER_INCH / down
