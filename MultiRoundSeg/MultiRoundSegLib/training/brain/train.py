"""The training loop of the brain network: numbered samples, a flat, then falling rate, checkpoints.

A run is its settings and the number of its last step: it can stop at any checkpoint and go on. As long as
the rate is flat, nothing depends on the total number of steps, so that may be settled late.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid
from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import CLASSES, RIGHT

from .label_maps import LabelMap
from .losses import label_loss
from .muon import Muon
from .network import BrainNetwork
from .onnx_file import read_onnx
from .synthesis import synthesise

Report = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What a run depends on, besides its label maps."""

    seed: int = 1
    steps: int = 4000  # in all; one synthetic image each
    warmup_steps: int = 50  # the rate rises
    decay_steps: int = 1600  # the rate falls to zero over the last of them
    mild_steps: int = 1000  # synthesis grows to full strength over the first of them
    coarse_steps: int = 1000  # the first of them see the whole head at a third of the voxels
    whole_steps: int = 1700  # after the first of them, many images show a part of the brain
    partial: float = 0.4  # how many then
    arbitrary: float = 0.4  # how many images have a contrast unlike that of any MR
    last_arbitrary: float = 0.25  # how many while the rate falls
    shallow_steps: int = 3300  # after the first of them, the head's residual block learns too
    coarse_spacing_mm: float = 2.25
    coarse_shape: tuple[int, int, int] = (64, 96, 64)
    muon_rate: float = 0.02  # for the kernels of convolutions
    adam_rate: float = 4e-3  # for everything else
    ema_decay: float = 0.998  # of the average of the weights that is kept
    shape: tuple[int, int, int] = grid.SHAPE
    channels: tuple[int, ...] = (16, 56, 112, 128)
    held_out: int = 2  # of the label maps, the last ones: for the score only

    @classmethod
    def of_a_second_run(cls, **changes: Any) -> Settings:
        """Those of a run that starts from weights which have learnt: other images, all at full strength at once."""
        eased = {"mild_steps": 1, "coarse_steps": 0, "whole_steps": 0, "shallow_steps": 0}
        return cls(**({"seed": 2} | eased | changes))

    def rate(self, step: int) -> float:
        """The fraction of the full learning rate at a step."""
        return min(1.0, (step + 1) / self.warmup_steps, (self.steps - step) / self.decay_steps)

    def is_settling(self, step: int) -> bool:
        """Whether the rate falls."""
        return step > self.steps - self.decay_steps

    def strength(self, step: int) -> float:
        """How far synthesis goes at a step."""
        return min(1.0, 0.3 + 0.7 * step / self.mild_steps)


class Samples(Dataset[tuple[Tensor, Tensor]]):
    """Sample number n of a run: image (1, K, J, I) and labels (K, J, I)."""

    def __init__(self, heads: Sequence[LabelMap], settings: Settings) -> None:
        self.heads = heads
        self.settings = settings

    def __getitem__(self, step: int) -> tuple[Tensor, Tensor]:
        """The sample of a step, always the same."""
        rng = np.random.default_rng((self.settings.seed, step))
        head = self.heads[int(rng.integers(len(self.heads)))]
        settings, is_coarse = self.settings, step < self.settings.coarse_steps
        sample = synthesise(
            head,
            rng,
            strength=settings.strength(step),
            partial=0.0 if step < settings.whole_steps else settings.partial,
            arbitrary=settings.last_arbitrary if settings.is_settling(step) else settings.arbitrary,
            shape=settings.coarse_shape if is_coarse else settings.shape,
            spacing_mm=settings.coarse_spacing_mm if is_coarse else grid.SPACING_MM,
        )
        return torch.from_numpy(sample.image)[None], torch.from_numpy(sample.labels)


