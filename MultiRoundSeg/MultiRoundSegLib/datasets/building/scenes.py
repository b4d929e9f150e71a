"""Pictures with labelled structures: the slices of a labelled volume that show the most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.anatomy import Anatomy, Entity
from MultiRoundSegLib.datasets.dialogues import Region
from MultiRoundSegLib.images import Mask, SliceView, Volume, union
from MultiRoundSegLib.images.slice_view import Plane, voxel_axes


@dataclass(frozen=True)
class Scene:
    """One picture and what is labelled in it.

    Attributes:
        patient: whose it is; all of one patient go to one split.
        name: of the picture, for file names.
        picture: (H, W, 3) uint8 RGB.
        regions: (H, W) of each structure that can be seen, the largest first.
        modality: "CT", "MR" ...; as the source says it.
        absent: structures that are labelled in the scan and have no pixel here.
        plane: along which it was cut, in radiological display; None where that is not known, and so neither are
            the directions of the picture.
    """

    patient: str
    name: str
    picture: NDArray[np.uint8]
    regions: Mapping[Entity, Region]
    absent: tuple[Entity, ...]
    modality: str
    plane: Plane | None


@dataclass(frozen=True)
class Sight:
    """Which structures count as seen, and how many slices of a volume are taken.

    Attributes:
        planes: to cut along.
        slices: of one volume along each plane, at most.
        least_pixels: of a region that can be seen.
        apart_mm: two slices of one plane are at least so far from each other.
    """

    planes: tuple[Plane, ...]
    slices: int
    least_pixels: int
    apart_mm: float


def scenes_of(
    patient: str, scan: str, volume: Volume, masks: Sequence[Mask], anatomy: Anatomy, sight: Sight
) -> Iterator[Scene]:
    """The slices of a volume that show the most of what is labelled.

    Args:
        patient: whose it is.
        scan: a name for this scan of the patient, with which the scenes' begin.
        volume: the image.
        masks: on its grid; those whose name is no structure's are left out.
        anatomy: knows the names.
        sight: what is taken.
    """
    named = _together(masks, anatomy)
    for plane in sight.planes:
        for index in _slices(list(named.values()), volume, plane, sight):
            view = SliceView(plane, index)
            regions = {entity: view.region(mask) for entity, mask in named.items()}
            yield Scene(
                patient,
                f"{scan}_{plane}_{index:04d}",
                view.pixels(volume),
                visible(regions, sight.least_pixels),
                tuple(entity for entity, region in regions.items() if not region.any()),
                volume.modality,
                plane,
            )


def visible(regions: Mapping[Entity, Region], least_pixels: int) -> dict[Entity, Region]:
    """Those that can be seen, the largest first."""
    sizes = {entity: int(np.count_nonzero(region)) for entity, region in regions.items()}
    seen = [entity for entity, size in sizes.items() if size >= least_pixels]
    return {entity: regions[entity] for entity in sorted(seen, key=lambda e: (-sizes[e], e.name("en")))}


def unknown_labels(masks: Iterable[Mask], anatomy: Anatomy) -> list[str]:
    """The labels of masks that are no structure, by name or code."""
    return [mask.label for mask in masks if anatomy.identify(mask.label, mask.code) is None]


def _together(masks: Sequence[Mask], anatomy: Anatomy) -> dict[Entity, Mask]:
    """The masks by what they show; of two that show the same, all voxels count."""
    found: dict[Entity, list[Mask]] = {}
    for mask in masks:
        entity = anatomy.identify(mask.label, mask.code)
        if entity is not None:
            found.setdefault(entity, []).append(mask)
    return {entity: union(same, same[0].label, same[0].code) for entity, same in found.items()}


def _slices(masks: Sequence[Mask], volume: Volume, plane: Plane, sight: Sight) -> list[int]:
    """Numbers of slices: each next one shows the most that is not shown yet, then the most at all."""
    axis = voxel_axes(volume.geometry)[plane]
    others = [volume.geometry.spacing[2 - other] for other in range(3) if other != axis]
    pixels_a_voxel = others[0] * others[1] / min(others) ** 2
    seen = np.zeros((len(masks), volume.geometry.shape[axis]), bool)
    for row, mask in zip(seen, masks, strict=True):
        row[mask.bounding_box()[axis]] = mask.profile(axis) * pixels_a_voxel >= sight.least_pixels
    chosen: list[int] = []
    shown = np.zeros(len(masks), bool)
    gap = sight.apart_mm / volume.geometry.spacing[2 - axis]
    free = seen.sum(axis=0) >= 2
    while len(chosen) < sight.slices and free.any():
        new, all_of_it = seen[~shown].sum(axis=0), seen.sum(axis=0)
        best = int(np.argmax(np.where(free, new * (len(masks) + 1) + all_of_it, -1)))
        chosen.append(best)
        shown |= seen[:, best]
        free &= np.abs(np.arange(len(free)) - best) >= gap
        free[best] = False
    return sorted(chosen)
