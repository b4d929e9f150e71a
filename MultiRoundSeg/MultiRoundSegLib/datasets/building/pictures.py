"""Scenes of SA-Med2D-20M: pictures with masks as PNG."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from MultiRoundSegLib.anatomy import Anatomy, Entity
from MultiRoundSegLib.datasets.dialogues import Region
from MultiRoundSegLib.datasets.mr_medseg import PngMask
from MultiRoundSegLib.datasets.rgb import read_rgb
from MultiRoundSegLib.datasets.sa_med2d import Index, picture_name

from .scenes import Scene, visible

INDEX = "SAMed2D_v1.json"


def is_sa_med2d(folder: Path) -> bool:
    """Whether a folder is an unpacked SA-Med2D-20M."""
    return (folder / INDEX).is_file()


def patients_of(index: Index) -> dict[str, list[str]]:
    """The pictures of each scan, in order."""
    found: dict[str, list[str]] = {}
    for picture in sorted(index.masks):
        name = picture_name(picture)
        found.setdefault(f"{name.dataset}_{name.case}", []).append(picture)
    return dict(sorted(found.items()))


def scenes_of_pictures(
    folder: Path, patient: str, pictures: list[str], index: Index, anatomy: Anatomy, least_pixels: int, most: int
) -> Iterator[Scene]:
    """The pictures of one scan that show the most different structures.

    Args:
        folder: of the data set.
        patient: the scan.
        pictures: of it, as in the index.
        index: of the data set.
        anatomy: knows the names of the classes.
        least_pixels: of a region that can be seen.
        most: how many pictures are taken.

    Raises:
        DatasetError: a file is missing or damaged.
    """
    labels = {picture: {index.label(mask) for mask in index.masks[picture]} for picture in pictures}
    chosen = sorted(sorted(pictures, key=lambda picture: -len(labels[picture]))[:most])
    known = {entity for label in set().union(*labels.values()) if (entity := anatomy.identify(label))}
    for picture in chosen:
        regions: dict[Entity, Region] = {}
        for mask in index.masks[picture]:
            entity = anatomy.identify(index.label(mask))
            if entity:
                region = PngMask(folder / mask).read()
                regions[entity] = region | regions[entity] if entity in regions else region
        name = picture_name(picture)
        yield Scene(
            patient,
            PurePosixPath(picture).stem,
            read_rgb(folder / picture),
            visible(regions, least_pixels),
            tuple(sorted(known - set(regions), key=lambda entity: entity.name("en"))),
            name.modality.split("_")[0],
            None,
        )
