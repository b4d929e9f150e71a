"""NIfTI files give the voxels and the affine they store."""

import gzip
import struct

import numpy as np
import pytest
import SimpleITK

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_segmentation, read_volume

STORED = np.arange(24, dtype=np.int16).reshape(4, 3, 2)
SHEARED = [[0.7, 0.1, 0.3, -30], [0.2, -0.9, 0.0, 12], [0.0, 0.1, 2.5, -5]]


def test_voxels_and_a_sheared_sform_are_exactly_as_stored(nifti):
    volume = read_volume(nifti(STORED, sform=SHEARED))

    assert np.array_equal(volume.voxels, STORED)
    assert volume.voxels.dtype == np.int16
    assert np.array_equal(volume.geometry.ijk_to_ras[:3], np.float32(SHEARED))
    assert (volume.name, volume.modality, volume.frame) == ("scan.nii", "OT", None)


def test_the_modality_can_be_told(nifti):
    assert read_volume(nifti(STORED, sform=SHEARED), modality="CT").modality == "CT"


def test_the_qform_counts_where_there_is_no_sform(nifti):
    a_quarter_turn_about_s = (0, 0, np.sqrt(0.5))
    path = nifti(STORED, quaternion=a_quarter_turn_about_s, offset=(1, 2, 3), qform_code=1, pixdim=(1, 0.5, 2, 4))
    assert np.allclose(
        read_volume(path).geometry.ijk_to_ras,
        [[0, -2, 0, 1], [0.5, 0, 0, 2], [0, 0, 4, 3], [0, 0, 0, 1]],
        atol=1e-6,
    )


def test_a_half_turn_in_the_qform_flips_two_axes(nifti):
    path = nifti(STORED, quaternion=(0, 1, 0), qform_code=1, pixdim=(1, 0.5, 2, 4))
    assert np.allclose(read_volume(path).geometry.ijk_to_ras, np.diag([-0.5, 2, -4, 1]))


def test_a_negative_qfac_makes_the_grid_left_handed(nifti):
    path = nifti(STORED, qform_code=1, pixdim=(-1, 0.5, 2, 4))
    assert np.allclose(read_volume(path).geometry.ijk_to_ras, np.diag([0.5, 2, -4, 1]))


def test_the_sform_wins_where_both_disagree(nifti):
    path = nifti(STORED, sform=SHEARED, quaternion=(0, 1, 0), qform_code=1, pixdim=(1, 9, 9, 9))
    assert np.array_equal(read_volume(path).geometry.ijk_to_ras[:3], np.float32(SHEARED))


def test_without_both_the_axes_run_left_and_back_as_in_itk_and_the_log_tells(nifti, caplog):
    path = nifti(STORED, pixdim=(1, 0.5, 2, 4))
    assert np.array_equal(read_volume(path).geometry.ijk_to_ras, np.diag([-0.5, -2, 4, 1]))
    assert SimpleITK.ReadImage(path).GetDirection() == (1, 0, 0, 0, 1, 0, 0, 0, 1)
    assert "scan.nii says nothing about its orientation" in caplog.text


def test_a_file_in_metres_is_read_in_millimetres(nifti):
    path = nifti(STORED, sform=np.diag([0.001, 0.002, 0.003, 1]), units=1)
    assert np.allclose(read_volume(path).geometry.spacing, (1, 2, 3))


def test_an_oblique_file_written_by_itk_has_itk_s_grid(tmp_path):
    image = SimpleITK.GetImageFromArray(STORED)
    cosine, sine = np.cos(0.5), np.sin(0.5)
    image.SetDirection((cosine, -sine, 0, sine, cosine, 0, 0, 0, 1))
    image.SetSpacing((0.7, 0.9, 2.5))
    image.SetOrigin((30, -12, -5))
    SimpleITK.WriteImage(image, tmp_path / "itk.nii.gz")

    volume = read_volume(tmp_path / "itk.nii.gz")

    assert np.array_equal(volume.voxels, STORED)
    lps = image.TransformContinuousIndexToPhysicalPoint((1, 2, 3))
    assert np.allclose(volume.geometry.ras((3, 2, 1)), np.multiply(lps, (-1, -1, 1)), atol=1e-5)


def test_whole_scaling_keeps_integers(nifti):
    volume = read_volume(nifti(STORED, sform=SHEARED, scaling=(2, -1024)))
    assert np.array_equal(volume.voxels, STORED * 2 - 1024)
    assert volume.voxels.dtype == np.int16


def test_scaling_by_a_fraction_gives_floats(nifti):
    volume = read_volume(nifti(STORED, sform=SHEARED, scaling=(0.5, 0.25)))
    assert np.array_equal(volume.voxels, STORED * 0.5 + 0.25)
    assert volume.voxels.dtype == np.float32


def test_a_slope_of_zero_means_no_scaling(nifti):
    assert np.array_equal(read_volume(nifti(STORED, sform=SHEARED, scaling=(0, 7))).voxels, STORED)


def test_big_endian_files_are_read(nifti):
    volume = read_volume(nifti(STORED, sform=SHEARED, order=">"))
    assert np.array_equal(volume.voxels, STORED)
    assert volume.voxels.dtype.isnative


