"""What is seen: geometry, volumes, masks, slice views, windows; files are read by `images.readers`."""

from .code import Code
from .combine import union, without
from .geometry import Geometry
from .mask import Mask
from .slice_view import SliceView, nearest_index, nearest_view
from .volume import Volume
from .windows import CT_WINDOWS, Window, default_window

__all__ = [
    "CT_WINDOWS",
    "Code",
    "Geometry",
    "Mask",
    "SliceView",
    "Volume",
    "Window",
    "default_window",
    "nearest_index",
    "nearest_view",
    "union",
    "without",
]
