"""Asks an engine the rounds of one dialogue, each with references to its own earlier masks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np

from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.datasets.dialogues import Region
from MultiRoundSegLib.engines import Engine, WordedSession, answer_or_error, no_progress
from MultiRoundSegLib.images import Mask, Volume, union
from MultiRoundSegLib.images.readers import read_volume

from .metrics import overlap
from .results import Result


@dataclass(frozen=True)
class Rules:
    """How a dialogue is held.

    Attributes:
        true_references: questions refer to the true masks of earlier rounds, not to the predicted ones.
        free_text: the engine finds the words of its answers itself; else it is given those of the data set, as in
            published evaluations, where it can take them.
    """

    true_references: bool = False
    free_text: bool = False


def hold(engine: Engine, dialogue: Dialogue, rules: Rules) -> Iterator[tuple[Result, Region | None]]:
    """Each round's result, and its predicted mask (H, W); None where the round is to be answered in words.

    A round whose prediction is empty lets later ones refer to the whole picture, as published.

    Raises:
        DatasetError: the picture or a mask cannot be read.
        EngineError: the engine cannot work on the picture.
    """
    volume = read_volume(dialogue.image)
    truths = [turn.truth.read() if turn.truth else None for turn in dialogue.turns]
    drawn = [_mask(turn.drawn.read(), volume, "") for turn in dialogue.turns if turn.drawn]
    history = Conversation(volume.geometry, drawn)
    session, drawn_before = engine.open(volume), count()
    try:
        for number, (turn, truth) in enumerate(zip(dialogue.turns, truths, strict=True)):
            about = [Reference(n) for n in turn.about]
            references = (*about, *([Reference(0, next(drawn_before))] if turn.drawn else []))
            question = Question(turn.question, references=references)
            is_referred_to = any(number + 1 in later.about for later in dialogue.turns)
            if isinstance(session, WordedSession) and not rules.free_text:
                ask = partial(session.answer_in_words, question, turn.answer, history, judge=is_referred_to)
            else:
                ask = partial(session.answer, question, history)
            answer = answer_or_error(engine, partial(ask, progress=no_progress))
            region = union(answer.masks, "").voxels[0] if answer.masks else np.zeros(volume.geometry.shape[1:], bool)
            true = [] if truth is None else [_mask(truth, volume, "true")]
            shown = true if rules.true_references else answer.masks
            history.record(question, _remembered(answer, shown, volume))
            yield _result(dialogue, number, answer, region, truth), None if truth is None else region
    finally:
        session.close()


def _remembered(answer: Answer, masks: Sequence[Mask], volume: Volume) -> Answer:
    """The answer with one mask that later rounds can refer to: of these together, or else of the whole picture."""
    found = union(masks, masks[0].label) if masks else _mask(_whole(volume), volume, "picture")
    return replace(answer, status="answered", masks=(found,))


def _result(dialogue: Dialogue, number: int, answer: Answer, region: Region, truth: Region | None) -> Result:
    turn = dialogue.turns[number]
    compared = overlap(region, truth) if truth is not None else None
    return Result(
        conversation=dialogue.number,
        round=number,
        modality=dialogue.modality,
        label=turn.label,
        relation=turn.relation,
        about=" ".join(str(n - 1) for n in turn.about),
        status=answer.status,
        intersection=compared.intersection if compared else -1,
        predicted=int(np.count_nonzero(region)),
        truth=compared.truth if compared else 0,
        score="" if answer.score is None else f"{answer.score:.6f}",
        seconds=round(answer.seconds, 4),
        text=answer.text,
    )


def _mask(region: Region, volume: Volume, label: str) -> Mask:
    return Mask(region[None], volume.geometry, label)


def _whole(volume: Volume) -> Region:
    return np.ones(volume.geometry.shape[1:], bool)
