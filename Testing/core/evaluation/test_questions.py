"""What an engine understands is told from the voxels of its answers, and it goes on from its own answers."""

import json
from pathlib import Path
from typing import Any

import evaluate
import pytest

from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.evaluation.questions import predict, read_questions

SETTINGS = {"A": ["liver", "spleen", "kidney_left", "kidney_right"]}


def files(folder: Path, questions: list[Any], **more: Any) -> tuple[Path, Path]:
    """A file of one dialogue, and its settings."""
    rounds = [{"question": one} if isinstance(one, str) else one for one in questions]
    dialogue = {"id": "A-1", "setting": "A", "language": "en", "absent": [], "rounds": rounds} | more
    (folder / "questions.json").write_text(json.dumps([dialogue]))
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    return folder / "questions.json", folder / "settings.json"


def test_structures_questions_back_and_refusals(tmp_path: Path) -> None:
    questions = ["left kidney", "the other one", "outline the kidney", "my coffee", "the liver and the spleen"]
    (dialogue,), structures = read_questions(*files(tmp_path, questions))
    assert predict(create_engine("reasoner", segmenters="labels"), dialogue, structures) == [
        {"structures": ["kidney_left"]},
        {"structures": ["kidney_right"]},
        {"clarify": True},
        {"none": True},
        {"structures": ["liver", "spleen"]},
    ]


def test_what_is_absent_is_not_found_and_clicks_are_references(tmp_path: Path) -> None:
    questions = ["left kidney", "the liver", {"question": "the other side of this", "references": [1]}, "the spleen"]
    (dialogue,), structures = read_questions(*files(tmp_path, questions, absent=["spleen"]))
    predictions = predict(create_engine("reasoner", segmenters="labels"), dialogue, structures)
    assert predictions[2:] == [{"structures": ["kidney_right"]}, {"none": True}]


def test_the_command_writes_predictions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, _ = files(tmp_path, ["the liver"])
    options = ["--dataset", "questions", "--data", str(file), "--setting", "segmenters=labels", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["evaluate.py", *options])
    assert evaluate.main() == 0
    assert json.loads((tmp_path / "predictions.json").read_text()) == {"A-1": [{"structures": ["liver"]}]}


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    (dialogue,), structures = read_questions(*files(tmp_path, ["the liver"], setting="Z"))
    with pytest.raises(DatasetError, match="item 0, setting: Z is not known"):
        predict(create_engine("reasoner", segmenters="labels"), dialogue, structures)
