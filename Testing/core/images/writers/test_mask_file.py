"""A mask written as NIfTI comes back on the same grid with the same voxels."""

import numpy as np
import pytest
import SimpleITK

from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.readers import read_volume
from MultiRoundSegLib.images.writers import write_mask

CENTRE_RAS = (-27.0345, 18.0636, 7.0134)


def test_every_order_of_axes_comes_back_voxel_for_voxel(tmp_path, turned_blocks):
    write_mask(tmp_path / "mask.nii.gz", turned_blocks)

    volume = read_volume(tmp_path / "mask.nii.gz")
    back = Mask(volume.voxels, volume.geometry, "back")

    assert np.array_equal(volume.voxels, turned_blocks.voxels)
    assert volume.geometry.matches(turned_blocks.geometry)
    assert back.voxel_count == 210
    assert back.volume_ml == pytest.approx(0.33075, abs=1e-6)
    assert np.allclose(back.centroid_ras(), CENTRE_RAS, atol=1e-4)


def test_itk_finds_the_voxels_where_they_are(tmp_path, turned_blocks):
    write_mask(tmp_path / "mask.nii", turned_blocks)
    image = SimpleITK.ReadImage(tmp_path / "mask.nii")
    assert image.GetPixelID() == SimpleITK.sitkUInt8
    shape = SimpleITK.LabelShapeStatisticsImageFilter()
    shape.Execute(image)
    assert shape.GetNumberOfPixels(1) == 210
    assert np.allclose(np.multiply(shape.GetCentroid(1), (-1, -1, 1)), CENTRE_RAS, atol=1e-3)


def test_a_small_block_in_a_corner_fills_the_whole_grid(tmp_path):
    voxels = np.zeros((32, 64, 64), bool)
    voxels[27:, 54:, 54:] = True
    mask = Mask(voxels, Geometry(voxels.shape, np.diag([-1, -1, 2, 1])), "corner")

    write_mask(tmp_path / "mask.nii.gz", mask)

    volume = read_volume(tmp_path / "mask.nii.gz")
    assert volume.voxels.shape == (32, 64, 64)
    assert int(volume.voxels.sum()) == 500
    assert np.array_equal(volume.geometry.ijk_to_ras, mask.geometry.ijk_to_ras)


def test_a_sheared_grid_comes_back(tmp_path):
    affine = np.array([[-0.7, 0, 0, 10], [0, -0.9, 0.4, 20], [0, 0, 2.5, 30], [0, 0, 0, 1]])
    mask = Mask(np.eye(3, dtype=bool)[None], Geometry((1, 3, 3), affine), "diagonal")
    write_mask(tmp_path / "mask.nii", mask)
    assert read_volume(tmp_path / "mask.nii").geometry.matches(mask.geometry)


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path, blocks):
    (tmp_path / "mask.nii").write_text("old")
    write_mask(tmp_path / "mask.nii", blocks)
    assert [path.name for path in tmp_path.iterdir()] == ["mask.nii"]
    assert read_volume(tmp_path / "mask.nii").voxels.sum() == 210


def test_the_same_mask_gives_the_same_bytes(tmp_path, blocks):
    for name in ("a.nii.gz", "b.nii.gz"):
        write_mask(tmp_path / name, blocks)
    assert (tmp_path / "a.nii.gz").read_bytes() == (tmp_path / "b.nii.gz").read_bytes()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, blocks):
    (tmp_path / "mask.nii").mkdir()
    (tmp_path / "mask.nii" / "kept").touch()
    with pytest.raises(OSError, match=r"mask\.nii"):
        write_mask(tmp_path / "mask.nii", blocks)
    assert [path.name for path in tmp_path.iterdir()] == ["mask.nii"]


def test_another_ending_is_refused(tmp_path, blocks):
    with pytest.raises(ValueError, match=r"not as mask\.png"):
        write_mask(tmp_path / "mask.png", blocks)
