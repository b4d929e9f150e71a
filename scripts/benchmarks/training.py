"""How much faster training the engine `mediround` is than the published schedule, on a processor.

Both learn from the same dialogues with the same model in one run and one process, by turns. The model is the tiny one
of the tests, or one whose encoders have the published sizes (MedSAM's ViT-B, CLIP's ViT-L of 336 pixels; weights by
chance, and the tiny language model, which only makes the published schedule faster than it is). The published
schedule, built from our own parts: for every drawn dialogue picture, crops and square are encoded anew with Segment
Anything's layers as the package has them, the whole language model runs, in stage 2 too, and there the masks are
decoded twice, corrected and not. Ours keeps what the frozen parts make, and in stage 2 the masks' embeddings as well.
What keeping costs once is told apart. The mask decoder is of full size in both.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from MultiRoundSegLib.datasets import Dialogue, read_dialogues
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, save
from MultiRoundSegLib.engines.mediround.model import build
from MultiRoundSegLib.engines.mediround.settings import SamSettings
from MultiRoundSegLib.training.mediround.learner import Learner, trained_weights, words_in
from MultiRoundSegLib.training.mediround.run import Run
from MultiRoundSegLib.training.mediround.samples import sample_of
from MultiRoundSegLib.training.mediround.settings import RunSettings

from .mediround import as_packaged
from .process import verdict

TESTING = Path(__file__).parents[2] / "Testing"
LEAST = {1: 3.0, 2: 20.0}
TINY, PUBLISHED = "tiny", "published"
STEPS = 4
REPETITIONS = 3
CLIP = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
}


def run(encoders: str) -> bool:
    """Measure, print, and say whether the limits hold."""
    torch.set_num_threads(1)
    sys.path.append(str(TESTING / "torch"))
    from mediround.tiny import DATA, make_checkpoint

    steps, repetitions = (1, 1) if encoders == PUBLISHED else (STEPS, REPETITIONS)

    dialogues = read_dialogues("mr-medseg", DATA / "conversations.json", DATA / "data")
    holds = []
    with tempfile.TemporaryDirectory() as folder:
        start = make_checkpoint(Path(folder) / "start")
        if encoders == PUBLISHED:
            start = with_published_encoders(start, Path(folder) / "published")
        for stage, least in LEAST.items():
            settings = RunSettings(stage=stage, steps=10**6, batch=1, accumulate=len(dialogues), save_every=10**6)
            started = time.perf_counter()
            ours = Run(Path(folder) / f"kept{stage}", start, dialogues, settings).steps()
            made = time.perf_counter() - started
            anew = Run(Path(folder) / f"anew{stage}", start, dialogues, replace(settings, keep_features=False)).steps()
            published = as_published(start, dialogues, settings)
            times = [[seconds_of(way, steps) for way in (ours, anew, published)] for _ in range(repetitions)]
            kept, without, theirs = np.median(times, axis=0)
            print(f"stage {stage}: features made in {made:.1f} s, once; seconds a step: kept {kept:.3f}, ", end="")
            print(f"encoded anew {without:.3f}, published schedule {theirs:.3f}")
            print(f"    times faster than encoded anew    {without / kept:6.1f}")
            told = verdict(theirs / kept, least, is_least=True)
            print(f"    times faster than as published    {theirs / kept:6.1f}  {told}")
            holds.append(theirs / kept >= least)
    return all(holds)


def with_published_encoders(tiny: Path, folder: Path) -> Path:
    """A model like another but for the size of its encoders."""
    settings = replace(load(tiny)[0].settings, vision=CLIP, sam=SamSettings())
    save(folder, settings, tiny / TOKENIZER, build(settings).state_dict())
    return folder


def seconds_of(way: Iterator[object], steps: int) -> float:
    """The mean time of some steps."""
    started = time.perf_counter()
    for _ in range(steps):
        next(way)
    return (time.perf_counter() - started) / steps


def as_published(start: Path, dialogues: list[Dialogue], settings: RunSettings) -> Iterator[None]:
    """Steps of the published schedule."""
    model, tokenizer = load(start)
    learner = Learner(as_packaged(model), settings)
    optimizer = torch.optim.AdamW(trained_weights(learner).values(), lr=settings.rate, betas=settings.betas)
    while True:
        for dialogue in dialogues:
            sample = sample_of(dialogue, tokenizer, model.settings)
            loss, _ = learner([sample], words_in(sample), len(sample.masks))
            loss.backward()
        torch.nn.utils.clip_grad_norm_(trained_weights(learner).values(), settings.clip)
        optimizer.step()
        optimizer.zero_grad()
        yield None
