"""Synthetic scans of heads with their labels on disk, and slices of them, made from label maps.

CASES/cases.csv             as scripts/build_dataset.py reads it; a patient is a label map
CASES/names.csv             the structures
CASES/head_01_000.nii.gz    a scan, and head_01_000_labels.nii.gz
CASES/head_01_000.npz       slices of it
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import KINDS, RIGHT, label_numbers
from MultiRoundSegLib.images import Geometry, SliceView, Volume, Window
from MultiRoundSegLib.images.slice_view import Plane, voxel_axes
from MultiRoundSegLib.images.writers.atomic import write_whole
from MultiRoundSegLib.training.brain.label_maps import LabelMap
from MultiRoundSegLib.training.brain.synthesis import Sample, synthesise

PLANES: tuple[Plane, ...] = ("axial", "coronal")
"""Of the slices; in sagittal ones left and right look alike."""
SIDE = 128
SPACING_MM = (1.3, 2.0)
SLICES = 20
"""Of one scan along each plane, for the encoders."""
_STRENGTH, _ARBITRARY = 0.6, 0.1
"""How far chance goes, and the share of contrasts that are unlike those of any MR: milder than for the brain network,
which has seen many more images."""
_BYTES = Window(0, 255)
CASES, NAMES = "cases.csv", "names.csv"


@dataclass(frozen=True)
class Slices:
    """Pictures and what they show.

    Attributes:
        pictures: (N, side, side) uint8.
        labels: (N, side, side) uint8 places in `structures`, from 1; 0 is everything else.
    """

    pictures: NDArray[np.uint8]
    labels: NDArray[np.uint8]


def structures() -> dict[int, str]:
    """FreeSurfer numbers and names of all structures, in a fixed order."""
    names: dict[int, str] = {}
    for label, number in label_numbers().items():
        kind = KINDS[(label & (RIGHT - 1)) - 1]
        side = "" if kind.right is None else "right " if label & RIGHT else "left "
        names[number] = side + kind.name
    return names


def make_cases(heads: Sequence[LabelMap], scans: int, folder: Path, seed: int, say: Callable[[str], None]) -> None:
    """Write scans of every head; those that are there are kept.

    Args:
        heads: label maps.
        scans: of each head.
        folder: where to.
        seed: of every choice.
        say: is told how far it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / NAMES, [("value", "name"), *structures().items()])
    rows: list[tuple[object, ...]] = [("patient", "image", "labels", "names", "modality")]
    for scan in range(scans):
        for number, head in enumerate(heads, start=1):
            name = f"head_{number:02d}_{scan:03d}"
            rows.append((f"head_{number:02d}", f"{name}.nii.gz", f"{name}_labels.nii.gz", NAMES, "MR"))
            if not (folder / f"{name}.npz").exists():
                _write_case(head, np.random.default_rng([seed, number, scan]), folder / name)
        say(f"{scan + 1} of {scans} scans of each head")
    _write_table(folder / CASES, rows)


def _write_case(head: LabelMap, rng: np.random.Generator, path: Path) -> None:
    """Scan, labels and, last, slices."""
    spacing = float(rng.uniform(*SPACING_MM))
    sample = synthesise(
        head, rng, strength=_STRENGTH, arbitrary=_ARBITRARY, shape=(SIDE, SIDE, SIDE), spacing_mm=spacing
    )
    matrix = np.diag([spacing, spacing, spacing, 1.0])
    matrix[:3, 3] = -(SIDE - 1) / 2 * spacing
    geometry = Geometry(sample.image.shape, matrix)
    numbers = np.zeros(256, np.uint8)
    for label, number in label_numbers().items():
        numbers[label] = number
    image = np.rint(sample.image * 255).astype(np.uint8)
    _write_image(path.with_name(f"{path.name}.nii.gz"), image, spacing)
    _write_image(path.with_name(f"{path.name}_labels.nii.gz"), numbers[sample.labels], spacing)
    slices = _slices(Volume(image, geometry, "MR"), sample, rng)
    content = io.BytesIO()
    np.savez_compressed(content, pictures=slices.pictures, labels=slices.labels)
    write_whole(path.with_name(f"{path.name}.npz"), content.getvalue())


def _slices(volume: Volume, sample: Sample, rng: np.random.Generator) -> Slices:
    """Slices that show something, along each plane."""
    place = np.zeros(256, np.uint8)
    place[list(label_numbers())] = np.arange(1, len(label_numbers()) + 1)
    labels = Volume(place[sample.labels], volume.geometry, "MR")
    found = []
    for plane in PLANES:
        axis = voxel_axes(volume.geometry)[plane]
        shown = np.flatnonzero(sample.labels.any(axis=tuple({0, 1, 2} - {axis})))
        for index in rng.choice(shown, size=min(SLICES, len(shown)), replace=False):
            view = SliceView(plane, int(index))
            found.append((view.pixels(volume)[..., 0], SliceView(plane, int(index), _BYTES).pixels(labels)[..., 0]))
    return Slices(*(np.stack(arrays) for arrays in zip(*found, strict=True)))


def read_slices(folder: Path, patients: Sequence[str]) -> Slices:
    """All slices of the scans of these patients."""
    files = [file for patient in patients for file in sorted(folder.glob(f"{patient}_*.npz"))]
    found = [_read(file) for file in files]
    return Slices(np.concatenate([s.pictures for s in found]), np.concatenate([s.labels for s in found]))


def _read(file: Path) -> Slices:
    with np.load(file) as arrays:
        return Slices(arrays["pictures"], arrays["labels"])


def _write_image(path: Path, voxels: NDArray[np.uint8], spacing: float) -> None:
    """A NIfTI file around the origin, its axes (K, J, I) towards superior, anterior, right."""
    import SimpleITK as sitk  # noqa: N813 - the name everybody uses

    image = sitk.GetImageFromArray(voxels)
    half = (SIDE - 1) / 2 * spacing
    image.SetSpacing((spacing,) * 3)
    image.SetDirection((-1, 0, 0, 0, -1, 0, 0, 0, 1))  # ITK's axes run towards left and posterior
    image.SetOrigin((half, half, -half))
    sitk.WriteImage(image, str(path), useCompression=True, compressionLevel=1)


def _write_table(path: Path, rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    write_whole(path, text.getvalue().encode())
