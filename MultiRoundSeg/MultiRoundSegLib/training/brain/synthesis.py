"""A synthetic brain image from a label map: shape, contrast, artefacts and field of view by chance.

Everything is drawn from one numpy generator, so a sample is known by its seed. A sample's `strength`,
0 to 1, says how far chance may go: training begins with mild images.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid
from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import RIGHT, swap_sides

from .contrast import strip_skull, tissue_means
from .label_maps import OUTSIDE, LabelMap

Shape = tuple[int, int, int]
_BRAIN_MM = (135.0, 170.0, 135.0)  # about the size of a brain


@dataclass(frozen=True)
class Sample:
    """A pair to learn from, on the network's grid.

    Attributes:
        image: (K, J, I) float32, normalised.
        labels: (K, J, I) uint8, as `structures` defines them.
    """

    image: NDArray[np.float32]
    labels: NDArray[np.uint8]


def synthesise(
    head: LabelMap,
    rng: np.random.Generator,
    *,
    strength: float = 1.0,
    partial: float = 0.0,
    arbitrary: float = 0.4,
    shape: Shape = grid.SHAPE,
    spacing_mm: float = grid.SPACING_MM,
) -> Sample:
    """A random image of a head and its labels.

    Args:
        head: what to show.
        rng: where chance comes from.
        strength: 0 to 1, how far chance goes.
        partial: 0 to 1, how often only a part of the brain was imaged and lies in the middle of the box.
        arbitrary: 0 to 1, how often at full strength the contrast is unlike that of any MR.
        shape: voxels (K, J, I) of the image.
        spacing_mm: their size.
    """
    middle, imaged = _part(rng, shape, spacing_mm) if partial and rng.random() < partial else (0.0, None)
    flip = rng.random() < 0.5
    points = _positions(rng, shape, spacing_mm, middle, strength=strength)
    if flip:
        points = points * torch.tensor([1.0, 1.0, -1.0])
    points = points + torch.from_numpy(head.brain_centre)
    labels = _sample(head.labels, points, "nearest").numpy().astype(np.uint8)
    if flip:
        labels = swap_sides(labels)
    means = tissue_means(rng, strength=strength, arbitrary=arbitrary)
    if rng.random() < 0.5:
        means = strip_skull(rng, means)
    image = _sample(means[head.tissues] - means[OUTSIDE], points, "bilinear") + float(means[OUTSIDE])
    image = _lesions(image, labels, rng, strength=strength)
    image = _texture(image, rng)
    image = _bias_field(image, rng, strength=strength)
    image = _resolution(image, rng, strength=strength)
    image = _noise(image, rng, strength=strength)
    pixels, labels = _field_of_view(image.numpy(), labels, rng, strength=strength)
    if imaged is not None:
        pixels, labels = np.where(imaged, pixels, 0), np.where(imaged, labels, 0)
    pixels = grid.normalise(pixels)
    gamma = float(np.exp(rng.normal(0, 0.25 * strength)))
    return Sample(np.power(pixels, gamma, dtype=np.float32), labels)


def _part(rng: np.random.Generator, shape: Shape, spacing_mm: float) -> tuple[Tensor, NDArray[np.bool_]]:
    """A part of a brain that alone was imaged: its middle, mm from the brain's, and the voxels (K, J, I) within.

    The box lies around the part, as it will when the network finds it. One end of the brain or, in a third of
    the parts, both ends are missing along one or two axes.
    """
    middle, imaged = np.zeros(3, np.float32), np.ones(shape, bool)
    for axis in rng.choice(3, size=1 + int(rng.random() < 0.2), replace=False):
        half, kept = _BRAIN_MM[axis] / 2, rng.uniform(0.4, 0.9)
        end = rng.choice([-1.0, 1.0, rng.uniform(-1, 1)])
        middle[axis] = end * (1 - kept) * half
        places = (np.arange(shape[axis]) - (shape[axis] - 1) / 2) * spacing_mm
        within = (places > -kept * half) | (end == -1), (places < kept * half) | (end == 1)
        imaged &= (within[0] & within[1]).reshape([-1 if a == axis else 1 for a in range(3)])
    return torch.from_numpy(middle), imaged


def _positions(
    rng: np.random.Generator, shape: Shape, spacing_mm: float, middle: Tensor | float, *, strength: float
) -> Tensor:
    """Where each voxel lies in a warped head: (K, J, I, 3) as (k, j, i), mm from the brain's centre."""
    axes = [(torch.arange(n, dtype=torch.float32) - (n - 1) / 2) * spacing_mm for n in shape]
    points = torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1)
    points = points + torch.from_numpy(rng.uniform(-15, 15, 3).astype(np.float32) * strength) + middle
    points = points @ torch.from_numpy(_affine(rng, strength))
    for nodes, largest_mm in ((5, 6.0), (12, 2.5)):
        sigma = rng.uniform(0, largest_mm) * strength
        points = points + _smooth_field(rng, (nodes, nodes + 2, nodes), shape, channels=3) * sigma
    return points


