"""A run of training: it learns, goes on exactly where it was stopped, and ends in a model that the engine loads."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
import torch
import train_mediround
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from mediround.tiny import DATA, QUICK
from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, publish, save
from MultiRoundSegLib.engines.mediround.conversion import read_tensors
from MultiRoundSegLib.engines.mediround.official import CheckpointError, translated
from MultiRoundSegLib.training.mediround.checkpoints import latest_checkpoint
from MultiRoundSegLib.training.mediround.learner import CORRECTION, trained_weights
from MultiRoundSegLib.training.mediround.order import dialogue_at, places_of
from MultiRoundSegLib.training.mediround.run import Run
from MultiRoundSegLib.training.mediround.settings import RunSettings, TrainingError
from MultiRoundSegLib.training.mediround.validation import read_column, scores_of


def weights(run: Run) -> dict[str, torch.Tensor]:
    return {name: weight.detach().clone() for name, weight in trained_weights(run.plain).items()}


@pytest.mark.parametrize(("stage", "rate"), [(1, 1e-3), (2, 1e-4)])
def test_ten_steps_lower_the_loss_and_the_result_loads(
    stage: Literal[1, 2], rate: float, start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    run = Run(tmp_path / "run", start, dialogues, replace(QUICK, stage=stage, rate=rate, steps=10))
    losses = [step.loss for step in run.steps()]
    assert len(losses) == 10
    assert losses[-1] < losses[0]
    model, _ = load(run.export())
    learnt, before = model.state_dict(), load(start)[0].state_dict()
    changed = {name for name in learnt if not torch.equal(learnt[name], before[name])}
    assert changed
    assert all(name.startswith(CORRECTION) == (stage == 2) for name in changed)
    assert not any("vision_tower" in name or "image_encoder" in name or "mm_projector" in name for name in changed)
    assert stage == 2 or any(name.endswith("q_proj.weight") for name in changed)


def test_words_alone_leave_what_shows_them_as_it_is(start: Path, dialogues: Sequence[Dialogue], tmp_path: Path) -> None:
    run = Run(tmp_path, start, dialogues, replace(QUICK, words_only=True))
    steps = list(run.steps())
    assert steps[-1].terms["text"] < steps[0].terms["text"]
    assert {step.terms[name] for step in steps for name in ("bce", "dice")} == {0.0}
    before, learnt = load(start)[0].state_dict(), load(run.export())[0].state_dict()
    changed = {name for name in learnt if not torch.equal(learnt[name], before[name])}
    assert any(name.startswith("language.") for name in changed)
    assert not any("mask_decoder" in name or "text_hidden_fcs" in name for name in changed)
    with pytest.raises(ValueError, match="words alone are learnt in stage 1"):
        RunSettings(stage=2, words_only=True)


def without_correction(model: Path, folder: Path) -> Path:
    """The same as it was after stage 1."""
    loaded, _ = load(model)
    weights = {name: weight for name, weight in loaded.state_dict().items() if not name.startswith(CORRECTION)}
    save(folder, replace(loaded.settings, has_correction=False), model / TOKENIZER, weights)
    return folder


def test_a_correction_that_is_added_is_nothing_at_first(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    settings = replace(QUICK, stage=2, adds_correction=True, precision="no")
    run = Run(tmp_path / "run", without_correction(start, tmp_path / "first"), dialogues, settings)
    embeddings = torch.rand(3, run.model_settings.sam.channels)
    assert torch.equal(run.plain.model.refined(embeddings), embeddings)
    losses = [step.terms["bce"] + step.terms["dice"] for step in run.steps()]
    assert losses[-1] < losses[0]
    learnt, _ = load(run.export())
    assert learnt.settings.adds_correction
    change = learnt.refined(embeddings) - embeddings
    assert torch.allclose(change, learnt.refine_MLP(embeddings), atol=1e-6)
    assert change.any()
    with pytest.raises(CheckpointError, match="Publish the model of stage 1"):
        publish(run.folder / "model", tmp_path / "official")
    assert not (tmp_path / "official").exists()


def test_a_run_that_was_stopped_ends_as_one_that_was_not(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    whole = Run(tmp_path / "whole", start, dialogues, QUICK)
    losses = [step.loss for step in whole.steps()]
    first = Run(tmp_path / "parts", start, dialogues, QUICK)
    for step in first.steps():
        if step.number == 5:
            break  # killed: what came after the last checkpoint is lost
    assert first.saved_step == 4
    second = Run(tmp_path / "parts", start, dialogues)
    assert second.step == 4
    assert [step.loss for step in second.steps()] == losses[4:]
    assert read_column(tmp_path / "parts" / "losses.csv", "step") == [1, 2, 3, 4, 5, 6]
    ends, other = weights(whole), weights(second)
    assert all(torch.equal(ends[name], other[name]) for name in ends)


def test_every_dialogue_is_learnt_from_once_in_each_pass() -> None:
    order = [dialogue_at(place, 7, seed=3) for place in range(21)]
    assert all(sorted(order[n : n + 7]) == list(range(7)) for n in (0, 7, 14))
    assert order[:7] != order[7:14]


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_the_dialogues_of_a_step_are_the_same_for_any_number_of_processes(processes: int) -> None:
    shares = [places_of(3, process, processes, 2, 8 // processes) for process in range(processes)]
    assert sorted(place for share in shares for batch in share for place in batch) == list(range(48, 64))


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    run = Run(tmp_path / "run", start, dialogues, QUICK)
    list(run.steps(until=2))
    with torch.no_grad():
        run.plain.model.bbox_encoder.weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"no number: choose a lower rate.*checkpoint of step 2 stays"):
        next(run.steps())
    assert latest_checkpoint(tmp_path / "run") == tmp_path / "run" / "checkpoints" / "000002"


def test_other_settings_are_refused_but_more_steps_are_not(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    list(Run(tmp_path / "run", start, dialogues, replace(QUICK, steps=2)).steps())
    with pytest.raises(TrainingError, match="other settings"):
        Run(tmp_path / "run", start, dialogues, replace(QUICK, rate=1.0))
    more = Run(tmp_path / "run", start, dialogues, replace(QUICK, steps=3))
    assert [step.number for step in more.steps()] == [3]
    with pytest.raises(TrainingError, match="no dialogues"):
        Run(tmp_path / "other", start, [], QUICK)


def test_old_checkpoints_are_removed_and_a_broken_one_is_told(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    list(Run(tmp_path / "run", start, dialogues, replace(QUICK, steps=3, save_every=1)).steps())
    folder = tmp_path / "run" / "checkpoints"
    assert sorted(path.name for path in folder.iterdir()) == ["000002", "000003"]
    (folder / "000003" / "weights.safetensors").write_bytes(b"half")
    with pytest.raises(TrainingError, match="000003 cannot be read: remove its folder"):
        Run(tmp_path / "run", start, dialogues)


def test_the_model_with_the_best_score_is_kept(start: Path, dialogues: Sequence[Dialogue], tmp_path: Path) -> None:
    run = Run(tmp_path / "run", start, dialogues, replace(QUICK, steps=2, save_every=1), held_out=dialogues)
    list(run.steps())
    scores = read_column(tmp_path / "run" / "validation.csv", "giou")
    assert len(scores) == 2
    assert all(0 < score <= 1 for score in scores)
    best, tokenizer = load(tmp_path / "run" / "best")
    assert scores_of(best, tokenizer, dialogues)["giou"] == pytest.approx(max(scores), abs=1e-3)
    assert run.learner.training, "it goes on learning"
    board = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    assert [event.step for event in board.Scalars("loss")] == [1, 2]
    assert [event.value for event in board.Scalars("validation/giou")] == pytest.approx(scores)
    assert run.draw().read_bytes().startswith(b"\x89PNG")


def test_the_result_can_be_written_in_the_published_names(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    run = Run(tmp_path / "run", start, dialogues, replace(QUICK, steps=1))
    list(run.steps())
    publish(run.export(), tmp_path / "weight")
    tensors = read_tensors(tmp_path / "weight")
    theirs = read_tensors(DATA / "weights")
    assert set(theirs) <= set(tensors)
    learnt, again = load(run.folder / "model")[0].state_dict(), translated(tensors)
    assert all(torch.allclose(learnt[name], again[name]) for name in learnt)


def test_references_can_be_those_that_the_model_makes(
    start: Path, dialogues: Sequence[Dialogue], tmp_path: Path
) -> None:
    settings = replace(QUICK, steps=2, dropout=0.0)
    true = Run(tmp_path / "true", start, dialogues, settings)
    own = Run(tmp_path / "own", start, dialogues, replace(settings, own_references=1.0))
    given, made = true._sample(0), own._sample(0)
    assert made.boxes.shape == given.boxes.shape
    assert not torch.equal(made.boxes, given.boxes)
    assert made.seen is not None
    assert given.seen is not None
    assert not torch.equal(made.seen.crops, given.seen.crops)
    assert torch.equal(made.masks, given.masks), "what is learnt stays true"
    assert own.plain.model.training == true.plain.model.training
    losses = [next(run.steps()).loss for run in (true, own)]
    assert losses[0] != losses[1]
    with pytest.raises(ValueError, match="own references are a share from 0 to 1, in stage 1"):
        RunSettings(stage=2, own_references=0.5)


def test_what_a_user_drew_is_a_reference_that_stays(start: Path, dialogues: Sequence[Dialogue], tmp_path: Path) -> None:
    first, second = dialogues[0].turns
    drawn = replace(dialogues[0], turns=(first, replace(second, about=(), drawn=first.truth), second))
    plain = replace(QUICK, dropout=0.0)
    given, made = (
        Run(tmp_path / f"{share}", start, [drawn], replace(plain, own_references=share))._sample(0)
        for share in (0.0, 1.0)
    )
    assert len(given.boxes) == 2
    assert torch.equal(given.boxes[0], given.boxes[1]), "it was drawn as it is"
    assert torch.equal(made.boxes[0], given.boxes[0]), "what was drawn stays"
    assert not torch.equal(made.boxes[1], given.boxes[1])
    assert made.seen is not None
    assert given.seen is not None
    assert torch.equal(made.seen.crops[0], given.seen.crops[0])
    assert not torch.equal(made.seen.crops[1], given.seen.crops[1])
    assert set(scores_of(Run(tmp_path / "0.0", start, [drawn]).plain.model, load(start)[1], [drawn])) == {
        "giou",
        "ciou",
        "dice",
    }


def test_a_round_in_words_has_no_mask(start: Path, dialogues: Sequence[Dialogue], tmp_path: Path) -> None:
    first, second = dialogues[0].turns
    absent = replace(first, question="Segment the heart.", answer="There is no heart in this picture.", truth=None)
    told = replace(dialogues[0], turns=(absent, first, replace(second, about=(2,))))
    run = Run(tmp_path / "run", start, [told], replace(QUICK, steps=1))
    sample = run._sample(0)
    assert len(sample.masks) == 2
    assert sample.tokens.count(run.model_settings.seg_id) == 2
    assert [step.number for step in run.steps()] == [1]


def test_the_script_goes_on_with_the_settings_of_the_run(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: object) -> int:
        data = ("--data", DATA / "conversations.json", "--root", DATA / "data")
        monkeypatch.setattr("sys.argv", ["train", *map(str, (tmp_path / "run", "--model", start, *data, *arguments))])
        return train_mediround.main()

    assert run("--steps", 1, "--batch", 1, "--accumulate", 1, "--rank", 4, "--rate", 0.001) == 0
    assert run("--steps", 2) == 0
    settings = RunSettings.read(tmp_path / "run" / "settings.json")
    assert (settings.steps, settings.rank, settings.rate) == (2, 4, 0.001)
    assert run("--rate", 0.1) == 1
    assert "other settings" in capsys.readouterr().err
