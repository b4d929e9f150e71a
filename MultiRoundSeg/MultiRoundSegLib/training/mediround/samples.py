"""A dialogue of a data set as the model learns from it: all rounds in one sequence, with their true references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from MultiRoundSegLib.datasets import Dialogue, Turn
from MultiRoundSegLib.datasets.rgb import read_rgb
from MultiRoundSegLib.engines.mediround.pictures import (
    Picture,
    Region,
    box_of,
    clip_pixels,
    crop_of,
    resized_to,
    sam_pixels,
)
from MultiRoundSegLib.engines.mediround.settings import ModelSettings
from MultiRoundSegLib.engines.mediround.text import Tokenizer, asked, unnumbered
from MultiRoundSegLib.engines.mediround.text import Turn as Words


@dataclass(frozen=True)
class Seen:
    """What the frozen encoders make of a dialogue.

    Attributes:
        picture: (picture tokens, width) embeddings of the whole picture.
        crops: (N, width) of the references.
        square: (1, channels, side, side) for the mask decoder.
    """

    picture: Tensor
    crops: Tensor
    square: Tensor


@dataclass(frozen=True)
class Judged:
    """The masks of a dialogue before they are corrected.

    Attributes:
        embeddings: (M, channels) that direct them.
        ious: (M,) how good they are.
    """

    embeddings: Tensor
    ious: Tensor


@dataclass(frozen=True)
class Sample:
    """One dialogue.

    Attributes:
        tokens: of all rounds; one stands for the whole picture.
        supervised: (L,) bool, of which tokens the model is asked: answers, not questions.
        picture: (3, side, side) for the vision tower.
        crops: (N, 3, side, side) of the references, in the order in which tokens stand for them.
        boxes: (N, 4) of them.
        square: (3, side, side) for the mask encoder.
        resized: height and width that the picture takes of the square.
        masks: (M, H, W) bool, the truth of each round that has one.
        seen: what the encoders make of picture, crops and square, which are empty then; None to encode them.
        judged: the masks before correction; None to make them.
    """

    tokens: tuple[int, ...]
    supervised: Tensor
    picture: Tensor
    crops: Tensor
    boxes: Tensor
    square: Tensor
    resized: tuple[int, int]
    masks: Tensor
    seen: Seen | None = None
    judged: Judged | None = None


def sample_of(
    dialogue: Dialogue,
    tokenizer: Tokenizer,
    settings: ModelSettings,
    seen: Seen | None = None,
    judged: Judged | None = None,
) -> Sample:
    """Read a dialogue with its picture and masks.

    Args:
        dialogue: with a mask at least.
        tokenizer: of the model.
        settings: of the model.
        seen: where the picture was encoded before.
        judged: where the masks were made before.

    Raises:
        DatasetError: a file is missing or damaged.
    """
    truths = [turn.truth.read() if turn.truth else None for turn in dialogue.turns]
    masks = np.stack([truth for truth in truths if truth is not None])
    nowhere = np.zeros_like(masks[0])
    references = [region for turn in dialogue.turns for region in _referred_to(turn, truths, nowhere)]
    tokens, supervised = _tokens(dialogue.turns, tokenizer)
    nothing = torch.zeros(0)
    picture, crops, square = (nothing,) * 3 if seen else _pixels(read_rgb(dialogue.image), references, settings)
    return Sample(
        tokens=tokens,
        supervised=supervised,
        picture=picture,
        crops=crops,
        boxes=torch.tensor([box_of(region) for region in references]).reshape(-1, 4),
        square=square,
        resized=resized_to(nowhere.shape, settings.sam.picture),
        masks=torch.from_numpy(masks),
        seen=seen,
        judged=judged,
    )


def _referred_to(turn: Turn, truths: Sequence[Region | None], nowhere: Region) -> Iterator[Region]:
    """The masks that a question refers to: of earlier rounds, then one that the user drew."""
    for number in turn.about:
        truth = truths[number - 1]
        yield nowhere if truth is None else truth
    if turn.drawn:
        yield turn.drawn.read()


def references_in(turn: Turn) -> int:
    """How many masks a question refers to."""
    return len(turn.about) + (turn.drawn is not None)


def _pixels(picture: Picture, references: Sequence[Region], settings: ModelSettings) -> tuple[Tensor, Tensor, Tensor]:
    """What the encoders are given: picture, crops, square."""
    side = settings.vision["image_size"]
    square, _ = sam_pixels(picture, settings.sam.picture)
    crops = [clip_pixels(crop_of(picture, region), side) for region in references]
    return clip_pixels(picture, side), torch.stack(crops) if crops else torch.zeros(0, 3, side, side), square


def _tokens(turns: Sequence[Turn], tokenizer: Tokenizer) -> tuple[tuple[int, ...], Tensor]:
    """All tokens, and which of them are answers.

    The space before an answer's first word belongs to that word's token; before a mask it is a token of its own,
    and belongs to the answer.
    """
    tokens, supervised = [tokenizer.bos], [False]
    for number, turn in enumerate(turns):
        question = asked(unnumbered(turn.question), references_in(turn), is_first=number == 0)
        given = len(tokenizer.encode(Words(question).text(is_first=number == 0) + " ")) - 1
        both = tokenizer.encode(Words(question, turn.answer).text(is_first=number == 0))
        tokens += both
        supervised += [False] * given + [True] * (len(both) - given)
    return tuple(tokens), torch.tensor(supervised)