def _affine(rng: np.random.Generator, strength: float) -> NDArray[np.float32]:
    """Rotation up to 15 degrees, at times up to 35 about one axis, scaling by 12 percent and some shear: (3, 3)."""
    matrix = np.diag(1 + rng.uniform(-0.12, 0.12, 3) * strength)
    planes = ((0, 1), (0, 2), (1, 2))
    largest = np.full(3, 15.0)
    if rng.random() < 0.2:
        largest[rng.choice(3, p=(0.6, 0.2, 0.2))] = 35.0  # heads are nodded more than they are turned or tilted
    for (a, b), degrees in zip(planes, largest, strict=True):
        angle = np.deg2rad(rng.uniform(-degrees, degrees) * strength)
        turn = np.eye(3)
        turn[[a, a, b, b], [a, b, a, b]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
        shear = np.eye(3)
        shear[a, b] = rng.uniform(-0.05, 0.05) * strength
        matrix = matrix @ turn @ shear
    return matrix.astype(np.float32)


def _smooth_field(rng: np.random.Generator, nodes: tuple[int, int, int], shape: Shape, *, channels: int) -> Tensor:
    """Normal values at a few nodes, interpolated to the grid: (K, J, I, channels)."""
    coarse = torch.from_numpy(rng.standard_normal((1, channels, *nodes), dtype=np.float32))
    fine = F.interpolate(coarse, size=shape, mode="trilinear", align_corners=True)
    return fine[0].permute(1, 2, 3, 0)


def _sample(voxels: NDArray[np.generic], points: Tensor, mode: str) -> Tensor:
    """A volume's values (K, J, I) at positions (k, j, i) in voxels; zero beyond its edge."""
    last = torch.tensor(voxels.shape, dtype=torch.float32) - 1
    unit = (points / last * 2 - 1).flip(-1)  # grid_sample wants (i, j, k) in -1..1
    volume = torch.from_numpy(voxels.astype(np.float32, copy=False))[None, None]
    sampled = F.grid_sample(volume, unit[None], mode=mode, padding_mode="zeros", align_corners=True)
    return sampled[0, 0]


def _lesions(image: Tensor, labels: NDArray[np.uint8], rng: np.random.Generator, *, strength: float) -> Tensor:
    """In some images, blobs of another brightness in the white matter, which stays white matter."""
    if rng.random() >= 0.25 * strength:
        return image
    blobs = _smooth_field(rng, (24, 32, 24), tuple(labels.shape), channels=1)[..., 0]
    white = torch.from_numpy((labels & (RIGHT - 1)) == 1)
    return torch.where((blobs > rng.uniform(1.2, 2.0)) & white, float(rng.uniform(0, 1)), image)


def _texture(image: Tensor, rng: np.random.Generator) -> Tensor:
    """Tissue is not uniform: a smooth modulation by a few percent."""
    shape = (image.shape[0], image.shape[1], image.shape[2])
    return image * (1 + rng.uniform(0, 0.06) * _smooth_field(rng, (20, 26, 20), shape, channels=1)[..., 0])


def _bias_field(image: Tensor, rng: np.random.Generator, *, strength: float) -> Tensor:
    """The uneven sensitivity of receiver coils: a smooth positive factor."""
    shape = (image.shape[0], image.shape[1], image.shape[2])
    sigma = rng.uniform(0, 0.4) * strength
    return image * torch.exp(sigma * _smooth_field(rng, (4, 4, 4), shape, channels=1)[..., 0])


def _resolution(image: Tensor, rng: np.random.Generator, *, strength: float) -> Tensor:
    """Some images as they are, some blurred, two of five in slices up to 7 mm thick."""
    choice = rng.random()
    if choice < 1 - 0.7 * strength:
        return image
    if choice < 1 - 0.4 * strength:
        sigma = rng.uniform(0.2, 0.8)
        for axis in range(3):
            image = _blur(image, sigma, axis)
        return image
    axis = int(rng.choice(3, p=(0.3, 0.3, 0.4)))  # sagittal slices are the hardest: sides lie across them
    thickness = rng.uniform(grid.SPACING_MM, 7) / grid.SPACING_MM
    size = list(image.shape)
    size[axis] = max(2, round(size[axis] / thickness))
    # A slice's profile as a Gaussian whose full width at half maximum is its thickness.
    thick = F.interpolate(_blur(image, thickness / 2.355, axis)[None, None], size=size, mode="trilinear")
    return F.interpolate(thick, size=image.shape, mode="trilinear")[0, 0]


def _blur(image: Tensor, sigma: float, axis: int) -> Tensor:
    """Gaussian smoothing along one axis; sigma in voxels."""
    radius = max(1, round(3 * sigma))
    kernel = torch.exp(-0.5 * (torch.arange(-radius, radius + 1, dtype=torch.float32) / sigma) ** 2)
    moved = image.movedim(axis, -1)
    rows = F.pad(moved.reshape(-1, 1, moved.shape[-1]), (radius, radius), mode="replicate")
    return F.conv1d(rows, (kernel / kernel.sum())[None, None]).reshape(moved.shape).movedim(-1, axis)


def _noise(image: Tensor, rng: np.random.Generator, *, strength: float) -> Tensor:
    """Gaussian noise where something was imaged; zero stays "not imaged"."""
    sigma = rng.uniform(0, 0.07) * strength
    noise = torch.from_numpy(rng.standard_normal(tuple(image.shape), dtype=np.float32))
    return torch.where(image == 0, 0.0, (image + sigma * noise).abs())


def _field_of_view(
    image: NDArray[np.float32], labels: NDArray[np.uint8], rng: np.random.Generator, *, strength: float
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """In some images the ends of one or two axes were not imaged; nothing is to be found there."""
    if rng.random() >= 0.2 * strength:
        return image, labels
    seen = np.zeros(image.shape, bool)
    window = [slice(None)] * 3
    for axis in rng.choice(3, size=int(rng.integers(1, 3)), replace=False):
        size = image.shape[axis]
        start = int(rng.uniform(0, 0.55) * size)
        window[axis] = slice(start, None) if rng.random() < 0.5 else slice(0, size - start)
    seen[tuple(window)] = True
    return np.where(seen, image, 0).astype(np.float32), np.where(seen, labels, 0).astype(np.uint8)
