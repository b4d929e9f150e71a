"""What the encoders make of pictures is kept and shared; pictures that are missing or damaged are told by name."""

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
import torch

from mediround.tiny import QUICK
from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, save
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.training.mediround.checkpoints import latest_checkpoint
from MultiRoundSegLib.training.mediround.run import Run
from MultiRoundSegLib.training.mediround.settings import TrainingError


def test_runs_with_the_same_encoders_share_their_features(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    shared, told = tmp_path / "features", list[str]()
    words = Run(tmp_path / "words", start, dialogues, replace(QUICK, words_only=True), features=shared)
    list(words.steps(until=2))
    masks = Run(tmp_path / "masks", words.export(), dialogues, QUICK, say=told.append, features=shared)
    assert not told, "nothing is computed again"
    next(masks.steps())
    assert not (tmp_path / "masks" / "features").exists()
    other, tokenizer = tmp_path / "other", start / TOKENIZER
    model, _ = load(start)
    torch.nn.init.ones_(model.mm_projector[0].bias)
    save(other, model.settings, tokenizer, model.state_dict())
    Run(tmp_path / "others", other, dialogues, QUICK, say=told.append, features=shared)
    assert told, "other encoders see other things"


@pytest.mark.parametrize("stage", [1, 2])
def test_kept_features_change_nothing_but_the_time(
    stage: Literal[1, 2], start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    settings = replace(QUICK, stage=stage, steps=2, dropout=0.0)
    losses = {}
    for keep in (True, False):
        run = Run(tmp_path / f"run{keep}", start, dialogues, replace(settings, keep_features=keep))
        losses[keep] = [step.loss for step in run.steps()]
    assert losses[True] == pytest.approx(losses[False], rel=1e-4)
    index = tmp_path / "runTrue" / "features" / "index.json"
    before = index.stat().st_mtime_ns
    Run(tmp_path / "runTrue", start, dialogues)
    assert index.stat().st_mtime_ns == before, "computed again"
    assert not (tmp_path / "runFalse" / "features").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_a_damaged_picture_is_told_by_name(
    keep: bool, start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(dialogues[0].image.read_bytes()[:200])
    broken = [*dialogues, replace(dialogues[0], image=damaged)]
    with pytest.raises(DatasetError, match=r"The picture damaged.png cannot be read"):
        list(Run(tmp_path / "run", start, broken, replace(QUICK, keep_features=keep, save_every=1)).steps())
    assert keep or latest_checkpoint(tmp_path / "run"), "the steps before stay"


def test_a_missing_picture_is_told_before_anything_is_learnt(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    elsewhere = [replace(dialogues[0], image=tmp_path / "images" / "a.png")]
    with pytest.raises(DatasetError, match=r"There is no picture .*a\.png: say what the paths"):
        Run(tmp_path / "run", start, dialogues, QUICK, held_out=elsewhere)
    assert not (tmp_path / "run").exists()


def test_features_that_do_not_fit_are_told_before_they_are_made(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda folder: namedtuple("Usage", "free")(1000))
    with pytest.raises(TrainingError, match="do not fit on the disk: make room, or train without keeping them"):
        Run(tmp_path / "run", start, dialogues, QUICK)