def test_nifti_2_is_read(tmp_path):
    header = bytearray(540)
    struct.pack_into("<i8s2h", header, 0, 540, b"n+2\0\r\n\032\n", 4, 16)
    struct.pack_into("<8q", header, 16, 3, 2, 3, 4, 1, 1, 1, 1)
    struct.pack_into("<q", header, 168, 544)
    struct.pack_into("<2i", header, 344, 0, 1)
    struct.pack_into("<12d", header, 400, *np.ravel(SHEARED))
    (tmp_path / "two.nii").write_bytes(bytes(header) + b"\0" * 4 + STORED.tobytes())

    volume = read_volume(tmp_path / "two.nii")

    assert np.array_equal(volume.voxels, STORED)
    assert np.array_equal(volume.geometry.ijk_to_ras[:3], SHEARED)


def test_a_two_dimensional_file_is_one_slice(nifti):
    assert read_volume(nifti(STORED[0], sform=SHEARED)).voxels.shape == (1, 3, 2)


def test_a_compressed_file_is_told_by_its_content(nifti):
    path = nifti(STORED, sform=SHEARED)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert np.array_equal(read_volume(path).voxels, STORED)


FOUR_D = np.arange(72, dtype=np.int16).reshape(3, 4, 3, 2)


def test_a_file_of_several_frames_needs_a_choice(nifti):
    with pytest.raises(ImageReadError, match=r"scan\.nii holds 3 frames; choose one .* 1 to 3\.$"):
        read_volume(nifti(FOUR_D, sform=SHEARED))


def test_the_chosen_frame_is_read_and_told(nifti):
    volume = read_volume(nifti(FOUR_D, sform=SHEARED), frame=2)
    assert np.array_equal(volume.voxels, FOUR_D[1])
    assert volume.frame == "2 of 3"


@pytest.mark.parametrize("frame", [0, 4])
def test_a_frame_that_is_not_there_is_refused(nifti, frame):
    with pytest.raises(ImageReadError, match=f"no frame {frame}"):
        read_volume(nifti(FOUR_D, sform=SHEARED), frame=frame)


RGB = np.arange(72, dtype=np.uint8).reshape(4, 3, 2, 3)


def test_rgb_voxels_are_colour(nifti):
    volume = read_volume(nifti(RGB, sizes=(2, 3, 4), code=128, sform=SHEARED))
    assert volume.is_colour
    assert np.array_equal(volume.voxels, RGB)


def test_alpha_is_dropped(nifti):
    rgba = np.concatenate([RGB, np.full((4, 3, 2, 1), 255, np.uint8)], axis=-1)
    assert np.array_equal(read_volume(nifti(rgba, sizes=(2, 3, 4), code=2304, sform=SHEARED)).voxels, RGB)


def test_three_bytes_along_the_vector_axis_are_colour(nifti):
    planes = np.moveaxis(RGB, -1, 0)
    assert np.array_equal(read_volume(nifti(planes, sizes=(2, 3, 4, 1, 3), sform=SHEARED)).voxels, RGB)


def test_two_components_are_refused(nifti):
    vectors = np.zeros((2, 4, 3, 2), np.float32)
    with pytest.raises(ImageReadError, match="2 components per voxel"):
        read_volume(nifti(vectors, sizes=(2, 3, 4, 1, 2), sform=SHEARED))


def test_complex_voxels_are_refused(nifti):
    with pytest.raises(ImageReadError, match="NIfTI type 32, which is no image type"):
        read_volume(nifti(STORED, code=32, sform=SHEARED))


def test_a_cut_file_is_refused(nifti):
    path = nifti(STORED, sform=SHEARED)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ImageReadError, match=r"scan\.nii is cut short"):
        read_volume(path)


def test_a_cut_compressed_file_is_refused(nifti):
    path = nifti(STORED, name="scan.nii.gz", sform=SHEARED)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ImageReadError, match=r"scan\.nii\.gz is cut short or damaged"):
        read_volume(path)


def test_a_file_that_is_no_nifti_is_refused(tmp_path):
    (tmp_path / "letter.nii").write_text("Dear colleague, " * 60)
    with pytest.raises(ImageReadError, match=r"letter\.nii is not a NIfTI file"):
        read_volume(tmp_path / "letter.nii")


def test_an_sform_without_depth_is_refused(nifti):
    with pytest.raises(ImageReadError, match="no valid voxel grid"):
        read_volume(nifti(STORED, sform=np.zeros((3, 4))))


def test_names_in_the_header_name_the_masks(nifti):
    table = (
        b'<?xml version="1.0" encoding="UTF-8"?> <CaretExtension><VolumeInformation Index="0"><LabelTable>'
        b'<Label Key="1" Red="0" Green="1" Blue="0" Alpha="1"><![CDATA[spleen]]></Label>'
        b'<Label Key="7" Red="0" Green="1" Blue="0" Alpha="1"><![CDATA[kidney_left]]></Label>'
        b"</LabelTable></VolumeInformation></CaretExtension>"
    )
    size = -(-(len(table) + 8) // 16) * 16
    extension = struct.pack("<2i", size, 0) + table.ljust(size - 8, b"\0")
    reference = read_volume(nifti(STORED, sform=SHEARED))

    masks = read_segmentation(
        nifti(STORED % 8, name="labels.nii.gz", sform=SHEARED, extension=extension), reference=reference.geometry
    )

    assert [mask.label for mask in masks] == ["spleen", *(f"label {n}" for n in range(2, 7)), "kidney_left"]
    assert np.array_equal(masks[6].voxels, STORED % 8 == 7)
