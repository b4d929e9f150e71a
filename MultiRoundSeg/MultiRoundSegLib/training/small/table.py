"""What a model can do, and what its parts are good for: dialogues that it holds by itself, with and without them.

What is taken away is taken away when the model is asked, not when it learns: crops and boxes become zeros, the
correction is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from MultiRoundSegLib.datasets import Dialogue, Turn
from MultiRoundSegLib.engines.mediround.checkpoint import load
from MultiRoundSegLib.engines.mediround.engine import MediRoundEngine
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.session import Manner
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.evaluation.asking import Rules, hold
from MultiRoundSegLib.evaluation.results import Result, summary_of
from MultiRoundSegLib.images.writers.atomic import write_json, write_whole

Asked = Sequence[tuple[Turn, Result]]
"""Every round of some dialogues, with what came of it."""
_CROP, _BOX = "crop_embeddings", "box_embeddings"
_NEVER = -1.0  # no judgment is as low


@dataclass(frozen=True)
class Variant:
    """One row of the table.

    Attributes:
        title: of the row.
        words: "seen" or "unseen" by the model while it learnt.
        without: methods of the model that give zeros.
        corrects: low masks are made anew.
        true_references: questions refer to the true masks.
    """

    title: str
    words: str = "seen"
    without: tuple[str, ...] = ()
    corrects: bool = True
    true_references: bool = False


VARIANTS = (
    Variant("all parts"),
    Variant("without correction", corrects=False),
    Variant("without crops", without=(_CROP,)),
    Variant("without boxes", without=(_BOX,)),
    Variant("without crops and boxes", without=(_CROP, _BOX)),
    Variant("true references", true_references=True),
    Variant("wordings never learnt from", words="unseen"),
)


def write_table(folder: Path, model: Path, tests: Mapping[str, Sequence[Dialogue]], say: Callable[[str], None]) -> None:
    """Measure all variants; write table.md and table.json.

    Args:
        folder: where to.
        model: its folder.
        tests: dialogues by the kind of their words.
        say: is told each row.
    """
    loaded, tokenizer = load(model)
    rows: dict[str, dict[str, Any]] = {}
    for variant in VARIANTS:
        rows[variant.title] = scores_of(asked(loaded, tokenizer, tests[variant.words], variant))
        say(f"{variant.title}: {_cells(rows[variant.title]['all'])}")
    write_json(folder / "table.json", rows)
    write_whole(folder / "table.md", _text(rows).encode())


def asked(model: MediRoundModel, tokenizer: Tokenizer, dialogues: Sequence[Dialogue], variant: Variant) -> Asked:
    """Let the model hold dialogues in its own words."""
    settings = model.settings
    model.settings = settings if variant.corrects else replace(settings, correct_below=_NEVER)
    engine = MediRoundEngine(model, tokenizer, Manner())
    rules = Rules(true_references=variant.true_references, free_text=True)
    try:
        with blind(model, variant.without):
            return [
                (turn, result)
                for dialogue in dialogues
                for turn, (result, _) in zip(dialogue.turns, hold(engine, dialogue, rules), strict=True)
            ]
    finally:
        model.settings = settings


@contextmanager
def blind(model: MediRoundModel, methods: Sequence[str]) -> Iterator[None]:
    """Let methods of a model that give embeddings give zeros."""
    for name in methods:
        setattr(model, name, partial(_nothing, getattr(model, name)))
    try:
        yield
    finally:
        for name in methods:
            delattr(model, name)


def _nothing(encode: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    return torch.zeros_like(encode(inputs))


def scores_of(rounds: Asked) -> dict[str, Any]:
    """Scores over all masks, by round, by relation and by reference, and how often nothing was shown.

    "refused" is the share of the rounds which ask for what is not there that got no mask; "missed" the same share of
    those that ask for what is there.
    """
    there = [(turn, result) for turn, result in rounds if turn.truth]
    absent = [result for turn, result in rounds if not turn.truth]
    groups: dict[str, Callable[[Turn, Result], str]] = {
        "round": lambda turn, result: str(result.round + 1),
        "relation": lambda turn, result: turn.relation,
        "reference": lambda turn, result: "drawn" if turn.drawn else "earlier" if turn.about else "none",
    }
    found: dict[str, Any] = {"all": summary_of(result for _, result in there)}
    for group, key in groups.items():
        values = sorted({key(turn, result) for turn, result in there})
        found[group] = {value: summary_of(one[1] for one in there if key(*one) == value) for value in values}
    found["missed"] = _share(result.predicted == 0 for _, result in there)
    found["refused"] = _share(result.predicted == 0 for result in absent)
    return found


def _share(values: Iterator[bool]) -> float:
    counted = list(values)
    return sum(counted) / max(1, len(counted))


def _cells(scores: Mapping[str, Any]) -> str:
    return " | ".join(f"{100 * scores[name]:.1f}" if name in scores else "" for name in ("dice", "giou", "ciou"))


def _text(rows: Mapping[str, Mapping[str, Any]]) -> str:
    lines = ["| | Dice | gIoU | cIoU | refused where absent | missed where there |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {title} | {_cells(one['all'])} | {100 * one['refused']:.0f} % | {100 * one['missed']:.0f} % |"
        for title, one in rows.items()
    ]
    first = next(iter(rows.values()))
    for group in ("round", "reference", "relation"):
        lines += ["", f"| {group} | Dice | gIoU | cIoU | masks |", "|---|---|---|---|---|"]
        lines += [f"| {value} | {_cells(one)} | {one['count']} |" for value, one in first[group].items()]
    return "\n".join(lines) + "\n"
