"""A worker is evaluated by the same command as any other engine."""

import json
from pathlib import Path

import evaluate
import pytest
from core.datasets.samples import mr_medseg

from MultiRoundSegLib.evaluation.results import read_results
from worker.running import running


def test_a_worker_is_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out = mr_medseg(tmp_path), tmp_path / "out"
    with running(tmp_path / "worker", "echo") as worker:
        options = ["--dataset", "mr-medseg", "--data", str(file), "--engine", "remote", "--out", str(out)]
        monkeypatch.setattr("sys.argv", ["evaluate.py", *options, "--setting", f"url={worker.url}"])
        assert evaluate.main() == 0
    results = read_results(out / "results.csv")
    assert [result.status for result in results[:3]] == ["none", "answered", "answered"]  # it echoes its references
    assert results[1].predicted == 12 * 20
    assert json.loads((out / "run.json").read_text())["engine"] == "fake"
