"""What it costs to ask through a worker on this computer instead of in the same process.

The scan has 512 x 512 x 300 int16 voxels (150 MiB). The engine has its mask ready, 10 percent of the voxels; it takes
no time, or one second.

Overhead: rounds through the worker and rounds in process alternate, after the scan was sent; the median of the
differences counts. Upload: the first round's sending of the scan, against a bare POST of the same bytes to the same
kind of server that throws them away; the ratio of the speeds counts. Fairness: 16 clients ask at the same time, each
again and again, an engine of 20 ms; the highest median of a client over the median of all counts.
"""

from __future__ import annotations

import contextlib
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import numpy as np
import requests
import uvicorn
from fastapi import Request

from MultiRoundSegLib.conversation import Answer, Conversation, Origin, Question
from MultiRoundSegLib.engines import Engine, EngineInfo, Progress, create_engine
from MultiRoundSegLib.engines.remote.address import read_address
from MultiRoundSegLib.engines.remote.connection import Connection, Trust
from MultiRoundSegLib.engines.remote.session import Pieces
from MultiRoundSegLib.engines.remote.timeouts import Timeouts
from MultiRoundSegLib.errors import VolumeUnknownError
from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.wire.volumes import describe, travelling_voxels
from MultiRoundSegLib.worker.app import make_app

from .process import verdict

SHAPE = (300, 512, 512)
BOX, CORNER = (170, 300, 320), (65, 100, 90)
SCAN_MB = int(np.prod(SHAPE)) * 2 / 1e6
CLIENTS, ASKED, TURN_S = 16, 12, 0.02
LIMITS = (
    ("overhead of a round, ms", 50.0),
    ("overhead of a second's round, %", 5.0),
    ("upload, times slower than bare", 2.0),
    ("slowest client over median", 1.5),
)


def run(repetitions: int) -> bool:
    """Measure, print a table, and say whether the limits hold."""
    volume = scan()
    with serving(0.0) as url:
        upload = measure_upload(volume, url)
        quick = 1000 * overhead(volume, url, 0.0, repetitions)
    with serving(1.0) as url:
        slow = 100 * overhead(volume, url, 1.0, 3)
    with serving(TURN_S) as url:
        fairness = measure_fairness(url)
    values = (quick, slow, upload, fairness)
    for (name, limit), value in zip(LIMITS, values, strict=True):
        print(f"{name:34}{value:>8.2f}  {verdict(value, limit)}")
    return all(value <= limit for (_, limit), value in zip(LIMITS, values, strict=True))


class ReadyEngine:
    """An engine, and its session, that has its mask ready and takes a fixed time."""

    info = EngineInfo("ready", "1", "Ready")

    def __init__(self, seconds: float, mask: Mask | None = None) -> None:
        """Take the time, and the mask where it is known."""
        self._seconds, self._mask = seconds, mask

    def open(self, volume: Volume) -> ReadyEngine:
        """Make the mask ready."""
        return ReadyEngine(self._seconds, ready_mask(volume.geometry))

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """Wait, then give the mask."""
        progress(0.0, "waiting")
        time.sleep(self._seconds)
        assert self._mask is not None, "a session has its mask"
        return Answer("Here it is.", Origin("ready", "1"), "answered", (self._mask,))

    def close(self) -> None:
        """Hold nothing."""


def scan() -> Volume:
    """A scan of noise."""
    voxels = np.random.default_rng(1).integers(-1000, 1000, SHAPE, np.int16)
    return Volume(voxels, Geometry(SHAPE, np.diag([0.8, 0.8, 1.0, 1.0])), "CT", name="scan")


def ready_mask(geometry: Geometry) -> Mask:
    """A round mask in its box; in a small scan, all of it."""
    if geometry.shape != SHAPE:
        return Mask(np.ones(geometry.shape), geometry, "all")
    k, j, i = np.ogrid[tuple(slice(-1, 1, size * 1j) for size in BOX)]
    return Mask.from_crop(k**2 * (1.3 + 0.6 * i) + j**2 + i**2 < 1, CORNER, geometry, "liver")


