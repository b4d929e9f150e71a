"""A real worker answers rounds over HTTP."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from MultiRoundSegLib.conversation import Reference
from MultiRoundSegLib.images import Mask, Volume
from worker.running import Worker, running
from worker.talking import GRID, Talk


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("echo"), "echo") as worker:
        yield worker


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("slow"), "slow") as worker:
        yield worker


def test_a_worker_says_what_it_is(echo: Worker) -> None:
    talk = Talk(echo.url)
    info = talk.get("/info").json()
    assert info["protocol"] == 1
    assert info["engine"] == {"name": "fake", "version": "1", "title": "Fake", "weights": None}
    assert info["limits"]["sessions"] > 1
    assert talk.get("/health").json() == {"status": "ok"}


def test_a_volume_is_sent_once_and_then_known_by_its_voxels(echo: Worker) -> None:
    volume = Volume(np.random.default_rng(1).integers(0, 99, GRID.shape, np.int16), GRID, "MR")
    first, second = Talk(echo.url, volume), Talk(echo.url, volume)
    assert first.post("/sessions", first.description).status_code == 404
    assert first.open() != second.open()


def test_masks_of_the_dialogue_are_fetched_when_the_engine_looks_at_them(echo: Worker) -> None:
    talk = Talk(echo.url)
    given = [Mask(np.random.default_rng(n).random(GRID.shape) < 0.3, GRID, name) for n, name in enumerate("abc")]
    talk.history = type(talk.history)(GRID, given)
    talk.open()
    path = talk.put_question("?", Reference(0, 1))
    wanted = [data["wanted"] for name, data in talk.follow(path) if name == "masks"]
    assert wanted == [[{"round": 0, "mask": 2}]]
    (mask,) = talk.result(path).masks
    assert np.array_equal(mask.voxels, given[1].voxels)
    assert mask.label == "echo of b"


def test_a_mask_corrected_by_hand_is_what_the_next_round_sees(echo: Worker) -> None:
    talk = Talk(echo.url)
    talk.history = type(talk.history)(GRID, [Mask(np.ones(GRID.shape), GRID, "all")])
    talk.open()
    talk.ask("?", Reference(0, 0))
    corrected = Mask(np.arange(480).reshape(GRID.shape) < 7, GRID, "mine")
    talk.history.replace_mask(Reference(1, 0), corrected)
    (mask,) = talk.ask("[1] again").masks
    assert mask.voxel_count == 7
    assert mask.label == "echo of mine"


def test_progress_is_heard_and_the_end(slow: Worker) -> None:
    talk = Talk(slow.url)
    talk.open()
    path = talk.put_question("0.3")
    events = talk.follow(path)
    fractions = [data["fraction"] for name, data in events if name == "progress"]
    assert fractions == sorted(fractions)
    assert len(fractions) > 5
    assert events[-1] == ("end", {"state": "done"})
    assert talk.follow(path) == [("end", {"state": "done"})]
    assert talk.result(path).masks[0].voxel_count == 480


def test_a_result_that_is_not_there_yet_is_waited_for(slow: Worker) -> None:
    talk = Talk(slow.url)
    talk.open()
    path = talk.put_question("0.3")
    early = talk.get(f"{path}/result")
    assert (early.status_code, early.json()["state"]) == (202, "running") or early.json()["state"] == "waiting"
    talk.follow(path)
    assert talk.get(f"{path}/result").status_code == 200
    assert talk.delete(path).status_code == 204
    assert talk.get(f"{path}/result").status_code == 404


def test_cancelling_frees_the_device(slow: Worker) -> None:
    one, other = Talk(slow.url), Talk(slow.url)
    one.open()
    other.open()
    path = one.put_question("30")
    while one.get(f"{path}/result").json()["state"] != "running":
        time.sleep(0.01)
    started = time.monotonic()
    assert one.delete(path).status_code == 204
    other.ask("0.02")
    assert time.monotonic() - started < 2


def test_the_same_job_is_done_once(tmp_path: Path) -> None:
    count = tmp_path / "count.txt"
    with running(tmp_path, "counting", environment={"COUNT_FILE": str(count)}) as worker:
        talk = Talk(worker.url)
        talk.open()
        job = "01234567-0123-0123-0123-0123456789ab"
        for _ in range(3):
            path = talk.put_question("once", job=job)
        talk.follow(path)
        talk.put_question("once", job=job)
        assert count.read_text() == "once\n"


def test_sessions_take_turns_whoever_asks_most(slow: Worker) -> None:
    greedy, modest = Talk(slow.url), Talk(slow.url)
    greedy.open()
    modest.open()
    paths = [greedy.put_question("1") for _ in range(4)]
    started = time.monotonic()
    modest.ask("0.02")
    assert time.monotonic() - started < 2.0  # after the one that is in work, before the three that wait
    for path in paths:
        greedy.delete(path)


def test_two_clients_do_not_disturb_each_other(echo: Worker) -> None:
    wrong: list[str] = []

    def talk_about(seed: int) -> None:
        talk = Talk(echo.url)
        mask = Mask(np.random.default_rng(seed).random(GRID.shape) < 0.3, GRID, f"mask {seed}")
        talk.history = type(talk.history)(GRID, [mask])
        talk.open()
        for _ in range(10):
            (found,) = talk.ask("?", Reference(0, 0)).masks
            if not np.array_equal(found.voxels, mask.voxels):
                wrong.append(found.label)

    threads = [threading.Thread(target=talk_about, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_closed_session_is_forgotten(echo: Worker) -> None:
    talk = Talk(echo.url)
    talk.open()
    assert talk.delete(f"/sessions/{talk.session}").status_code == 204
    asked = talk.put(f"/sessions/{talk.session}/jobs/01234567-0123-0123-0123-0123456789ab", b"")
    assert asked.status_code in (400, 404)
    assert talk.delete(f"/sessions/{talk.session}").status_code == 204


def test_a_worker_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    with running(tmp_path, "echo", "--end-with-stdin") as worker:
        assert worker.process.stdin
        worker.process.stdin.close()
        assert worker.process.wait(10) == 0


def test_nothing_of_patient_or_question_is_in_the_log(echo: Worker) -> None:
    talk = Talk(echo.url)
    talk.open()
    talk.ask("a question about Jane Doe")
    assert "Doe" not in echo.read_log()
