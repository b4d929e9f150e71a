"""What directs the decoder is brought to what the decoder understands, before masks are learnt.

The decoder learnt to draw a structure that it is told by a vector (`encoders`); the language model learnt to name it
(stage 1 in words alone). Between them lies the layer of [SEG]: here it learns, from the state in which the model is
about to show what it has named, to give the vector of that structure. Without it, the first steps in which masks count
spoil the decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, save
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.training.mediround.losses import hidden_states
from MultiRoundSegLib.training.mediround.samples import sample_of

from .heads import structures

_READ_AT_ONCE = 16


@dataclass(frozen=True)
class AligningSettings:
    """How [SEG] is aligned.

    Attributes:
        dialogues: that are read.
        steps: of the optimizer.
        batch: rounds of a step.
        rate: of learning.
        seed: of every choice.
    """

    dialogues: int = 2000
    steps: int = 2000
    batch: int = 256
    rate: float = 1e-3
    seed: int = 0


def align(
    start: Path,
    told: Tensor,
    dialogues: Sequence[Dialogue],
    settings: AligningSettings,
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Write a model that differs from another in the layer of [SEG].

    Args:
        start: folder of the other, which names structures.
        told: (structures + 1, channels) the vectors by which the decoder was told them, by place in `structures`.
        dialogues: to learn from.
        settings: how.
        folder: where to.
        say: is told how near the vectors came.
    """
    model, words = load(start)
    every = max(1, len(dialogues) // settings.dialogues)
    states, places = _states(model, words, dialogues[::every][: settings.dialogues])
    generator = torch.Generator().manual_seed(settings.seed)
    layer = model.text_hidden_fcs.requires_grad_(requires_grad=True)
    optimizer = torch.optim.Adam(layer.parameters(), lr=settings.rate)
    for step in range(settings.steps):
        rows = torch.randint(len(states), (settings.batch,), generator=generator)
        loss = F.mse_loss(model.mask_embedding(states[rows]), told[places[rows]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % max(1, settings.steps // 4) == 0:
            say(f"{folder.name}, step {step + 1}: mean squared error {loss.item():.3f} of {float(told.var()):.3f}")
    save(folder, model.settings, start / TOKENIZER, model.state_dict())


@torch.no_grad()
def _states(model: MediRoundModel, words: Tokenizer, dialogues: Sequence[Dialogue]) -> tuple[Tensor, Tensor]:
    """(N, width) states before [SEG], and (N,) places of the structures that were named."""
    states: list[Tensor] = []
    places: list[int] = []
    for begin in range(0, len(dialogues), _READ_AT_ONCE):
        some = dialogues[begin : begin + _READ_AT_ONCE]
        samples = [sample_of(dialogue, words, model.settings) for dialogue in some]
        for dialogue, sample, hidden in zip(some, samples, hidden_states(model, samples), strict=True):
            shown = (torch.tensor(sample.tokens) == model.settings.seg_id).nonzero()[:, 0]
            states.append(hidden[shown - 1])
            places.extend(_named(dialogue))
    return torch.cat(states), torch.tensor(places)


def _named(dialogue: Dialogue) -> Iterator[int]:
    """Places of the structures that the answers with a mask name."""
    anatomy = load_knowledge().anatomy
    place = {anatomy.identify(name): number for number, name in enumerate(structures().values(), start=1)}
    for turn in dialogue.turns:
        if turn.truth:
            yield place[anatomy.mentions(turn.answer)[0].entities[0]]
