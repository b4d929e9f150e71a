"""Where labelled pictures come from: scans on disk, or an unpacked SA-Med2D-20M; patient by patient."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.datasets.sa_med2d import read_index

from .cases import Case, find_cases
from .pictures import is_sa_med2d, patients_of, scenes_of_pictures
from .scenes import Scene, Sight, scenes_of, unknown_labels
from .settings import BuildSettings


@dataclass(frozen=True)
class Source:
    """Labelled pictures of some patients.

    Attributes:
        patients: by name, in order; all pictures of one go to one split.
        scenes: the pictures of a patient.
        left_out: how many masks of the pictures so far have a label that is no structure's name.
    """

    patients: tuple[str, ...]
    scenes: Callable[[str], Iterator[Scene]]
    left_out: Counter[str]


def source_in(
    folder: Path, anatomy: Anatomy, settings: BuildSettings, names: Path | None = None, modality: str | None = None
) -> Source:
    """What a folder holds.

    Args:
        folder: of scans, or an unpacked SA-Med2D-20M.
        anatomy: knows the names of structures.
        settings: which pictures are taken.
        names: the file that names the values of label maps.
        modality: of images that do not say it.

    Raises:
        DatasetError: there is nothing that is understood.
    """
    if is_sa_med2d(folder):
        return pictures_of(folder, anatomy, settings)
    return scans_of(find_cases(folder, names, modality), anatomy, settings)


def scans_of(cases: Sequence[Case], anatomy: Anatomy, settings: BuildSettings) -> Source:
    """Slices of labelled scans; all scans of a patient have the same name of it."""
    sight = Sight(settings.planes, settings.slices, settings.least_pixels, settings.apart_mm)
    left_out: Counter[str] = Counter()

    def scenes(patient: str) -> Iterator[Scene]:
        own = [case for case in cases if case.patient == patient]
        for number, case in enumerate(own, start=1):
            volume, masks = case.read()
            left_out.update(unknown_labels(masks, anatomy))
            scan = _file_name(patient) + (f"_{number}" if len(own) > 1 else "")
            yield from scenes_of(patient, scan, volume, masks, anatomy, sight)

    return Source(tuple(sorted({case.patient for case in cases})), scenes, left_out)


def pictures_of(folder: Path, anatomy: Anatomy, settings: BuildSettings) -> Source:
    """Pictures of an unpacked SA-Med2D-20M; a scan counts as a patient."""
    index = read_index(folder)
    patients = patients_of(index)
    left_out: Counter[str] = Counter()

    def scenes(patient: str) -> Iterator[Scene]:
        own = patients[patient]
        labels = [index.label(mask) for picture in own for mask in index.masks[picture]]
        left_out.update(label for label in labels if anatomy.identify(label) is None)
        return scenes_of_pictures(folder, patient, own, index, anatomy, settings.least_pixels, settings.slices)

    return Source(tuple(patients), scenes, left_out)


def _file_name(name: str) -> str:
    """A name in which nothing has a meaning for the file system."""
    return re.sub(r"[^\w.-]", "-", name)
