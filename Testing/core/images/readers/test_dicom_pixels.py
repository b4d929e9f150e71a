"""DICOM pixels: every encoding gives the same values; colour is RGB; units are physical."""

import warnings

import numpy as np
import pydicom
import pytest
from pydicom.data import get_testdata_file

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume


def real(name):
    return get_testdata_file(name, download=False)


def test_ct_values_are_hounsfield_units():
    volume = read_volume(real("CT_small.dcm"))
    stored = pydicom.dcmread(real("CT_small.dcm")).pixel_array
    assert np.array_equal(volume.voxels[0], stored - 1024)
    assert volume.voxels[0, 0, 0] == 175 - 1024


@pytest.mark.parametrize(
    "name",
    [
        "MR_small_RLE.dcm",
        "MR_small_bigendian.dcm",
        "MR_small_implicit.dcm",
        "MR_small_jp2klossless.dcm",
        "MR_small_jpeg_ls_lossless.dcm",
    ],
)
def test_lossless_encodings_give_the_same_voxels(name):
    plain = read_volume(real("MR_small.dcm"))
    encoded = read_volume(real(name))
    assert np.array_equal(encoded.voxels, plain.voxels)
    assert encoded.geometry.matches(plain.geometry)


def test_jpeg_lossless_colour_is_that_of_the_rle_file():
    assert np.array_equal(read_volume(real("SC_rgb_jpeg_gdcm.dcm")).voxels, read_volume(real("SC_rgb_rle.dcm")).voxels)


def test_twelve_bit_jpeg_is_decoded_without_noise(capfd):
    volume = read_volume(real("JPGExtended.dcm"))
    assert (volume.voxels.shape, volume.voxels.max()) == ((1, 1024, 256), 264)
    assert capfd.readouterr().err == ""


def test_rgb_is_colour():
    volume = read_volume(real("SC_rgb_small_odd.dcm"))
    assert np.array_equal(volume.voxels[0], pydicom.dcmread(real("SC_rgb_small_odd.dcm")).pixel_array)


def test_ybr_becomes_rgb():
    red, green, blue = read_volume(real("SC_ybr_full_422_uncompressed.dcm")).voxels[0, [5, 25, 45], 5]
    chroma_rounding = 5
    assert np.abs(red.astype(int) - (255, 0, 0)).max() <= chroma_rounding
    assert np.abs(green.astype(int) - (0, 255, 0)).max() <= chroma_rounding
    assert np.abs(blue.astype(int) - (0, 0, 255)).max() <= chroma_rounding


def test_a_palette_gives_its_colours():
    dataset = pydicom.dcmread(real("examples_palette.dcm"))
    table = [
        np.frombuffer(getattr(dataset, f"{c}PaletteColorLookupTableData"), "<u2") for c in ("Red", "Green", "Blue")
    ]
    expected = np.stack([entries[dataset.pixel_array] >> 8 for entries in table], axis=-1)
    assert np.array_equal(read_volume(real("examples_palette.dcm")).voxels[0], expected)


def test_colour_of_more_than_8_bits_is_refused():
    with pytest.raises(ImageReadError, match="a colour image needs 8 bits per channel"):
        read_volume(real("SC_rgb_rle_16bit.dcm"))


def test_monochrome1_is_inverted_so_that_bone_is_bright(tmp_path, dicom):
    pixels = np.array([[0, 4095], [100, 2000]], np.uint16)
    path = dicom(
        tmp_path / "chest.dcm",
        pixels,
        Modality="DX",
        PhotometricInterpretation="MONOCHROME1",
        BitsStored=12,
        HighBit=11,
        RescaleIntercept=0,
    )
    assert read_volume(path).voxels.tolist() == [[[4095, 0], [3995, 2095]]]


def test_monochrome1_does_not_change_hounsfield_units(tmp_path, dicom):
    pixels = np.array([[0, 1024]], np.int16)
    path = dicom(tmp_path / "ct.dcm", pixels, PhotometricInterpretation="MONOCHROME1")
    assert read_volume(path).voxels.tolist() == [[[-1024, 0]]]


def test_overlays_in_unused_high_bits_are_dropped(tmp_path, dicom):
    pixels = np.array([[0x1005, 0xF00A]], np.uint16)
    path = dicom(tmp_path / "old.dcm", pixels, BitsStored=12, HighBit=11, RescaleIntercept=0)
    assert read_volume(path).voxels.tolist() == [[[5, 10]]]


def test_unused_high_bits_of_signed_values_are_their_sign(tmp_path, dicom):
    pixels = np.array([[0x0FFF, 0x0001]], np.int16)
    path = dicom(tmp_path / "old.dcm", pixels, BitsStored=12, HighBit=11, RescaleIntercept=0)
    assert read_volume(path).voxels.tolist() == [[[-1, 1]]]


def test_a_file_without_preamble_and_transfer_syntax_is_read(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = pydicom.dcmread(real("MR_small_implicit.dcm"))
    content = pydicom.filebase.DicomBytesIO()
    content.is_little_endian = content.is_implicit_VR = True
    pydicom.filewriter.write_dataset(content, dataset)
    (tmp_path / "bare").write_bytes(content.getvalue())
    assert np.array_equal(read_volume(tmp_path / "bare").voxels, read_volume(real("MR_small.dcm")).voxels)


@pytest.mark.parametrize("name", ["MR_truncated.dcm", "JPEG2000-embedded-sequence-delimiter.dcm"])
def test_damaged_pixels_are_refused_without_noise(name, capfd):
    with pytest.raises(ImageReadError, match=f"{name} cannot be decoded"):
        read_volume(real(name))
    assert capfd.readouterr().err == ""


def test_a_file_without_pixel_data_is_refused(tmp_path, dicom):
    path = dicom(tmp_path / "header.dcm", np.zeros((2, 2), np.int16), PixelData=None)
    with pytest.raises(ImageReadError, match=r"header\.dcm has no pixel data"):
        read_volume(path)
