"""The scene started without Slicer's window behaves as Slicer's does."""

from pathlib import Path

import numpy as np
import pytest
import slicer
from offscreen.scene import close_scene, import_scene, load_scene, save_scene, start_slicer


def test_starting_again_keeps_the_same_scene(scene):
    start_slicer()

    assert slicer.mrmlScene is scene


def test_every_module_logic_observes_the_scene(scene):
    logics = [module.logic() for module in vars(slicer.modules).values()]

    assert len(logics) == 10
    assert all(logic.GetMRMLScene() is scene for logic in logics)


def test_a_scene_always_has_a_subject_hierarchy(scene):
    close_scene()

    assert scene.GetNumberOfNodesByClass("vtkMRMLSubjectHierarchyNode") == 1


def test_a_scene_starts_without_the_nodes_of_the_test_before(scene):
    assert slicer.util.getNodesByClass("vtkMRMLVolumeNode") == []
    assert slicer.util.getNodesByClass("vtkMRMLSegmentationNode") == []


def test_voxels_written_to_a_volume_come_back(scene):
    voxels = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    node = slicer.util.addVolumeFromArray(np.zeros((2, 3, 4), np.int16), name="scan")

    slicer.util.updateVolumeFromArray(node, voxels)

    np.testing.assert_array_equal(slicer.util.arrayFromVolume(node), voxels)
    assert node.GetImageData().GetDimensions() == (4, 3, 2)


def test_overlapping_segments_keep_their_own_voxels_in_two_layers(a_segmentation, a_ct_volume, add_segment):
    left, middle, right = (np.zeros((24, 40, 48), bool) for _ in range(3))
    left[5:10, 5:10, 5:15] = True
    middle[5:10, 5:10, 10:30] = True
    right[5:10, 5:10, 25:40] = True
    ids = [add_segment(name, mask) for name, mask in (("l", left), ("r", right), ("m", middle))]

    for segment_id, mask in zip(ids, (left, right, middle), strict=True):
        voxels = slicer.util.arrayFromSegmentBinaryLabelmap(a_segmentation, segment_id, a_ct_volume)
        np.testing.assert_array_equal(voxels != 0, mask)
    assert a_segmentation.GetSegmentation().GetNumberOfLayers() == 2


def test_a_segment_updated_from_an_array_reads_back(a_segmentation, a_ct_volume, a_ball):
    segment_id = a_segmentation.GetSegmentation().AddEmptySegment("", "ball")

    slicer.util.updateSegmentBinaryLabelmapFromArray(a_ball.astype(np.uint8), a_segmentation, segment_id, a_ct_volume)

    voxels = slicer.util.arrayFromSegmentBinaryLabelmap(a_segmentation, segment_id, a_ct_volume)
    np.testing.assert_array_equal(voxels != 0, a_ball)


def test_a_saved_bundle_brings_back_nodes_references_and_voxels(
    a_segmentation, a_ct_volume, add_segment, a_ball, tmp_path: Path
):
    voxels = slicer.util.arrayFromVolume(a_ct_volume).copy()
    segment_id = add_segment("肝脏", a_ball, (0.5, 0.25, 0.125))
    text = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLTextNode", "Transcript")
    text.SetText('{"text": "left | 左"}')
    text.SetNodeReferenceID("segmentation", a_segmentation.GetID())
    save_scene(tmp_path / "case.mrb")

    load_scene(tmp_path / "case.mrb")

    text = slicer.util.getNode("Transcript")
    assert text.GetText() == '{"text": "left | 左"}'
    segmentation = text.GetNodeReference("segmentation")
    assert segmentation.GetSegmentation().GetSegment(segment_id).GetName() == "肝脏"
    assert segmentation.GetSegmentation().GetSegment(segment_id).GetColor() == (0.5, 0.25, 0.125)
    scan = segmentation.GetNodeReference(segmentation.GetReferenceImageGeometryReferenceRole())
    np.testing.assert_array_equal(slicer.util.arrayFromVolume(scan), voxels)
    mask = slicer.util.arrayFromSegmentBinaryLabelmap(segmentation, segment_id, scan)
    np.testing.assert_array_equal(mask != 0, a_ball)


def test_an_imported_scene_joins_the_one_that_is_open_and_keeps_its_references(
    scene, a_segmentation, a_ct_volume, tmp_path: Path
):
    save_scene(tmp_path / "case.mrb")

    import_scene(tmp_path / "case.mrb")

    first, second = slicer.util.getNodesByClass("vtkMRMLSegmentationNode")
    role = first.GetReferenceImageGeometryReferenceRole()
    assert first.GetID() != second.GetID()
    assert first.GetNodeReference(role) is a_ct_volume
    assert second.GetNodeReference(role) in slicer.util.getNodesByClass("vtkMRMLScalarVolumeNode")
    assert second.GetNodeReference(role) is not a_ct_volume


def test_a_scene_saved_as_mrml_keeps_what_is_no_voxel(scene, tmp_path: Path):
    scene.AddNewNodeByClass("vtkMRMLTextNode", "Transcript").SetText("kept")
    save_scene(tmp_path / "case.mrml")

    load_scene(tmp_path / "case.mrml")

    assert slicer.util.getNode("Transcript").GetText() == "kept"


def test_a_scene_is_not_saved_as_anything_else(scene, tmp_path: Path):
    with pytest.raises(ValueError, match=r"\.mrb or \.mrml"):
        save_scene(tmp_path / "case.zip")


def test_saving_where_no_folder_is_says_so(scene, vtk_errors, tmp_path: Path):
    with pytest.raises(OSError, match="could not be saved"):
        save_scene(tmp_path / "missing" / "case.mrb")
    vtk_errors.clear()


def test_loading_a_file_that_is_no_bundle_says_so(scene, vtk_errors, tmp_path: Path):
    (tmp_path / "case.mrb").write_text("not a bundle")

    with pytest.raises(OSError, match="could not be loaded"):
        load_scene(tmp_path / "case.mrb")
    vtk_errors.clear()


def test_slicer_util_saves_and_loads_volumes_and_segmentations(
    a_ct_volume, a_segmentation, add_segment, a_ball, tmp_path: Path
):
    segment_id = add_segment("ball", a_ball)
    assert slicer.util.saveNode(a_ct_volume, str(tmp_path / "scan.nrrd"))
    assert slicer.util.saveNode(a_segmentation, str(tmp_path / "scan.seg.nrrd"))

    scan = slicer.util.loadVolume(tmp_path / "scan.nrrd")
    segmentation = slicer.util.loadSegmentation(tmp_path / "scan.seg.nrrd")

    np.testing.assert_array_equal(slicer.util.arrayFromVolume(scan), slicer.util.arrayFromVolume(a_ct_volume))
    mask = slicer.util.arrayFromSegmentBinaryLabelmap(segmentation, segment_id, scan)
    np.testing.assert_array_equal(mask != 0, a_ball)


def test_a_sequence_browser_shows_the_selected_item_in_its_proxy(scene):
    sequence = scene.AddNewNodeByClass("vtkMRMLSequenceNode", "Rounds")
    text = slicer.vtkMRMLTextNode()
    for number, words in enumerate(("first", "second")):
        text.SetText(words)
        sequence.SetDataNodeAtValue(text, str(number))
    browser = scene.AddNewNodeByClass("vtkMRMLSequenceBrowserNode", "Browser")
    slicer.modules.sequences.logic().AddSynchronizedNode(sequence, None, browser)

    browser.SetSelectedItemNumber(1)

    assert browser.GetProxyNode(sequence).GetText() == "second"
