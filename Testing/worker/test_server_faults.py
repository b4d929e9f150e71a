"""Whatever is sent to a worker, it says what is wrong in one sentence and stays up."""

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
import trustme
from engine_contract import Told
from fakes import echo

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.errors import EngineBusyError, EngineUnavailableError, SessionExpiredError, VolumeUnknownError
from MultiRoundSegLib.images import Geometry, Mask, SliceView, Volume
from MultiRoundSegLib.wire.message import Message
from MultiRoundSegLib.wire.rounds import encode_ask
from MultiRoundSegLib.worker.command import main, refuse_unsafe
from MultiRoundSegLib.worker.job import Job
from MultiRoundSegLib.worker.limits import Limits
from MultiRoundSegLib.worker.line import Line
from MultiRoundSegLib.worker.service import Service
from worker.running import Worker, running
from worker.talking import GRID, VOLUME, Talk

JOB = "01234567-0123-0123-0123-0123456789ab"
TOKEN = "a-long-secret-of-ours"


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("echo"), "echo") as worker:
        yield worker


@pytest.fixture
def talk(worker: Worker) -> Iterator[Talk]:
    talk = Talk(worker.url)
    talk.open()
    yield talk
    assert worker.process.poll() is None
    assert talk.ask("still there?").status == "none"


def box() -> Mask:
    return Mask(np.ones(GRID.shape, bool), GRID, "box")


def is_sentence(response: requests.Response, status: int) -> bool:
    fault = response.json()
    assert response.status_code == status, response.text
    assert fault["error"].endswith("Error")
    return bool(fault["message"].endswith((".", ")")))


@pytest.mark.parametrize(
    "wrong",
    [
        {"shape": [6, 8]}, {"shape": [6, 8, 0]}, {"shape": [6, 8, -1]}, {"shape": [6, 8, 1.5]}, {"dtype": "|O"},
        {"components": 2}, {"ijk_to_ras": [[1]]}, {"sha256": "x"}, {"sha256": None}, {"modality": None}, {"extra": 1},
        {"ijk_to_ras": [[0, 0, 0, 0]] * 4}, {"shape": None},
    ],
)  # fmt: skip
def test_a_wrong_description_is_refused(talk: Talk, wrong: dict[str, Any]) -> None:
    assert is_sentence(talk.post("/sessions", talk.description | wrong), 400)


def test_a_huge_volume_is_refused_before_it_is_sent(talk: Talk) -> None:
    response = talk.post("/sessions", talk.description | {"shape": [2000, 2000, 2000], "sha256": "0" * 64})
    assert is_sentence(response, 413)
    assert "Crop it" in response.text


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_voxels_that_are_no_numbers_are_refused(worker: Worker, value: float) -> None:
    voxels = VOLUME.voxels.astype(np.float32)
    voxels[2, 2, 2] = value
    talk = Talk(worker.url, Volume(voxels, GRID, "MR"))
    assert talk.post("/sessions", talk.description).status_code == 404
    assert talk.put(f"/volumes/{talk.description['sha256']}", talk.voxels.tobytes()).status_code == 204
    assert is_sentence(talk.post("/sessions", talk.description), 422)


def fresh(worker: Worker, seed: int) -> Talk:
    """A client whose volume the worker has not seen, but heard of."""
    voxels = np.random.default_rng(seed).integers(0, 99, GRID.shape, np.int16)
    talk = Talk(worker.url, Volume(voxels, GRID, "MR"))
    assert talk.post("/sessions", talk.description).status_code == 404
    return talk


def test_damaged_cut_and_too_many_voxels_are_refused(worker: Worker) -> None:
    talk = fresh(worker, 10)
    path, data = f"/volumes/{talk.description['sha256']}", talk.voxels.tobytes()
    for wrong in (data[:-1], data + b"x", bytes(len(data)), b""):
        assert is_sentence(talk.put(path, wrong), 400)
    assert talk.put(path, data).status_code == 204


