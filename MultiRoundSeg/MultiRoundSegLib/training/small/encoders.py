"""The encoders and the mask decoder learn to see before the model learns to speak, as published ones come learnt.

From slices with labels: the mask encoder to tell all structures apart in each pixel, the decoder to draw one that it is
told by a vector, the vision tower to say which structures lie in each of its patches, and which one a crop shows. The
layers that give these answers, and the vectors, are left behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.pictures import clip_pixels, reference_of, sam_pixels
from MultiRoundSegLib.training.brain.losses import dice_loss
from MultiRoundSegLib.training.brain.muon import Muon
from MultiRoundSegLib.training.mediround.losses import BCE_WEIGHT, mask_terms

from .heads import Slices, structures

_DICE_WEIGHT, _CROP_WEIGHT, _LEAST_PIXELS = 1.0, 0.4, 20


@dataclass(frozen=True)
class EncoderSettings:
    """How the encoders learn.

    Attributes:
        steps: of the optimizer, in all.
        batch: pictures of a step.
        asked: of these, that the decoder draws in.
        drawn: structures of each of these that it draws.
        crops: structures of each picture whose crops are shown.
        muon_rate: of learning, at its height, for the kernels of the mask encoder.
        adam_rate: the same for everything else.
        warmup: steps over which it rises; it falls as a cosine.
        seed: of every choice.
        every: steps between checkpoints.
    """

    steps: int = 6000
    batch: int = 8
    asked: int = 3
    drawn: int = 2
    crops: int = 4
    muon_rate: float = 0.02
    adam_rate: float = 1e-3
    warmup: int = 100
    seed: int = 0
    every: int = 200


class Lessons(nn.Module):
    """A model's seeing parts and what they are asked.

    Args:
        model: whose encoders and decoder learn.
    """

    def __init__(self, model: MediRoundModel) -> None:
        super().__init__()
        count, sam = len(structures()), model.settings.sam
        width = model.settings.language["hidden_size"]
        self.model = model
        self.every_pixel = nn.Conv2d(sam.channels, (count + 1) * sam.patch**2, 1)
        self.told = nn.Embedding(count + 1, sam.channels)
        self.in_patch = nn.Linear(width, count + 1)
        self.crop_of = nn.Linear(width, count + 1)

    def forward(
        self,
        pictures: NDArray[np.uint8],
        labels: NDArray[np.uint8],
        rng: np.random.Generator,
        asked: int,
        drawn: int,
        crops: int,
    ) -> Tensor:
        """(4,) losses of a batch: every pixel, drawn masks, patches, crops.

        Args:
            pictures: (B, side, side).
            labels: (B, side, side).
            rng: chooses what is drawn and shown.
            asked: pictures that are drawn in.
            drawn: structures of each of these.
            crops: structures of every picture whose crops are shown.
        """
        model, settings = self.model, self.model.settings
        colour = [np.repeat(picture[..., None], 3, axis=-1) for picture in pictures]
        squares = torch.stack([sam_pixels(picture, settings.sam.picture)[0] for picture in colour])
        truth = torch.from_numpy(labels.astype(np.int64))
        encoded = model.visual_model.image_encoder(squares)
        of_pixels = _pixel_loss(F.pixel_shuffle(self.every_pixel(encoded), settings.sam.patch).float(), truth)
        side = settings.vision["image_size"]
        small = torch.stack([clip_pixels(picture, side) for picture in colour])
        seen = model.vision_states(small)
        of_patches = F.binary_cross_entropy_with_logits(
            self.in_patch(model.mm_projector(seen[:, 1:])),
            _in_patches(truth, settings.picture_tokens, len(structures()) + 1),
        )
        of_masks = self._of_masks(encoded[:asked], labels[:asked], rng, drawn)
        of_crops = self._of_crops(colour, labels, rng, crops)
        return torch.stack([of_pixels, of_masks, of_patches, _CROP_WEIGHT * of_crops])

    def _of_masks(self, encoded: Tensor, labels: NDArray[np.uint8], rng: np.random.Generator, drawn: int) -> Tensor:
        """The loss of masks that the decoder draws in some pictures."""
        terms = []
        for one, truth in zip(encoded, labels, strict=True):
            shown = _shown(truth, rng, drawn)
            if len(shown):
                logits = self.model.visual_model.decode(one[None], self.told(torch.from_numpy(shown)))
                terms.append(mask_terms(logits, torch.from_numpy(truth[None] == shown[:, None, None])))
        bce, dice = torch.cat(terms, dim=1).mean(dim=1)
        return BCE_WEIGHT * bce + _DICE_WEIGHT * dice

    def _of_crops(
        self, colour: Sequence[NDArray[np.uint8]], labels: NDArray[np.uint8], rng: np.random.Generator, crops: int
    ) -> Tensor:
        """The loss of naming what crops show."""
        side = self.model.settings.vision["image_size"]
        pixels, places = [], []
        for picture, truth in zip(colour, labels, strict=True):
            for place in _shown(truth, rng, crops):
                pixels.append(clip_pixels(reference_of(picture, truth == place)[0], side))
                places.append(int(place))
        found = self.crop_of(self.model.crop_embeddings(torch.stack(pixels)))
        return F.cross_entropy(found.float(), torch.tensor(places))


class EncoderRun:
    """The encoders in training; stopped and started again it goes on from its checkpoint.

    Args:
        model: that has learnt nothing.
        settings: how.
        checkpoint: the file.
    """

    def __init__(self, model: MediRoundModel, settings: EncoderSettings, checkpoint: Path) -> None:
        torch.manual_seed(settings.seed)
        self.settings, self.checkpoint = settings, checkpoint
        self.lessons = Lessons(model).train()
        self.optimizers = _optimizers(self.lessons, settings)
        self.schedules = [torch.optim.lr_scheduler.LambdaLR(one, self._rate) for one in self.optimizers]
        self.step = 0
        if checkpoint.exists():
            state = torch.load(checkpoint, weights_only=True)
            self.lessons.load_state_dict(state["weights"])
            for one, stored in zip((*self.optimizers, *self.schedules), state["learning"], strict=True):
                one.load_state_dict(stored)
            self.step = int(state["step"])

    def learn(self, slices: Slices, say: Callable[[str], None], until: int | None = None) -> None:
        """Learn.

        Args:
            slices: to learn from.
            say: is told the mean losses at every checkpoint.
            until: step to stop at; None for the last.
        """
        last = min(until or self.settings.steps, self.settings.steps)
        sums, count = torch.zeros(4), 0
        while self.step < last:
            rng = np.random.default_rng([self.settings.seed, self.step])
            rows = rng.integers(len(slices.pictures), size=self.settings.batch)
            with torch.autocast("cpu", torch.bfloat16):
                own = self.settings
                losses = self.lessons(slices.pictures[rows], slices.labels[rows], rng, own.asked, own.drawn, own.crops)
            losses.sum().backward()
            for one in (*self.optimizers, *self.schedules):
                one.step()
            self.lessons.zero_grad()
            self.step += 1
            sums, count = sums + losses.detach(), count + 1
            if self.step % self.settings.every == 0 or self.step == last:
                self._save()
                names = ("pixels", "masks", "patches", "crops")
                means = zip(names, (sums / count).tolist(), strict=True)
                say(f"step {self.step}: " + "  ".join(f"{name} {mean:.3f}" for name, mean in means))
                sums, count = torch.zeros(4), 0

    def _rate(self, step: int) -> float:
        left = (self.settings.steps - step) / self.settings.steps
        return min(1.0, (step + 1) / self.settings.warmup) * (1 - math.cos(math.pi * left)) / 2

    def _save(self) -> None:
        aside = self.checkpoint.with_suffix(".partial")
        learning = [one.state_dict() for one in (*self.optimizers, *self.schedules)]
        torch.save({"step": self.step, "weights": self.lessons.state_dict(), "learning": learning}, aside)
        aside.replace(self.checkpoint)


def told_vectors(checkpoint: Path) -> Tensor:
    """(structures + 1, channels) the vectors by which the decoder is told what to draw, by place in `structures`."""
    weights: dict[str, Tensor] = torch.load(checkpoint, weights_only=True)["weights"]
    return weights["told.weight"]


def _optimizers(lessons: Lessons, settings: EncoderSettings) -> list[torch.optim.Optimizer]:
    """Muon for the kernels inside the mask encoder, AdamW for its ends and everything else."""
    encoder = lessons.model.visual_model.image_encoder
    kernels = [weight for weight in encoder.blocks.parameters() if weight.ndim > 1]
    inside = {id(weight) for weight in kernels}
    others = [weight for weight in lessons.parameters() if id(weight) not in inside]
    adam = torch.optim.AdamW(others, lr=settings.adam_rate, weight_decay=0.0)
    return [Muon(kernels, lr=settings.muon_rate), adam]


def _pixel_loss(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy and Dice of logits (B, classes, H, W) and labels (B, H, W)."""
    known = F.log_softmax(logits, dim=1)
    of_truth = known.gather(1, truth[:, None])
    return dice_loss(known.exp()[:, :, None], truth[:, None], of_truth.exp()) - of_truth.mean()


def _in_patches(labels: Tensor, patches: int, classes: int) -> Tensor:
    """(B, patches, classes) whether a structure has a pixel in a patch, row by row."""
    across = round(patches**0.5)
    shown = F.one_hot(labels, classes).permute(0, 3, 1, 2).float()
    return F.adaptive_max_pool2d(shown, across).flatten(2).transpose(1, 2)


def _shown(labels: NDArray[np.uint8], rng: np.random.Generator, most: int) -> NDArray[np.int64]:
    """Some of the structures that can be seen; small ones are as likely as large ones."""
    places, counts = np.unique(labels, return_counts=True)
    seen = places[(places > 0) & (counts >= _LEAST_PIXELS)].astype(np.int64)
    return rng.choice(seen, size=min(most, len(seen)), replace=False) if len(seen) else seen
