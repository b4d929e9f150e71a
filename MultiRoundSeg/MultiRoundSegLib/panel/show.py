"""Centring the slice views on what a mask shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import slicer

from MultiRoundSegLib.images import Mask
from MultiRoundSegLib.images.geometry import FloatArray
from MultiRoundSegLib.images.islands import largest_island, most_central

from .scene_images import to_world


def island_centre(mask: Mask) -> FloatArray:
    """RAS position (3,), mm, of the voxel in the mask's largest island that is nearest to its middle.

    Raises:
        ValueError: the mask is empty.
    """
    if mask.is_empty:
        raise ValueError(f"the mask {mask.label!r} is empty and has no island")
    return most_central(mask.geometry.ras(np.argwhere(largest_island(mask.crop)) + mask.corner))


def centre_views(mask: Mask, volume_node: Any) -> None:
    """Let every slice view go through the largest island of a mask."""
    position = to_world(volume_node) @ np.append(island_centre(mask), 1.0)
    mode = slicer.vtkMRMLSliceNode.CenteredJumpSlice
    slicer.vtkMRMLSliceNode.JumpAllSlices(slicer.mrmlScene, *position[:3], mode)