def test_gzip_is_undone_with_a_bound(worker: Worker) -> None:
    talk = fresh(worker, 11)
    path, data = f"/volumes/{talk.description['sha256']}", talk.voxels.tobytes()
    headers = {"Content-Encoding": "gzip"}
    for wrong in (gzip.compress(bytes(10**8)), b"no gzip", gzip.compress(data)[:-100], zlib.compress(data)):
        assert is_sentence(talk.put(path, wrong, **headers), 400)
    assert is_sentence(talk.put(path, data, **{"Content-Encoding": "br"}), 400)
    assert talk.put(path, gzip.compress(data), **headers).status_code == 204
    talk.open()


def test_voxels_that_nobody_announced_are_refused(talk: Talk) -> None:
    response = talk.put(f"/volumes/{'1' * 64}", b"anything")
    assert is_sentence(response, 404)
    assert response.json()["error"] == "VolumeUnknownError"


def test_unknown_sessions_and_questions(talk: Talk) -> None:
    body = encode_ask(Question("?"), talk.history).encode()
    assert is_sentence(talk.put(f"/sessions/{'0' * 32}/jobs/{JOB}", body), 404)
    assert is_sentence(talk.get(f"/sessions/{talk.session}/jobs/{JOB}/result"), 404)
    assert is_sentence(talk.get(f"/sessions/{talk.session}/jobs/{JOB}/events"), 404)
    assert is_sentence(talk.get(f"/sessions/nothing/jobs/{JOB}/result"), 400)
    assert is_sentence(talk.get("/nothing"), 404)
    assert is_sentence(talk.post("/info", {}), 405)


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"{}", Message({}).encode(), Message({"question": {}, "history": {}}).encode()[:-3]],
)
def test_a_damaged_question_is_refused(talk: Talk, body: bytes) -> None:
    assert is_sentence(talk.put(f"/sessions/{talk.session}/jobs/{JOB}", body), 400)


def test_a_reference_out_of_range_is_the_engines_to_refuse(talk: Talk) -> None:
    path = talk.put_question("?", Reference(7))
    talk.follow(path)
    response = talk.get(f"{path}/result")
    assert response.json()["error"] == "ReferenceNotFoundError"
    assert response.status_code == 422


@pytest.mark.parametrize("index", [6, -1, 64])
def test_a_slice_that_the_image_does_not_have_is_refused(talk: Talk, index: int) -> None:
    question = Question("?", SliceView("axial", index))
    response = talk.put(f"/sessions/{talk.session}/jobs/{JOB}", encode_ask(question, talk.history).encode())
    assert is_sentence(response, 400)
    assert f"no axial slice {index}" in response.text


def test_constant_and_far_away_images_are_answered(worker: Worker) -> None:
    far = np.diag([2.0, 2.0, 3.0, 1.0])
    far[:3, 3] = 500
    for voxels, matrix in ((np.zeros(GRID.shape, np.int16), np.eye(4)), (VOLUME.voxels, far)):
        talk = Talk(worker.url, Volume(voxels, Geometry(GRID.shape, matrix), "CT"))
        talk.open()
        assert talk.ask("?").status == "none"


def test_a_mask_of_another_size_is_refused(talk: Talk) -> None:
    path = talk.put_question("?")
    body = Message({"mask": {"name": "x", "code": None, "corner": [0, 0, 0], "shape": [9, 9, 9], "blob": 0}}, [b""])
    assert is_sentence(talk.put(f"{path}/masks/1/1", body.encode()), 400)


