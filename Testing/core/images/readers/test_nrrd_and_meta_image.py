"""NRRD and MetaImage files give the voxels and the grid they store."""

import gzip

import numpy as np
import pytest
import SimpleITK

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume

STORED = np.arange(24, dtype=np.int16).reshape(4, 3, 2)
SHEARED_LPS = np.array([[0.7, 0.1, 0.3], [0.2, -0.9, 0.0], [0.0, 0.1, 2.5]])
RGB = np.arange(72, dtype=np.uint8).reshape(4, 3, 2, 3)


def itk_image(voxels=STORED, *, vector=False):
    image = SimpleITK.GetImageFromArray(voxels, isVector=vector)
    spacing = np.linalg.norm(SHEARED_LPS, axis=0)
    image.SetSpacing(spacing)
    image.SetDirection((SHEARED_LPS / spacing).ravel())
    image.SetOrigin((30, -12, -5))
    return image


def nrrd_text(kinds, sizes, directions, encoding="raw"):
    return (
        f"NRRD0004\ntype: short\ndimension: {len(sizes)}\nspace: left-posterior-superior\n"
        f"sizes: {' '.join(map(str, sizes))}\nspace directions: {' '.join(directions)}\n"
        f"kinds: {' '.join(kinds)}\nendian: little\nencoding: {encoding}\nspace origin: (0,0,0)\n\n"
    ).encode()


@pytest.mark.parametrize("name", ["a.nrrd", "a.nhdr", "a.mha", "a.mhd"])
def test_voxels_and_a_sheared_grid_are_as_stored(tmp_path, name):
    SimpleITK.WriteImage(itk_image(), tmp_path / name)

    volume = read_volume(tmp_path / name)

    assert np.array_equal(volume.voxels, STORED)
    assert volume.voxels.dtype == np.int16
    assert np.allclose(volume.geometry.ijk_to_ras[:3, :3], np.diag([-1, -1, 1]) @ SHEARED_LPS, atol=1e-6)
    assert np.allclose(volume.geometry.ijk_to_ras[:3, 3], (-30, 12, -5))


@pytest.mark.parametrize("name", ["a.nrrd", "a.mha"])
def test_three_bytes_per_voxel_are_colour(tmp_path, name):
    SimpleITK.WriteImage(itk_image(RGB, vector=True), tmp_path / name)
    assert np.array_equal(read_volume(tmp_path / name).voxels, RGB)


def test_a_vector_field_is_refused(tmp_path):
    SimpleITK.WriteImage(itk_image(RGB.astype(np.float32), vector=True), tmp_path / "field.nrrd")
    with pytest.raises(ImageReadError, match="3 components of type float32 per voxel"):
        read_volume(tmp_path / "field.nrrd")


FRAMES = np.arange(48, dtype=np.int16).reshape(2, 4, 3, 2)
AXES = ["(-1,0,0)", "(0,-1,0)", "(0,0,3)"]


def test_a_first_axis_of_kind_list_counts_frames(tmp_path):
    header = nrrd_text(["list", "domain", "domain", "domain"], (2, 2, 3, 4), ["none", *AXES])
    (tmp_path / "beating.nrrd").write_bytes(header + np.moveaxis(FRAMES, 0, -1).tobytes())

    volume = read_volume(tmp_path / "beating.nrrd", frame=2)

    assert np.array_equal(volume.voxels, FRAMES[1])
    assert volume.frame == "2 of 2"
    assert np.array_equal(volume.geometry.ijk_to_ras, np.diag([1, 1, 3, 1]))


def test_a_last_axis_of_kind_list_counts_frames(tmp_path):
    header = nrrd_text(["domain", "domain", "domain", "list"], (2, 3, 4, 2), [*AXES, "none"])
    (tmp_path / "beating.nrrd").write_bytes(header + FRAMES.tobytes())
    assert np.array_equal(read_volume(tmp_path / "beating.nrrd", frame=1).voxels, FRAMES[0])


def test_a_two_component_vector_is_refused(tmp_path):
    header = nrrd_text(["vector", "domain", "domain", "domain"], (2, 2, 3, 4), ["none", *AXES])
    (tmp_path / "field.nrrd").write_bytes(header + FRAMES.tobytes())
    with pytest.raises(ImageReadError, match="2 components per voxel"):
        read_volume(tmp_path / "field.nrrd")


def test_a_four_dimensional_meta_image_needs_a_frame(tmp_path):
    SimpleITK.WriteImage(SimpleITK.JoinSeries([SimpleITK.GetImageFromArray(f) for f in FRAMES]), tmp_path / "a.mha")
    with pytest.raises(ImageReadError, match="holds 2 frames"):
        read_volume(tmp_path / "a.mha")
    assert np.array_equal(read_volume(tmp_path / "a.mha", frame=2).voxels, FRAMES[1])


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", ["a.nrrd", "a.mha"])
def test_a_cut_file_is_refused_without_noise(tmp_path, capfd, name, compressed):
    voxels = np.random.default_rng(0).integers(0, 255, (8, 20, 30)).astype(np.uint8)
    SimpleITK.WriteImage(itk_image(voxels), tmp_path / name, useCompression=compressed)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) * 6 // 10])

    with pytest.raises(ImageReadError, match=f"{name} is damaged, cut short"):
        read_volume(tmp_path / name)

    assert capfd.readouterr().err == ""


def test_a_header_without_its_data_file_is_refused(tmp_path):
    SimpleITK.WriteImage(itk_image(), tmp_path / "a.mhd")
    (tmp_path / "a.raw").unlink()
    with pytest.raises(ImageReadError, match=r"a\.mhd is damaged"):
        read_volume(tmp_path / "a.mhd")


def test_a_file_that_is_no_nrrd_is_refused(tmp_path):
    (tmp_path / "zipped.nrrd").write_bytes(gzip.compress(b"words"))
    with pytest.raises(ImageReadError, match=r"zipped\.nrrd is not a NRRD file"):
        read_volume(tmp_path / "zipped.nrrd")
