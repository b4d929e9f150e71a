"""Writes masks as a segmentation file that Slicer opens with names, colours and terminology."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.errors import GeometryMismatchError
from MultiRoundSegLib.images.code import Code
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.mask import Mask
from MultiRoundSegLib.images.readers.itk import LPS_TO_RAS
from MultiRoundSegLib.images.readers.nrrd_header import escaped

from .atomic import write_whole

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""


@dataclass(frozen=True)
class SegmentStyle:
    """What a segment has besides the name and code of its mask.

    Attributes:
        identifier: its ID in the file; unique.
        colour: red, green and blue, 0 to 1.
        side: terminology modifier "Left" or "Right".
    """

    identifier: str
    colour: Colour
    side: Code | None = None


_COLOURS: tuple[Colour, ...] = (
    (0.90, 0.30, 0.25),
    (0.30, 0.70, 0.35),
    (0.25, 0.50, 0.90),
    (0.95, 0.75, 0.20),
    (0.65, 0.40, 0.80),
    (0.25, 0.75, 0.80),
    (0.95, 0.55, 0.70),
    (0.60, 0.50, 0.30),
)

_COMPRESSION = 6
_CATEGORY = "SCT^123037004^Anatomical Structure"
_CONTEXT = "Segmentation category and type - DICOM master list"
_REGION_CONTEXT = "Anatomic codes - DICOM master list"


def write_masks_seg_nrrd(
    path: Path | str, masks: Sequence[Mask], geometry: Geometry, *, styles: Sequence[SegmentStyle] | None = None
) -> None:
    """Write one segment for each mask, on the whole grid.

    Masks that overlap go into different layers. A mask with a code gets it as terminology, of the
    category Anatomical Structure.

    Args:
        path: ends with .seg.nrrd; an existing file is replaced.
        masks: at least one, all on `geometry`.
        geometry: the grid of the image.
        styles: one for each mask; "Segment_1", "Segment_2" ... in distinct colours where None.

    Raises:
        ValueError: no masks, another ending, or not one style for each mask.
        GeometryMismatchError: a mask lies on another grid.
    """
    path = Path(path)
    if not path.name.lower().endswith(".seg.nrrd") or not masks:
        raise ValueError(f"at least one mask is written as .seg.nrrd, got {len(masks)} for {path.name}")
    if styles is None:
        styles = [SegmentStyle(f"Segment_{n + 1}", _COLOURS[n % len(_COLOURS)]) for n in range(len(masks))]
    if len(styles) != len(masks):
        raise ValueError(f"{len(masks)} masks need as many styles, got {len(styles)}")
    for mask in masks:
        if not mask.geometry.matches(geometry):
            raise GeometryMismatchError(f"The mask {mask.label!r} lies on another voxel grid than the image.")
    places = _places(masks)
    lines = _grid_lines(geometry, 1 + max(layer for layer, _ in places), max(v for _, v in places))
    for number, (mask, place, style) in enumerate(zip(masks, places, styles, strict=True)):
        lines += _segment_lines(f"Segment{number}", mask, place, style)
    header = "\n".join([*lines, "", ""]).encode()
    write_whole(path, header + gzip.compress(_layers(masks, places, geometry).tobytes(), _COMPRESSION, mtime=0))


def _places(masks: Sequence[Mask]) -> list[tuple[int, int]]:
    """For each mask the first layer where it overlaps no other, and a label value unique in it."""
    layers: list[list[Mask]] = []
    places = []
    for mask in masks:
        free = (n for n, others in enumerate(layers) if not any(_overlap(mask, other) for other in others))
        layer = next(free, len(layers))
        if layer == len(layers):
            layers.append([])
        layers[layer].append(mask)
        places.append((layer, len(layers[layer])))
    return places


def _overlap(one: Mask, other: Mask) -> bool:
    boxes = list(zip(one.bounding_box(), other.bounding_box(), strict=True))
    starts = [max(a.start, b.start) for a, b in boxes]
    stops = [min(a.stop, b.stop) for a, b in boxes]
    if any(start >= stop for start, stop in zip(starts, stops, strict=True)):
        return False
    common = [
        mask.crop[tuple(slice(a - c, b - c) for a, b, c in zip(starts, stops, mask.corner, strict=True))]
        for mask in (one, other)
    ]
    return bool((common[0] & common[1]).any())


def _layers(
    masks: Sequence[Mask], places: Sequence[tuple[int, int]], geometry: Geometry
) -> NDArray[np.unsignedinteger]:
    """(K, J, I, layers) label values, so that the layer runs fastest."""
    kind = _label_type(max(value for _, value in places))
    layers = np.zeros((*geometry.shape, 1 + max(layer for layer, _ in places)), dtype=kind)
    for mask, (layer, value) in zip(masks, places, strict=True):
        layers[mask.bounding_box()][..., layer][mask.crop] = value
    return layers


def _label_type(largest: int) -> np.dtype[np.unsignedinteger]:
    return np.dtype("<u1") if largest <= 255 else np.dtype("<u2")


def _grid_lines(geometry: Geometry, layers: int, largest_label: int) -> list[str]:
    lps = np.eye(4)
    lps[:3, :3] = LPS_TO_RAS
    affine = lps @ geometry.ijk_to_ras
    directions = [_vector(affine[:3, axis]) for axis in range(3)]
    sizes, kinds = list(geometry.shape[::-1]), ["domain"] * 3
    if layers > 1:
        directions, sizes, kinds = ["none", *directions], [layers, *sizes], ["list", *kinds]
    return [
        "NRRD0004",
        f"type: {'unsigned char' if _label_type(largest_label).itemsize == 1 else 'unsigned short'}",
        f"dimension: {len(sizes)}",
        "space: left-posterior-superior",
        f"sizes: {' '.join(map(str, sizes))}",
        f"space directions: {' '.join(directions)}",
        f"kinds: {' '.join(kinds)}",
        "endian: little",
        "encoding: gzip",
        f"space origin: {_vector(affine[:3, 3])}",
        "Segmentation_ContainedRepresentationNames:=Binary labelmap|",
        f"Segmentation_ConversionParameters:=Reference image geometry|{_reference_geometry(geometry)}|&",
        "Segmentation_MasterRepresentation:=Binary labelmap",
        "Segmentation_ReferenceImageExtentOffset:=0 0 0",
    ]


def _reference_geometry(geometry: Geometry) -> str:
    """The grid on which Slicer edits the segments: 16 numbers of the RAS matrix, 6 of the extent."""
    extent = [limit for size in geometry.shape[::-1] for limit in (0, size - 1)]
    matrix = [repr(float(number)) for number in geometry.ijk_to_ras.ravel()]
    return "".join(f"{number};" for number in [*matrix, *extent])


def _segment_lines(prefix: str, mask: Mask, place: tuple[int, int], style: SegmentStyle) -> list[str]:
    layer, value = place
    extent = " ".join(f"{part.start} {part.stop - 1}" for part in mask.bounding_box()[::-1])
    return [
        f"{prefix}_ID:={escaped(style.identifier)}",
        f"{prefix}_Name:={escaped(mask.label)}",
        f"{prefix}_NameAutoGenerated:=0",
        f"{prefix}_Color:={' '.join(f'{part:g}' for part in style.colour)}",
        f"{prefix}_ColorAutoGenerated:=0",
        f"{prefix}_LabelValue:={value}",
        f"{prefix}_Layer:={layer}",
        f"{prefix}_Extent:={extent}",
        f"{prefix}_Tags:={_tags(mask.code, style.side)}",
    ]


def _tags(code: Code | None, side: Code | None) -> str:
    if code is None:
        return ""
    return f"TerminologyEntry:{_CONTEXT}~{_CATEGORY}~{_concept(code)}~{_concept(side)}~{_REGION_CONTEXT}~^^~^^|"


def _concept(code: Code | None) -> str:
    if code is None:
        return "^^"
    meaning = "".join(" " if character in "~^|\n" else character for character in code.meaning)
    return f"{code.scheme}^{code.value}^{meaning}"


def _vector(numbers: NDArray[np.float64]) -> str:
    return f"({','.join(repr(float(number)) for number in numbers)})"