def test_a_hundred_megabytes_of_text_are_refused_before_they_arrive(talk: Talk, worker: Worker) -> None:
    host, port = worker.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        head = (
            f"PUT /v1/sessions/{talk.session}/jobs/{JOB} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100000000\r\n\r\n"
        )
        connection.sendall(head.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 413")
    response = requests.post(f"{worker.url}/v1/sessions", data=b"x" * 200_000, timeout=10)
    assert is_sentence(response, 413)


def known_volume(service: Service) -> Talk:
    """A client whose volume the service has."""
    talk = Talk("http://nowhere")
    with pytest.raises(VolumeUnknownError):
        service.open(talk.description)
    upload = service.expect(talk.description["sha256"], is_gzip=False)
    assert upload
    upload.add(talk.voxels.tobytes())
    service.keep(talk.description["sha256"], upload)
    service.end(upload)
    return talk


def test_a_long_question_is_refused(talk: Talk) -> None:
    question = encode_ask(Question("x" * 10_001), talk.history).encode()
    assert is_sentence(talk.put(f"/sessions/{talk.session}/jobs/{JOB}", question), 413)


def test_a_question_that_was_cancelled_before_it_arrived_is_not_asked(talk: Talk) -> None:
    path = f"/sessions/{talk.session}/jobs/{JOB}"
    assert talk.delete(path).status_code == 204
    assert is_sentence(talk.put(path, encode_ask(Question("?"), talk.history).encode()), 409)
    assert is_sentence(talk.get(f"{path}/result"), 404)


def test_one_session_does_not_take_all_places_in_the_line() -> None:
    service = Service(echo(), Limits(unfinished=2))
    talk = known_volume(service)
    greedy, other = (service.begin(talk.description, service.open(talk.description)) for _ in range(2))
    free = threading.Event()
    service.line.add("other", lambda: free.wait() and None)
    question = encode_ask(Question("?"), talk.history)
    for name in "ab":
        greedy.ask(name, question)
    with pytest.raises(EngineBusyError, match="unanswered questions"):
        greedy.ask("c", question)
    greedy.forget("a")
    greedy.ask("c", question)
    other.ask("a", question)
    free.set()
    service.stop()


def test_a_mask_that_nobody_asked_for_is_dropped() -> None:
    job, mask = Job(mask_wait_s=5.0), box()
    job.supply(Reference(1), mask)
    reading = threading.Thread(target=lambda: job.read(Reference(1)))
    reading.start()
    while not job.status.wanted:
        time.sleep(0.005)
    job.supply(Reference(1), mask)
    reading.join(timeout=5)
    assert not reading.is_alive()


def test_a_worker_without_a_token_answers_to_its_own_names_only(worker: Worker) -> None:
    for host, status in (("evil.example", 401), ("localhost:8642", 200), ("127.0.0.1", 200), ("[::1]:1", 200)):
        response = requests.get(f"{worker.url}/v1/info", headers={"Host": host}, timeout=5)
        assert response.status_code == status, host


def test_what_nobody_expected_is_answered_and_its_words_are_not_logged(tmp_path: Path) -> None:
    with running(tmp_path, "nameless") as worker:
        assert is_sentence(requests.get(f"{worker.url}/v1/info", timeout=5), 500)
        assert requests.get(f"{worker.url}/v1/health", timeout=5).status_code == 200
        assert "RuntimeError" in worker.read_log()
        assert "1235234" not in worker.read_log()


def test_the_longest_unused_session_makes_room() -> None:
    service = Service(echo(), Limits(sessions=2))
    talk = known_volume(service)
    first, second, third = (service.begin(talk.description, service.open(talk.description)) for _ in range(3))
    with pytest.raises(SessionExpiredError):
        service.session(first.identity)
    assert service.session(second.identity) is second
    assert service.session(third.identity) is third
    service.stop()


def test_sessions_at_work_are_not_closed_for_others() -> None:
    service = Service(echo(), Limits(sessions=1))
    talk = known_volume(service)
    session = service.begin(talk.description, service.open(talk.description))
    free = threading.Event()
    service.line.add("other", lambda: free.wait() and None)
    session.ask("a", encode_ask(Question("?"), talk.history))
    with pytest.raises(EngineBusyError, match="are at work"):
        service.begin(talk.description, service.open(talk.description))
    free.set()
    service.stop()


def test_volumes_in_use_leave_no_room_for_others() -> None:
    service = Service(echo(), Limits(kept_bytes=1500))
    talk = known_volume(service)
    session = service.begin(talk.description, service.open(talk.description))
    other = talk.description | {"sha256": "2" * 64}
    with pytest.raises(VolumeUnknownError):
        service.open(other)
    with pytest.raises(EngineBusyError, match="no room"):
        service.expect("2" * 64, is_gzip=False)
    service.close(session.identity)
    upload = service.expect("2" * 64, is_gzip=False)
    assert upload
    assert service.kept_bytes == upload.size == talk.voxels.nbytes
    with pytest.raises(EngineBusyError, match="no room"):  # two uploads at once share the room
        service.expect("2" * 64, is_gzip=False)
    service.end(upload)
    assert service.kept_bytes == 0
    service.stop()


def test_idle_sessions_and_unused_volumes_are_forgotten() -> None:
    service = Service(echo(), Limits(idle_s=0.05, unused_volume_s=0.05))
    talk = known_volume(service)
    session = service.begin(talk.description, service.open(talk.description))
    time.sleep(0.1)
    service.tidy()
    with pytest.raises(SessionExpiredError):
        service.session(session.identity)
    assert service.kept_bytes == talk.voxels.nbytes
    time.sleep(0.1)
    service.tidy()
    assert service.kept_bytes == 0
    service.stop()


def test_a_full_line_says_when_to_come_back() -> None:
    line, free = Line(2), threading.Event()
    line.add("a", lambda: free.wait() and None)
    while len(line):
        time.sleep(0.005)
    for _ in range(2):
        line.add("a", lambda: None)
    with pytest.raises(EngineBusyError, match="busy with 2 other questions") as refusal:
        line.add("b", lambda: None)
    assert refusal.value.retry_after_s >= 1
    free.set()
    line.close()


def test_a_wrong_token_is_refused_and_too_many_of_them_are_slowed_down(tmp_path: Path) -> None:
    with running(tmp_path, "echo", environment={"MULTIROUNDSEG_TOKEN": TOKEN}) as worker:
        good = Talk(worker.url, token=TOKEN)
        good.open()
        for token in ("", "wrong-wrong-wrong-wrong"):
            refused = Talk(worker.url, token=token).get("/info")
            assert is_sentence(refused, 401)
            assert refused.headers["WWW-Authenticate"] == "Bearer"
        assert requests.get(f"{worker.url}/v1/health", timeout=5).status_code == 200
        for path in ("/metrics", "/sessions", "/volumes/" + "0" * 64):
            assert Talk(worker.url).put(path, b"").status_code in (401, 405)
        statuses = [Talk(worker.url, token=f"wrong-wrong-wrong-{n}").get("/info").status_code for n in range(12)]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        assert TOKEN not in worker.read_log()
        assert "wrong-wrong" not in worker.read_log()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "server.example"])
