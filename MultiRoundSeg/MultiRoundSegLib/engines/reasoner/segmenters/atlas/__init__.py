"""The segmenter `atlas`: another image with its masks is registered to the volume, and the masks are carried over."""

from .atlas import Atlas, read_atlas
from .segmenter import AtlasSegmenter

__all__ = ["Atlas", "AtlasSegmenter", "read_atlas"]
