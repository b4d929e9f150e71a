"""Segments of the scene as masks, and masks written as segments, voxel for voxel on the volume's grid.

A segmentation stores its labelmaps in its own frame. A volume's grid seen from that frame is
"the lattice"; as long as the parent transforms are linear it is exact, and nothing is resampled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray
from vtk.util.numpy_support import vtk_to_numpy

from MultiRoundSegLib.errors import EngineError, ImageReadError, ReferenceNotFoundError
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.geometry import FloatArray
from MultiRoundSegLib.images.mask import Box

from .scene_images import geometry_of, to_world

Start = tuple[int, int, int]

_BINARY_LABELMAP = slicer.vtkSegmentationConverter.GetSegmentationBinaryLabelmapRepresentationName()
_AXES_TOLERANCE = 1e-5
_SHIFT_TOLERANCE = 1e-3
"""How far, in voxels, axes and origins of two lattices may differ and still be the same."""


def segment_mask(segmentation_node: Any, segment_id: str, volume_node: Any) -> Mask:
    """A segment as it is now, on the volume's grid; its voxels are read when first asked for."""
    segment = segmentation_node.GetSegmentation().GetSegment(segment_id)
    geometry = geometry_of(volume_node)
    return Mask.deferred(
        lambda: _read(segmentation_node, segment_id, volume_node, geometry),
        geometry,
        segment.GetName(),
        source=segmentation_node.GetName(),
    )


def write_mask(segmentation_node: Any, segment_id: str, mask: Mask, volume_node: Any) -> None:
    """Make a segment hold exactly the mask; other segments do not change.

    Raises:
        EngineError: Slicer refused.
    """
    lattice = _lattice(segmentation_node, volume_node, mask.geometry)
    segmentation = segmentation_node.GetSegmentation()
    if not _fits_layers(segmentation, lattice):
        # Slicer would resample a shared layer of another lattice, and its segments would lose voxels.
        segmentation.SeparateSegmentLabelmap(segment_id)
    logic = slicer.vtkSlicerSegmentationsModuleLogic
    labelmap = _labelmap(mask, lattice)
    if not logic.SetBinaryLabelmapToSegment(labelmap, segmentation_node, segment_id, logic.MODE_REPLACE):
        raise EngineError(f"Slicer could not write the segment {mask.label!r}; see the log for its reason.")


def refuse_surfaces(segmentation_node: Any) -> None:
    """Refuse to write into a segmentation that is kept as surfaces.

    Raises:
        EngineError: writing would change what its other segments are.
    """
    segmentation = segmentation_node.GetSegmentation()
    if segmentation.GetNumberOfSegments() and segmentation.GetSourceRepresentationName() != _BINARY_LABELMAP:
        raise EngineError(
            f"The segmentation {segmentation_node.GetName()} is kept as surfaces, not as voxels; choose another one, "
            "or make its binary labelmap the source representation in the module Segmentations."
        )


def may_meet(segmentation_node: Any, segment_id: str, volume_node: Any, box: Box) -> bool:
    """Whether a segment may have voxels in a box (k, j, i) of the volume's grid; only the box is looked at."""
    segment = segmentation_node.GetSegmentation().GetSegment(segment_id)
    stored = _stored(segment.GetRepresentation(_BINARY_LABELMAP), segmentation_node, volume_node)
    if stored is None:
        return True
    values, start = stored
    _, part = _common(start, values.shape, box)
    return bool((values[part] == segment.GetLabelValue()).any())


def _read(segmentation_node: Any, segment_id: str, volume_node: Any, geometry: Geometry) -> Mask:
    segmentation = segmentation_node.GetSegmentation()
    segment = segmentation.GetSegment(segment_id)
    if segment is None:
        raise ReferenceNotFoundError(f"A segment of {segmentation_node.GetName()} was deleted meanwhile; ask again.")
    labelmap = segment.GetRepresentation(_BINARY_LABELMAP)
    if labelmap is None and segmentation.GetSourceRepresentationName() != _BINARY_LABELMAP:
        lattice = _lattice(segmentation_node, volume_node, geometry)
        segment = _voxelised(segment, segmentation.GetSourceRepresentationName(), lattice, geometry)
        labelmap = segment.GetRepresentation(_BINARY_LABELMAP)
    if labelmap is None or labelmap.IsEmpty():
        return Mask.empty(geometry)
    stored = _stored(labelmap, segmentation_node, volume_node)
    if stored is None:
        array = slicer.util.arrayFromSegmentBinaryLabelmap(segmentation_node, segment_id, volume_node)
        return Mask(array, geometry, "")
    values, start = stored
    corner, part = _common(start, values.shape, tuple(slice(0, size) for size in geometry.shape))
    return Mask.from_crop(values[part] == segment.GetLabelValue(), corner, geometry, "")


