"""The worker on this computer: started when needed, started again once, ended with the program."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from engine_contract import Told

from MultiRoundSegLib.conversation import Conversation, Question
from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.errors import CancelledError, EngineUnavailableError
from MultiRoundSegLib.panel.local_worker import LocalWorker
from worker.talking import GRID, VOLUME

LIBRARY = Path(__file__).parents[2] / "MultiRoundSeg"
START = (
    f"import sys; sys.path.insert(0, {str(LIBRARY)!r}); from MultiRoundSegLib.worker.command import console; console()"
)


def command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-c", START, "--setting", "segmenters=labels", *arguments]


@pytest.fixture
def worker() -> Iterator[LocalWorker]:
    worker = LocalWorker(command)
    yield worker
    worker.forget()


def ask(settings: dict) -> str:
    session = create_engine("remote", **settings).open(VOLUME)
    return session.answer(Question("the liver"), Conversation(GRID), progress=Told()).status


def die(worker: LocalWorker) -> None:
    assert worker._process
    worker._process.kill()
    worker._process.wait()


def test_it_starts_when_it_is_needed_and_answers(worker: LocalWorker) -> None:
    assert not worker.is_running
    told = Told()
    settings = worker.settings(told)
    assert "starting the worker" in told.messages
    assert worker.is_running
    assert ask(settings) == "none"
    assert worker.settings(Told()) == settings
    token = Path(settings["token_file"])
    assert token.stat().st_mode & 0o077 == 0
    assert token.parent.stat().st_mode & 0o077 == 0
    assert token.read_text() not in worker._log.read_text()


def test_one_that_dies_is_started_again_once_at_its_address(worker: LocalWorker) -> None:
    settings = worker.settings(Told())
    die(worker)
    worker.watch()
    assert ask(worker.settings(Told())) == "none"
    assert worker.settings(Told())["url"] == settings["url"]
    die(worker)
    worker.watch()
    with pytest.raises(EngineUnavailableError, match="ended twice; its log is"):
        worker.settings(Told())


def test_forgetting_it_ends_it_and_leaves_nothing(worker: LocalWorker) -> None:
    settings = worker.settings(Told())
    process, folder = worker._process, Path(settings["token_file"]).parent
    worker.forget()
    assert process
    assert process.poll() is not None
    assert not folder.exists()


def test_starting_can_be_cancelled(worker: LocalWorker) -> None:
    with pytest.raises(CancelledError):
        worker.settings(Told(stop=True))


def test_one_that_does_not_start_says_its_last_words() -> None:
    worker = LocalWorker(lambda arguments: [sys.executable, "-c", "import sys; sys.exit('no such package')"])
    started = time.monotonic()
    with pytest.raises(EngineUnavailableError, match="does not start: no such package"):
        worker.settings(Told())
    assert time.monotonic() - started < 10
    worker.forget()
