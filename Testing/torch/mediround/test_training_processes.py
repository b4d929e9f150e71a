"""Several processes learn as one does, whether each has the whole model or they share its weights."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from mediround.tiny import DATA
from MultiRoundSegLib.engines.mediround.checkpoint import load

SCRIPTS = Path(__file__).parents[3] / "scripts"
ONE = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", SCRIPTS / "train_mediround.py")
COPIES = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", SCRIPTS / "train_mediround.py")
SHARED = ("-m", "accelerate.commands.launch", "--config_file", SCRIPTS / "accelerate" / "sharded.yaml")
SHARED += ("--num_processes", 2, "--main_process_port", 0, "--mixed_precision", "no")
SHARED += (Path(__file__).with_name("sharded.py"),)


class Launcher:
    """Starts runs of three steps of two dialogues.

    Args:
        folder: for the dialogues and the runs.
        model: that they start from.
    """

    def __init__(self, folder: Path, model: Path) -> None:
        document = json.loads((DATA / "conversations.json").read_text())
        short = [conversation | {"conversations": conversation["conversations"][:4]} for conversation in document]
        data = folder / "short.json"
        data.write_text(json.dumps(short))
        self.common = ("--model", model, "--data", data, "--val", data, "--root", DATA / "data", "--save-every", 1)
        self.common += ("--steps", 3, "--batch", 1, "--warmup", 1, "--dropout", 0, "--rank", 4)

    def __call__(self, how: Sequence[object], run: Path, *others: object) -> subprocess.CompletedProcess[str]:
        """Start one, or go on with it, until it ends."""
        command = [sys.executable, *map(str, (*how, run, *self.common, *others))]
        paths = os.pathsep.join(map(str, (SCRIPTS.parent / "MultiRoundSeg", SCRIPTS)))
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": paths, "CUDA_VISIBLE_DEVICES": ""}
        return subprocess.run(command, capture_output=True, text=True, env=environment)


def column(path: Path, name: str) -> list[float]:
    with path.open() as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def test_several_processes_learn_as_one_does(start: Path, tmp_path: Path) -> None:
    """At equal dialogues a step, on the processor; those that share the weights are stopped once, and go on."""
    launch = Launcher(tmp_path, start)
    one, copies, shared = tmp_path / "one", tmp_path / "copies", tmp_path / "shared"
    for how, run, others in (
        (ONE, one, ("--accumulate", 2)),
        (COPIES, copies, ("--accumulate", 1)),
        (SHARED, shared, ("--accumulate", 1, "--until", 2)),
        (SHARED, shared, ()),
    ):
        done = launch(how, run, *others)
        assert done.returncode == 0, done.stderr
    losses = column(one / "losses.csv", "loss")
    assert losses[2] < losses[0], "it learnt"
    ends = load(one / "model")[0].state_dict()
    for run in (copies, shared):
        assert column(run / "losses.csv", "loss") == pytest.approx(losses, rel=1e-4)
        scores = column(one / "validation.csv", "giou")
        assert column(run / "validation.csv", "giou") == pytest.approx(scores, abs=1e-3)
        weights = load(run / "model")[0].state_dict()
        assert all(torch.allclose(weights[name], ends[name], atol=1e-4) for name in ends)


@pytest.mark.parametrize("other", [("--own-references", 0.5), ("--stage", 2)])
def test_what_needs_the_whole_model_does_not_share_its_weights(
    start: Path, tmp_path: Path, other: tuple[str, float]
) -> None:
    done = Launcher(tmp_path, start)(SHARED, tmp_path / "run", *other)
    assert done.returncode != 0
    assert "Stage 2 and own references need the whole model in each process: start it with" in done.stderr
    assert not (tmp_path / "run" / "checkpoints").exists()


def test_an_unknown_way_to_share_them_is_told(start: Path, tmp_path: Path) -> None:
    *accelerate, script = SHARED
    done = Launcher(tmp_path, start)(
        (*accelerate, "--fsdp_version", 1, "--fsdp_sync_module_states", "false", script), tmp_path / "run"
    )
    assert done.returncode != 0
    assert "Training cannot be started by FSDP of this version: start it with one of the files in" in done.stderr
