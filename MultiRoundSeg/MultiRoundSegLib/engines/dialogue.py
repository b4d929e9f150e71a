"""A dialogue without a window: questions put to an engine one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from MultiRoundSegLib.conversation import Answer, Conversation, Origin, Question, Round
from MultiRoundSegLib.errors import CancelledError, MultiRoundSegError
from MultiRoundSegLib.images import Volume

from .engine import Engine, Progress


def hold_dialogue(
    engine: Engine, volume: Volume, questions: Iterable[Question], history: Conversation, *, progress: Progress
) -> tuple[Round, ...]:
    """Ask every question in turn; a round that fails is recorded as an error and the next one is asked.

    Args:
        engine: who answers.
        volume: what is asked about.
        questions: in order; each sees the rounds before it.
        history: the dialogue so far; the rounds are added to it.
        progress: is told each step of each round.

    Returns:
        The new rounds. Those that could not be carried out have the status "error" and the reason as text.

    Raises:
        CancelledError: `progress` said so.
        EngineError: the engine cannot work on this volume.
    """
    session = engine.open(volume)
    try:
        rounds = []
        for question in questions:
            answer = answer_or_error(
                engine,
                lambda asked=question: session.answer(asked, history, progress=progress),  # type: ignore[misc]
            )
            rounds.append(history.record(question, answer))
        return tuple(rounds)
    finally:
        session.close()


def answer_or_error(engine: Engine, ask: Callable[[], Answer]) -> Answer:
    """What asking gives; of a round that cannot be carried out, an answer of status "error" that says why.

    Raises:
        CancelledError: the user stopped it.
    """
    started = time.perf_counter()
    try:
        return ask()
    except CancelledError:
        raise
    except MultiRoundSegError as error:
        origin = Origin(engine.info.name, engine.info.version, engine.info.weights)
        return Answer(str(error), origin, "error", seconds=time.perf_counter() - started)
