"""Small files to read: a NIfTI header written by hand and DICOM slices made with pydicom."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

NIFTI_TYPES = {"uint8": 2, "int16": 4, "float32": 16}


@pytest.fixture
def nifti(tmp_path: Path) -> Callable[..., Path]:
    """Call with voxels (..., K, J, I) and header fields; the header is packed byte by byte."""

    def write(
        voxels: NDArray[Any],
        *,
        name: str = "scan.nii",
        sizes: tuple[int, ...] | None = None,
        code: int | None = None,
        sform: Any = None,
        quaternion: tuple[float, ...] = (0, 0, 0),
        offset: tuple[float, ...] = (0, 0, 0),
        qform_code: int = 0,
        pixdim: tuple[float, ...] = (1, 1, 1, 1),
        scaling: tuple[float, float] = (1, 0),
        units: int = 2,
        extension: bytes = b"",
        order: str = "<",
    ) -> Path:
        sizes = voxels.shape[::-1] if sizes is None else sizes
        code = NIFTI_TYPES[voxels.dtype.name] if code is None else code
        header = bytearray(348)
        struct.pack_into(f"{order}i", header, 0, 348)
        struct.pack_into(f"{order}8h", header, 40, len(sizes), *sizes, *[1] * (7 - len(sizes)))
        struct.pack_into(f"{order}2h", header, 70, code, voxels.itemsize * 8)
        struct.pack_into(f"{order}4f", header, 76, *pixdim)
        struct.pack_into(f"{order}3f", header, 108, 352 + len(extension), *scaling)
        header[123] = units
        struct.pack_into(f"{order}2h", header, 252, qform_code, 0 if sform is None else 1)
        struct.pack_into(f"{order}6f", header, 256, *quaternion, *offset)
        if sform is not None:
            struct.pack_into(f"{order}12f", header, 280, *np.ravel(sform)[:12])
        header[344:348] = b"n+1\0"
        flag = b"\1\0\0\0" if extension else b"\0\0\0\0"
        content = bytes(header) + flag + extension + voxels.astype(voxels.dtype.newbyteorder(order)).tobytes()
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def dicom() -> Callable[..., Path]:
    """Call with a path, pixels (rows, columns) and attributes that differ; None removes one."""

    def write(path: Path, pixels: NDArray[Any], **attributes: Any) -> Path:
        dataset = ct_image(pixels)
        for keyword, value in attributes.items():
            if value is None:
                delattr(dataset, keyword)
            else:
                setattr(dataset, keyword, value)
        path.parent.mkdir(parents=True, exist_ok=True)
        dataset.save_as(path, enforce_file_format=True)
        return path

    return write


@pytest.fixture
def ct_series(tmp_path: Path, dicom: Callable[..., Path]) -> Callable[..., Path]:
    """Call with stored values (K, rows, columns): writes axial slices, 2.5 mm apart, names shuffled."""

    def write(stored: NDArray[Any], name: str = "study", **attributes: Any) -> Path:
        for k, pixels in enumerate(stored):
            position = {"ImagePositionPatient": [30.0, 12.0, -5.0 + 2.5 * k], "InstanceNumber": k + 1}
            dicom(tmp_path / name / f"{(7 * k + 3) % 11}", pixels, **{**position, **attributes})
        return tmp_path / name

    return write


def ct_image(pixels: NDArray[Any]) -> Dataset:
    """An axial CT image with 0.7 mm between columns, 0.9 mm between rows, HU = stored - 1024."""
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.SOPClassUID, dataset.SOPInstanceUID = CTImageStorage, generate_uid()
    dataset.Modality, dataset.SeriesInstanceUID = "CT", "1.2.3.4"
    dataset.SeriesDescription = "Abdomen"
    dataset.Rows, dataset.Columns = pixels.shape[:2]
    dataset.SamplesPerPixel = 1
    dataset.PhotometricInterpretation = "MONOCHROME2"
    dataset.BitsAllocated = dataset.BitsStored = pixels.itemsize * 8
    dataset.HighBit = dataset.BitsStored - 1
    dataset.PixelRepresentation = int(pixels.dtype.kind == "i")
    dataset.PixelSpacing = [0.9, 0.7]
    dataset.SliceThickness = 2.5
    dataset.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    dataset.ImagePositionPatient = [30, 12, -5]
    dataset.RescaleSlope, dataset.RescaleIntercept = 1, -1024
    dataset.PixelData = pixels.tobytes()
    return dataset
