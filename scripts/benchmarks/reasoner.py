"""What thinking costs the reasoner: loading what it knows, and understanding and planning a round.

Loading: milliseconds from the end of the imports until structures, statements and relations are in memory, in a fresh
process; the best of some repetitions. Planning: the mean over all rounds of the dialogues in Testing/data/questions
and the mean of the dialogue that 95 of 100 are faster than, from the question to the plan's masks of one voxel, on one
core. The first question
and the first description are told apart: with them the indices of spelling and of the statements' words are made, once.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from .process import in_own_process, use_cores, verdict

FOLDER = Path(__file__).parents[2] / "Testing/data/questions"
LOADS = 5
LIMITS = (("loading, ms", 200.0), ("planning, mean, ms", 20.0), ("planning, slow dialogue, ms", None))
ONCE = ("first question, ms", "first description, ms")


def run() -> bool:
    """Measure, print a table, and say whether the limits hold."""
    loading = min(in_own_process(measure_loading) for _ in range(LOADS))
    mean, slow, *once = in_own_process(measure_planning)
    holds = []
    for (name, limit), value in zip(LIMITS, (loading, mean, slow), strict=True):
        told = "" if limit is None else f"  {verdict(value, limit)}"
        holds.append(limit is None or value <= limit)
        print(f"{name:34}{value:>8.1f}{told}")
    for name, value in zip(ONCE, once, strict=True):
        print(f"{name:34}{value:>8.1f}  once")
    return all(holds)


def measure_loading() -> float:
    """Milliseconds."""
    use_cores(1)
    from MultiRoundSegLib.anatomy import load_knowledge
    from MultiRoundSegLib.engines.reasoner import engine  # noqa: F401  what is imported is not measured

    started = time.perf_counter()
    load_knowledge()
    return 1000 * (time.perf_counter() - started)


def measure_planning() -> tuple[float, float, float, float]:
    """Milliseconds: mean, slow dialogue, first question, first description."""
    use_cores(1)
    from MultiRoundSegLib.conversation import Conversation, Question
    from MultiRoundSegLib.engines import create_engine, no_progress
    from MultiRoundSegLib.evaluation.questions import predict, read_questions
    from MultiRoundSegLib.images import Geometry, Mask, Volume

    engine = create_engine("reasoner", segmenters="labels")
    grid = Geometry((1, 1, 1), np.eye(4))
    session = engine.open(Volume(np.zeros(grid.shape, np.int16), grid, "CT"))
    once = []
    for text in ("the liver", "the organ that makes bile"):
        history = Conversation(grid, [Mask(np.ones(grid.shape, bool), grid, "liver")])
        started = time.perf_counter()
        session.answer(Question(text), history, progress=no_progress)
        once.append(1000 * (time.perf_counter() - started))
    dialogues, structures = read_questions(FOLDER / "dialogues.json", FOLDER / "settings.json")
    rounds = []
    for dialogue in dialogues:
        started = time.perf_counter()
        count = len(predict(engine, dialogue, structures))
        rounds += [1000 * (time.perf_counter() - started) / count] * count
    return float(np.mean(rounds)), float(np.percentile(rounds, 95)), once[0], once[1]
