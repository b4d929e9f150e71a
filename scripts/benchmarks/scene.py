"""What a round costs in the scene, beside Slicer's own function for writing a mask: time and memory.

Both write one mask, of a tenth of the voxels, on one scan of 512 x 512 x 300 int16 voxels:

- A round is `MultiRoundSegLogic.ask` as the panel calls it, with the slice on the screen, and with an engine that
  has its mask ready: the first round of a dialogue, from the question to a named segment in a new segmentation and
  the kept transcript. The scan's modality is not known, as with every file that is not DICOM.
- Slicer's own is `slicer.util.updateSegmentBinaryLabelmapFromArray` with a uint8 array of the whole grid, into an
  empty segment. Making segmentation, segment and array is not counted.

Time: the two alternate in one process, and the median of the ratios counts. Memory: each runs in a process of its
own; counted is how far its highest resident memory exceeds that with the scan loaded, so the mask or array that is
handed over counts too, and the scan itself. It is given in sizes of the scan.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import slicer
import vtk
from offscreen.scene import start_slicer

from MultiRoundSegLib.conversation import Answer, Conversation, Origin, Question
from MultiRoundSegLib.engines import EngineInfo, Progress
from MultiRoundSegLib.images import Mask, SliceView, Volume
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic
from MultiRoundSegLib.panel.scene_images import geometry_of

from .process import in_own_process, peak_bytes, verdict

SHAPE = (300, 512, 512)
BOX, CORNER = (170, 300, 320), (65, 100, 90)
"""The part of the grid (k, j, i) that holds the mask, and where it starts."""
SCAN_BYTES = int(np.prod(SHAPE)) * np.dtype(np.int16).itemsize
TIME_LIMIT = 1.2
"""Time of a round over time of Slicer's own function."""
MEMORY_LIMIT = 2.5
"""Memory of a round over memory of the scan."""

Write = Callable[[], tuple[Any, str]]
"""Writes the mask; gives the segmentation node and the segment's ID."""


def run(repetitions: int) -> bool:
    """Measure, print a table, and say whether both limits hold."""
    share, rounds, slicers = in_own_process(measure_times, repetitions)
    memory = {name: 1 + in_own_process(measure_memory, name) / SCAN_BYTES for name in PREPARE}
    ratio = statistics.median(ours / theirs for ours, theirs in zip(rounds, slicers, strict=True))
    print(
        f"A mask of {share:.0%} of a scan of 512 x 512 x 300 voxels ({SCAN_BYTES / 2**20:.0f} MiB), {repetitions} times"
    )
    print(f"{'':16}{'time, median':>16}{'memory':>16}")
    for name, seconds in (("a round", rounds), ("Slicer's own", slicers)):
        print(f"{name:16}{statistics.median(seconds) * 1000:>13.0f} ms{memory[name]:>10.2f} scans")
    limits = (("time, ratio", ratio, TIME_LIMIT), ("memory, scans", memory["a round"], MEMORY_LIMIT))
    for name, value, limit in limits:
        print(f"{name:16}{value:>16.2f}  {verdict(value, limit)}")
    return all(value <= limit for _, value, limit in limits)


def measure_times(repetitions: int) -> tuple[float, list[float], list[float]]:
    """Share of the grid that the mask covers, and the seconds of each round and of each of Slicer's own."""
    scan = load_scan()
    first = written(scan, PREPARE["a round"](scan))
    if not np.array_equal(first, written(scan, PREPARE["Slicer's own"](scan))):
        raise RuntimeError("The two wrote different voxels, so there is nothing to compare.")
    pairs = [[seconds(prepare(scan)) for prepare in PREPARE.values()] for _ in range(repetitions)]
    rounds, slicers = zip(*pairs, strict=True)
    return float(np.count_nonzero(first) / first.size), list(rounds), list(slicers)


def measure_memory(name: str) -> int:
    """Bytes by which the highest resident memory exceeds that with the scan loaded."""
    scan = load_scan()
    before = peak_bytes()
    PREPARE[name](scan)()
    return peak_bytes() - before


def prepare_round(scan: Any) -> Write:
    """Everything up to the question."""
    logic = MultiRoundSegLogic(lambda name: ReadyEngine(Mask.from_crop(blob(), CORNER, geometry_of(scan), "liver")))
    view = SliceView("axial", SHAPE[0] // 2)

    def write() -> tuple[Any, str]:
        kept = logic.ask(scan, "Segment the liver.", view=view)
        return kept.segmentation_node, kept.segment_ids[0]

    return write


def prepare_slicer(scan: Any) -> Write:
    """Everything up to Slicer's own function, as in a script that follows its documentation."""
    voxels = np.zeros(SHAPE, dtype=np.uint8)
    voxels[tuple(slice(start, start + size) for start, size in zip(CORNER, BOX, strict=True))] = blob()
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode")
    node.CreateDefaultDisplayNodes()
    node.SetReferenceImageGeometryParameterFromVolumeNode(scan)
    segment_id = node.GetSegmentation().AddEmptySegment("", "liver")

    def write() -> tuple[Any, str]:
        slicer.util.updateSegmentBinaryLabelmapFromArray(voxels, node, segment_id, scan)
        return node, segment_id

    return write


PREPARE: dict[str, Callable[[Any], Write]] = {"a round": prepare_round, "Slicer's own": prepare_slicer}


class ReadyEngine:
    """An engine, and its session, that answers with a mask made beforehand."""

    info = EngineInfo("ready", "1", "Ready")

    def __init__(self, mask: Mask) -> None:
        """Take the mask."""
        self._mask = mask

    def open(self, volume: Volume) -> ReadyEngine:
        """Look at nothing."""
        return self

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """Give the mask."""
        return Answer("Here it is.", Origin("ready", "1"), "answered", (self._mask,))

    def close(self) -> None:
        """Hold nothing."""


def load_scan() -> Any:
    """A scan of noise, written plane by plane so that memory is never higher than with the scan loaded."""
    start_slicer()
    image = vtk.vtkImageData()
    image.SetDimensions(*reversed(SHAPE))
    image.AllocateScalars(vtk.VTK_SHORT, 1)
    scan = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLScalarVolumeNode", "scan")
    scan.SetAndObserveImageData(image)
    scan.SetSpacing(0.8, 0.8, 1.0)
    noise = np.random.default_rng(seed=1)
    for plane in slicer.util.arrayFromVolume(scan):
        plane[:] = noise.integers(-1000, 1000, plane.shape)
    return scan


def blob() -> Any:
    """The mask in its box: round, and thinner on one side, as a liver is."""
    k, j, i = np.ogrid[tuple(slice(-1, 1, size * 1j) for size in BOX)]
    inside = np.zeros(BOX, dtype=np.uint8)
    for number, plane in enumerate(inside):
        plane[:] = k[number] ** 2 * (1.3 + 0.6 * i[0]) + j[0] ** 2 + i[0] ** 2 < 1
    return inside


def written(scan: Any, write: Write) -> Any:
    """The voxels that were written, on the scan's grid; the scene is left without them."""
    voxels = slicer.util.arrayFromSegmentBinaryLabelmap(*write(), scan)
    clear_rounds()
    return voxels


def seconds(write: Write) -> float:
    """How long the writing takes; the scene is left without what was written."""
    start = time.perf_counter()
    write()
    elapsed = time.perf_counter() - start
    clear_rounds()
    return elapsed


def clear_rounds() -> None:
    """Remove segmentations and transcripts."""
    for name in ("vtkMRMLSegmentationNode", "vtkMRMLTextNode"):
        for node in slicer.util.getNodesByClass(name):
            slicer.mrmlScene.RemoveNode(node)
