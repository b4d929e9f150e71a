"""Opens a file or folder of any supported format as a volume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.volume import Volume

from .dicom import read_dicom_file, read_dicom_folder
from .itk import read_meta_image, read_nrrd
from .mgh import read_mgh
from .nifti import read_nifti
from .picture import read_picture
from .stored import StoredImage, chosen_frame, rescaled, usable_voxels

_READERS: dict[tuple[str, ...], Callable[[Path], StoredImage]] = {
    (".nii", ".nii.gz"): read_nifti,
    (".nrrd", ".nhdr"): read_nrrd,
    (".mha", ".mhd"): read_meta_image,
    (".mgh", ".mgz", ".mgh.gz"): read_mgh,
    (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp"): read_picture,
}


def read_volume(
    path: Path | str, *, series: str | None = None, frame: int | None = None, modality: str | None = None
) -> Volume:
    """Read an image: NIfTI, NRRD, MetaImage, MGH, PNG, JPEG, TIFF, BMP, a DICOM file or a DICOM folder.

    Voxels keep the order of the file and their grid is exactly the file's; nothing is resampled. Voxels
    that are NaN or infinite become the lowest finite value, with a warning in the log.

    Args:
        path: the file, or a folder with DICOM files (in subfolders too, under any names).
        series: which series of a DICOM folder, by its UID; the largest where None.
        frame: which frame of a 4-D image, from 1.
        modality: what the image is, as in DICOM (0008,0060). Where None, a DICOM file says it and any
            other file is "OT": it is never guessed from the values.

    Raises:
        ImageReadError: the file cannot be used; the message says why.
        ValueError: a series is given for a file.
    """
    path = Path(path)
    if path.is_dir():
        volume = read_dicom_folder(path, series, frame)
    elif series is not None:
        raise ValueError("a series can only be chosen of a folder")
    else:
        volume = _read_file(path, frame)
    return volume if modality is None else replace(volume, modality=modality)


def stored_reader(path: Path) -> Callable[[Path], StoredImage] | None:
    """What reads a file of this name; None where its name tells no format, as for DICOM.

    Raises:
        ImageReadError: there is no such file, or it is empty.
    """
    if not path.is_file():
        raise ImageReadError(f"There is no file {path.name}; choose another one.")
    if path.stat().st_size == 0:
        raise ImageReadError(f"{path.name} is empty; copy or export it again.")
    name = path.name.lower()
    return next((reader for suffixes, reader in _READERS.items() if name.endswith(suffixes)), None)


def _read_file(path: Path, frame: int | None) -> Volume:
    reader = stored_reader(path)
    if reader is None:
        return read_dicom_file(path, frame)
    stored = reader(path)
    index, description = chosen_frame(path.name, len(stored.voxels), frame)
    values = rescaled(stored.voxels[index], stored.slope, stored.intercept)
    return Volume(usable_voxels(values, path.name), stored.geometry, name=path.name, frame=description)
