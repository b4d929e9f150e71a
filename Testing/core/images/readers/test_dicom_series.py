"""DICOM folders: series are found, slices sorted, grids built from positions."""

import logging

import numpy as np
import pytest
from pydicom.data import get_testdata_file

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import Series, list_series, read_volume

STORED = np.arange(24, dtype=np.int16).reshape(4, 3, 2) + 1000


def test_slices_are_sorted_by_position_whatever_their_names(ct_series):
    volume = read_volume(ct_series(STORED))

    assert np.array_equal(volume.voxels, STORED - 1024)
    assert volume.voxels.dtype == np.int16
    assert (volume.modality, volume.series_uid, volume.name) == ("CT", "1.2.3.4", "Abdomen")
    assert np.array_equal(
        volume.geometry.ijk_to_ras,
        [[-0.7, 0, 0, -30], [0, -0.9, 0, -12], [0, 0, 2.5, -5], [0, 0, 0, 1]],
    )


def test_instance_numbers_do_not_decide_the_order(tmp_path, dicom):
    for k, number in enumerate((3, 1, 2)):
        dicom(tmp_path / f"{k}", STORED[k], ImagePositionPatient=[0, 0, 5.0 * k], InstanceNumber=number)
    assert np.array_equal(read_volume(tmp_path).voxels, STORED[:3] - 1024)


def test_slices_in_subfolders_and_copies_are_one_series(ct_series, tmp_path):
    study = ct_series(STORED)
    first, *_ = sorted(study.iterdir())
    (study / "deep").mkdir()
    (study / "deep" / "copy").write_bytes(first.read_bytes())
    first.rename(study / "deep" / first.name)
    (study / "notes.txt").write_text("not an image")
    assert np.array_equal(read_volume(study).voxels, STORED - 1024)


def test_each_slice_has_its_own_rescale(tmp_path, dicom):
    for k in range(3):
        position = [0, 0, 3.0 * k]
        dicom(tmp_path / f"{k}", STORED[k], ImagePositionPatient=position, RescaleSlope=0.5 * k + 0.5)
    expected = np.stack([STORED[k] * (0.5 * k + 0.5) - 1024 for k in range(3)])
    assert np.array_equal(read_volume(tmp_path).voxels, expected)


OBLIQUE = np.array([[0.8, 0.6, 0.0], [-0.48, 0.64, 0.6]])


def test_an_oblique_series_lies_where_its_tags_say(tmp_path, dicom):
    normal = np.cross(*OBLIQUE)
    for k in range(3):
        position = list(np.array([10, 20, 30]) + 3.0 * k * normal)
        dicom(
            tmp_path / f"{k}",
            STORED[k],
            ImageOrientationPatient=list(OBLIQUE.ravel()),
            ImagePositionPatient=position,
        )

    geometry = read_volume(tmp_path).geometry

    lps = np.array([10, 20, 30]) + 1 * 0.7 * OBLIQUE[0] + 2 * 0.9 * OBLIQUE[1] + 2 * 3.0 * normal
    assert np.allclose(geometry.ras((2, 2, 1)), lps * (-1, -1, 1))
    assert np.allclose(geometry.spacing, (0.7, 0.9, 3.0))


def test_a_gantry_tilt_gives_a_sheared_grid(tmp_path, dicom):
    for k in range(3):
        dicom(tmp_path / f"{k}", STORED[k], ImagePositionPatient=[0, 1.5 * k, 4.0 * k])
    assert np.allclose(
        read_volume(tmp_path).geometry.ijk_to_ras,
        [[-0.7, 0, 0, 0], [0, -0.9, -1.5, 0], [0, 0, 4, 0], [0, 0, 0, 1]],
    )


def test_a_missing_slice_is_told(ct_series):
    study = ct_series(STORED)
    (study / f"{(7 * 2 + 3) % 11}").unlink()
    with pytest.raises(ImageReadError, match=r"5\.00 mm between slices 2 and 3, .* is a slice missing\?"):
        read_volume(study)


def test_positions_rounded_by_the_scanner_are_even_enough(tmp_path, dicom):
    for k, z in enumerate((0, 0.63, 1.25, 1.88)):
        dicom(tmp_path / f"{k}", STORED[k], ImagePositionPatient=[0, 0, z])
    assert read_volume(tmp_path).geometry.spacing[2] == pytest.approx(1.88 / 3)


def test_phases_at_the_same_positions_need_a_frame(tmp_path, dicom):
    for phase in range(2):
        for k in range(3):
            dicom(
                tmp_path / f"{phase}{k}",
                STORED[k] + 100 * phase,
                ImagePositionPatient=[0, 0, 3.0 * k],
                InstanceNumber=3 * phase + k,
            )
    with pytest.raises(ImageReadError, match="holds 2 frames; choose one"):
        read_volume(tmp_path)
    volume = read_volume(tmp_path, frame=2)
    assert np.array_equal(volume.voxels, STORED[:3] + 100 - 1024)
    assert volume.frame == "2 of 2"


