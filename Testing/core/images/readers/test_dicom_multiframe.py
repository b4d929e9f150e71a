"""Multi-frame DICOM: functional groups place the frames; cine loops need a choice."""

import numpy as np
import pydicom
import pytest
from pydicom.data import get_testdata_file
from pydicom.dataset import Dataset
from pydicom.uid import EnhancedCTImageStorage

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume

STORED = np.arange(24, dtype=np.int16).reshape(4, 3, 2) + 1000


def item(**attributes):
    dataset = Dataset()
    for keyword, value in attributes.items():
        setattr(dataset, keyword, value)
    return [dataset]


def frame_at(z, slope=1):
    return item(
        PlanePositionSequence=item(ImagePositionPatient=[30, 12, z]),
        PixelValueTransformationSequence=item(RescaleSlope=slope, RescaleIntercept=-1024),
    )[0]


@pytest.fixture
def enhanced(tmp_path, dicom):
    """Call with frames and stored values: one enhanced CT; what all frames share stands in the shared group."""

    def write(frames, stored=STORED):
        shared = item(
            PlaneOrientationSequence=item(ImageOrientationPatient=[1, 0, 0, 0, 1, 0]),
            PixelMeasuresSequence=item(PixelSpacing=[0.9, 0.7], SliceThickness=3),
        )
        top = ("PixelSpacing", "ImageOrientationPatient", "ImagePositionPatient", "SliceThickness")
        return dicom(
            tmp_path / "enhanced.dcm",
            stored[0],
            SOPClassUID=EnhancedCTImageStorage,
            NumberOfFrames=len(stored),
            PixelData=stored.tobytes(),
            SharedFunctionalGroupsSequence=shared,
            PerFrameFunctionalGroupsSequence=frames,
            **dict.fromkeys((*top, "RescaleSlope", "RescaleIntercept")),
        )

    return write


def test_frames_are_sorted_by_their_positions(enhanced):
    volume = read_volume(enhanced([frame_at(z) for z in (6, 0, 9, 3)]))
    assert np.array_equal(volume.voxels, STORED[[1, 3, 0, 2]] - 1024)
    assert np.array_equal(
        volume.geometry.ijk_to_ras,
        [[-0.7, 0, 0, -30], [0, -0.9, 0, -12], [0, 0, 3, 0], [0, 0, 0, 1]],
    )


def test_each_frame_has_its_own_rescale(enhanced):
    volume = read_volume(enhanced([frame_at(3 * k, slope=k + 0.5) for k in range(4)]))
    slopes = np.arange(4).reshape(4, 1, 1) + 0.5
    assert np.array_equal(volume.voxels, STORED * slopes - 1024)


def test_frames_at_the_same_positions_are_a_choice(enhanced):
    path = enhanced([frame_at(z) for z in (0, 0, 3, 3)])
    with pytest.raises(ImageReadError, match=r"enhanced\.dcm holds 2 frames"):
        read_volume(path)
    assert np.array_equal(read_volume(path, frame=2).voxels, STORED[[1, 3]] - 1024)


def test_missing_frames_are_told(enhanced):
    path = enhanced([frame_at(z) for z in (0, 3, 6, 9)])
    dataset = pydicom.dcmread(path)
    dataset.PixelData = dataset.PixelData[:-12]
    dataset.save_as(path)
    with pytest.raises(ImageReadError, match=r"enhanced\.dcm cannot be decoded"):
        read_volume(path)


def test_a_cine_loop_needs_a_choice():
    path = get_testdata_file("examples_ybr_color.dcm", download=False)
    with pytest.raises(ImageReadError, match=r"examples_ybr_color\.dcm holds 30 frames; choose one"):
        read_volume(path)


def test_the_chosen_picture_of_a_cine_loop_is_read():
    path = get_testdata_file("examples_ybr_color.dcm", download=False)
    third, fourth = (read_volume(path, frame=n) for n in (3, 4))
    assert third.voxels.shape == (1, 240, 320, 3)
    assert (third.modality, third.frame) == ("US", "3 of 30")
    assert not np.array_equal(third.voxels, fourth.voxels)


def test_two_colour_frames_are_told_apart():
    path = get_testdata_file("SC_rgb_rle_2frame.dcm", download=False)
    expected = pydicom.dcmread(path).pixel_array
    for number in (1, 2):
        assert np.array_equal(read_volume(path, frame=number).voxels[0], expected[number - 1])
