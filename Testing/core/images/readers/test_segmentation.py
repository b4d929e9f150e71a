"""Label maps and Slicer segmentations become masks on the image's grid, voxel by voxel."""

from pathlib import Path

import numpy as np
import pytest
import SimpleITK
import slicerio

from MultiRoundSegLib.errors import GeometryMismatchError, ImageReadError
from MultiRoundSegLib.images import Code, Geometry, Mask, Volume
from MultiRoundSegLib.images.readers import read_segmentation, read_volume

SLICER_FILES = Path(slicerio.__file__).parent / "data"
AFFINE = np.array([[-0.7, 0, 0, 30], [0, 0.9, 0, -12], [0, 0, 2.5, 5], [0, 0, 0, 1.0]])
LABELS = np.zeros((4, 5, 6), np.uint8)
LABELS[1:3, 1:4, 2:5] = 7
LABELS[0, 0, 0] = 2


@pytest.fixture
def scan():
    return Volume(np.zeros(LABELS.shape, np.int16), Geometry(LABELS.shape, AFFINE))


def sform(affine=AFFINE, *, first_ijk=(0, 0, 0)):
    moved = affine.copy()
    moved[:3, 3] += affine[:3, :3] @ first_ijk
    return moved


def test_each_value_of_a_label_map_is_a_mask(nifti, scan):
    two, seven = read_segmentation(nifti(LABELS, sform=AFFINE), reference=scan.geometry)
    assert (two.label, seven.label) == ("label 2", "label 7")
    assert np.array_equal(two.voxels, LABELS == 2)
    assert np.array_equal(seven.voxels, LABELS == 7)
    assert seven.geometry.matches(scan.geometry)
    assert seven.code is None


@pytest.mark.parametrize("kind", ["a mapping", "a table"])
def test_names_name_the_values(nifti, scan, tmp_path, kind):
    (tmp_path / "names.txt").write_text("7 liver\n9 spleen\n")
    names = {7: "liver", 9: "spleen"} if kind == "a mapping" else tmp_path / "names.txt"
    masks = read_segmentation(nifti(LABELS, sform=AFFINE), reference=scan.geometry, names=names)
    assert [mask.label for mask in masks] == ["label 2", "liver"]


def test_whole_numbers_stored_as_floats_are_labels(nifti, scan):
    _, seven = read_segmentation(nifti(LABELS.astype(np.float32), sform=AFFINE), reference=scan.geometry)
    assert seven.voxel_count == 18


@pytest.mark.parametrize("value", [0.5, -1.0])
def test_an_image_is_no_label_map(nifti, scan, value):
    with pytest.raises(ImageReadError, match=r"scan\.nii is no label map"):
        read_segmentation(nifti(np.where(LABELS, value, 0).astype(np.float32), sform=AFFINE), reference=scan.geometry)


def test_an_empty_label_map_has_no_masks(nifti, scan):
    assert read_segmentation(nifti(LABELS * 0, sform=AFFINE), reference=scan.geometry) == []


def test_a_crop_is_placed_where_it_lies(nifti, scan):
    path = nifti(LABELS[1:3, 1:5, 2:6], sform=sform(first_ijk=(2, 1, 1)))
    (seven,) = read_segmentation(path, reference=scan.geometry)
    assert np.array_equal(seven.voxels, LABELS == 7)


def test_a_padded_label_map_is_cut_to_the_image(nifti, scan):
    path = nifti(np.pad(LABELS, 2), sform=sform(first_ijk=(-2, -2, -2)))
    assert np.array_equal(read_segmentation(path, reference=scan.geometry)[1].voxels, LABELS == 7)


def test_the_same_voxels_counted_along_other_axes_are_put_in_the_image_s_order(nifti, scan):
    # The file's i runs along the image's k, its j against the image's i, its k along the image's j.
    flipped = np.ascontiguousarray(LABELS[:, :, ::-1].transpose(1, 2, 0))
    affine = np.eye(4)
    affine[:3, :3] = AFFINE[:3, [2, 0, 1]] * (1, -1, 1)
    affine[:3, 3] = (AFFINE @ (5, 0, 0, 1))[:3]
    _, seven = read_segmentation(nifti(flipped, sform=affine), reference=scan.geometry)
    assert np.array_equal(seven.voxels, LABELS == 7)


