"""Whatever cannot be used is refused with one sentence that names the file and the cause."""

import re

import numpy as np
import pytest

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume

SFORM = np.eye(4)


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.mgz", "a.png", "a.dcm", "IM0001"])
def test_an_empty_file_is_refused(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(ImageReadError, match=f"^{name} is empty; copy or export it again\\.$"):
        read_volume(tmp_path / name)


@pytest.mark.parametrize("name", ["a.nii", "a.nrrd", "a.mha", "a.mgz", "a.png", "a.dcm", "a.txt"])
def test_words_are_no_image(tmp_path, name, capfd):
    (tmp_path / name).write_text("The patient was seen on Monday. " * 40)
    with pytest.raises(ImageReadError, match=re.escape(name)) as refusal:
        read_volume(tmp_path / name)
    assert str(refusal.value).count(". ") == 0
    assert capfd.readouterr().err == ""


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ImageReadError, match=r"^There is no file gone\.nii; choose another one\.$"):
        read_volume(tmp_path / "gone.nii")


def test_a_folder_without_images_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("none")
    with pytest.raises(ImageReadError, match="holds no DICOM images"):
        read_volume(tmp_path)


def test_a_series_can_only_be_chosen_of_a_folder(nifti):
    with pytest.raises(ValueError, match="of a folder"):
        read_volume(nifti(np.zeros((2, 2, 2), np.uint8)), series="1.2.3")


@pytest.mark.parametrize("value", [0, 7])
def test_an_image_without_contrast_is_refused(nifti, value):
    with pytest.raises(ImageReadError, match=r"^scan\.nii has the same value everywhere"):
        read_volume(nifti(np.full((2, 3, 4), value, np.int16), sform=SFORM))


def test_an_image_of_nothing_but_nan_is_refused(nifti):
    with pytest.raises(ImageReadError, match="every voxel is NaN"):
        read_volume(nifti(np.full((2, 3, 4), np.nan, np.float32), sform=SFORM))


def test_nan_and_infinity_become_the_lowest_value_and_the_log_tells(nifti, caplog):
    voxels = np.array([[[np.nan, 2.0, -3.0, np.inf]]], np.float32)
    assert read_volume(nifti(voxels, sform=SFORM)).voxels.tolist() == [[[-3, 2, -3, -3]]]
    assert "scan.nii: 2 voxels that are not finite" in caplog.text
