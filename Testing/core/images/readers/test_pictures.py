"""PNG, JPEG, TIFF and BMP become volumes of one slice (or one slice for each page)."""

import numpy as np
import pytest
from PIL import Image

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
RGB = np.arange(36, dtype=np.uint8).reshape(3, 4, 3)


@pytest.mark.parametrize("name", ["xray.png", "xray.bmp", "xray.tif"])
def test_a_grey_picture_is_a_grey_slice(tmp_path, name):
    Image.fromarray(GREY).save(tmp_path / name)
    volume = read_volume(tmp_path / name)
    assert np.array_equal(volume.voxels, GREY[None])
    assert np.array_equal(volume.geometry.ijk_to_ras, np.diag([-1, -1, 1, 1]))


def test_sixteen_bits_are_kept(tmp_path):
    deep = GREY.astype(np.uint16) * 250
    Image.fromarray(deep).save(tmp_path / "xray.png")
    assert np.array_equal(read_volume(tmp_path / "xray.png").voxels, deep[None])


@pytest.mark.parametrize("name", ["skin.png", "skin.bmp", "skin.tif"])
def test_a_colour_picture_is_a_colour_slice(tmp_path, name):
    Image.fromarray(RGB).save(tmp_path / name)
    volume = read_volume(tmp_path / name)
    assert volume.is_colour
    assert np.array_equal(volume.voxels, RGB[None])


def test_a_jpeg_keeps_its_colours_within_its_loss(tmp_path):
    plain = np.zeros((16, 16, 3), np.uint8)
    plain[:8] = (200, 30, 60)
    Image.fromarray(plain).save(tmp_path / "skin.jpg", quality=100, subsampling=0)
    assert np.abs(read_volume(tmp_path / "skin.jpg").voxels[0].astype(int) - plain).max() <= 3


def test_the_resolution_of_a_jpeg_is_its_pixel_size_as_in_slicer(tmp_path):
    Image.fromarray(GREY).save(tmp_path / "xray.jpg", dpi=(254, 127))
    assert np.allclose(read_volume(tmp_path / "xray.jpg").geometry.spacing, (0.1, 0.2, 1))


def test_alpha_is_dropped(tmp_path):
    Image.fromarray(np.dstack([RGB, GREY])).save(tmp_path / "skin.png")
    assert np.array_equal(read_volume(tmp_path / "skin.png").voxels, RGB[None])


def test_a_palette_gives_its_colours(tmp_path):
    picture = Image.fromarray(np.array([[0, 1]], np.uint8), mode="L").convert("P")
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.save(tmp_path / "chart.png")
    assert read_volume(tmp_path / "chart.png").voxels.tolist() == [[[[10, 20, 30], [40, 50, 60]]]]


def test_pages_of_a_tiff_are_slices(tmp_path):
    pages = [Image.fromarray(GREY), Image.fromarray(GREY + 1)]
    pages[0].save(tmp_path / "stack.tif", save_all=True, append_images=pages[1:])
    assert np.array_equal(read_volume(tmp_path / "stack.tif").voxels, [GREY, GREY + 1])


@pytest.mark.parametrize("name", ["big.png", "big.jpg", "big.bmp", "big.tif"])
def test_a_cut_picture_is_refused(tmp_path, name):
    noise = np.random.default_rng(0).integers(0, 255, (200, 300)).astype(np.uint8)
    Image.fromarray(noise).save(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ImageReadError, match=f"{name} is damaged, cut short or no picture"):
        read_volume(tmp_path / name)