@pytest.mark.parametrize("moved", [(0.5, 0, 0), (0, 0.1, 0)])
def test_voxels_between_those_of_the_image_are_refused(nifti, scan, moved):
    with pytest.raises(GeometryMismatchError, match=r"scan\.nii lies on another voxel grid than the image"):
        read_segmentation(nifti(LABELS, sform=sform(first_ijk=moved)), reference=scan.geometry)


def test_other_voxel_sizes_are_refused(nifti, scan):
    with pytest.raises(GeometryMismatchError, match="another voxel grid"):
        read_segmentation(nifti(LABELS, sform=AFFINE @ np.diag([2, 1, 1, 1])), reference=scan.geometry)


@pytest.mark.parametrize("first_ijk", [(3, 0, 0), (0, 0, 100)])
def test_a_segment_outside_the_image_is_refused(nifti, scan, first_ijk):
    with pytest.raises(GeometryMismatchError, match=r"scan\.nii reaches outside the image"):
        read_segmentation(nifti(LABELS, sform=sform(first_ijk=first_ijk)), reference=scan.geometry)


def test_a_label_map_of_another_format_is_read(tmp_path, scan):
    image = SimpleITK.GetImageFromArray(LABELS)
    image.SetSpacing((0.7, 0.9, 2.5))
    image.SetDirection((1, 0, 0, 0, -1, 0, 0, 0, 1))
    image.SetOrigin((-30, 12, 5))
    SimpleITK.WriteImage(image, tmp_path / "labels.mha")
    assert np.array_equal(read_segmentation(tmp_path / "labels.mha", reference=scan.geometry)[1].voxels, LABELS == 7)


def test_a_file_that_is_no_segmentation_is_refused(tmp_path, scan):
    (tmp_path / "notes.txt").write_text("1 liver")
    with pytest.raises(ImageReadError, match=r"notes\.txt is no segmentation"):
        read_segmentation(tmp_path / "notes.txt", reference=scan.geometry)


@pytest.fixture(scope="module")
def chest():
    return read_volume(SLICER_FILES / "CTChest4.nrrd")


def test_a_segmentation_saved_by_slicer_has_its_names_and_codes(chest):
    masks = read_segmentation(SLICER_FILES / "Segmentation.seg.nrrd", reference=chest.geometry)
    stored = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(SLICER_FILES / "Segmentation.seg.nrrd"))
    assert [mask.label for mask in masks[3:6]] == ["lumbar vertebral column", "right lung", "left lung"]
    assert masks[4].code == Code("SCT", "39607008", "Lung")
    for value, mask in enumerate(masks, start=1):
        assert np.array_equal(mask.voxels, stored == value)


def test_segments_that_overlap_in_slicer_overlap_here(chest):
    masks = read_segmentation(SLICER_FILES / "SegmentationOverlapping.seg.nrrd", reference=chest.geometry)
    sphere = masks[-1]
    assert (len(masks), sphere.label, sphere.voxel_count) == (8, "overlapping sphere", 19139)
    assert sphere.code == Code("SCT", "19227008", "Foreign body")
    assert sum(int((sphere.voxels & mask.voxels).sum()) for mask in masks[:-1]) > 0


def test_slicer_s_word_for_an_unspecified_structure_is_no_code(chest):
    *_, tissue = read_segmentation(SLICER_FILES / "Segmentation.seg.nrrd", reference=chest.geometry)
    assert (tissue.label, tissue.code) == ("tissue", None)


def test_a_segmentation_of_another_image_is_refused(scan):
    with pytest.raises(GeometryMismatchError):
        read_segmentation(SLICER_FILES / "Segmentation.seg.nrrd", reference=scan.geometry)


def test_a_segment_without_a_place_is_told(tmp_path, chest):
    content = (SLICER_FILES / "Segmentation.seg.nrrd").read_bytes()
    (tmp_path / "old.seg.nrrd").write_bytes(content.replace(b"Segment3_Layer:=0\n", b""))
    with pytest.raises(ImageReadError, match=r"old\.seg\.nrrd does not say where Segment3 lies"):
        read_segmentation(tmp_path / "old.seg.nrrd", reference=chest.geometry)


def test_masks_keep_to_the_grid_they_were_read_on(nifti, scan):
    two, _ = read_segmentation(nifti(LABELS, sform=AFFINE), reference=scan.geometry)
    assert two == Mask(LABELS == 2, scan.geometry, "label 2")
