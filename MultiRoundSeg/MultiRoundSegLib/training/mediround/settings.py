"""What a run of training depends on, besides the model that it starts from and the dialogues: one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

from MultiRoundSegLib.errors import MultiRoundSegError
from MultiRoundSegLib.images.writers.atomic import write_json

Precision = Literal["no", "bf16", "fp16"]


class TrainingError(MultiRoundSegError):
    """Training cannot begin or go on; the message says why and what to do."""


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run; the defaults are those that were published (450,000 dialogues in stage 1).

    Attributes:
        stage: 1 learns to speak and to show; 2 learns to judge and correct, and nothing else.
        seed: of every choice.
        steps: of the optimizer, in all.
        batch: dialogues of one process that are in memory at once; each is looked at by itself.
        accumulate: so many batches are one step.
        rate: of learning, at its height.
        betas: of AdamW.
        warmup: steps over which the rate rises from 0; then it falls to 0 at the last step, in a straight line.
        clip: longest gradient.
        whole_language: the language model learns in full, and not by low-rank updates: one that cannot speak yet must.
        words_only: no masks are made: what shows them rests until the language model can say what is meant (stage 1).
        rank: of the low-rank updates; they count twice, as published.
        dropout: of the low-rank updates.
        adds_correction: the correction of a model that has none yet is added to the embedding that it corrects, and is
            nothing at first; as published it takes its place (stage 2).
        precision: of the computation; the weights stay as they were loaded.
        own_references: share of the dialogues whose references are the model's own masks (stage 1).
        keep_features: what the frozen encoders make of the pictures is computed once and kept on disk.
        gradient_checkpointing: the language model computes again instead of keeping, for less memory.
        save_every: steps between checkpoints.
        keep: the latest checkpoints that are kept.
    """

    stage: Literal[1, 2] = 1
    seed: int = 0
    steps: int = 22_500
    batch: int = 2
    accumulate: int = 10
    rate: float = 3e-4
    betas: tuple[float, float] = (0.9, 0.95)
    warmup: int = 100
    clip: float = 1.0
    whole_language: bool = False
    words_only: bool = False
    rank: int = 8
    dropout: float = 0.05
    adds_correction: bool = False
    precision: Precision = "no"
    own_references: float = 0.0
    keep_features: bool = True
    gradient_checkpointing: bool = False
    save_every: int = 500
    keep: int = 2

    def __post_init__(self) -> None:
        """Refuse what cannot be run.

        Raises:
            ValueError: the message says what.
        """
        if self.stage not in (1, 2):
            raise ValueError("stage is 1 or 2")
        if not 0 <= self.own_references <= 1 or (self.own_references and self.stage == 2):
            raise ValueError("own references are a share from 0 to 1, in stage 1")
        if self.words_only and self.stage == 2:
            raise ValueError("words alone are learnt in stage 1")
        for name in ("steps", "batch", "accumulate", "rank", "save_every", "keep"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is at least 1")

    def rate_at(self, step: int) -> float:
        """The share of the full rate at a step, from 0."""
        rising = step / self.warmup if self.warmup else 1.0
        falling = (self.steps - step) / max(1, self.steps - self.warmup)
        return max(0.0, min(1.0, rising, falling))

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        write_json(path, asdict(self))

    @classmethod
    def read(cls, path: Path) -> RunSettings:
        """Read what `write` wrote.

        Raises:
            TrainingError: the file holds something else.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            unknown = set(data) - {field.name for field in fields(cls)}
            if unknown:
                raise TrainingError(f"{path.name} has unknown settings: {', '.join(sorted(unknown))}.")
            return cls(**data | {"betas": tuple(data["betas"])} if "betas" in data else data)
        except (OSError, TypeError, ValueError) as error:
            raise TrainingError(f"{path.name} holds no settings of a run: {error}.") from error
