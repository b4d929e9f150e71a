"""What directs the decoder is brought to what the decoder understands, before masks are learnt.

The decoder learnt to draw a structure that it is told by a vector (`encoders`); the language model learnt to name it
(stage 1 in words alone). Here it goes on in words, and learns besides to give, where it is about to show what it has
named, the vector of that structure. This is cheaper than to learn it from masks, whose first steps would spoil the
decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.anatomy import Entity, load_knowledge
from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, save
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.training.mediround.features import Features
from MultiRoundSegLib.training.mediround.losses import hidden_states, mask_embeddings, word_terms
from MultiRoundSegLib.training.mediround.order import dialogue_at
from MultiRoundSegLib.training.mediround.samples import Sample, sample_of
from MultiRoundSegLib.training.mediround.settings import RunSettings

from .heads import structures


def align(
    start: Path,
    told: Tensor,
    dialogues: Sequence[Dialogue],
    features: Features,
    settings: RunSettings,
    folder: Path,
    say: Callable[[str], None],
) -> None:
    """Write a model that gives the vectors of what it names.

    Args:
        start: folder of the model that names structures.
        told: (structures + 1, channels) the vectors by which the decoder was told them, by place in `structures`.
        dialogues: to learn from; every answer with a mask names what it shows.
        features: of them.
        settings: steps, batch, rate and so on.
        folder: where to.
        say: is told how near the vectors come.
    """
    model, words = load(start)
    learning = [*model.language.parameters(), *model.bbox_encoder.parameters(), *model.text_hidden_fcs.parameters()]
    optimizer = torch.optim.AdamW(learning, lr=settings.rate, betas=settings.betas, weight_decay=0.0)
    places = _places()
    told = told.detach()
    for step in range(settings.steps):
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * settings.rate_at(step)
        first = step * settings.batch
        order = range(first, first + settings.batch)
        numbers = [dialogue_at(place, len(dialogues), settings.seed) for place in order]
        samples = [sample_of(dialogues[n], words, model.settings, features.seen(n)) for n in numbers]
        wanted = told[[place for n in numbers for place in _named(dialogues[n], places)]]
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.precision == "bf16"):
            text, apart = _terms(model, samples, wanted)
        (text + apart).backward()
        torch.nn.utils.clip_grad_norm_(learning, settings.clip)
        optimizer.step()
        optimizer.zero_grad()
        if (step + 1) % settings.save_every == 0:
            say(f"{folder.name}, step {step + 1}: text {text.item():.3f}  squared error {apart.item():.3f}")
    save(folder, model.settings, start / TOKENIZER, model.state_dict())


def _terms(model: MediRoundModel, samples: Sequence[Sample], wanted: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of the words, and mean squared error of the vectors (M, channels) that direct the decoder."""
    states = hidden_states(model, samples)
    both = list(zip(samples, states, strict=True))
    text = torch.cat([word_terms(model, sample, hidden) for sample, hidden in both]).mean()
    given = torch.cat([mask_embeddings(model, sample, hidden) for sample, hidden in both])
    return text, F.mse_loss(given.float(), wanted)


def _places() -> dict[Entity | None, int]:
    identify = load_knowledge().anatomy.identify
    return {identify(name): place for place, name in enumerate(structures().values(), start=1)}


def _named(dialogue: Dialogue, places: Mapping[Entity | None, int]) -> Iterator[int]:
    """Places of the structures that the answers with a mask name: last, after what a question referred to."""
    anatomy = load_knowledge().anatomy
    for turn in dialogue.turns:
        if turn.truth:
            yield places[anatomy.mentions(turn.answer)[-1].entities[0]]
