"""A dialogue of a data set as the model learns from it: all rounds in one sequence, with their true references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from MultiRoundSegLib.datasets import Dialogue, Turn
from MultiRoundSegLib.engines.mediround.pictures import Picture, box_of, clip_pixels, crop_of, sam_pixels
from MultiRoundSegLib.engines.mediround.settings import ModelSettings
from MultiRoundSegLib.engines.mediround.text import Tokenizer, asked
from MultiRoundSegLib.engines.mediround.text import Turn as Words


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
        masks: (M, H, W) bool, the truth of each round.
    """

    tokens: tuple[int, ...]
    supervised: Tensor
    picture: Tensor
    crops: Tensor
    boxes: Tensor
    square: Tensor
    resized: tuple[int, int]
    masks: Tensor


def sample_of(dialogue: Dialogue, tokenizer: Tokenizer, settings: ModelSettings) -> Sample:
    """Read a dialogue with its picture and masks.

    Raises:
        DatasetError: a file is missing or damaged.
    """
    picture = picture_of(dialogue)
    truths = [turn.truth.read() if turn.truth else np.zeros(picture.shape[:2], bool) for turn in dialogue.turns]
    side = settings.vision["image_size"]
    references = [truths[number - 1] for turn in dialogue.turns for number in turn.about]
    square, resized = sam_pixels(picture, settings.sam.picture)
    tokens, supervised = _tokens(dialogue.turns, tokenizer)
    crops = [clip_pixels(crop_of(picture, region), side) for region in references]
    return Sample(
        tokens=tokens,
        supervised=supervised,
        picture=clip_pixels(picture, side),
        crops=torch.stack(crops) if crops else torch.zeros(0, 3, side, side),
        boxes=torch.tensor([box_of(region) for region in references]).reshape(-1, 4),
        square=square,
        resized=resized,
        masks=torch.from_numpy(np.stack([t for t, turn in zip(truths, dialogue.turns, strict=True) if turn.truth])),
    )


def picture_of(dialogue: Dialogue) -> Picture:
    """(H, W, 3) uint8 RGB."""
    with Image.open(dialogue.image) as image:
        return np.asarray(image.convert("RGB"))


def _tokens(turns: Sequence[Turn], tokenizer: Tokenizer) -> tuple[tuple[int, ...], Tensor]:
    """All tokens, and which of them are answers.

    The space before an answer's first word belongs to that word's token; before a mask it is a token of its own,
    and belongs to the answer.
    """
    tokens, supervised = [tokenizer.bos], [False]
    for number, turn in enumerate(turns):
        question = asked(turn.question, len(turn.about), is_first=number == 0)
        given = len(tokenizer.encode(Words(question).text(is_first=number == 0) + " ")) - 1
        both = tokenizer.encode(Words(question, turn.answer).text(is_first=number == 0))
        tokens += both
        supervised += [False] * given + [True] * (len(both) - given)
    return tuple(tokens), torch.tensor(supervised)
