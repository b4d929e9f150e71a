"""A dialogue without a window: questions put to an engine one after another."""

from __future__ import annotations

import time
from collections.abc import Iterable

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
            started = time.perf_counter()
            try:
                answer = session.answer(question, history, progress=progress)
            except CancelledError:
                raise
            except MultiRoundSegError as error:
                origin = Origin(engine.info.name, engine.info.version, engine.info.weights)
                answer = Answer(str(error), origin, "error", seconds=time.perf_counter() - started)
            rounds.append(history.record(question, answer))
        return tuple(rounds)
    finally:
        session.close()
