"""Who answers: the engine contract and the engines, which do not know each other."""

from .dialogue import answer_or_error, hold_dialogue
from .engine import (
    Engine,
    EngineInfo,
    EngineSession,
    Progress,
    WordedSession,
    create_engine,
    engine_names,
    no_progress,
)

__all__ = [
    "Engine",
    "EngineInfo",
    "EngineSession",
    "Progress",
    "WordedSession",
    "answer_or_error",
    "create_engine",
    "engine_names",
    "hold_dialogue",
    "no_progress",
]
