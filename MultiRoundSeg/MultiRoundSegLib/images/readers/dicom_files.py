"""Finds DICOM images in files and folders and sorts them into series."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from MultiRoundSegLib.errors import ImageReadError

# Objects with rows and columns that are no scan: masks, doses, presentation states.
_NO_SCANS = ("SEG", "RTDOSE", "PR")

# A file without the DICOM preamble starts with an element of group 0002 or 0008, in either byte order.
_FIRST_GROUPS = (b"\x02\x00", b"\x08\x00", b"\x00\x02", b"\x00\x08")


@dataclass(frozen=True)
class Series:
    """One DICOM series of a folder.

    Attributes:
        uid: Series Instance UID (0020,000E); empty where the files have none.
        description: Series Description (0008,103E).
        modality: (0008,0060).
        images: number of images; frames of multi-frame files count.
        shape: (rows, columns) of its first image.
    """

    uid: str
    description: str
    modality: str
    images: int
    shape: tuple[int, int]


def list_series(folder: Path | str) -> tuple[Series, ...]:
    """The DICOM image series in a folder and its subfolders, largest first.

    Raises:
        ImageReadError: there is no such folder, or no DICOM image in it.
    """
    return tuple(_describe(uid, headers) for uid, headers in series_headers(Path(folder)).items())


def series_headers(folder: Path) -> dict[str, list[tuple[Path, Any]]]:
    """Headers of all images in a folder and its subfolders by series UID, largest series first.

    Copies of an image (same SOP Instance UID) count once.

    Raises:
        ImageReadError: there is no such folder, or no DICOM image in it.
    """
    if not folder.is_dir():
        raise ImageReadError(f"There is no folder {folder.name}; choose another one.")
    found: dict[str, list[tuple[Path, Any]]] = {}
    seen = set()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        header = dicom_header(path)
        if header is None or not is_scan(header):
            continue
        instance = str(header.get("SOPInstanceUID") or path)
        if instance not in seen:
            seen.add(instance)
            found.setdefault(str(header.get("SeriesInstanceUID") or ""), []).append((path, header))
    if not found:
        raise ImageReadError(f"The folder {folder.name} holds no DICOM images; choose another one.")
    return dict(sorted(found.items(), key=lambda item: _size(*item)))


def dicom_header(path: Path) -> Any | None:
    """All of a DICOM file but its pixels; None where it is no DICOM file."""
    return _read(path, stop_before_pixels=True)


def dicom_file(path: Path) -> Any:
    """A DICOM file with its pixels.

    Raises:
        ImageReadError: the file cannot be read as DICOM.
    """
    dataset = _read(path, stop_before_pixels=False)
    if dataset is None:
        raise ImageReadError(f"{path.name} is not a DICOM file or is damaged; choose another file.")
    return dataset


def is_scan(header: Any) -> bool:
    """Whether the object has pixels that show a patient (no report, contour, mask or dose)."""
    return bool(header.get("Rows") and header.get("Columns")) and header.get("Modality") not in _NO_SCANS


def frame_count(header: Any) -> int:
    """Number of frames (0028,0008); 1 where it is missing or empty."""
    return int(header.get("NumberOfFrames") or 1)


def _read(path: Path, *, stop_before_pixels: bool) -> Any | None:
    import pydicom

    with path.open("rb") as file:
        start = file.read(132)
    has_preamble = start[128:] == b"DICM"
    if not has_preamble and start[:2] not in _FIRST_GROUPS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pydicom tells each small breach of the standard
            dataset = pydicom.dcmread(path, stop_before_pixels=stop_before_pixels, force=not has_preamble)
            _complete_meta(dataset)
            return dataset if has_preamble or "SOPClassUID" in dataset else None
    except Exception:  # pydicom raises whatever the damaged bytes lead to
        return None


def _complete_meta(dataset: Any) -> None:
    """Note the transfer syntax that a file without meta information was read with."""
    from pydicom import uid

    if "TransferSyntaxUID" in dataset.file_meta:
        return
    if not dataset.is_little_endian:
        syntax = uid.ExplicitVRBigEndian
    else:
        syntax = uid.ImplicitVRLittleEndian if dataset.is_implicit_VR else uid.ExplicitVRLittleEndian
    dataset.file_meta.TransferSyntaxUID = syntax


def _size(uid: str, headers: list[tuple[Path, Any]]) -> tuple[int, int, str]:
    """Sorts the largest series first."""
    images = sum(frame_count(header) for _, header in headers)
    first = headers[0][1]
    return -images, -int(first.Rows) * int(first.Columns), uid


def _describe(uid: str, headers: list[tuple[Path, Any]]) -> Series:
    first = headers[0][1]
    return Series(
        uid,
        str(first.get("SeriesDescription") or ""),
        str(first.get("Modality") or "OT"),
        sum(frame_count(header) for _, header in headers),
        (int(first.Rows), int(first.Columns)),
    )
