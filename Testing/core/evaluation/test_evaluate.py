"""The command: rounds are asked in turn, results add up, a stopped run goes on, and secrets stay out of the folder."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import evaluate
import numpy as np
import pytest
from core.datasets.samples import SIZE, mr_medseg, mturn_seg, region
from fakes import FakeEngine, answer
from PIL import Image

from MultiRoundSegLib.conversation import Answer, Conversation, Question, numbered_mentions
from MultiRoundSegLib.datasets import read_dialogues
from MultiRoundSegLib.errors import EngineError
from MultiRoundSegLib.evaluation.asking import Rules, hold
from MultiRoundSegLib.evaluation.results import read_results
from MultiRoundSegLib.images import Mask, Volume

Reply = Callable[[Question, Conversation, Volume], Answer]


def knowing(question: Question, history: Conversation, volume: Volume) -> Answer:
    """Answers every round with its truth."""
    number = len(history.rounds)
    return answer(question.text, Mask(region(number)[None], volume.geometry, "found"))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[[Reply], FakeEngine]:
    """Lets the command ask an engine that replies by a function."""

    def use(reply: Reply) -> FakeEngine:
        fake = FakeEngine(reply)
        monkeypatch.setattr("MultiRoundSegLib.engines.create_engine", lambda name, **settings: fake)
        return fake

    return use


def run(monkeypatch: pytest.MonkeyPatch, file: Path, out: Path, *options: str, kind: str = "mr-medseg") -> int:
    arguments = ["evaluate.py", "--dataset", kind, "--data", str(file), "--engine", "fake", "--out", str(out), *options]
    monkeypatch.setattr("sys.argv", arguments)
    return evaluate.main()


def test_an_engine_that_knows_everything(
    engine: Callable[[Reply], FakeEngine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine(knowing)
    out = tmp_path / "out"
    assert run(monkeypatch, mr_medseg(tmp_path), out) == 0
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["all"] == {"dice": 1.0, "giou": 1.0, "ciou": 1.0, "count": 6}
    assert [one["count"] for one in metrics["rounds"]] == [2, 2, 2]
    assert metrics["modality"]["ct"]["count"] == 6
    with Image.open(out / "masks" / "1_2.png") as mask:
        assert np.array_equal(np.asarray(mask) > 0, region(2))
    assert "| 3 | 1.0000 | 1.0000 | 1.0000 | 2 |" in (out / "report.md").read_text()
    with Image.open(out / "by_round.png") as curve:
        assert curve.width > 300


def test_later_rounds_refer_to_predicted_masks_or_to_true_ones(tmp_path: Path) -> None:
    (dialogue,) = read_dialogues("mr-medseg", mr_medseg(tmp_path, conversations=1), tmp_path)
    seen: list[list[int]] = []

    def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
        named = [r for mention in numbered_mentions(question.text, history) for r in mention.references]
        assert set(named) <= set(question.references), "what the words name is what the data set names"
        seen.append([history.mask(reference).voxel_count for reference in question.references])
        corner = np.zeros((1, *SIZE), bool)
        corner[0, 0, : len(history.rounds)] = True
        found = Mask(corner, volume.geometry, "found")
        return answer(question.text, *([] if found.is_empty else [found]))

    results = [result for result, _ in hold(FakeEngine(reply), dialogue, Rules())]
    assert seen == [[], [SIZE[0] * SIZE[1]], [1]]  # where nothing was found, the whole picture
    assert [result.status for result in results] == ["none", "answered", "answered"]
    assert [result.about for result in results] == ["", "0", "1"]
    seen.clear()
    list(hold(FakeEngine(reply), dialogue, Rules(true_references=True)))
    assert seen == [[], [region(0).sum()], [region(1).sum()]]
    seen.clear()
    first, second, third = dialogue.turns
    numbered = replace(third, question="Segment what lies beside [2], the result of round 2.")
    drawn = replace(dialogue, turns=(replace(first, drawn=third.truth), replace(second, drawn=first.truth), numbered))
    for rules, of_third in ((Rules(), 1), (Rules(true_references=True), region(1).sum())):
        list(hold(FakeEngine(reply), drawn, rules))
        assert seen[0] == [region(2).sum()], "what the user drew"
        assert seen[1][-1] == region(0).sum()
        assert seen[2] == [of_third]
        seen.clear()


def test_a_round_that_fails_is_an_error_and_the_next_one_is_asked(tmp_path: Path) -> None:
    (dialogue,) = read_dialogues("mr-medseg", mr_medseg(tmp_path, conversations=1), tmp_path)

    def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
        if len(history.rounds) == 1:
            raise EngineError("It does not work.")
        return knowing(question, history, volume)

    results = [result for result, _ in hold(FakeEngine(reply), dialogue, Rules())]
    assert [result.status for result in results] == ["answered", "error", "answered"]
    assert (results[1].text, results[1].predicted) == ("It does not work.", 0)
    assert [result.overlap.dice for result in results if result.overlap] == [1.0, 0.0, 1.0]


def test_rounds_that_are_answered_in_words_are_asked_but_not_scored(
    engine: Callable[[Reply], FakeEngine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine(knowing)
    out = tmp_path / "out"
    assert run(monkeypatch, mturn_seg(tmp_path), out, kind="mturn-seg") == 0
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["all"]["count"] == 2
    assert metrics["rounds"][1] == {"count": 0}
    assert metrics["label"]["spleen"]["dice"] == 1.0
    assert sorted(path.name for path in (out / "masks").iterdir()) == ["0_0.png", "0_2.png"]
    assert len(read_results(out / "results.csv")) == 3


def test_a_stopped_run_goes_on_where_it_was(
    engine: Callable[[Reply], FakeEngine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
        if len(asked) == 7:
            asked.append("stop")
            raise KeyboardInterrupt
        asked.append(question.text)
        return knowing(question, history, volume)

    engine(reply)
    file, out = mr_medseg(tmp_path, conversations=4), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, file, out)
    results = out / "results.csv"
    assert len(read_results(results)) == 6
    with results.open("a") as stream:
        stream.write("2,0,ct,,,,answered,5")  # as a power cut would leave it
    assert run(monkeypatch, file, out) == 0
    assert len(asked) == 8 + 6
    assert json.loads((out / "metrics.json").read_text())["all"]["count"] == 12
    assert [(r.conversation, r.round) for r in read_results(results)] == [(c, r) for c in range(4) for r in range(3)]


def test_another_run_does_not_get_into_the_folder(
    engine: Callable[[Reply], FakeEngine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    engine(knowing)
    file, out = mr_medseg(tmp_path), tmp_path / "out"
    assert run(monkeypatch, file, out, "--setting", "token=a-secret-of-mine") == 0
    assert "a-secret-of-mine" not in "".join(path.read_text() for path in out.glob("*.*") if path.suffix != ".png")
    assert run(monkeypatch, file, out, "--teacher-forcing") == 1
    assert "holds the results of another run" in capsys.readouterr().err


def test_the_faults_of_a_data_set_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    file = mr_medseg(tmp_path)
    assert run(monkeypatch, file, tmp_path / "out", "--check-only") == 0
    assert "0 faults." in capsys.readouterr().out
    next((tmp_path / "masks").iterdir()).unlink()
    assert run(monkeypatch, file, tmp_path / "out", "--check-only") == 1
    assert "1 faults." in capsys.readouterr().out


def test_the_default_engine_can_be_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["--dataset", "mr-medseg", "--data", str(mr_medseg(tmp_path)), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["evaluate.py", *arguments])
    assert evaluate.main() == 0
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["all"]["count"] == 6
