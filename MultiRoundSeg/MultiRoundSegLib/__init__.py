"""MultiRoundSeg: multi-round segmentation of medical images by conversation."""

__version__ = "0.1.0"
