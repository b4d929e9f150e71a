"""The engine `remote` through a real worker."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from engine_contract import EngineContract, Told

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.engines import Engine, create_engine
from MultiRoundSegLib.errors import (
    CancelledError,
    EngineError,
    EngineUnavailableError,
    LoginError,
    OutsideDomainError,
    PackageMissingError,
)
from MultiRoundSegLib.images import Geometry, Mask, Volume
from worker.running import Worker, running, start
from worker.talking import GRID, VOLUME


@pytest.fixture(scope="module")
def reasoner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("reasoner"), "reasoner", "--setting", "segmenters=labels") as worker:
        yield worker


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("slow"), "slow") as worker:
        yield worker


def box(name: str, stop: int) -> Mask:
    return Mask(np.arange(480).reshape(GRID.shape) < stop, GRID, name)


class TestContract(EngineContract):
    answerable = Question("both kidneys")
    unanswerable = Question("the spleen")

    @pytest.fixture
    def engine(self, reasoner: Worker) -> Engine:
        return create_engine("remote", url=reasoner.url)

    @pytest.fixture
    def volume(self) -> Volume:
        return VOLUME

    @pytest.fixture
    def history(self) -> Conversation:
        return Conversation(GRID, [box("kidney_left", 20), box("kidney_right", 40)])


def ask(engine: Engine, text: str, history: Conversation | None = None, told: Told | None = None):
    session = engine.open(VOLUME)
    return session.answer(Question(text), history or Conversation(GRID), progress=told or Told())


def test_a_dialogue_with_hand_corrections(reasoner: Worker) -> None:
    history = Conversation(GRID, [box("kidney_left", 20), box("kidney_right", 40)])
    session = create_engine("remote", url=reasoner.url).open(VOLUME)
    first = history.record(Question("左肾"), session.answer(Question("左肾"), history, progress=Told()))
    assert first.answer.masks[0].label == "左肾"
    history.replace_mask(Reference(1), box("mine", 7))
    again = session.answer(Question("[1]"), history, progress=Told())
    assert again.masks[0].voxel_count == 7
    other = session.answer(Question("the other side of [1]"), history, progress=Told())
    assert other.masks[0].voxel_count == 40


def test_the_calling_thread_reads_the_masks_and_stays_alive(slow: Worker) -> None:
    threads, ticks = set(), []

    def read() -> Mask:
        threads.add(threading.current_thread())
        return box("given", 9)

    def progress(fraction: float, message: str) -> None:
        threads.add(threading.current_thread())
        ticks.append(time.monotonic())

    history = Conversation(GRID, [Mask.deferred(read, GRID, "given")])
    session = create_engine("remote", url=slow.url).open(VOLUME)
    session.answer(Question("0.6", references=(Reference(0, 0),)), history, progress=progress)
    assert threads == {threading.current_thread()}
    assert len(ticks) > 10
    assert max(np.diff(ticks)) < 0.25


def test_cancelling_returns_at_once_and_frees_the_worker(slow: Worker) -> None:
    session = create_engine("remote", url=slow.url).open(VOLUME)
    stop_at = time.monotonic() + 0.5

    def progress(fraction: float, message: str) -> None:
        if time.monotonic() > stop_at:
            raise CancelledError("Cancelled; nothing was changed.")

    with pytest.raises(CancelledError):
        session.answer(Question("30"), Conversation(GRID), progress=progress)
    assert time.monotonic() < stop_at + 0.5
    session.answer(Question("0.02"), Conversation(GRID), progress=Told())
    assert time.monotonic() < stop_at + 2


def test_what_the_engine_refuses_arrives_as_what_it_is(tmp_path: Path) -> None:
    with running(tmp_path, "crashing") as worker:
        engine = create_engine("remote", url=worker.url)
        with pytest.raises(OutsideDomainError, match="This is no brain"):
            ask(engine, "outside")
        for text in ("crash", "exit"):
            with pytest.raises(EngineError, match="failed on this question"):
                ask(engine, text)
        with pytest.raises(EngineUnavailableError, match="in the environment of the worker") as missing:
            ask(engine, "package")
        assert not isinstance(missing.value, PackageMissingError)
        assert ask(engine, "anything").status == "answered"
        assert worker.process.poll() is None
        assert "RuntimeError" in worker.read_log()
        assert "1235234" not in worker.read_log()


@pytest.mark.parametrize("text", ["2", "torch"])
def test_out_of_memory_leaves_the_worker_up(tmp_path: Path, text: str) -> None:
    with running(tmp_path, "hungry") as worker:
        engine = create_engine("remote", url=worker.url)
        with pytest.raises(EngineError, match="does not fit into the worker's memory"):
            ask(engine, text)
        assert ask(engine, "0.5").status == "answered"


def test_a_worker_that_died_between_rounds_is_asked_again(tmp_path: Path) -> None:
    count = tmp_path / "count.txt"
    environment = {"COUNT_FILE": str(count)}
    worker = start(tmp_path, "counting", environment=environment)
    history = Conversation(GRID)
    session = create_engine("remote", url=worker.url).open(VOLUME)
    for number in range(3):
        question = Question(f"round {number}")
        history.record(question, session.answer(question, history, progress=Told()))
        worker.kill()
        worker = start(tmp_path, "counting", "--port", str(worker.port), environment=environment)
    worker.kill()
    assert count.read_text().splitlines() == ["round 0", "round 1", "round 2"]
    assert history.rounds[2].answer.text == "2 rounds, 480 voxels"


def test_a_worker_that_died_during_a_job_is_asked_again(tmp_path: Path) -> None:
    worker = start(tmp_path, "slow")
    revived: list[Worker] = []

    def crash() -> None:
        worker.kill()
        revived.append(start(tmp_path, "slow", "--port", str(worker.port)))

    threading.Timer(0.7, crash).start()
    try:
        assert ask(create_engine("remote", url=worker.url), "1.5").status == "answered"
    finally:
        for one in revived:
            one.kill()


def test_a_worker_that_died_while_a_volume_was_sent_gets_it_again(tmp_path: Path) -> None:
    grid = Geometry((200, 300, 300), np.eye(4))
    volume = Volume(np.random.default_rng(0).integers(0, 99, grid.shape, np.int16), grid, "CT")
    worker = start(tmp_path, "echo")
    revived: list[Worker] = []

    def progress(fraction: float, message: str) -> None:
        if message == "sending the volume" and fraction > 0.03 and not revived:
            worker.kill()
            revived.append(start(tmp_path, "echo", "--port", str(worker.port)))

    session = create_engine("remote", url=worker.url).open(volume)
    try:
        answer = session.answer(Question("?"), Conversation(grid), progress=progress)
        assert answer.status == "none"
        assert revived
    finally:
        for one in (worker, *revived):
            one.kill()


def test_a_worker_that_is_gone_is_said_in_a_sentence(tmp_path: Path) -> None:
    worker = start(tmp_path, "echo")
    worker.kill()
    with pytest.raises(EngineUnavailableError, match=f"No worker listens at 127.0.0.1:{worker.port}"):
        ask(create_engine("remote", url=worker.url), "?")


def test_a_token_is_needed_and_never_shown(tmp_path: Path) -> None:
    token = "a-long-secret-of-ours"
    file = tmp_path / "token"
    file.write_text(token)
    with running(tmp_path, "echo", "--token-file", str(file)) as worker:
        for wrong in (None, "another-long-secret"):
            with pytest.raises(LoginError, match=f"127.0.0.1:{worker.port} needs a token") as refusal:
                ask(create_engine("remote", url=worker.url, token=wrong), "?")
            assert wrong is None or wrong not in str(refusal.value)
        engine = create_engine("remote", url=worker.url, token_file=str(file))
        assert ask(engine, "?").status == "none"
        assert token not in repr(engine) + repr(vars(engine)) + worker.read_log()


def test_two_clients_with_many_rounds_each(reasoner: Worker) -> None:
    sizes: dict[int, set[int]] = {}

    def talk(seed: int) -> None:
        history = Conversation(GRID, [box("liver", 30 + seed)])
        session = create_engine("remote", url=reasoner.url).open(VOLUME)
        for _ in range(200):
            question = Question("the liver")
            history.record(question, session.answer(question, history, progress=Told()))
        sizes[seed] = {round_.answer.masks[0].voxel_count for round_ in history.rounds}
        assert len(history.rounds) == 200

    threads = [threading.Thread(target=talk, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes == {1: {31}, 2: {32}}


def test_an_oblique_volume_on_the_other_side_is_the_same(reasoner: Worker) -> None:
    matrix = [[0, 2, 0.1, 3], [1.5, 0, 0, -7], [0, 0.2, -3, 4], [0, 0, 0, 1]]
    geometry = Geometry(GRID.shape, matrix)
    history = Conversation(geometry, [Mask(np.arange(480).reshape(GRID.shape) < 9, geometry, "liver")])
    session = create_engine("remote", url=reasoner.url).open(Volume(VOLUME.voxels, geometry, "CT"))
    (mask,) = session.answer(Question("the liver"), history, progress=Told()).masks
    assert np.allclose(mask.centroid_ras(), history.given[0].centroid_ras())
