"""Those who find WHERE a structure is; each is a plug-in behind the protocol `Segmenter`."""

from .labels import LabelsSegmenter
from .segmenter import Candidate, Segmenter

__all__ = ["Candidate", "LabelsSegmenter", "Segmenter"]
