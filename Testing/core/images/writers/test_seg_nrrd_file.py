"""Masks written as .seg.nrrd come back with their voxels, names, codes and overlaps."""

import nrrd
import numpy as np
import pytest
import slicerio

from MultiRoundSegLib.errors import GeometryMismatchError
from MultiRoundSegLib.images import Code, Geometry, Mask
from MultiRoundSegLib.images.readers import read_segmentation
from MultiRoundSegLib.images.writers import SegmentStyle, write_masks_seg_nrrd

LIVER = Code("SCT", "10200004", "Liver")


@pytest.fixture
def liver(blocks):
    return blocks.renamed("liver 肝脏", LIVER)


@pytest.fixture
def lesion(blocks):
    """Overlaps the liver in 4 x 3 x 3 voxels and reaches beyond it."""
    voxels = np.zeros(blocks.geometry.shape, bool)
    voxels[2:6, 2:8, 5:8] = True
    return Mask(voxels, blocks.geometry, "lesion")


@pytest.fixture
def kidney(blocks):
    voxels = np.zeros(blocks.geometry.shape, bool)
    voxels[10:12, :3, :3] = True
    return Mask(voxels, blocks.geometry, "left kidney", Code("SCT", "64033007", "Kidney"))


def test_every_order_of_axes_comes_back_voxel_for_voxel(tmp_path, turned_blocks):
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [turned_blocks], turned_blocks.geometry)

    (back,) = read_segmentation(path, reference=turned_blocks.geometry)

    assert back == turned_blocks
    assert np.allclose(back.centroid_ras(), (-27.0345, 18.0636, 7.0134), atol=1e-4)


def test_names_and_codes_come_back(tmp_path, liver, kidney):
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [liver, kidney], liver.geometry)
    assert read_segmentation(path, reference=liver.geometry) == [liver, kidney]


def test_overlapping_masks_come_back_whole(tmp_path, liver, lesion, kidney):
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [liver, lesion, kidney], liver.geometry)
    assert read_segmentation(path, reference=liver.geometry) == [liver, lesion, kidney]


def test_only_overlaps_need_another_layer(tmp_path, liver, lesion, kidney):
    write_masks_seg_nrrd(tmp_path / "masks.seg.nrrd", [liver, lesion, kidney], liver.geometry)
    voxels, header = nrrd.read(tmp_path / "masks.seg.nrrd")
    assert voxels.shape == (2, 20, 24, 16)
    places = [(header[f"Segment{n}_Layer"], header[f"Segment{n}_LabelValue"]) for n in range(3)]
    assert places == [("0", "1"), ("1", "1"), ("0", "2")]


def test_an_independent_reader_finds_names_colours_and_terminology(tmp_path, liver, lesion):
    path = tmp_path / "masks.seg.nrrd"
    liver = liver.renamed("liver", LIVER)  # pynrrd reads ASCII names only
    left = Code("SCT", "7771000", "Left")
    styles = [SegmentStyle("Round_1_1", (1, 0, 0), left), SegmentStyle("Round_2_1", (0, 0.5, 1))]
    write_masks_seg_nrrd(path, [liver, lesion], liver.geometry, styles=styles)

    segmentation = slicerio.read_segmentation(str(path))

    first, second = segmentation["segments"]
    assert (first["name"], first["color"], second["color"]) == ("liver", [1, 0, 0], [0, 0.5, 1])
    assert first["terminology"]["category"] == ["SCT", "123037004", "Anatomical Structure"]
    assert first["terminology"]["type"] == ["SCT", "10200004", "Liver"]
    assert first["terminology"]["typeModifier"] == ["SCT", "7771000", "Left"]
    assert (first["id"], second["id"]) == ("Round_1_1", "Round_2_1")
    assert "terminology" not in second
    assert np.allclose(np.diag([-1, -1, 1, 1]) @ segmentation["ijkToLPS"], liver.geometry.ijk_to_ras)


def test_the_file_says_on_which_grid_slicer_edits(tmp_path, kidney):
    write_masks_seg_nrrd(tmp_path / "masks.seg.nrrd", [kidney], kidney.geometry)
    _, header = nrrd.read(tmp_path / "masks.seg.nrrd")
    name, numbers, _ = header["Segmentation_ConversionParameters"].split("|")
    values = [float(number) for number in numbers.split(";")[:-1]]
    assert name == "Reference image geometry"
    assert np.array_equal(np.reshape(values[:16], (4, 4)), kidney.geometry.ijk_to_ras)
    assert values[16:] == [0, 19, 0, 23, 0, 15]
    assert header["Segment0_Extent"] == "0 2 0 2 10 11"


def test_an_empty_mask_stays_a_segment(tmp_path, liver):
    nothing = Mask(np.zeros(liver.geometry.shape, bool), liver.geometry, "nothing")
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [nothing, liver], liver.geometry)
    assert read_segmentation(path, reference=liver.geometry) == [nothing, liver]


def test_more_masks_than_8_bits_can_count_keep_their_voxels(tmp_path):
    geometry = Geometry((1, 1, 300), np.eye(4))
    masks = [Mask(np.arange(300).reshape(1, 1, 300) == n, geometry, f"part {n}") for n in range(300)]
    write_masks_seg_nrrd(tmp_path / "masks.seg.nrrd", masks, geometry)
    assert read_segmentation(tmp_path / "masks.seg.nrrd", reference=geometry) == masks


@pytest.mark.parametrize("label", ["two\nlines", "back\\slash", "a:=b", "1 | 2"])
def test_any_name_comes_back(tmp_path, blocks, label):
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [blocks.renamed(label)], blocks.geometry)
    assert read_segmentation(path, reference=blocks.geometry)[0].label == label


def test_signs_that_separate_terminology_are_taken_out_of_a_meaning(tmp_path, blocks):
    path = tmp_path / "masks.seg.nrrd"
    write_masks_seg_nrrd(path, [blocks.renamed("x", Code("99X", "1", "a~b|c^d"))], blocks.geometry)
    assert read_segmentation(path, reference=blocks.geometry)[0].code == Code("99X", "1", "a b c d")


def test_a_mask_on_another_grid_is_refused(tmp_path, blocks):
    other = Geometry(blocks.geometry.shape, np.eye(4))
    with pytest.raises(GeometryMismatchError, match="'two blocks' lies on another voxel grid"):
        write_masks_seg_nrrd(tmp_path / "masks.seg.nrrd", [blocks], other)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "count", "styles"),
    [("masks.nrrd", 1, None), ("masks.seg.nrrd", 0, None), ("masks.seg.nrrd", 1, [])],
)
def test_wrong_arguments_are_refused(tmp_path, blocks, name, count, styles):
    with pytest.raises(ValueError, match="mask"):
        write_masks_seg_nrrd(tmp_path / name, [blocks] * count, blocks.geometry, styles=styles)
