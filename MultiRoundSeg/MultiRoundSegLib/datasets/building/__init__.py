"""Makes dialogues from labelled pictures: cases -> scenes -> links between what is seen -> rounds in words -> files."""

from .build import build
from .cases import Case, find_cases
from .settings import PUBLISHED_ROUNDS, BuildSettings
from .source import Source, scans_of, source_in

__all__ = [
    "PUBLISHED_ROUNDS",
    "BuildSettings",
    "Case",
    "Source",
    "build",
    "find_cases",
    "scans_of",
    "source_in",
]
