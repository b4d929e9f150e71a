"""Pixel values of DICOM images: decoded, in RGB or physical units."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.errors import ImageReadError

from .dicom_files import dicom_file, frame_count
from .dicom_planes import Plane
from .quiet import quiet_codecs
from .stored import Array, rescaled

_SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
_RLE = "1.2.840.10008.1.2.5"
_PIXEL_DATA = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")
_PLAIN_PIXELS = ("MONOCHROME1", "MONOCHROME2", "RGB")

# Their values have a unit, so black and white are a matter of display alone.
_WITH_UNITS = ("CT", "PT")


def physical_values(planes: Sequence[Plane], name: str) -> Array:
    """The values of all images, each with its own rescale slope and intercept.

    MONOCHROME1 (the smallest value is white) is inverted within the stored range, except for CT and
    PET, whose values are measurements.

    Args:
        planes: in the order of the slices.
        name: for errors.

    Returns:
        (K, J, I, C): C is 1, or 3 for colour.

    Raises:
        ImageReadError: a file has no pixels, or they cannot be decoded.
    """
    slices = []
    path, frames = Path(), np.empty(0)
    for plane in planes:
        if plane.path != path:
            path, frames = plane.path, stored_values(plane.path)
        if plane.frame >= len(frames):
            raise ImageReadError(f"{path.name} is cut short: it lacks frame {plane.frame + 1}; copy it again.")
        values = frames[plane.frame]
        slices.append(rescaled(values, plane.slope, plane.intercept) if values.shape[-1] == 1 else values)
    if len({values.shape for values in slices}) > 1:
        raise ImageReadError(f"{name} mixes grey and colour images; choose a single file of it.")
    return np.stack(slices)


def stored_values(path: Path) -> Array:
    """The frames of one file as stored, (T, J, I, C); colour is RGB.

    Raises:
        ImageReadError: the file has no pixels, or they cannot be decoded.
    """
    dataset = dicom_file(path)
    if not any(keyword in dataset for keyword in _PIXEL_DATA):
        raise ImageReadError(f"{path.name} has no pixel data; choose another file.")
    try:
        values = _decoded_by_gdcm(dataset) if _needs_gdcm(dataset) else _decoded_by_pydicom(dataset)
        return _inverted(_frames(values, dataset), dataset)
    except Exception as error:  # decoders raise whatever the damaged bytes lead to
        raise ImageReadError(
            f"{path.name} cannot be decoded: its pixels are cut short or damaged; copy or export it again."
        ) from error


def _needs_gdcm(dataset: Any) -> bool:
    """Whether colours must be converted or a JPEG decoded; pydicom does the rest in numpy alone."""
    syntax = dataset.file_meta.TransferSyntaxUID
    jpeg = syntax.is_encapsulated and syntax != _RLE
    return bool(jpeg or dataset.PhotometricInterpretation not in _PLAIN_PIXELS)


def _decoded_by_gdcm(dataset: Any) -> Array:
    """Let GDCM (in SimpleITK) decode a copy that holds the pixels and how they are stored, nothing else.

    GDCM would otherwise apply a rescale slope of its own choice to all frames.
    """
    import SimpleITK
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import UID

    syntax = dataset.file_meta.TransferSyntaxUID
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = syntax
    meta.MediaStorageSOPClassUID = UID(_SECONDARY_CAPTURE)
    meta.MediaStorageSOPInstanceUID = UID("1.2.3")
    pixels = FileDataset("", {}, b"\0" * 128, meta, syntax.is_implicit_VR, syntax.is_little_endian)
    pixels.SOPClassUID = _SECONDARY_CAPTURE
    pixels.SOPInstanceUID = "1.2.3"
    pixels.update({element.tag: element for element in dataset.group_dataset(0x0028)})
    for keyword in ("RescaleSlope", "RescaleIntercept", "RescaleType", "ModalityLUTSequence"):
        pixels.pop(keyword, None)
    pixels[0x7FE00010] = dataset[0x7FE00010]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pixels.dcm"
        pixels.save_as(path)
        with quiet_codecs():
            values: Array = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path)))
    return values


def _frames(values: Array, dataset: Any) -> Array:
    """(T, J, I, C), whichever of T and C the decoder leaves out."""
    rows, columns = int(dataset.Rows), int(dataset.Columns)
    return values.reshape(frame_count(dataset), rows, columns, -1)


def _decoded_by_pydicom(dataset: Any) -> Array:
    """The pixels without what old scanners put into the unused high bits (overlays)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydicom tells each small breach of the standard
        values: Array = dataset.pixel_array
    if values.dtype.kind == "f" or dataset.BitsAllocated == 1:
        return values
    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    high_bit = int(dataset.get("HighBit", dataset.BitsStored - 1))
    above = int(dataset.BitsAllocated) - 1 - high_bit
    below = int(dataset.BitsAllocated) - int(dataset.BitsStored)
    return (native << above) >> below if above or below else native


def _inverted(values: Array, dataset: Any) -> Array:
    """MONOCHROME1 as MONOCHROME2: smallest and largest possible stored value change places."""
    if dataset.PhotometricInterpretation != "MONOCHROME1" or dataset.get("Modality") in _WITH_UNITS:
        return values
    bits, signed = int(dataset.BitsStored), int(dataset.PixelRepresentation)
    darkest_and_brightest = values.dtype.type(-1 if signed else (1 << bits) - 1)
    return np.asarray(darkest_and_brightest - values)
