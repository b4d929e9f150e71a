"""What came of the steps of a run: a table, and the same for TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

LOSSES, BOARD = "losses.csv", "tensorboard"


@dataclass(frozen=True)
class Step:
    """What came of one step.

    Attributes:
        number: of the step, from 1.
        loss: the whole of it.
        terms: its parts, by `TERMS`.
        rate: of learning.
        seconds: that it took.
    """

    number: int
    loss: float
    terms: dict[str, float]
    rate: float
    seconds: float


class Journal:
    """Of one run.

    Args:
        run: its folder.
    """

    def __init__(self, run: Path) -> None:
        self._run = run
        self._board: SummaryWriter | None = None

    def note(self, step: Step) -> None:
        """Add a step."""
        path = self._run / LOSSES
        is_new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(("step", "loss", *step.terms, "rate", "seconds"))
            writer.writerow((step.number, step.loss, *step.terms.values(), step.rate, round(step.seconds, 4)))
        terms = {f"loss/{name}": value for name, value in step.terms.items()}
        self.log(step.number, {"loss": step.loss, "rate": step.rate, **terms})

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Tell TensorBoard values after a step."""
        if self._board is None:
            self._board = SummaryWriter(str(self._run / BOARD))
        for name, value in values.items():
            self._board.add_scalar(name, value, step)
        self._board.flush()
