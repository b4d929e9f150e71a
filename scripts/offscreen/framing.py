"""Where to cut and how much to show: the largest island of some segments, and the body around it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray

from MultiRoundSegLib.images.islands import largest_island, most_central

Points = NDArray[np.float64]

_AIR_MARGIN = 0.1
"""How far above the window's lower edge, as a fraction of its width, tissue begins."""

_COARSE = 64
"""The body is looked for on a grid of about this many voxels a side."""


def island_centre_ras(segmentation_node: Any, segment_ids: Sequence[str]) -> Points:
    """Return the voxel nearest to the centroid of the segments' largest island, as world position in mm.

    Raises:
        ValueError: the segments hold no voxel.
    """
    islands = [_largest_island(segmentation_node, segment_id) for segment_id in segment_ids]
    island = max(islands, key=len, default=np.empty((0, 3)))
    if not len(island):
        raise ValueError("The segments to show are empty; give centre_ras to say where to cut.")
    return most_central(island)


def body_box_ras(volume_node: Any) -> Points:
    """Return the world box around the largest piece of tissue: (2, 3), lower and upper corner in mm.

    Tissue is what the volume's display window shows brighter than nearly black; a volume without any is
    taken whole.
    """
    voxels = slicer.util.arrayFromVolume(volume_node)
    steps = [max(1, size // _COARSE) for size in voxels.shape]
    display = volume_node.GetDisplayNode()
    threshold = display.GetWindowLevelMin() + _AIR_MARGIN * display.GetWindow()
    coarse = voxels[:: steps[0], :: steps[1], :: steps[2]]
    tissue = largest_island(coarse > threshold)
    if not tissue.any():
        tissue = np.ones_like(tissue)
    kji = np.argwhere(tissue) * steps
    faces_ijk = np.stack([kji.min(axis=0) - 0.5, kji.max(axis=0) + np.array(steps) - 0.5])[:, ::-1]
    corners_ijk = np.array([faces_ijk[list(choice), range(3)] for choice in np.ndindex(2, 2, 2)])
    ijk_to_ras = vtk.vtkMatrix4x4()
    volume_node.GetIJKToRASMatrix(ijk_to_ras)
    corners = _to_world(corners_ijk, ijk_to_ras, volume_node)
    return np.stack([corners.min(axis=0), corners.max(axis=0)])


def _largest_island(segmentation_node: Any, segment_id: str) -> Points:
    """Return the world positions, (N, 3) in mm, of the voxels of a segment's largest piece."""
    labelmap = segmentation_node.GetBinaryLabelmapInternalRepresentation(segment_id)
    if labelmap is None or labelmap.IsEmpty():
        return np.empty((0, 3))
    values = slicer.util.arrayFromSegmentInternalBinaryLabelmap(segmentation_node, segment_id)
    piece = largest_island(values == segmentation_node.GetSegmentation().GetSegment(segment_id).GetLabelValue())
    first_ijk = labelmap.GetExtent()[::2]
    ijk_to_ras = vtk.vtkMatrix4x4()
    labelmap.GetImageToWorldMatrix(ijk_to_ras)
    return _to_world(np.argwhere(piece)[:, ::-1] + first_ijk, ijk_to_ras, segmentation_node)


def _to_world(ijk: NDArray[Any], ijk_to_ras: Any, node: Any) -> Points:
    """Apply a node's own matrix and then its (linear) parent transforms to (N, 3) voxel positions."""
    to_world = vtk.vtkMatrix4x4()
    slicer.vtkMRMLTransformNode.GetMatrixTransformBetweenNodes(node.GetParentTransformNode(), None, to_world)
    matrix = slicer.util.arrayFromVTKMatrix(to_world) @ slicer.util.arrayFromVTKMatrix(ijk_to_ras)
    return np.asarray(ijk @ matrix[:3, :3].T + matrix[:3, 3])
