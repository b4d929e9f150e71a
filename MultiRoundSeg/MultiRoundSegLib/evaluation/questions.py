"""Dialogues in words alone: which structures an engine understands to be meant, without any image.

A file is a list of {"id", "setting", "language", "absent": [structures], "rounds": [{"question", "references": [round],
"gold": ...}]}. The structures of the setting, less the absent ones, are given to the engine as masks of one voxel each,
so that it can be told from the voxels of an answer which structures it meant. The engine goes on from its own answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.datasets.checking import Item, read_json
from MultiRoundSegLib.engines import Engine, hold_dialogue, no_progress
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.images.writers.atomic import write_json

Prediction = dict[str, Any]
"""{"structures": [names]}, or {"none": true}, {"clarify": true}, {"text": true}."""
PREDICTIONS = "predictions.json"
_MODALITIES = {"A": "CT", "B": "MR", "C": "CT"}


def read_questions(file: Path, settings: Path) -> tuple[list[Item], dict[str, list[str]]]:
    """The dialogues of a file, and the structures of each setting.

    Args:
        file: the dialogues.
        settings: JSON {setting: [structures]}.

    Raises:
        DatasetError: a file is damaged.
    """
    document = read_json(file)
    if not isinstance(document, list):
        raise DatasetError(f"{file.name} is no list of dialogues.")
    structures = dict(Item(read_json(settings), settings.name).entries())
    return [Item(value, f"{file.name}, item {number}") for number, value in enumerate(document)], structures


def predict(engine: Engine, dialogue: Item, structures: Mapping[str, Sequence[str]]) -> list[Prediction]:
    """What the engine understands in each round.

    Raises:
        DatasetError: the dialogue is damaged, or its setting is not known.
        EngineError: the engine cannot work.
    """
    setting = dialogue.text("setting")
    if setting not in structures:
        raise dialogue.fault("setting", f"{setting} is not known")
    absent = set(dialogue.get("absent") or ())
    names = [name for name in structures[setting] if name not in absent]
    geometry = Geometry((1, 1, len(names)), np.eye(4))
    given = [Mask.from_crop(np.ones((1, 1, 1)), (0, 0, place), geometry, name) for place, name in enumerate(names)]
    volume = Volume(np.zeros(geometry.shape, np.int16), geometry, _MODALITIES.get(setting, "CT"))
    history = Conversation(geometry, given)
    hold_dialogue(engine, volume, _questions(dialogue, history), history, progress=no_progress)
    return [_prediction(round_.answer, names) for round_ in history.rounds]


def _questions(dialogue: Item, history: Conversation) -> Iterator[Question]:
    """Each question in turn, with those of its references that the rounds before it have made."""
    for asked in dialogue.items("rounds"):
        picked = asked.get("references") or ()
        there = tuple(r for number in picked for r in history.references() if r.round_number == number)
        yield Question(asked.text("question"), references=there)


def write_predictions(
    engine: Engine, dialogues: Sequence[Item], structures: Mapping[str, Sequence[str]], folder: Path
) -> dict[str, list[Prediction]]:
    """Write `predictions.json`: what is understood in each round of each dialogue, by the dialogue's ID."""
    predictions = {dialogue.text("id"): predict(engine, dialogue, structures) for dialogue in dialogues}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / PREDICTIONS, predictions)
    return predictions


def _prediction(answer: Answer, names: Sequence[str]) -> Prediction:
    if answer.status == "answered":
        places = {int(place) for mask in answer.masks for place in np.flatnonzero(mask.voxels.any(axis=(0, 1)))}
        return {"structures": [names[place] for place in sorted(places)]}
    return {"none" if answer.status == "error" else answer.status: True}
