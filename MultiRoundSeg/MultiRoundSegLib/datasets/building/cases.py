"""Labelled scans on disk: which image belongs to which segmentation, and to which patient.

Understood are:

    cases.csv                        columns patient, image, labels, and if need be names and modality; paths from here
    images*/ and labels*/            NAME.nii.gz or NAME_0000.nii.gz (nnU-Net) in one, NAME.nii.gz in the other
    CASE/ with segmentations/        as TotalSegmentator's data set has it: an image, and a mask file for each structure
    CASE/ of DICOM files             one image series and a DICOM SEG
    NAME.seg.nrrd beside NAME.nrrd   Slicer's segmentation beside its image

SA-Med2D-20M, which has pictures instead of scans, is read by `pictures`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images import Mask, Volume
from MultiRoundSegLib.images.readers import list_series, read_segmentation, read_volume
from MultiRoundSegLib.images.readers.dicom_files import dicom_header

_IMAGES = (".nii", ".nii.gz", ".nrrd", ".mha", ".mhd", ".mgz")
_CHANNEL = re.compile(r"_0000$")
COLUMNS = ("patient", "image", "labels")


@dataclass(frozen=True)
class Case:
    """One labelled scan.

    Attributes:
        patient: whose it is: a name for files and splits, not the person's.
        image: a file, or a folder with DICOM files.
        labels: files of its segmentation.
        names: the file that names the values of a label map.
        modality: where the image does not say it.
    """

    patient: str
    image: Path
    labels: tuple[Path, ...]
    names: Path | None = None
    modality: str | None = None
    masks_named_by_file: bool = field(default=False, kw_only=True)

    def read(self) -> tuple[Volume, list[Mask]]:
        """The image and its masks.

        Raises:
            MultiRoundSegError: a file cannot be read, or does not fit the image.
        """
        volume = read_volume(self.image, modality=self.modality)
        masks: list[Mask] = []
        for path in self.labels:
            names: Path | Mapping[int, str] | None = self.names
            if self.masks_named_by_file:
                names = {1: _stem(path)}
            masks += read_segmentation(path, reference=volume.geometry, names=names)
        return volume, masks


def find_cases(folder: Path, names: Path | None = None, modality: str | None = None) -> list[Case]:
    """The labelled scans of a folder, in the order of their names.

    Args:
        folder: laid out in one of the ways above.
        names: the file that names the values of label maps which do not carry names.
        modality: of all images that do not say it.

    Raises:
        DatasetError: the folder is laid out in none of these ways, or an image has no segmentation.
    """
    if not folder.is_dir():
        raise DatasetError(f"There is no folder {folder}.")
    for layout in (_listed, _in_two_folders, _in_case_folders, _side_by_side):
        cases = sorted(layout(folder, names, modality), key=lambda case: case.patient)
        if cases:
            return cases
    raise DatasetError(
        f"{folder.name} holds no labelled scans that are understood: write cases.csv with the columns "
        "patient, image, labels (and names, modality), or see the layouts that scripts/build_dataset.py lists."
    )


def _listed(folder: Path, names: Path | None, modality: str | None) -> Iterator[Case]:
    table = folder / "cases.csv"
    if not table.is_file():
        return
    with table.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            raise DatasetError(f"cases.csv needs the columns {', '.join(COLUMNS)}.")
        for row in reader:
            if not all(row[column] for column in COLUMNS):
                raise DatasetError(f"cases.csv, line {reader.line_num}: a case has a patient, an image and labels.")
            labels = tuple(folder / part.strip() for part in row["labels"].split(";"))
            own = folder / row["names"] if row.get("names") else names
            yield Case(row["patient"], folder / row["image"], labels, own, row.get("modality") or modality)


def _in_two_folders(folder: Path, names: Path | None, modality: str | None) -> Iterator[Case]:
    for images in sorted(folder.glob("images*")):
        labels = folder / images.name.replace("images", "labels", 1)
        if not (images.is_dir() and labels.is_dir()):
            continue
        found = {_stem(path): path for path in sorted(labels.iterdir()) if path.name.lower().endswith(_IMAGES)}
        for image in sorted(path for path in images.iterdir() if path.name.lower().endswith(_IMAGES)):
            stem = _stem(image) if _stem(image) in found else _CHANNEL.sub("", _stem(image))
            if re.search(r"_\d{4}$", stem) and stem not in found:
                continue  # another channel of the same scan
            if stem not in found:
                raise DatasetError(f"{image.name} has no labels: {labels.name} holds no {stem}.")
            yield Case(stem, image, (found[stem],), names or _names_beside(folder), modality)


def _in_case_folders(folder: Path, names: Path | None, modality: str | None) -> Iterator[Case]:
    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        masks = tuple(sorted((case / "segmentations").glob("*.nii.gz")))
        images = [path for path in sorted(case.iterdir()) if path.name.lower().endswith(_IMAGES)]
        if masks and images:
            yield Case(case.name, images[0], masks, None, modality, masks_named_by_file=True)
        elif not images:
            yield from _of_dicom(case, modality)


def _of_dicom(case: Path, modality: str | None) -> Iterator[Case]:
    headers = ((path, dicom_header(path)) for path in sorted(case.rglob("*")) if path.is_file())
    labels = tuple(path for path, header in headers if header is not None and header.get("Modality") == "SEG")
    if labels and list_series(case):
        yield Case(case.name, case, labels, None, modality)


def _side_by_side(folder: Path, names: Path | None, modality: str | None) -> Iterator[Case]:
    for labels in sorted(folder.glob("*.seg.nrrd")):
        stem = labels.name.removesuffix(".seg.nrrd")
        image = next((folder / f"{stem}{end}" for end in _IMAGES if (folder / f"{stem}{end}").is_file()), None)
        if image is None:
            raise DatasetError(f"{labels.name} has no image {stem}.nrrd or {stem}.nii.gz beside it.")
        yield Case(stem, image, (labels,), names, modality)


def _names_beside(folder: Path) -> Path | None:
    """nnU-Net's table of names."""
    table = folder / "dataset.json"
    return table if table.is_file() else None


def _stem(path: Path) -> str:
    ends = sorted((end for end in _IMAGES if path.name.lower().endswith(end)), key=len)
    return path.name[: -len(ends[-1])] if ends else path.stem