def overhead(volume: Volume, url: str, seconds: float, repetitions: int) -> float:
    """Seconds by which a round through the worker takes longer."""
    sessions = [engine.open(volume) for engine in (create_engine("remote", url=url), ReadyEngine(seconds))]
    for session in sessions:
        ask(session)
    pairs = [[ask(session) for session in sessions] for _ in range(repetitions)]
    return statistics.median(remote - local for remote, local in pairs)


def ask(session: Any, *, geometry: Geometry | None = None) -> float:
    """Seconds of one round, with its mask read."""
    started = time.perf_counter()
    history = Conversation(geometry or Geometry(SHAPE, np.diag([0.8, 0.8, 1.0, 1.0])))
    answer = session.answer(Question("Segment the liver."), history, progress=lambda fraction, message: None)
    if answer.masks[0].is_empty:
        raise RuntimeError("The mask is empty, so there is nothing to measure.")
    return time.perf_counter() - started


def measure_upload(volume: Volume, url: str) -> float:
    """How many times longer the sending of a scan takes than a bare POST of its bytes."""
    ratios = []
    for number in range(5):
        voxels = volume.voxels.copy()
        voxels[0, 0, 0] = number  # type: ignore[call-overload]
        changed = Volume(voxels, volume.geometry, "CT")
        theirs, ours = bare(changed, url), sending(changed, url)
        ratios.append(ours / theirs)
        print(f"    sending {SCAN_MB / ours:.0f} MB/s, bare {SCAN_MB / theirs:.0f} MB/s")
    return statistics.median(ratios)


def sending(volume: Volume, url: str) -> float:
    """Seconds in which the client sends a scan, of which the worker has nothing yet, until it is checked and kept."""
    connection = Connection(read_address(url), Trust(), Timeouts())
    voxels = travelling_voxels(volume)
    description = describe(volume, voxels)
    with contextlib.suppress(VolumeUnknownError):
        connection.post_json("/sessions", description)
    started = time.perf_counter()
    connection.upload(f"/volumes/{description['sha256']}", Pieces(voxels, lambda sent: None), {})
    return time.perf_counter() - started


def bare(volume: Volume, url: str) -> float:
    """Seconds of a POST of the scan's bytes to a path that throws them away."""
    data = memoryview(volume.voxels.reshape(-1).view(np.uint8))
    started = time.perf_counter()
    with requests.Session() as http:
        http.trust_env = False
        http.post(f"{url}/bare", data=data, timeout=60).raise_for_status()
    return time.perf_counter() - started


def measure_fairness(url: str) -> float:
    """The highest median of a client's rounds over the median of all clients' rounds."""
    geometry = Geometry((4, 5, 6), np.eye(4))
    taken: list[list[float]] = [[] for _ in range(CLIENTS)]

    def client(number: int) -> None:
        volume = Volume(np.full(geometry.shape, number, np.int16), geometry, "CT")
        session = create_engine("remote", url=url).open(volume)
        taken[number] = [ask(session, geometry=geometry) for _ in range(ASKED)]

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everybody = statistics.median(seconds for one in taken for seconds in one)
    return max(statistics.median(one) for one in taken) / everybody


@contextlib.contextmanager
def serving(seconds: float) -> Iterator[str]:
    """A worker process on any free port, with one more path that throws away what it gets."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, seconds), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.kill()
        process.join()


def serve(pipe: Any, seconds: float) -> None:
    """Serve until killed."""
    engine: Engine = ReadyEngine(seconds)
    app = make_app(engine)

    @app.post("/bare", status_code=204)
    async def throw_away(request: Request) -> None:
        async for _ in request.stream():
            pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        pipe.send(listening.getsockname()[1])
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run([listening])
