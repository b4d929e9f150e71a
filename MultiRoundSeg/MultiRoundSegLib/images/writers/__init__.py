"""Writes masks to files that other programs open."""

from .nifti import write_mask
from .seg_nrrd import SegmentStyle, write_masks_seg_nrrd

__all__ = ["SegmentStyle", "write_mask", "write_masks_seg_nrrd"]
