"""Reads images and segmentations from files; the only room, with `writers`, that knows LPS."""

from .dicom_files import Series, list_series
from .label_names import read_label_names
from .segmentation import read_segmentation
from .volume_file import read_volume

__all__ = ["Series", "list_series", "read_label_names", "read_segmentation", "read_volume"]
