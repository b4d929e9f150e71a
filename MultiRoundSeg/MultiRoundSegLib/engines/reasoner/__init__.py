"""The reasoner: knowledge of anatomy decides WHAT is meant, a segmenter finds WHERE it is."""

from .engine import ReasonerEngine, ReasonerSession, create
from .segmenters.atlas import Atlas

__all__ = ["Atlas", "ReasonerEngine", "ReasonerSession", "create"]
