"""What is said: rounds, references to earlier masks, the dialogue and its record on disk."""

from .conversation import Conversation
from .mentions import Mention, named_mentions, numbered_mentions, rewordings, spans_of, the_one
from .rounds import GIVEN, Answer, Origin, Question, Reference, Round, Status

__all__ = [
    "GIVEN",
    "Answer",
    "Conversation",
    "Mention",
    "Origin",
    "Question",
    "Reference",
    "Round",
    "Status",
    "named_mentions",
    "numbered_mentions",
    "rewordings",
    "spans_of",
    "the_one",
]
