"""Slicer's real scene for every test, and the small scan and segmentation most of them need."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import slicer
import vtk
from numpy.typing import NDArray
from offscreen.scene import close_scene, start_slicer
from vtk.util.numpy_support import vtk_to_numpy

AIR_HU, TISSUE_HU = -1000, 40
BALL_CENTRE_KJI, BALL_RADIUS_MM = (14, 26, 30), 9.0


@pytest.fixture
def vtk_errors() -> Iterator[list[str]]:
    """What VTK and Slicer report as errors; a test that expects some clears the list, others fail on them."""
    errors: list[str] = []

    @vtk.calldata_type(vtk.VTK_STRING)
    def record(_window: Any, _event: str, message: str) -> None:
        errors.append(message)

    window = vtk.vtkOutputWindow.GetInstance()
    tag = window.AddObserver("ErrorEvent", record)
    yield errors
    window.RemoveObserver(tag)
    assert errors == []


@pytest.fixture
def scene(vtk_errors: list[str]) -> Iterator[Any]:
    """The scene of a started Slicer, empty."""
    start_slicer()
    yield slicer.mrmlScene
    close_scene()


@pytest.fixture
def a_ct_volume(scene: Any) -> Any:
    """A block of tissue in air, 24 x 40 x 48 voxels of 3 x 2 x 2 mm, turned by 20 degrees about S."""
    voxels = np.full((24, 40, 48), AIR_HU, dtype=np.int16)
    voxels[2:22, 4:36, 4:44] = TISSUE_HU
    cosine, sine = np.cos(np.deg2rad(20)), np.sin(np.deg2rad(20))
    ijk_to_ras = np.array(
        [
            [2 * cosine, -2 * sine, 0, -30],
            [2 * sine, 2 * cosine, 0, 10],
            [0, 0, 3, -100],
            [0, 0, 0, 1],
        ]
    )
    node = slicer.util.addVolumeFromArray(voxels, ijk_to_ras, "CT")
    node.CreateDefaultDisplayNodes()
    return node


@pytest.fixture
def a_ball(a_ct_volume: Any) -> NDArray[np.bool_]:
    """A ball of 9 mm radius around voxel (k, j, i) = (14, 26, 30), as a mask on the scan's grid."""
    offsets = np.indices((24, 40, 48)).transpose(1, 2, 3, 0) - BALL_CENTRE_KJI
    return np.asarray(np.linalg.norm(offsets * (3, 2, 2), axis=-1) <= BALL_RADIUS_MM)


@pytest.fixture
def ball_centre_ras(a_ct_volume: Any) -> NDArray[np.float64]:
    """Where the middle of the ball lies in the world, mm."""
    ijk_to_ras = vtk.vtkMatrix4x4()
    a_ct_volume.GetIJKToRASMatrix(ijk_to_ras)
    return np.array(ijk_to_ras.MultiplyPoint((*BALL_CENTRE_KJI[::-1], 1))[:3])


@pytest.fixture
def a_segmentation(a_ct_volume: Any) -> Any:
    """An empty segmentation of the scan."""
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", "Segmentation")
    node.CreateDefaultDisplayNodes()
    node.SetReferenceImageGeometryParameterFromVolumeNode(a_ct_volume)
    return node


@pytest.fixture
def add_segment(a_ct_volume: Any, a_segmentation: Any) -> Any:
    """Call with a name, a mask on the scan's grid and a colour: adds the segment and returns its ID."""

    def add(name: str, mask: NDArray[np.bool_], colour: tuple[float, float, float] = (1.0, 0.0, 0.0)) -> str:
        segment_id: str = a_segmentation.GetSegmentation().AddEmptySegment("", name, colour)
        logic = slicer.modules.segmentations.logic()
        labelmap = _oriented_labelmap(mask, a_ct_volume)
        assert logic.SetBinaryLabelmapToSegment(labelmap, a_segmentation, segment_id, logic.MODE_REPLACE)
        return segment_id

    return add


def _oriented_labelmap(mask: NDArray[np.bool_], volume_node: Any) -> Any:
    labelmap = slicer.vtkOrientedImageData()
    labelmap.SetDimensions(mask.shape[::-1])
    labelmap.AllocateScalars(vtk.VTK_UNSIGNED_CHAR, 1)
    vtk_to_numpy(labelmap.GetPointData().GetScalars()).reshape(mask.shape)[:] = mask
    ijk_to_ras = vtk.vtkMatrix4x4()
    volume_node.GetIJKToRASMatrix(ijk_to_ras)
    labelmap.SetGeometryFromImageToWorldMatrix(ijk_to_ras)
    return labelmap
