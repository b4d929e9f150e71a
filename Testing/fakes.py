"""Engines for tests: they answer with masks made beforehand, so that only what surrounds them is tested."""

from collections.abc import Callable

from MultiRoundSegLib.conversation import (
    Answer,
    Conversation,
    Origin,
    Question,
    named_mentions,
    numbered_mentions,
    the_one,
)
from MultiRoundSegLib.engines import EngineInfo, Progress
from MultiRoundSegLib.errors import AmbiguousReferenceError
from MultiRoundSegLib.images import Mask, Volume

INFO = EngineInfo("fake", "1", "Fake")
ORIGIN = Origin("fake", "1")


class FakeEngine:
    """Answers every question by a function of question, history and volume."""

    info = INFO

    def __init__(self, reply: Callable[[Question, Conversation, Volume], Answer]) -> None:
        self._reply = reply
        self.opened: list[Volume] = []

    def open(self, volume: Volume) -> "FakeSession":
        self.opened.append(volume)
        return FakeSession(volume, self._reply)


class FakeSession:
    def __init__(self, volume: Volume, reply: Callable[[Question, Conversation, Volume], Answer]) -> None:
        self._volume = volume
        self._reply = reply

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        progress(0.0, "looking")
        for reference in question.references:
            history.mask(reference)
        answer = self._reply(question, history, self._volume)
        progress(1.0, "done")
        return answer

    def close(self) -> None:
        """Holds nothing."""


def stored(*masks: Mask) -> FakeEngine:
    """Answers with these masks, whatever is asked; without masks it finds nothing."""
    return FakeEngine(lambda question, history, volume: answer(question.text, *masks))


def echo() -> FakeEngine:
    """Answers with the masks that the question refers to by click, number or name."""

    def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
        try:
            named = named_mentions(question.text, history)
            references = [*question.references]
            references += [r for m in numbered_mentions(question.text, history) for r in m.references]
            references += [the_one(mention, question.text, history) for mention in named]
        except AmbiguousReferenceError as error:
            return Answer(str(error), ORIGIN, "clarify", choices=error.choices)
        masks = [
            history.mask(reference).renamed(f"echo of {history.mask(reference).label}") for reference in references
        ]
        notes = " ".join(mention.note for mention in named)
        return Answer(notes, ORIGIN, "answered" if masks else "none", tuple(masks), used=tuple(references))

    return FakeEngine(reply)


def answer(text: str, *masks: Mask) -> Answer:
    """An answer with these masks, or none."""
    return Answer(text, ORIGIN, "answered" if masks else "none", masks, seconds=0.001)