def _stored(labelmap: Any, segmentation_node: Any, volume_node: Any) -> tuple[NDArray[Any], Start] | None:
    """A layer's label values (k, j, i) and where they start on the volume's grid; None on another lattice."""
    if labelmap is None or labelmap.IsEmpty():
        return None
    lattice = _lattice(segmentation_node, volume_node, geometry_of(volume_node))
    shift = _whole_shift(_matrix(labelmap), lattice)
    if shift is None:
        return None
    i0, i1, j0, j1, k0, k1 = labelmap.GetExtent()
    values = vtk_to_numpy(labelmap.GetPointData().GetScalars()).reshape(k1 - k0 + 1, j1 - j0 + 1, i1 - i0 + 1)
    i, j, k = (int(n) for n in np.array([i0, j0, k0]) + shift)
    return values, (k, j, i)


def _common(start: Start, shape: tuple[int, ...], box: tuple[slice, ...]) -> tuple[Start, tuple[slice, ...]]:
    """Where the part that an array at `start` shares with a box begins, and that part as the array counts."""
    part = []
    for first, size, wanted in zip(start, shape, box, strict=True):
        begin = min(max(wanted.start - first, 0), size)
        part.append(slice(begin, max(begin, min(wanted.stop - first, size))))
    if any(p.start == p.stop for p in part):
        return (0, 0, 0), (slice(0, 0),) * 3
    k, j, i = (first + p.start for first, p in zip(start, part, strict=True))
    return (k, j, i), tuple(part)


def _voxelised(segment: Any, source: str, lattice: FloatArray, geometry: Geometry) -> Any:
    """A copy of a segment kept as a surface, with its voxels on a lattice; the original is left alone."""
    grid = slicer.vtkOrientedImageData()
    planes, rows, columns = geometry.shape
    grid.SetExtent(0, columns - 1, 0, rows - 1, 0, planes - 1)
    grid.SetGeometryFromImageToWorldMatrix(slicer.util.vtkMatrixFromArray(lattice))
    converter = slicer.vtkSegmentationConverter
    copy = slicer.vtkSegmentation()
    copy.SetSourceRepresentationName(source)
    copied = slicer.vtkSegment()
    copied.DeepCopy(segment)
    copy.AddSegment(copied, "copy")
    copy.SetConversionParameter(
        converter.GetReferenceImageGeometryParameterName(), converter.SerializeImageGeometry(grid)
    )
    if not copy.CreateRepresentation(_BINARY_LABELMAP):
        raise ImageReadError(
            f"The segment {segment.GetName()} is kept as {source.lower()}, which Slicer cannot turn into voxels; "
            "delete it or make a binary labelmap of it."
        )
    return copy.GetSegment("copy")


def _lattice(segmentation_node: Any, volume_node: Any, geometry: Geometry) -> FloatArray:
    """(4, 4) from the volume's voxel indices (i, j, k) to the segmentation's own RAS, mm."""
    if segmentation_node.GetParentTransformNode() is volume_node.GetParentTransformNode():
        return geometry.ijk_to_ras
    return np.asarray(np.linalg.inv(to_world(segmentation_node)) @ to_world(volume_node) @ geometry.ijk_to_ras)


def _labelmap(mask: Mask, lattice: FloatArray) -> Any:
    labelmap = slicer.vtkOrientedImageData()
    crop, (k, j, i) = (mask.crop, mask.corner) if not mask.is_empty else (np.zeros((1, 1, 1), bool), (0, 0, 0))
    planes, rows, columns = crop.shape
    labelmap.SetExtent(i, i + columns - 1, j, j + rows - 1, k, k + planes - 1)
    labelmap.AllocateScalars(vtk.VTK_UNSIGNED_CHAR, 1)
    vtk_to_numpy(labelmap.GetPointData().GetScalars())[:] = crop.ravel()
    labelmap.SetGeometryFromImageToWorldMatrix(slicer.util.vtkMatrixFromArray(lattice))
    return labelmap


def _fits_layers(segmentation: Any, lattice: FloatArray) -> bool:
    """Whether every layer lies on this lattice, so that a new segment may share one."""
    segment_ids = segmentation.GetSegmentIDs()
    labelmaps = (segmentation.GetSegment(i).GetRepresentation(_BINARY_LABELMAP) for i in segment_ids)
    return all(
        labelmap is None or labelmap.IsEmpty() or _whole_shift(_matrix(labelmap), lattice) is not None
        for labelmap in labelmaps
    )


def _matrix(labelmap: Any) -> FloatArray:
    matrix = vtk.vtkMatrix4x4()
    labelmap.GetImageToWorldMatrix(matrix)
    return np.asarray(slicer.util.arrayFromVTKMatrix(matrix), dtype=np.float64)


def _whole_shift(matrix: FloatArray, lattice: FloatArray) -> np.ndarray[Any, np.dtype[np.int64]] | None:
    """By how many whole voxels (i, j, k) one lattice is shifted from another; None if it is another one."""
    relative = np.linalg.inv(lattice) @ matrix
    shift = np.floor(relative[:3, 3] + 0.5)
    same_axes = np.abs(relative[:3, :3] - np.eye(3)).max() <= _AXES_TOLERANCE
    whole = np.abs(relative[:3, 3] - shift).max() <= _SHIFT_TOLERANCE
    return shift.astype(np.int64) if same_axes and whole else None
