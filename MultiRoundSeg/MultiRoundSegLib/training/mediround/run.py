"""A run of training: it learns step by step, keeps checkpoints, and goes on where it was stopped.

RUN/settings.json           what the run depends on
RUN/checkpoints/000500/     weights that learn, optimizer and random numbers after so many steps: whole or not there
RUN/features/               what the frozen encoders make of the pictures; may be removed
RUN/losses.csv              of each step
RUN/tensorboard/            the same for TensorBoard
RUN/validation.csv          scores of dialogues that were held out, at each checkpoint
RUN/best/, RUN/model/       the model with the best gIoU, and the last: folders that the engine mediround loads
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator, DistributedType
from accelerate.utils import DistributedDataParallelKwargs, broadcast_object_list, set_seed
from torch import Tensor
from torch.distributed.fsdp import register_fsdp_forward_method

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.checkpoint import TOKENIZER, load, save
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.settings import ModelSettings
from MultiRoundSegLib.errors import DatasetError

from .checkpoints import (
    gathered_learning,
    gathered_weights,
    give_back,
    latest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from .features import Features, Say, encoders_in, kept_features, weights_in
from .journal import LOSSES, Journal, Step
from .learner import TERMS, Learner, plain_weights, trained_weights, updates_of, words_in
from .order import dialogue_at, places_of
from .references import with_own_references
from .samples import Sample, sample_of
from .settings import RunSettings, TrainingError
from .validation import draw_curves, keep_rows, note_scores

SETTINGS, MODEL, FEATURES, SCORES, BEST = "settings.json", "model", "features", "validation.csv", "best"
_UNKNOWN = (DistributedType.DEEPSPEED, DistributedType.MEGATRON_LM)  # they have optimizers and checkpoints of their own


def _silent(line: str) -> None:
    """Tell nobody."""


class Run:
    """A run in memory.

    Args:
        folder: of the run; made where it is not there, gone on with where it is.
        start: folder of the model that the run starts from.
        dialogues: to learn from; each has a mask at least.
        settings: None to go on with those of the folder.
        held_out: dialogues that it is not learnt from: at every checkpoint they are held, and the best model is kept.
        say: is told what takes long before the first step.
        features: where the features are kept, which runs of stage 1 on the same dialogues with the same encoders may
            share; None for a folder of the run.

    Raises:
        TrainingError: the folder holds a run with other settings, there is nothing to learn from, or processes share
            the weights where each needs all of them.
        DatasetError: a picture is missing.
        WeightsMissingError: there is no model to start from.
    """

    def __init__(
        self,
        folder: Path,
        start: Path,
        dialogues: Sequence[Dialogue],
        settings: RunSettings | None = None,
        held_out: Sequence[Dialogue] = (),
        say: Say = _silent,
        features: Path | None = None,
    ) -> None:
        self._held_out, self._features_folder = held_out, features or folder / FEATURES
        self._journal = Journal(folder)
        self.folder, self.start, self.dialogues = folder, start, dialogues
        self.settings = _agreed(folder, settings)
        self._say = say
        if not dialogues:
            raise TrainingError("There are no dialogues to learn from.")
        missing = next((one.image for one in (*dialogues, *held_out) if not one.image.is_file()), None)
        if missing:
            raise DatasetError(f"There is no picture {missing}: say what the paths in the data set are relative to.")
        self.accelerator = _accelerator(self.settings)
        device = self.accelerator.device
        self._device = "cpu" if device.type == "cpu" else str(device)  # several processes call theirs "cpu:0"
        model = self._loaded(start)
        self.model_settings = model.settings = _with_correction(model.settings, self.settings)
        self.features = self._kept(model) if self.settings.keep_features else None
        learner = Learner(model, self.settings)
        learning = trained_weights(learner).values()
        optimizer = torch.optim.AdamW(learning, lr=self.settings.rate, betas=self.settings.betas, weight_decay=0.0)
        self.learner, self.optimizer = self.accelerator.prepare(learner, optimizer)
        if self.accelerator.is_fsdp2:  # the weights are brought together for this too
            register_fsdp_forward_method(self.learner, "scores")
        self.step = 0
        latest = latest_checkpoint(folder)
        if latest:
            self._restore(latest)
        elif self.accelerator.is_main_process:
            folder.mkdir(parents=True, exist_ok=True)
            self.settings.write(folder / SETTINGS)

    def steps(self, until: int | None = None) -> Iterator[Step]:
        """Learn, with a checkpoint now and then and at the end.

        Args:
            until: step to stop at; None for the last.

        Raises:
            TrainingError: the loss is no number, or the memory of the device is full; the last checkpoint stays.
            DatasetError: a file of a dialogue cannot be read.
        """
        last = min(until or self.settings.steps, self.settings.steps)
        self.learner.train()
        while self.step < last:
            started = time.perf_counter()
            loss, terms, rate = self._learn()
            self.step += 1
            done = Step(self.step, loss, terms, rate, time.perf_counter() - started)
            if self.accelerator.is_main_process:
                self._journal.note(done)
            if self.step % self.settings.save_every == 0 or self.step == last:
                self.save()
                self._validate()
            yield done

    def _learn(self) -> tuple[float, dict[str, float], float]:
        rate = self.settings.rate * self.settings.rate_at(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        # what is dropped follows from seed, step and process, so that a run goes on as if it had not stopped
        set_seed(self.settings.seed + 1_000_003 * self.step + self.accelerator.process_index)
        try:
            terms = self._gradients()
        except torch.OutOfMemoryError as error:
            raise TrainingError(
                "The memory of the device is full: choose a smaller batch or gradient checkpointing. "
                f"The checkpoint of step {self.saved_step} stays."
            ) from error
        loss = float(terms.sum())
        if not math.isfinite(loss):
            raise TrainingError(
                f"The loss of step {self.step + 1} is no number: choose a lower rate, or look at the dialogues. "
                f"The checkpoint of step {self.saved_step} stays."
            )
        self.accelerator.clip_grad_norm_(self.learner.parameters(), self.settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss, dict(zip(TERMS, terms.tolist(), strict=True)), rate

    def _gradients(self) -> Tensor:
        """Gradients of a step, and the terms of its loss over all processes."""
        batches = [self._samples(places) for places in self._places()]
        counts = torch.tensor(
            [
                sum(words_in(sample) for batch in batches for sample in batch),
                sum(len(sample.masks) for batch in batches for sample in batch),
            ],
            device=self.accelerator.device,
        )
        words, masks = (int(count) for count in self.accelerator.reduce(counts, "sum"))
        total = torch.zeros(len(TERMS), device=self.accelerator.device)
        for number, batch in enumerate(batches, start=1):
            waits = number < len(batches)
            with self.accelerator.no_sync(self.learner) if waits else nullcontext(), self.accelerator.autocast():
                loss, terms = self.learner(batch, words, masks)
                # gradients of several processes are averaged, and these are shares of one sum
                self.accelerator.backward(loss * self.accelerator.num_processes)
            total += terms.float()
        return self.accelerator.reduce(total, "sum")

    def _places(self) -> list[list[int]]:
        own = self.accelerator
        return places_of(self.step, own.process_index, own.num_processes, self.settings.batch, self.settings.accumulate)

    def _samples(self, places: Sequence[int]) -> list[Sample]:
        return [self._sample(place) for place in places]

    def _sample(self, place: int) -> Sample:
        """What is learnt from at a place in the order."""
        number = dialogue_at(place, len(self.dialogues), self.settings.seed)
        dialogue = self.dialogues[number]
        seen = self.features.seen(number) if self.features else None
        judged = self.features.judged(number) if self.features else None
        sample = sample_of(dialogue, self.tokenizer, self.model_settings, seen, judged)
        if np.random.default_rng([self.settings.seed, place]).random() >= self.settings.own_references:
            return sample
        return with_own_references(self.plain.model, sample, dialogue)

    def _loaded(self, start: Path) -> MediRoundModel:
        """The model on the device; if processes share its weights, that gets its part of the language model later."""
        is_shared = self.accelerator.is_fsdp2
        model, self.tokenizer = load(start, "cpu" if is_shared else self._device)
        for part in model.children():
            if part is not model.language:
                part.to(self._device)
        return model

    def _kept(self, model: MediRoundModel) -> Features:
        """The features of all dialogues, computed by the first process."""
        folder = self._features_folder
        if self.accelerator.is_main_process:
            kept_features(
                folder,
                model,
                self.tokenizer,
                self.dialogues,
                stage=self.settings.stage,
                identity=encoders_in(model) if self.settings.stage == 1 else weights_in(self.start),
                say=self._say,
            )
        self.accelerator.wait_for_everyone()
        return Features.open(folder, self.dialogues)

    @property
    def saved_step(self) -> int:
        """The step of the latest checkpoint; 0 where there is none."""
        latest = latest_checkpoint(self.folder)
        return int(latest.name) if latest else 0

    @property
    def plain(self) -> Learner:
        """The learner without what several processes wrap it in."""
        return self.accelerator.unwrap_model(self.learner)

    @property
    def _adam(self) -> torch.optim.Optimizer:
        """The optimizer without what accelerate wraps it in."""
        return self.optimizer.optimizer

    def save(self) -> None:
        """Write a checkpoint aside, put it in its place, and remove those that are too many.

        Raises:
            TrainingError: it cannot be written, for example as the disk is full; the one before stays.
        """
        weights, state = gathered_learning(self.plain, self._adam)
        if self.accelerator.is_main_process:
            write_checkpoint(self.folder, self.step, weights, state, self.settings.keep)
        self.accelerator.wait_for_everyone()

    def _restore(self, checkpoint: Path) -> None:
        """Go on from a checkpoint."""
        give_back(self.plain, self._adam, *read_checkpoint(checkpoint, self._device))
        self.step = int(checkpoint.name)
        if self.accelerator.is_main_process:
            for table in (LOSSES, SCORES):
                keep_rows(self.folder / table, self.step)

    def _validate(self) -> None:
        """Hold the dialogues that were held out: all processes do, as each may have but a part of the weights."""
        if not self._held_out:
            return
        scores = self.plain.scores(self.tokenizer, self._held_out)
        is_best = [False]
        if self.accelerator.is_main_process:
            self._say("  ".join(f"{name} {value:.4f}" for name, value in scores.items()))
            self._journal.log(self.step, {f"validation/{name}": value for name, value in scores.items()})
            is_best = [note_scores(self.folder / SCORES, self.step, scores)]
        if broadcast_object_list(is_best)[0]:
            self.export(BEST)

    def draw(self) -> Path:
        """The curves of losses and scores so far, as a picture."""
        return draw_curves(self.folder, self.folder / LOSSES, self.folder / SCORES)

    def export(self, name: str = MODEL) -> Path:
        """Write the model as it is as a folder that the engine loads, in the place of an earlier one.

        All processes gather it, the first writes it.
        """
        weights, target = gathered_weights(self.plain.model), self.folder / name
        if self.accelerator.is_main_process:
            self._write_model(weights, target)
        self.accelerator.wait_for_everyone()
        return target

    def _write_model(self, weights: Mapping[str, Tensor], target: Path) -> None:
        before = target.with_name(f"{target.name}.before")
        shutil.rmtree(before, ignore_errors=True)
        if target.exists():
            target.rename(before)
        updates = updates_of(weights) if self.settings.stage == 1 else None
        save(target, self.model_settings, self.start / TOKENIZER, plain_weights(weights), updates)
        shutil.rmtree(before, ignore_errors=True)


def _accelerator(settings: RunSettings) -> Accelerator:
    """What knows how the run was started: on which devices, and whether these share the weights (FSDP)."""
    # the decoder's own judgment of its masks is never asked for
    copies = DistributedDataParallelKwargs(find_unused_parameters=True)
    found = Accelerator(mixed_precision=settings.precision, cpu=not torch.cuda.is_available(), kwargs_handlers=[copies])
    kind = found.distributed_type
    if kind in _UNKNOWN or (kind == DistributedType.FSDP and not found.is_fsdp2):
        raise TrainingError(
            f"Training cannot be started by {kind.value} of this version: start it with one of the files in "
            "scripts/accelerate/. To spread a large model over several GPUs, take sharded.yaml."
        )
    if found.is_fsdp2 and (settings.stage == 2 or settings.own_references):
        raise TrainingError(
            "Stage 2 and own references need the whole model in each process: start it with "
            "scripts/accelerate/gpus.yaml or nodes.yaml, where the processes do not share its weights."
        )
    return found


def _agreed(folder: Path, settings: RunSettings | None) -> RunSettings:
    """The settings of a run, which stay what they were but for the number of steps and what is kept."""
    path = folder / SETTINGS
    if not path.exists():
        return settings or RunSettings()
    before = RunSettings.read(path)
    if settings is None:
        return before
    free = replace(before, steps=settings.steps, save_every=settings.save_every, keep=settings.keep)
    if free != settings:
        raise TrainingError(f"{folder.name} holds a run with other settings; choose another folder.")
    settings.write(path)
    return settings


def _with_correction(model: ModelSettings, settings: RunSettings) -> ModelSettings:
    """Those of a model that has a correction, in stage 2."""
    if settings.stage == 1 or model.has_correction:
        return model
    return replace(model, has_correction=True, adds_correction=settings.adds_correction)