def test_a_slice_that_is_there_twice_is_told(tmp_path, dicom):
    for name, z in (("a", 0), ("b", 3), ("c", 3), ("d", 6)):
        dicom(tmp_path / name, STORED[0], ImagePositionPatient=[0, 0, z])
    with pytest.raises(ImageReadError, match="1 images at some positions and 2 at others"):
        read_volume(tmp_path)


def test_series_are_listed_largest_first(ct_series):
    study = ct_series(STORED)
    ct_series(STORED[:1], "study/scout", SeriesInstanceUID="1.2.3.5", SeriesDescription="Scout")
    assert list_series(study) == (
        Series("1.2.3.4", "Abdomen", "CT", 4, (3, 2)),
        Series("1.2.3.5", "Scout", "CT", 1, (3, 2)),
    )


def test_the_largest_series_is_read_and_the_log_tells(ct_series, caplog):
    ct_series(STORED[:1], "study/scout", SeriesInstanceUID="1.2.3.5")
    assert read_volume(ct_series(STORED)).series_uid == "1.2.3.4"
    assert "study holds 2 series; the largest is read: 1.2.3.4" in caplog.text


def test_a_series_is_chosen_by_its_uid(ct_series):
    study = ct_series(STORED)
    ct_series(STORED[:1], "study/scout", SeriesInstanceUID="1.2.3.5")
    assert read_volume(study, series="1.2.3.5").voxels.shape == (1, 3, 2)
    with pytest.raises(ImageReadError, match=r"no series 9\.9; choose one of: 1\.2\.3\.4, 1\.2\.3\.5"):
        read_volume(study, series="9.9")


def test_a_localizer_is_refused(tmp_path, dicom):
    dicom(tmp_path / "a", STORED[0])
    dicom(tmp_path / "b", STORED[1], ImageOrientationPatient=[0, 1, 0, 0, 0, -1])
    with pytest.raises(ImageReadError, match="images in several directions"):
        read_volume(tmp_path)


def test_images_of_different_sizes_are_refused(tmp_path, dicom):
    dicom(tmp_path / "a", STORED[0])
    dicom(tmp_path / "b", STORED[1].T.copy(), ImagePositionPatient=[0, 0, 3])
    with pytest.raises(ImageReadError, match="images of different sizes"):
        read_volume(tmp_path)


def test_what_is_not_said_is_assumed_and_the_log_tells(ct_series, caplog):
    nothing = dict.fromkeys(("ImageOrientationPatient", "ImagePositionPatient", "PixelSpacing"))
    volume = read_volume(ct_series(STORED, **nothing))
    assert np.array_equal(volume.voxels, STORED - 1024)
    assert np.array_equal(volume.geometry.ijk_to_ras, np.diag([-1, -1, 2.5, 1]))
    assert "assumed: an axial plane, pixels of 1 mm, the order of instance numbers" in caplog.text


def test_separate_pictures_are_not_stacked(ct_series):
    nothing = dict.fromkeys(("ImageOrientationPatient", "ImagePositionPatient", "SliceThickness"))
    with pytest.raises(ImageReadError, match="holds 4 separate images without a position"):
        read_volume(ct_series(STORED, **nothing))


def test_a_complete_series_is_read_without_a_warning(ct_series, caplog):
    caplog.set_level(logging.WARNING)
    read_volume(ct_series(STORED))
    assert caplog.text == ""


def test_a_single_file_is_one_slice_as_thick_as_it_says(tmp_path, dicom):
    volume = read_volume(dicom(tmp_path / "slice.dcm", STORED[0]))
    assert volume.voxels.shape == (1, 3, 2)
    assert volume.geometry.spacing == (0.7, 0.9, 2.5)


def test_a_damaged_attribute_is_told(tmp_path, dicom):
    path = dicom(tmp_path / "slice.dcm", STORED[0])
    path.write_bytes(path.read_bytes().replace(b"0.9\\0.7 ", b"wide\\0.7"))
    with pytest.raises(ImageReadError, match=r"slice\.dcm has a damaged DICOM attribute"):
        read_volume(path)


@pytest.mark.parametrize(
    ("name", "modality"),
    [
        ("rtstruct.dcm", "RTSTRUCT"),
        ("reportsi.dcm", "SR"),
        ("rtdose.dcm", "RTDOSE"),
        ("liver_1frame.dcm", "SEG"),
    ],
)
def test_an_object_that_is_no_scan_is_refused(name, modality):
    with pytest.raises(ImageReadError, match=rf"{name} holds no image of a patient \({modality}\)"):
        read_volume(get_testdata_file(name, download=False))
