"""SA-Med2D-20M's names of files, which say modality, data set, case and slice of a picture.

    images/{modality}_{part}--{data set}--{case}--{axis}_{slice}.png
    masks/{picture}--{class:04d}_{instance:03d}.png
    SAMed2D_v1.json                     {picture: [masks]}
    SAMed2D_v1_class_mapping_id.json    {data set: {label: class}}

Source: the data set's card (OpenGVLab/SA-Med2D-20M). Names of data sets and cases hold "_", never "--".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from MultiRoundSegLib.errors import DatasetError

from .checking import Item, read_json

_MASK = re.compile(r"(\d{4})_(\d{3})")
_SLICE = re.compile(r"([a-z]+)_(\d+)")


@dataclass(frozen=True)
class PictureName:
    """What the name of a picture says.

    Attributes:
        modality: with the part of it, such as "ct_00" or "mr_t1".
        dataset: where the scan comes from.
        case: the scan; slices of one case belong to one patient.
        axis: along which it was cut.
        index: of the slice.
    """

    modality: str
    dataset: str
    case: str
    axis: str
    index: int


@dataclass(frozen=True)
class MaskName:
    """What the name of a mask says.

    Attributes:
        picture: it belongs to.
        class_id: of the structure, in the numbers of the picture's data set.
        instance: which of several.
    """

    picture: PictureName
    class_id: int
    instance: int


def picture_name(name: str) -> PictureName:
    """Read the name of a picture.

    Raises:
        DatasetError: it is none of SA-Med2D-20M.
    """
    parts = PurePosixPath(name).stem.split("--")
    cut = _SLICE.fullmatch(parts[-1]) if len(parts) == 4 else None
    if cut is None:
        raise DatasetError(f"{PurePosixPath(name).name} is no name of SA-Med2D-20M.")
    return PictureName(parts[0], parts[1], parts[2], cut[1], int(cut[2]))


def mask_name(name: str) -> MaskName:
    """Read the name of a mask.

    Raises:
        DatasetError: it is none of SA-Med2D-20M.
    """
    picture, _, tail = PurePosixPath(name).stem.rpartition("--")
    numbers = _MASK.fullmatch(tail)
    if numbers is None:
        raise DatasetError(f"{PurePosixPath(name).name} is no name of a mask of SA-Med2D-20M.")
    return MaskName(picture_name(f"{picture}.png"), int(numbers[1]), int(numbers[2]))


def modality_of(name: str) -> str:
    """The modality that a picture's name begins with, such as "ct"; "" where it says none."""
    try:
        return picture_name(name).modality.split("_")[0]
    except DatasetError:
        return ""


@dataclass(frozen=True)
class Index:
    """The pictures of an unpacked SA-Med2D-20M, and the names of its classes.

    Attributes:
        masks: of each picture, both relative to the folder.
        labels: of each data set: {class: label}.
    """

    masks: dict[str, list[str]]
    labels: dict[str, dict[int, str]]

    def label(self, mask: str) -> str:
        """The structure of a mask.

        Raises:
            DatasetError: its data set has no such class.
        """
        name = mask_name(mask)
        try:
            return self.labels[name.picture.dataset][name.class_id]
        except KeyError as error:
            raise DatasetError(f"{mask}: {name.picture.dataset} has no class {name.class_id}.") from error


def read_index(folder: Path) -> Index:
    """Read the two JSON files of SA-Med2D-20M.

    Raises:
        DatasetError: one is missing or damaged.
    """
    files, classes = folder / "SAMed2D_v1.json", folder / "SAMed2D_v1_class_mapping_id.json"
    masks = Item(read_json(files), files.name)
    for name, value in masks.entries():
        if not isinstance(value, list) or not all(isinstance(mask, str) for mask in value):
            raise masks.fault(name, "is no list of masks")
    mapping = Item(read_json(classes), classes.name)
    labels: dict[str, dict[int, str]] = {}
    for dataset, value in mapping.entries():
        numbers = dict(Item(value, f"{classes.name}, {dataset}").entries())
        if not all(str(number).isdigit() for number in numbers.values()):
            raise mapping.fault(dataset, "has a class that is no number")
        labels[dataset] = {int(number): label for label, number in numbers.items()}
    return Index(dict(masks.entries()), labels)
