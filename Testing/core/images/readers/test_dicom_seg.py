"""DICOM SEG objects, made by highdicom, become masks on the image they were made for."""

import highdicom
import numpy as np
import pytest
from pydicom import dcmread
from pydicom.sr.codedict import codes
from pydicom.uid import generate_uid

from MultiRoundSegLib.errors import GeometryMismatchError, ImageReadError
from MultiRoundSegLib.images import Code, Geometry, Volume
from MultiRoundSegLib.images.readers import read_segmentation, read_volume

STORED = np.arange(60, dtype=np.int16).reshape(5, 4, 3)
LIVER = np.zeros(STORED.shape, bool)
LIVER[1:3, 1:3, 0:2] = True
LESION = np.zeros(STORED.shape, bool)
LESION[2:4, 2, 1] = True


@pytest.fixture
def ct(ct_series):
    patient = {
        "StudyInstanceUID": "1.2.3",
        "PatientID": "1",
        "PatientName": "Phantom^",
        "PatientBirthDate": "",
        "PatientSex": "",
        "StudyDate": "",
        "StudyTime": "",
        "AccessionNumber": "",
        "StudyID": "",
        "ReferringPhysicianName": "",
        "FrameOfReferenceUID": "1.2.9",
        "PositionReferenceIndicator": "",
    }
    return ct_series(STORED, **patient)


def described(number, label, kind):
    return highdicom.seg.SegmentDescription(
        segment_number=number,
        segment_label=label,
        segmented_property_category=codes.SCT.AnatomicalStructure,
        segmented_property_type=kind,
        algorithm_type="MANUAL",
    )


@pytest.fixture
def seg(ct, tmp_path):
    """Call with pixels and a segmentation type: writes a DICOM SEG of the CT series."""

    def write(pixels, kind):
        images = sorted((dcmread(path) for path in ct.iterdir()), key=lambda image: image.ImagePositionPatient[2])
        segments = [described(1, "Liver", codes.SCT.Liver), described(2, "Lesion", codes.SCT.Lesion)]
        made = highdicom.seg.Segmentation(
            source_images=images,
            pixel_array=pixels,
            segmentation_type=kind,
            segment_descriptions=segments,
            series_instance_uid=generate_uid(),
            series_number=2,
            sop_instance_uid=generate_uid(),
            instance_number=1,
            manufacturer="none",
            manufacturer_model_name="none",
            software_versions="1",
            device_serial_number="1",
        )
        made.save_as(tmp_path / "seg.dcm")
        return tmp_path / "seg.dcm"

    return write


def test_overlapping_binary_segments_are_read(ct, seg):
    path = seg(np.stack([LIVER, LESION], axis=-1).astype(np.uint8), "BINARY")

    liver, lesion = read_segmentation(path, reference=read_volume(ct).geometry)

    assert np.array_equal(liver.voxels, LIVER)
    assert np.array_equal(lesion.voxels, LESION)
    assert (liver.label, lesion.label) == ("Liver", "Lesion")
    assert liver.code == Code("SCT", "10200004", "Liver")


def test_a_fractional_segment_holds_what_is_at_least_half(ct, seg):
    fractions = np.stack([LIVER * 0.5, LESION * 0.4], axis=-1)
    liver, lesion = read_segmentation(seg(fractions, "FRACTIONAL"), reference=read_volume(ct).geometry)
    assert np.array_equal(liver.voxels, LIVER)
    assert lesion.is_empty


def test_a_label_map_is_read(ct, seg):
    labels = np.where(LESION, 2, LIVER).astype(np.uint8)
    liver, lesion = read_segmentation(seg(labels, "LABELMAP"), reference=read_volume(ct).geometry)
    assert np.array_equal(liver.voxels, LIVER & ~LESION)
    assert np.array_equal(lesion.voxels, LESION)


def test_a_segmentation_of_other_slices_is_refused(ct, seg):
    path = seg(np.stack([LIVER, LESION], axis=-1).astype(np.uint8), "BINARY")
    volume = read_volume(ct)
    moved = volume.geometry.ijk_to_ras.copy()
    moved[2, 3] += 1
    other = Volume(volume.voxels, Geometry(volume.geometry.shape, moved))
    with pytest.raises(GeometryMismatchError, match=r"seg\.dcm lies on another voxel grid"):
        read_segmentation(path, reference=other.geometry)


def test_an_image_is_no_segmentation(ct):
    with pytest.raises(ImageReadError, match="is no segmentation"):
        read_segmentation(next(ct.iterdir()), reference=read_volume(ct).geometry)
