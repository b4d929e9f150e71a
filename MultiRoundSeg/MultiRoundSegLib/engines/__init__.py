"""Who answers: the engine contract and the engines, which do not know each other."""

from .dialogue import hold_dialogue
from .engine import Engine, EngineInfo, EngineSession, Progress, WordedSession, create_engine, engine_names

__all__ = [
    "Engine",
    "EngineInfo",
    "EngineSession",
    "Progress",
    "WordedSession",
    "create_engine",
    "engine_names",
    "hold_dialogue",
]
