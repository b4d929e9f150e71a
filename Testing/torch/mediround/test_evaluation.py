"""The published evaluation, run by the command: its masks, scores and figures are those of the authors' code."""

import json
from pathlib import Path

import evaluate
import numpy as np
import pytest
from PIL import Image

from mediround.tiny import DATA, NAMES, expected, make_checkpoint
from MultiRoundSegLib.evaluation.results import read_results

RUNS = {
    "stage1_free": ([], "-1"),
    "stage1_teacher": (["--teacher-forcing"], "-1"),
    "stage2_free": ([], "0.6"),
    "stage2_teacher": (["--teacher-forcing"], "0.6"),
    "stage2_free_thr1": ([], "1.0"),
}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("checkpoint"))


def run(monkeypatch: pytest.MonkeyPatch, out: Path, checkpoint: Path, *options: str) -> None:
    """Run the command on the fixture."""
    data = ["--dataset", "mr-medseg", "--data", str(DATA / "conversations.json"), "--root", str(DATA / "data")]
    engine = ["--engine", "mediround", "--setting", f"checkpoint={checkpoint}"]
    monkeypatch.setattr("sys.argv", ["evaluate.py", *data, *engine, "--out", str(out), *options])
    assert evaluate.main() == 0


@pytest.mark.parametrize("name", RUNS)
def test_masks_and_scores(name: str, tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, threshold = RUNS[name]
    run(monkeypatch, tmp_path, checkpoint, "--setting", f"correct_below={threshold}", *options)
    for number, conversation in enumerate(NAMES):
        theirs = expected(f"{name}_{conversation}")
        for round_, mask in enumerate(theirs["mask"]):
            with Image.open(tmp_path / "masks" / f"{number}_{round_}.png") as image:
                ours = np.asarray(image) > 0
            assert np.count_nonzero(ours != mask.astype(bool)) == 0


@pytest.mark.parametrize("name", RUNS)
def test_figures(name: str, tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options, threshold = RUNS[name]
    run(monkeypatch, tmp_path, checkpoint, "--setting", f"correct_below={threshold}", *options)
    theirs = json.loads((DATA / "expected" / "metrics.json").read_text())[f"{name}_ab"]
    ours = json.loads((tmp_path / "metrics.json").read_text())
    for part, figures in theirs.items():
        found = ours["all"] if part == "all" else ours["rounds"][int(part.removeprefix("round_"))]
        for metric, value in figures.items():
            assert found[metric] == pytest.approx(value, abs=1e-6), (part, metric)
    assert ours["all"]["count"] == 11


def test_free_text_lets_the_model_speak(tmp_path: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, tmp_path, checkpoint, "--free-text", "--setting", "most_tokens=40")
    theirs = json.loads((DATA / "expected" / "greedy_text.json").read_text())["a_round_0"]
    first = read_results(tmp_path / "results.csv")[0]
    assert first.status == ("answered" if theirs["text"].count("[SEG]") else "text")
    assert "words of the answers: its own" in (tmp_path / "report.md").read_text()
