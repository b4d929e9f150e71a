"""The segmenter `atlas`: another image with its masks is registered to the volume, and the masks are carried over."""

from .files import read_atlas
from .segmenter import AtlasSegmenter

__all__ = ["AtlasSegmenter", "read_atlas"]
