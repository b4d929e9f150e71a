"""Volume nodes of the scene as volumes, and slice viewers as views of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import slicer
import vtk

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images import Geometry, SliceView, Volume, nearest_view
from MultiRoundSegLib.images.geometry import FloatArray


def volume_of(volume_node: Any) -> Volume:
    """The image of a volume node in its own frame, without its parent transform; voxels are not copied.

    Raises:
        ImageReadError: the node holds no image that can be used.
    """
    name = volume_node.GetName()
    geometry = geometry_of(volume_node)
    voxels = _usable(slicer.util.arrayFromVolume(volume_node), name)
    return Volume(
        voxels,
        geometry,
        modality_of(volume_node),
        name=name,
        frame=frame_of(volume_node),
    )


def geometry_of(volume_node: Any) -> Geometry:
    """The voxel grid of a volume node in its own frame (RAS of the node, not of the world).

    Raises:
        ImageReadError: the node holds no image.
    """
    image = volume_node.GetImageData()
    if image is None or image.GetNumberOfPoints() == 0:
        raise ImageReadError(f"The volume {volume_node.GetName()} holds no image; load one or choose another volume.")
    i, j, k = volume_node.GetImageData().GetDimensions()
    matrix = vtk.vtkMatrix4x4()
    volume_node.GetIJKToRASMatrix(matrix)
    return Geometry((k, j, i), slicer.util.arrayFromVTKMatrix(matrix))


def modality_of(volume_node: Any) -> str:
    """DICOM modality: as the scene knows it from DICOM; "OT" where nobody said."""
    hierarchy = slicer.vtkMRMLSubjectHierarchyNode.GetSubjectHierarchyNode(slicer.mrmlScene)
    item = hierarchy.GetItemByDataNode(volume_node) if hierarchy else 0
    modality = hierarchy.GetItemAttribute(item, "DICOM.Modality") if item else ""
    return modality or volume_node.GetAttribute("DICOM.Modality") or "OT"


def frame_of(volume_node: Any) -> str | None:
    """Which frame of a sequence the node shows, for example "3 of 20"; None for a 3-D image."""
    browser = slicer.modules.sequences.logic().GetFirstBrowserNodeForProxyNode(volume_node)
    if browser is None:
        return None
    sequence = browser.GetSequenceNode(volume_node)
    number = browser.GetSelectedItemNumber()
    position = f"{number + 1} of {browser.GetNumberOfItems()}"
    value, unit = sequence.GetNthIndexValue(number), sequence.GetIndexUnit() or ""
    return f"{position}, {sequence.GetIndexName()} {value} {unit}".rstrip() if value else position


def view_of(slice_node: Any, volume_node: Any) -> SliceView | None:
    """The slice of the volume that a slice viewer shows; None where it shows none of it."""
    slice_to_world = slicer.util.arrayFromVTKMatrix(slice_node.GetSliceToRAS())
    return nearest_view(geometry_of(volume_node), np.linalg.inv(to_world(volume_node)) @ slice_to_world)


def to_world(node: Any) -> FloatArray:
    """(4, 4) from the node's own RAS to the world's, mm.

    Raises:
        ImageReadError: the node is under a transform that bends space.
    """
    transform = node.GetParentTransformNode()
    if transform is None:
        return np.eye(4)
    if not transform.IsTransformToWorldLinear():
        raise ImageReadError(
            f"{node.GetName()} is under the non-linear transform {transform.GetName()}; "
            "harden the transform or choose another volume."
        )
    matrix = vtk.vtkMatrix4x4()
    transform.GetMatrixTransformToWorld(matrix)
    return np.asarray(slicer.util.arrayFromVTKMatrix(matrix), dtype=np.float64)


def _usable(voxels: Any, name: str) -> Any:
    """Scalar voxels as they are; colour as RGB without alpha."""
    components = voxels.shape[3] if voxels.ndim == 4 else 1
    if components == 1:
        return voxels.reshape(voxels.shape[:3])
    if components in (3, 4) and voxels.dtype == np.uint8:
        return voxels[..., :3]
    raise ImageReadError(
        f"The volume {name} has {components} values per voxel; "
        "only grey images and 8-bit colour images (3 or 4 values) can be used."
    )
