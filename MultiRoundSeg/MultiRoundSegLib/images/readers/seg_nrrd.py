"""Reads Slicer's segmentation files: named segments in one or several layers of label values."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.code import Code
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.mask import Mask

from .itk import read_nrrd
from .lattice import part_of_grid
from .nrrd_header import NrrdHeader

# The category and the type that Slicer gives to a segment without terminology.
_UNSPECIFIED = "SCT^85756007^Tissue"


def is_seg_nrrd(header: NrrdHeader) -> bool:
    """Whether a NRRD file describes segments."""
    return "Segment0_ID" in header.pairs


def read_seg_nrrd(path: Path, header: NrrdHeader, reference: Geometry) -> list[Mask]:
    """The segments of a file, on the reference grid, in their order.

    Raises:
        ImageReadError: a segment lacks its label value or layer.
        GeometryMismatchError: the segments do not lie on the reference's voxels.
    """
    stored = read_nrrd(path)
    parts = [part_of_grid(layer[..., 0], stored.geometry, reference, path.name) for layer in stored.voxels]
    masks = []
    for prefix in _segments(header):
        try:
            value = int(header.pairs[f"{prefix}_LabelValue"])
            part, corner = parts[int(header.pairs[f"{prefix}_Layer"])]
        except (IndexError, KeyError, ValueError) as error:
            raise ImageReadError(
                f"{path.name} does not say where {prefix} lies; save it again with Slicer 4.11 or newer."
            ) from error
        name = header.pairs.get(f"{prefix}_Name") or header.pairs[f"{prefix}_ID"]
        code = code_from_tags(header.pairs.get(f"{prefix}_Tags", ""))
        masks.append(Mask.from_crop(np.asarray(part == value), corner, reference, name, code))
    return masks


def code_from_tags(tags: str) -> Code | None:
    """The structure's code in a segment's tags.

    Its terminology entry reads: context~category~type~type modifier~region context~region~region
    modifier; each of the parts reads scheme^value^meaning.
    """
    for tag in tags.split("|"):
        key, _, entry = tag.partition(":")
        parts = entry.split("~")
        if key == "TerminologyEntry" and len(parts) > 2 and parts[2].count("^") == 2:
            scheme, value, meaning = parts[2].split("^")
            unspecified = not value or parts[1] == parts[2] == _UNSPECIFIED
            return None if unspecified else Code(scheme, value, meaning)
    return None


def _segments(header: NrrdHeader) -> list[str]:
    """Prefixes of the key/value pairs: "Segment0", "Segment1" ..."""
    prefixes: list[str] = []
    while f"Segment{len(prefixes)}_ID" in header.pairs:
        prefixes.append(f"Segment{len(prefixes)}")
    return prefixes
