"""Those who find WHERE a structure is; each is a plug-in behind the protocol `Segmenter`."""

from .labels import LabelsSegmenter
from .segmenter import Candidate, Dispute, Finder, Found, Segmenter, SegmenterInfo
from .several import SeveralFinders

__all__ = [
    "Candidate",
    "Dispute",
    "Finder",
    "Found",
    "LabelsSegmenter",
    "Segmenter",
    "SegmenterInfo",
    "SeveralFinders",
]
