"""The contract between those who ask and those who answer, and how an engine is chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Volume


@dataclass(frozen=True)
class EngineInfo:
    """What an engine is.

    Attributes:
        name: as given to `create_engine`.
        version: of the engine.
        title: what a person sees in a list.
        weights: SHA-256 of its weights; None where it has none.
    """

    name: str
    version: str
    title: str
    weights: str | None = None


class Progress(Protocol):
    """Is told how far the work is; raises `CancelledError` when the user stopped it."""

    def __call__(self, fraction: float, message: str) -> None:
        """Take note of a step.

        Args:
            fraction: 0 to 1 of the round.
            message: what is being done, for a person.

        Raises:
            CancelledError: the user stopped it.
        """


def no_progress(fraction: float, message: str) -> None:
    """A `Progress` for those who do not want to know."""


class EngineSession(Protocol):
    """One volume in the hands of an engine; an image is encoded once, when the session is opened."""

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """Answer one round without changing `history`.

        `progress` is called at the start, at least once a second where work is long, and at the end.
        Masks of the answer lie on the volume's own grid.

        Raises:
            ReferenceNotFoundError: a picked reference points to nothing.
            EmptyMaskError: a picked reference is empty.
            CancelledError: `progress` said so.
            EngineError: the round could not be carried out.
        """

    def close(self) -> None:
        """Release what the session holds; harmless when repeated."""


@runtime_checkable
class WordedSession(Protocol):
    """A session that can also be given the words of its answer, as published evaluations do."""

    def answer_in_words(
        self, question: Question, words: str, history: Conversation, *, judge: bool, progress: Progress
    ) -> Answer:
        """Make the masks of an answer whose words are known.

        Args:
            question: as for `EngineSession.answer`.
            words: of the answer, with "[SEG]" where a mask belongs.
            history: the dialogue so far.
            judge: whether the engine judges its masks and may make them anew.
            progress: as for `EngineSession.answer`.

        Raises:
            EngineError: as `EngineSession.answer` does.
        """


class Engine(Protocol):
    """Answers questions about volumes."""

    @property
    def info(self) -> EngineInfo:
        """What this engine is."""

    def open(self, volume: Volume) -> EngineSession:
        """Take in a volume.

        Raises:
            EngineError: the engine cannot work on it.
        """


_ENGINES = {
    "reasoner": "MultiRoundSegLib.engines.reasoner",
    "remote": "MultiRoundSegLib.engines.remote",
    "mediround": "MultiRoundSegLib.engines.mediround",
}


def engine_names() -> tuple[str, ...]:
    """The names that `create_engine` knows."""
    return tuple(_ENGINES)


def create_engine(name: str, **settings: Any) -> Engine:
    """Make an engine by name; only the chosen engine's libraries are imported.

    Args:
        name: one of `engine_names()`.
        **settings: the engine's own settings.

    Raises:
        EngineUnavailableError: no engine has this name, a setting is unknown, or a library is missing.
    """
    if name not in _ENGINES:
        known = ", ".join(_ENGINES)
        raise EngineUnavailableError(f"There is no engine {name!r}; choose one of: {known}.")
    try:
        create: Callable[..., Engine] = import_module(_ENGINES[name]).create
    except ImportError as error:
        raise EngineUnavailableError(f"The engine {name!r} needs {error.name}, which is not installed.") from error
    try:
        return create(**settings)
    except TypeError as error:
        raise EngineUnavailableError(f"The engine {name!r} does not take these settings: {error}.") from error
