"""What the brain network costs on two processor cores: time of the first round and of later ones, memory.

The volume is the MNI T1 average on a grid of 256 x 256 x 256 voxels of 1 mm. Everything happens in one process that
may use two cores, and does what a script does: open the volume, ask for one structure, then for thirty others.

Time: seconds from opening the volume to the first answer, in which the network is loaded and the brain labelled, and
the slowest of the later answers. Memory: the highest resident memory of the whole process.
"""

from __future__ import annotations

import time

import numpy as np
import sample_data

from MultiRoundSegLib.conversation import Conversation, Question
from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import KINDS
from MultiRoundSegLib.images import Geometry, Volume
from MultiRoundSegLib.images.readers import read_volume
from MultiRoundSegLib.images.resample import resample

from .process import in_own_process, peak_bytes, use_cores, verdict

CORES = 2
SIZE = 256
LIMITS = (("first answer, s", 10.0), ("later answers, s", 0.3), ("memory, GB", 3.0))


def run() -> bool:
    """Measure, print a table, and say whether the limits hold."""
    values = in_own_process(measure)
    for (name, limit), value in zip(LIMITS, values, strict=True):
        print(f"{name:20}{value:>8.2f}  {verdict(value, limit)}")
    return all(value <= limit for (_, limit), value in zip(LIMITS, values, strict=True))


def measure() -> tuple[float, float, float]:
    """Seconds of the first answer and of the slowest later one, and the memory, GB."""
    use_cores(CORES)
    volume = large_brain()
    history = Conversation(volume.geometry)
    started = time.perf_counter()
    session = create_engine("reasoner").open(volume)
    seconds = []
    for kind in KINDS:
        for name in [kind.name] if kind.right is None else [f"left {kind.name}", f"right {kind.name}"]:
            question = Question(name)
            answer = session.answer(question, history, progress=lambda fraction, message: None)
            history.record(question, answer)
            seconds.append(time.perf_counter() - started)
            started = time.perf_counter()
    if not any(round_.answer.masks for round_ in history.rounds):
        raise RuntimeError("Nothing was found, so there is nothing to measure.")
    return seconds[0], max(seconds[1:]), peak_bytes() / 1e9


def large_brain() -> Volume:
    """The sample brain in the middle of a large grid."""
    brain = read_volume(sample_data.fetch("mr_brain"))
    matrix = np.eye(4)
    middle = brain.geometry.ras((np.array(brain.geometry.shape) - 1) / 2)
    matrix[:3, 3] = middle - (SIZE - 1) / 2
    geometry = Geometry((SIZE, SIZE, SIZE), matrix)
    image, imaged = resample(brain.voxels, brain.geometry, geometry)
    return Volume(np.where(imaged, image, 0).astype(np.float32), geometry, "MR", name="brain")
