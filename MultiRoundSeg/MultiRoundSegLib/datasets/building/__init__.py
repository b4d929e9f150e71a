"""Makes dialogues from labelled pictures: cases -> scenes -> links between what is seen -> rounds in words -> files."""

from .build import build, build_from_pictures
from .cases import Case, find_cases
from .pictures import is_sa_med2d
from .settings import PUBLISHED_ROUNDS, BuildSettings

__all__ = [
    "PUBLISHED_ROUNDS",
    "BuildSettings",
    "Case",
    "build",
    "build_from_pictures",
    "find_cases",
    "is_sa_med2d",
]
