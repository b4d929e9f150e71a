"""How good a model is while it learns: it holds dialogues by itself, as `scripts/evaluate.py` lets it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.engine import MediRoundEngine
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.session import Manner
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.evaluation.asking import Rules, hold
from MultiRoundSegLib.evaluation.results import summary_of
from MultiRoundSegLib.images.writers.atomic import write_whole

SCORES = ("giou", "ciou", "dice")


def scores_of(model: MediRoundModel, tokenizer: Tokenizer, dialogues: Sequence[Dialogue]) -> dict[str, float]:
    """Scores over all masks; questions refer to the model's own earlier masks, words are those of the data set.

    Raises:
        DatasetError: a file of a dialogue cannot be read.
    """
    was_learning = model.training
    engine = MediRoundEngine(model.eval(), tokenizer, Manner())
    results = [result for dialogue in dialogues for result, _ in hold(engine, dialogue, Rules())]
    model.train(was_learning)
    found = summary_of(results)
    return {name: float(found[name]) for name in SCORES}


def note_scores(path: Path, step: int, scores: dict[str, float]) -> bool:
    """Add a row to a table; whether its gIoU is the best so far."""
    before = read_column(path, "giou")
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if not before:
            writer.writerow(("step", *SCORES))
        writer.writerow((step, *(scores[name] for name in SCORES)))
    return scores["giou"] > max(before, default=-1.0)


def read_column(path: Path, name: str) -> list[float]:
    """A column of a table of a run; empty where there is no table."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def keep_rows(path: Path, step: int) -> None:
    """Leave out the rows of a table that are later than a step, which will be taken again."""
    if path.exists():
        heading, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [row for row in rows if row.endswith("\n") and int(row.split(",")[0]) <= step]
        write_whole(path, "".join((heading, *kept)).encode())


def draw_curves(folder: Path, losses: Path, scores: Path) -> Path:
    """Write curves.png: the loss and its terms by step, and the scores of validation."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), layout="constrained")
    upper, lower = figure.subplots(2, 1)
    steps = read_column(losses, "step")
    for name in ("loss", "text", "bce", "dice", "quality"):
        values = read_column(losses, name)
        if any(values):
            upper.plot(steps, values, label=name, linewidth=2 if name == "loss" else 1)
    for name in SCORES:
        lower.plot(read_column(scores, "step"), read_column(scores, name), "o-", label=name)
    upper.set(xlabel="step", ylabel="loss, by term")
    lower.set(xlabel="step", ylabel="validation", ylim=(0, 1))
    for axes in (upper, lower):
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend()
    figure.savefig(folder / "curves.png", dpi=120)
    return folder / "curves.png"