class Run:
    """A network in training: its weights, their running average and the optimisers.

    Args:
        settings: what the run depends on.
    """

    def __init__(self, settings: Settings) -> None:
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.step = 0
        self.network = BrainNetwork(CLASSES, settings.channels).to(memory_format=torch.channels_last_3d)
        self.average = BrainNetwork(CLASSES, settings.channels).to(memory_format=torch.channels_last_3d)
        self.average.load_state_dict(self.network.state_dict())
        self.optimisers = _optimisers(self.network, settings)

    def start_from(self, model: Path) -> None:
        """Take over the weights of an exported network; what only training looks at starts anew."""
        for network in (self.network, self.average):
            read_onnx(network, model)

    def learn(self, image: Tensor, labels: Tensor) -> float:
        """One step on an image (1, K, J, I) and its labels (K, J, I); the loss."""
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group["lr"] = group["full_rate"] * self.settings.rate(self.step)
        self.network.deepen.requires_grad_(self.step >= self.settings.shallow_steps)
        rng = np.random.default_rng((self.settings.seed, self.step, 1))
        loss = step_loss(self.network, image[None], labels[None], rng)
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad()
        self.step += 1
        self._update_average()
        return float(loss.item())

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(self.settings.ema_decay, self.step / (self.step + 10))
        for average, weight in zip(self.average.parameters(), self.network.parameters(), strict=True):
            average.lerp_(weight, 1 - decay)

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash while writing leaves the one before."""
        aside = path.with_suffix(".partial")
        state = {"settings": asdict(self.settings), "step": self.step, "network": self.network.state_dict()}
        optimisers = [optimiser.state_dict() for optimiser in self.optimisers]
        torch.save(state | {"average": self.average.state_dict(), "optimisers": optimisers}, aside)
        aside.replace(path)

    @classmethod
    def load(cls, path: Path, **changes: Any) -> Run:
        """Go on from a checkpoint, with changes to its settings such as more `steps`."""
        state = torch.load(path, weights_only=True)
        run = cls(Settings(**(state["settings"] | changes)))
        run.step = state["step"]
        run.network.load_state_dict(state["network"])
        run.average.load_state_dict(state["average"])
        for optimiser, saved in zip(run.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        return run


def train(
    run: Run,
    heads: Sequence[LabelMap],
    checkpoint: Path,
    *,
    stop: int | None = None,
    every: int = 100,
    report: Report = print,
) -> None:
    """Carry a run on, with a checkpoint and a score now and then.

    Args:
        run: what learns.
        heads: the label maps; the settings say how many of the last are held out.
        checkpoint: where the run is saved.
        stop: number of steps to stop at; the default is the run's last.
        every: steps between checkpoints.
        report: takes a line of text per checkpoint.
    """
    last = run.settings.steps if stop is None else min(stop, run.settings.steps)
    learning, held_out = (
        heads[: len(heads) - run.settings.held_out],
        heads[len(heads) - run.settings.held_out :],
    )
    numbers = range(run.step, last)
    loader = DataLoader(Samples(learning, run.settings), batch_size=None, sampler=numbers, num_workers=1)
    losses: list[float] = []
    started = time.monotonic()
    for image, labels in loader:
        losses.append(run.learn(image, labels))
        if run.step % every == 0 or run.step == last:
            run.save(checkpoint)
            seconds = (time.monotonic() - started) / len(losses)
            score = np.nanmean([mean_dice(run.average, head, run.settings) for head in held_out])
            figures = f"loss {np.mean(losses):.3f}  held-out Dice {score:.3f}  {seconds:.2f} s a step"
            report(f"step {run.step}  {figures}")
            losses.clear()
            started = time.monotonic()


def step_loss(network: BrainNetwork, image: Tensor, labels: Tensor, rng: np.random.Generator) -> Tensor:
    """The loss of one step: full resolution in an eighth of the image, 3 and 6 mm everywhere.

    At 3 and 6 mm one voxel of each block, the same in all blocks, says what the block should be.

    Args:
        network: what learns.
        image: (B, 1, K, J, I).
        labels: (B, K, J, I).
        rng: says where the eighth lies and which voxel of a block is asked.
    """
    features = network.features(image)
    quarters = [size // 4 for size in image.shape[2:]]
    starts = [int(rng.integers(quarter + 1)) for quarter in quarters]
    coarse = (..., *(slice(a, a + size) for a, size in zip(starts, quarters, strict=True)))
    fine = (..., *(slice(2 * a, 2 * (a + size)) for a, size in zip(starts, quarters, strict=True)))
    loss = label_loss(network.fine_logits(image[fine], features[0][coarse]), labels[fine])
    for weight, block, coarse_logits in zip((0.5, 0.25), (2, 4), network.coarse_logits(features), strict=True):
        k, j, i = rng.integers(block, size=3)
        loss = loss + weight * label_loss(coarse_logits, labels[..., k::block, j::block, i::block])
    return loss


@torch.no_grad()
def mean_dice(network: BrainNetwork, head: LabelMap, settings: Settings) -> float:
    """Mean Dice of the kinds of structure on one fixed synthetic image of a head, full strength."""
    sample = synthesise(head, np.random.default_rng((settings.seed, 0, 2)), shape=settings.shape)
    found = network(torch.from_numpy(sample.image)[None, None])[0, :-1].argmax(dim=0).numpy()
    truth = sample.labels & (RIGHT - 1)
    scores = []
    for kind in range(1, CLASSES):
        if (truth == kind).any():
            overlap = np.count_nonzero((found == kind) & (truth == kind))
            scores.append(2 * overlap / (np.count_nonzero(found == kind) + np.count_nonzero(truth == kind)))
    return float(np.mean(scores))


def _optimisers(network: BrainNetwork, settings: Settings) -> list[torch.optim.Optimizer]:
    """Muon for the kernels inside the network, AdamW for its ends, norms and biases."""
    ends = (network.stem, network.coarse_heads, network.expand, network.refine, network.classify, network.deepen)
    at_the_ends = {id(weight) for module in ends for weight in module.parameters()}
    kernels: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for weight in network.parameters():
        (kernels if weight.ndim > 1 and id(weight) not in at_the_ends else others).append(weight)
    optimisers: list[torch.optim.Optimizer] = [
        Muon(kernels, lr=settings.muon_rate),
        torch.optim.AdamW(others, lr=settings.adam_rate, weight_decay=0.0),
    ]
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["full_rate"] = group["lr"]
    return optimisers
