"""What is said: rounds, references to earlier masks, the dialogue and its record on disk."""

from .conversation import Conversation
from .rounds import GIVEN, Answer, Origin, Question, Reference, Round, Status

__all__ = ["GIVEN", "Answer", "Conversation", "Origin", "Question", "Reference", "Round", "Status"]
