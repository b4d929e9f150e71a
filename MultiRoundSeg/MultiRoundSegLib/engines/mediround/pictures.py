"""From a picture to what the two encoders see, and the crop and box of a mask in it.

A picture is (H, W, 3) uint8 RGB. Boxes are (x0, y0, x1, y1) of the first and last pixel inside, over width and
height, as published.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

Picture = NDArray[np.uint8]
Region = NDArray[np.bool_]

CLIP_MEAN, CLIP_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
SAM_MEAN, SAM_STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
_TOO_FEW = 9
"""A mask that lets no more than so many pixels show anything stands for the whole picture (published rule)."""


def clip_pixels(picture: Picture, side: int) -> Tensor:
    """(3, side, side) for the vision tower: the middle square of the picture, its shorter side scaled to `side`."""
    height, width = picture.shape[:2]
    short = min(height, width)
    scaled = (int(side * width / short), int(side * height / short))
    image = Image.fromarray(picture).resize(scaled, Image.Resampling.BICUBIC)
    left, top = (scaled[0] - side) // 2, (scaled[1] - side) // 2
    pixels = np.asarray(image.crop((left, top, left + side, top + side)), dtype=np.float32) / np.float32(255)
    return _normalised(pixels, CLIP_MEAN, CLIP_STD)


def sam_pixels(picture: Picture, side: int) -> tuple[Tensor, tuple[int, int]]:
    """(3, side, side) for the mask encoder, and the height and width that the picture takes of it; the rest is 0."""
    size = resized_to(picture.shape[:2], side)
    image = Image.fromarray(picture).resize(size[::-1], Image.Resampling.BILINEAR)
    pixels = _normalised(np.asarray(image, dtype=np.float32), SAM_MEAN, SAM_STD)
    return F.pad(pixels, (0, side - size[1], 0, side - size[0])), size


def resized_to(shape: tuple[int, ...], side: int) -> tuple[int, int]:
    """Height and width of a picture whose longer side is scaled to `side`."""
    scale = side / max(shape)
    return int(shape[0] * scale + 0.5), int(shape[1] * scale + 0.5)


def crop_of(picture: Picture, region: Region) -> Picture:
    """The picture within a mask, cut to it and put into the upper left of a black square."""
    shown = picture * region[..., None].astype(np.uint8)
    return _squared(shown[_window(region)])


def box_of(region: Region) -> tuple[float, float, float, float]:
    """The box of a mask; of an empty one, the whole picture."""
    height, width = region.shape
    rows, columns = _window(region if region.any() else np.ones_like(region))
    return columns.start / width, rows.start / height, (columns.stop - 1) / width, (rows.stop - 1) / height


def reference_of(picture: Picture, region: Region) -> tuple[Picture, tuple[float, float, float, float]]:
    """Crop and box of a mask that was predicted or drawn, as published for predictions.

    A mask that shows next to nothing stands for the whole picture. The crop is cut to what is not black in it.
    """
    shown = picture * region[..., None].astype(np.uint8)
    if np.count_nonzero(shown[..., 0]) <= _TOO_FEW:
        region, shown = np.ones_like(region), picture
    visible: Region = np.asarray(shown.any(axis=-1))
    return _squared(shown[_window(visible if visible.any() else region)]), box_of(region)


def _window(region: Region) -> tuple[slice, slice]:
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _squared(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    side = max(height, width)
    return np.pad(picture, ((0, side - height), (0, side - width), (0, 0)))


def _normalised(pixels: NDArray[np.float32], mean: tuple[float, ...], std: tuple[float, ...]) -> Tensor:
    scaled = (torch.from_numpy(pixels.copy()) - torch.tensor(mean)) / torch.tensor(std)
    return scaled.permute(2, 0, 1).contiguous()
