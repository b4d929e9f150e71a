"""Reads DICOM files and folders as volumes."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.volume import Volume

from .dicom_files import dicom_header, is_scan, series_headers
from .dicom_pixels import physical_values
from .dicom_planes import planes_of
from .dicom_stack import stacked
from .stored import usable_voxels

_logger = logging.getLogger(__name__)


def read_dicom_folder(folder: Path, series: str | None, frame: int | None) -> Volume:
    """Read one series of a folder.

    Raises:
        ImageReadError: no such series, or its images form no volume.
    """
    found = series_headers(folder)
    if series is None:
        series = next(iter(found))
        if len(found) > 1:
            _logger.warning("%s holds %d series; the largest is read: %s", folder.name, len(found), series)
    if series not in found:
        raise ImageReadError(f"{folder.name} has no series {series}; choose one of: {', '.join(found)}.")
    return _volume(found[series], folder.name, frame)


def read_dicom_file(path: Path, frame: int | None) -> Volume:
    """Read a single DICOM file.

    Raises:
        ImageReadError: it is no DICOM image, or a frame must be chosen.
    """
    header = dicom_header(path)
    if header is None:
        raise ImageReadError(
            f"{path.name} is damaged or of a type that cannot be read; choose a NIfTI, NRRD, MetaImage, MGH, "
            "PNG, JPEG, TIFF, BMP or DICOM file."
        )
    if not is_scan(header):
        modality = header.get("Modality") or "no modality"
        raise ImageReadError(f"{path.name} holds no image of a patient ({modality}); choose another file.")
    return _volume([(path, header)], path.name, frame)


def _volume(headers: list[tuple[Path, Any]], source: str, frame: int | None) -> Volume:
    first = headers[0][1]
    stack = stacked([plane for path, header in headers for plane in planes_of(path, header)], source, frame)
    return Volume(
        usable_voxels(physical_values(stack.planes, source), source),
        stack.geometry,
        str(first.get("Modality") or "OT"),
        str(first.get("SeriesInstanceUID") or "") or None,
        name=str(first.get("SeriesDescription") or source),
        frame=stack.frame,
    )
