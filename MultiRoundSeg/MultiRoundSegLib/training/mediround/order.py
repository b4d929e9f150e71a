"""In which order dialogues are learnt from: all of them once, shuffled, then all of them again.

The order follows from the seed alone, so that a run that was stopped goes on with the very next dialogue, and several
processes share one order. (The published code draws with replacement; some dialogues then come late, or never.)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def dialogue_at(place: int, count: int, seed: int) -> int:
    """Which of so many dialogues has a place, from 0, in the order."""
    pass_number, within = divmod(place, count)
    return int(_shuffled(pass_number, count, seed)[within])


def places_of(step: int, process: int, processes: int, batch: int, accumulate: int) -> list[list[int]]:
    """The places of the batches of a process in one step of the optimizer.

    The dialogues of a step are the same, whatever number of processes shares them.
    """
    first = step * processes * batch * accumulate
    return [[first + (turn * processes + process) * batch + n for n in range(batch)] for turn in range(accumulate)]


@lru_cache(maxsize=4)
def _shuffled(pass_number: int, count: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.random.default_rng([seed, pass_number]).permutation(count)
