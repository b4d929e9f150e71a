"""Engines for workers in tests: quick, slow, crashing, hungry."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import fakes
from fakes import FakeEngine, answer

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import Engine, Progress
from MultiRoundSegLib.engines.engine import EngineInfo
from MultiRoundSegLib.errors import OutsideDomainError, PackageMissingError
from MultiRoundSegLib.images import Mask, Volume

Work = Callable[[Question, Conversation, Volume, Progress], Answer]


class WorkingEngine(FakeEngine):
    """Answers by a function that is told the progress too."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self.opened = []

    def open(self, volume: Volume) -> WorkingSession:  # type: ignore[override]
        return WorkingSession(volume, self._work)


class WorkingSession:
    def __init__(self, volume: Volume, work: Work) -> None:
        self._volume, self._work = volume, work

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        for reference in question.references:
            history.mask(reference)
        progress(0.0, "looking")
        done = self._work(question, history, self._volume, progress)
        progress(1.0, "done")
        return done

    def close(self) -> None:
        """Holds nothing."""


def everything(volume: Volume, label: str) -> Mask:
    return Mask(volume.voxels == volume.voxels, volume.geometry, label)


def slow(question: Question, history: Conversation, volume: Volume, progress: Progress) -> Answer:
    """Takes as many seconds as the question says: "3"."""
    steps = round(float(question.text) / 0.02)
    for step in range(steps):
        progress(step / steps, f"step {step}")
        time.sleep(0.02)
    return answer(question.text, everything(volume, "all"))


def crashing(question: Question, history: Conversation, volume: Volume, progress: Progress) -> Answer:
    """Fails in the way that the question names."""
    if question.text == "crash":
        raise RuntimeError(f"patient {1234 * 1001}")
    if question.text == "exit":
        raise SystemExit(3)
    if question.text == "package":
        raise PackageMissingError("It needs a package.", "thing", 20)
    if question.text == "outside":
        raise OutsideDomainError("This is no brain.")
    return answer("fine", everything(volume, "all"))


class OutOfMemoryError(RuntimeError):
    """As torch's is called."""


def hungry(question: Question, history: Conversation, volume: Volume, progress: Progress) -> Answer:
    """Has one gigabyte; needs as many as the question says."""
    if question.text == "torch":
        raise OutOfMemoryError("CUDA out of memory")
    if float(question.text) > 1:
        raise MemoryError
    return answer("fine", everything(volume, "all"))


def counting(question: Question, history: Conversation, volume: Volume, progress: Progress) -> Answer:
    """Says how many rounds there were and how many voxels the last mask has now."""
    made = history.made()
    voxels = history.latest(made[-1]).voxel_count if made else 0
    with Path(os.environ["COUNT_FILE"]).open("a", encoding="utf-8") as file:
        file.write(f"{question.text}\n")
    return answer(f"{len(history.rounds)} rounds, {voxels} voxels", everything(volume, question.text))


def stubborn(question: Question, history: Conversation, volume: Volume, progress: Progress) -> Answer:
    """Tells no progress for a while."""
    time.sleep(1.0)
    return answer("fine", everything(volume, "all"))


KINDS: dict[str, Work] = {
    "slow": slow,
    "crashing": crashing,
    "hungry": hungry,
    "counting": counting,
    "stubborn": stubborn,
}


class NamelessEngine(FakeEngine):
    """Cannot say who it is."""

    @property
    def info(self) -> EngineInfo:
        raise RuntimeError(f"patient {5 * 247047 - 1}")


def create(kind: str) -> Engine:
    """An engine by its name in `running.ENGINES`."""
    if kind == "nameless":
        return NamelessEngine(lambda question, history, volume: answer(question.text))
    return fakes.echo() if kind == "echo" else WorkingEngine(KINDS[kind])
