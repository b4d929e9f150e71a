"""The reasoner: knowledge of anatomy decides WHAT is meant, a segmenter finds WHERE it is."""

from .engine import ReasonerEngine, ReasonerSession, create

__all__ = ["ReasonerEngine", "ReasonerSession", "create"]
