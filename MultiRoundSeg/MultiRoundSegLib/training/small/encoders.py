"""The encoders and the mask decoder learn to see before the model learns to speak, as published ones come learnt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from MultiRoundSegLib.training.brain.muon import Muon
from MultiRoundSegLib.training.mediround.settings import Precision

from .heads import Slices
from .seeing import Seeing


@dataclass(frozen=True)
class EncoderSettings:
    """How parts that see learn.

    Attributes:
        steps: of the optimizer, in all.
        batch: pictures of a step.
        muon_rate: of learning, at its height, for the kernels of the mask encoder.
        adam_rate: the same for everything else.
        warmup: steps over which it rises; it falls as a cosine.
        seed: of every choice.
        every: steps between checkpoints.
        precision: of the computation; the weights stay as they are.
    """

    steps: int = 6000
    batch: int = 8
    muon_rate: float = 0.02
    adam_rate: float = 1e-3
    warmup: int = 100
    seed: int = 0
    every: int = 200
    precision: Precision = "no"


class EncoderRun:
    """A lesson being learnt; stopped and started again it goes on from its checkpoint.

    Args:
        lesson: what is learnt.
        settings: how.
        checkpoint: the file.
    """

    def __init__(self, lesson: Seeing, settings: EncoderSettings, checkpoint: Path) -> None:
        self.settings, self.checkpoint = settings, checkpoint
        self.lesson = lesson.train()
        self.optimizers = _optimizers(lesson, settings)
        self.schedules = [torch.optim.lr_scheduler.LambdaLR(one, self._rate) for one in self.optimizers]
        self.step = 0
        if checkpoint.exists():
            state = torch.load(checkpoint, weights_only=True)
            lesson.load_state_dict(state["weights"])
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
        losses: list[Tensor] = []
        while self.step < last:
            rng = np.random.default_rng([self.settings.seed, self.step])
            rows = rng.integers(len(slices.pictures), size=self.settings.batch)
            with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.precision == "bf16"):
                terms = self.lesson(Slices(slices.pictures[rows], slices.labels[rows]), rng)
            terms.sum().backward()
            for one in (*self.optimizers, *self.schedules):
                one.step()
            self.lesson.zero_grad()
            self.step += 1
            losses.append(terms.detach())
            if self.step % self.settings.every == 0 or self.step == last:
                self._save()
                means = zip(self.lesson.terms, torch.stack(losses).mean(dim=0).tolist(), strict=True)
                say(f"step {self.step}: " + "  ".join(f"{name} {mean:.3f}" for name, mean in means))
                losses.clear()

    def _rate(self, step: int) -> float:
        left = (self.settings.steps - step) / self.settings.steps
        return min(1.0, (step + 1) / self.settings.warmup) * (1 - math.cos(math.pi * left)) / 2

    def _save(self) -> None:
        aside = self.checkpoint.with_suffix(".partial")
        learning = [one.state_dict() for one in (*self.optimizers, *self.schedules)]
        torch.save({"step": self.step, "weights": self.lesson.state_dict(), "learning": learning}, aside)
        aside.replace(self.checkpoint)


def told_vectors(checkpoint: Path) -> Tensor:
    """(structures + 1, channels) the vectors by which the decoder was told what to draw, by place in `structures`.

    Args:
        checkpoint: of a run of `seeing.Drawing`.
    """
    weights: dict[str, Tensor] = torch.load(checkpoint, weights_only=True)["weights"]
    return weights["told.weight"]


def _optimizers(lesson: Seeing, settings: EncoderSettings) -> list[torch.optim.Optimizer]:
    """Muon for kernels, where there are any, AdamW for everything else."""
    kernels = lesson.kernels()
    inside = {id(weight) for weight in kernels}
    others = [weight for weight in lesson.parameters() if id(weight) not in inside]
    adam = torch.optim.AdamW(others, lr=settings.adam_rate, weight_decay=0.0)
    return [Muon(kernels, lr=settings.muon_rate), adam] if kernels else [adam]