def test_it_does_not_open_to_others_without_a_token(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--host", host, "--port", "0"]) == 2
    assert "give it a token" in capsys.readouterr().err
    refuse_unsafe(host, TOKEN, None, None)


def test_a_short_token_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "token"
    file.write_text("short")
    assert main(["--token-file", str(file), "--port", "0"]) == 2
    assert "at least 16 characters" in capsys.readouterr().err
    assert "short" not in capsys.readouterr().err


def test_unknown_settings_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--setting", "nonsense=1", "--port", "0"]) == 2
    assert "does not take these settings" in capsys.readouterr().err


def test_tls_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    (tmp_path / "certificate.pem").write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    options = ("--certificate", str(tmp_path / "certificate.pem"), "--key", str(tmp_path / "key.pem"))
    with running(tmp_path, "echo", *options) as worker:
        assert worker.url.startswith("https://")

        def ask(**settings: str) -> str:
            session = create_engine("remote", url=worker.url, **settings).open(VOLUME)
            return session.answer(Question("?"), Conversation(GRID), progress=Told()).status

        assert ask(ca_file=str(tmp_path / "ca.pem")) == "none"
        with pytest.raises(EngineUnavailableError, match="The certificate of the worker"):
            ask()


def test_figures_for_prometheus(worker: Worker) -> None:
    talk = Talk(worker.url)
    talk.open()
    talk.ask("?")
    text = talk.get("/metrics").text
    assert 'multiroundseg_answers_total{state="done"}' in text
    assert "multiroundseg_sessions " in text
    assert "multiroundseg_answer_seconds_bucket" in text
