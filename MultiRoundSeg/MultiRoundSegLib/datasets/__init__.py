"""What an engine is taught and tested on: published formats of dialogues about pictures, read and written."""

from .dialogues import TARGET, Dialogue, Truth, Turn
from .reading import FORMATS, faults_of, read_dialogues

__all__ = ["FORMATS", "TARGET", "Dialogue", "Truth", "Turn", "faults_of", "read_dialogues"]
