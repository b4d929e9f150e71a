"""A dialogue about one picture: the picture is encoded once, and each round reads only what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import DynamicCache

from .model import MediRoundModel, full_size
from .pictures import Picture, Region, clip_pixels, reference_of, sam_pixels
from .text import PICTURE, Tokenizer, Turn

Reference = tuple[Picture, tuple[float, float, float, float]]
"""Crop and box of a mask that is referred to."""
Step = Callable[[float, str], None]


@dataclass(frozen=True)
class Drawn:
    """One mask that the model made.

    Attributes:
        logits: (H, W) float32 on the picture's pixels; above zero is inside.
        score: the model's judgment of the mask as it was first made, 0 to 1; None where it does not judge.
        is_corrected: it was made anew, because the judgment was low.
    """

    logits: NDArray[np.float32]
    score: float | None
    is_corrected: bool

    @property
    def region(self) -> Region:
        """(H, W) the pixels inside."""
        return self.logits > 0


@dataclass(frozen=True)
class Said:
    """What the model answered in a round.

    Attributes:
        tokens: the answer, as the model wrote it.
        embeddings: (N, channels), one for each mask it wants.
    """

    tokens: tuple[int, ...]
    embeddings: Tensor


class PictureDialogue:
    """Rounds about one picture.

    Args:
        model: who answers.
        tokenizer: of its language model.
        picture: (H, W, 3) uint8 RGB.
    """

    def __init__(self, model: MediRoundModel, tokenizer: Tokenizer, picture: Picture) -> None:
        self._model, self._tokenizer, self._picture = model, tokenizer, picture
        self._cache = DynamicCache()
        self._ends: list[int] = []  # length of the cache after each round
        self._seen: Tensor | None = None
        self._encoded: tuple[Tensor, tuple[int, int]] | None = None

    def __len__(self) -> int:
        """Rounds so far."""
        return len(self._ends)

    @torch.inference_mode()
    def read(self, turn: Turn, references: Sequence[Reference], answer: Sequence[int] = ()) -> Said:
        """Take in a round whose answer is known.

        Args:
            turn: question and answer.
            references: crops and boxes for the words in it that stand for them, in order.
            answer: the answer as the model wrote it, where that is known better than by its text.
        """
        question = self._tokens(Turn(turn.question))
        tokens = [*question, *answer] if answer else self._tokens(turn)
        with self._whole_or_not_at_all():
            hidden = self._run(tokens, references)
        said = self._said(tokens[len(question) :], hidden[len(question) - 1 : -1])
        self._ends.append(self._length)
        return said

    @torch.inference_mode()
    def ask(
        self, question: str, references: Sequence[Reference], *, most_tokens: int, told: Callable[[int], None]
    ) -> Said:
        """Let the model answer, word by word, each time the likeliest.

        Args:
            question: with words for the references.
            references: crops and boxes in order.
            most_tokens: where the answer is cut off.
            told: is called with the number of tokens so far; what it raises stops the round, which is then undone.
        """
        with self._whole_or_not_at_all():
            hidden = self._run(self._tokens(Turn(question)), references)[-1:]
            tokens: list[int] = []
            states: list[Tensor] = []
            while len(tokens) < most_tokens and (not tokens or tokens[-1] != self._tokenizer.eos):
                told(len(tokens))
                states.append(hidden)
                tokens.append(int(self._model.language.lm_head(hidden).argmax()))
                hidden = self._run(tokens[-1:], ())
        self._ends.append(self._length)
        return self._said(tokens, torch.cat(states))

    @torch.inference_mode()
    def draw(self, embeddings: Tensor, *, judge: bool) -> list[Drawn]:
        """Masks of embeddings (N, channels); where they are judged, low ones are made anew."""
        model = self._model
        judge = judge and model.settings.has_correction
        if not len(embeddings):
            return []
        scores = model.quality(embeddings) if judge else None
        low = scores <= model.settings.correct_below if scores is not None else None
        if low is not None and low.any():
            embeddings = torch.where(low[:, None], model.refined(embeddings), embeddings)
        encoded, resized = self._encode()
        logits = model.visual_model.decode(encoded, embeddings)
        side = model.settings.sam.picture
        height, width = self._picture.shape[:2]
        full = full_size(logits, resized, (height, width), side).cpu().numpy()
        return [
            Drawn(
                logits=full[n],
                score=None if scores is None else float(scores[n]),
                is_corrected=bool(low is not None and low[n]),
            )
            for n in range(len(full))
        ]

    def reference(self, region: Region) -> Reference:
        """Crop and box of a mask, as it is now."""
        return reference_of(self._picture, region)

    def undo(self, rounds: int) -> None:
        """Forget all but the first so many rounds."""
        del self._ends[rounds:]
        self._cut(self._ends[-1] if self._ends else 0)

    def text(self, said: Said) -> str:
        """What was said, in words; words of ours stay as they are written."""
        return self._tokenizer.decode(said.tokens)

    @property
    def _length(self) -> int:
        return int(self._cache.get_seq_length())

    def _tokens(self, turn: Turn) -> list[int]:
        is_first = not self._ends
        tokens = self._tokenizer.encode(turn.text(is_first=is_first))
        return [self._tokenizer.bos, *tokens] if is_first else tokens

    def _run(self, tokens: Sequence[int], references: Sequence[Reference]) -> Tensor:
        """Hidden states (len(tokens), width) after new tokens; the picture's own are left out."""
        model = self._model
        side = model.settings.vision["image_size"]
        picture = self._see() if self._length == 0 else None
        width = model.language.config.hidden_size
        crops = boxes = torch.zeros(0, width, device=model.device, dtype=model.dtype)
        if references:
            crops = model.crop_embeddings(torch.stack([clip_pixels(crop, side) for crop, _ in references]))
            boxes = model.box_embeddings(torch.tensor([box for _, box in references]))
        embedded = model.embed(tokens, picture, crops, boxes)
        output = model.language.model(inputs_embeds=embedded[None], cache=self._cache, use_cache=True)
        hidden: Tensor = output.last_hidden_state[0]
        if picture is None:
            return hidden
        place = list(tokens).index(PICTURE)
        return torch.cat([hidden[: place + 1], hidden[place + len(picture) :]])

    def _said(self, tokens: Sequence[int], predicting: Tensor) -> Said:
        """The answer, with the embeddings from the states that predicted each mask word."""
        asks = torch.tensor([token == self._model.settings.seg_id for token in tokens], device=predicting.device)
        return Said(tuple(tokens), self._model.mask_embedding(predicting[asks]))

    def _see(self) -> Tensor:
        if self._seen is None:
            self._seen = self._model.picture_embeddings(
                clip_pixels(self._picture, self._model.settings.vision["image_size"])
            )
        return self._seen

    def _encode(self) -> tuple[Tensor, tuple[int, int]]:
        if self._encoded is None:
            pixels, resized = sam_pixels(self._picture, self._model.settings.sam.picture)
            self._encoded = self._model.visual_model.encode(pixels), resized
        return self._encoded

    @contextmanager
    def _whole_or_not_at_all(self) -> Iterator[None]:
        """Forget what was read where it ends in an error."""
        before = self._length
        try:
            yield
        except BaseException:
            self._cut(before)
            raise

    def _cut(self, length: int) -> None:
        """Keep the first so many positions; an error may have left more of them in some layers than in others."""
        if length == 0:
            self._cache = DynamicCache()
            return
        for layer in self._cache.layers:
            if layer.get_seq_length() > length:
                layer.crop(length - layer.get_seq_length())
