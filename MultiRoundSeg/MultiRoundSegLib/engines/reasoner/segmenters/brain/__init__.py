"""A network that labels a brain MR of any contrast: its structures, its grid, and the segmenter (free of torch)."""

from .segmenter import BrainSegmenter

__all__ = ["BrainSegmenter"]
