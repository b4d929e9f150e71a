"""The engine `mediround`: a language model that sees a slice, and a mask decoder that it directs."""

from .engine import MediRoundEngine, create

__all__ = ["MediRoundEngine", "create"]
