"""What can be in a worker's place, or in its way: each gives one sentence, and nothing is lost or doubled."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import requests
from engine_contract import Told

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.engines.remote.address import read_address
from MultiRoundSegLib.engines.remote.background import Background
from MultiRoundSegLib.engines.remote.connection import Connection, Trust
from MultiRoundSegLib.engines.remote.timeouts import Timeouts
from MultiRoundSegLib.errors import (
    CancelledError,
    EngineBusyError,
    EngineError,
    EngineUnavailableError,
    LoginError,
    MultiRoundSegError,
    WireError,
)
from MultiRoundSegLib.images import Geometry, Volume
from worker.running import Worker, running
from worker.talking import GRID, VOLUME

QUICK = Timeouts(connect_s=1, answer_s=0.5, silence_s=0.5, upload_s=1, busy_s=0.5, gone_s=2, forget_s=0.2)


def ask(url: str, text: str = "?") -> Answer:
    session = create_engine("remote", url=url, timeouts=QUICK).open(VOLUME)
    return session.answer(Question(text), Conversation(GRID), progress=Told())


Reply = tuple[int, str, bytes]


@contextmanager
def serving(reply: Callable[[str], Reply], stall_s: float = 0.0) -> Iterator[str]:
    """A server that gives, for "METHOD path", a status, a content type and a body; it may wait before it reads."""

    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            time.sleep(stall_s)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, media_type, body = reply(f"{self.command} {self.path}")
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Quietly."""

    for method in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


PAGE = b"<html><body>Sign in</body></html>"
INFO = b'{"protocol": 1, "engine": {"name": "x", "version": "1", "title": "X", "weights": null}}'


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (200, EngineUnavailableError, "is no worker of MultiRoundSeg"),
        (302, EngineUnavailableError, "is no worker of MultiRoundSeg"),
        (404, EngineUnavailableError, "is no worker of MultiRoundSeg"),
        (413, EngineError, "too large for the way to the worker"),
        (502, EngineBusyError, "but not the worker"),
        (503, EngineBusyError, "but not the worker"),
        (504, EngineBusyError, "but not the worker"),
    ],
)
def test_a_page_instead_of_a_worker(status: int, kind: type[Exception], words: str) -> None:
    with serving(lambda request: (status, "text/html", PAGE)) as url, pytest.raises(kind, match=words) as failure:
        ask(url)
    assert url.removeprefix("http://") in str(failure.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"protocol": 0, "engine": {}}', "update the worker"),
        (b'{"protocol": 2, "engine": {}}', "update the extension"),
        (b'{"hello": "world"}', "is no worker of MultiRoundSeg"),
        (b"[1]", "no JSON object"),
        (b"{", "no valid JSON"),
    ],
)
def test_another_protocol_and_other_servers(body: bytes, words: str) -> None:
    with (
        serving(lambda request: (200, "application/json", body)) as url,
        pytest.raises(MultiRoundSegError, match=words),
    ):
        ask(url)


def test_a_server_that_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        started = time.monotonic()
        with pytest.raises(EngineUnavailableError, match="does not answer"):
            ask(url)
        assert time.monotonic() - started < 3


def test_a_server_that_closes_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as rude:

        def close() -> None:
            while True:
                try:
                    rude.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=close, daemon=True).start()
        with pytest.raises(EngineUnavailableError, match="was cut"):
            ask(f"http://127.0.0.1:{rude.getsockname()[1]}")


def test_wrong_and_oversized_answers() -> None:
    def reply(request: str) -> Reply:
        if request == "GET /v1/info":
            return 200, "application/json", INFO
        if request == "POST /v1/sessions":
            return 201, "application/json", b'{"session": "a"}'
        if request.endswith("/events"):
            return 200, "text/event-stream", b'event: end\ndata: {"state": "done"}\n\n'
        return (200, "application/x-multiroundseg", b"nonsense") if request.startswith("GET") else (202, "x/y", b"")

    with serving(reply) as url, pytest.raises(WireError, match="no message"):
        ask(url)


def test_an_answer_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("MultiRoundSegLib.engines.remote.connection.LARGEST_ANSWER", 10)
    with serving(lambda request: (200, "application/json", b"x" * 11)) as url, pytest.raises(WireError, match="large"):
        ask(url)


class Cutter:
    """Stands between client and worker, counts the bytes of the worker's answers, and cuts once when it is told."""

    def __init__(self, port: int) -> None:
        self._port, self.passed, self.cut_at, self.cuts = port, 0, 0, 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            worker = socket.create_connection(("127.0.0.1", self._port))
            for source, target, counts in ((client, worker, False), (worker, client, True)):
                threading.Thread(target=self._pump, args=(source, target, counts), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if counts and 0 < self.cut_at <= self.passed + len(data):
                    data, self.cut_at, self.cuts = data[: self.cut_at - self.passed], 0, 1
                    target.sendall(data)
                    break
                if counts:
                    self.passed += len(data)
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Worker, Path]]:
    folder = tmp_path_factory.mktemp("counting")
    count = folder / "count.txt"
    with running(folder, "counting", environment={"COUNT_FILE": str(count)}) as worker:
        yield worker, count


@pytest.mark.parametrize("tenth", range(1, 10))
def test_a_connection_that_is_cut_anywhere_in_the_answers(counting: tuple[Worker, Path], tenth: int) -> None:
    worker, count = counting
    cutter = Cutter(worker.port)
    session, history = create_engine("remote", url=cutter.url).open(VOLUME), Conversation(GRID)
    asked = [f"first {tenth}", f"uncut {tenth}", f"cut {tenth}"]
    passed = []
    for text in asked:
        if text.startswith("cut"):
            cutter.cut_at = passed[1] + (passed[1] - passed[0]) * tenth // 10
        history.record(Question(text), session.answer(Question(text), history, progress=Told()))
        passed.append(cutter.passed)
    cutter.close()
    assert cutter.cuts == 1
    assert [line for line in count.read_text().splitlines() if line in asked] == asked
    assert [round_.answer.text.split()[0] for round_ in history.rounds] == ["0", "1", "2"]


@pytest.mark.parametrize("tenth", range(1, 10))
def test_a_connection_that_is_cut_in_the_first_round(counting: tuple[Worker, Path], tenth: int) -> None:
    worker, count = counting
    whole, cutter = Cutter(worker.port), Cutter(worker.port)
    ask(whole.url, "whole")
    cutter.cut_at = max(1, whole.passed * tenth // 10)
    assert ask(cutter.url, f"first of all {tenth}").text.startswith("0 rounds")
    for each in (whole, cutter):
        each.close()
    assert cutter.cuts == 1
    assert count.read_text().splitlines().count(f"first of all {tenth}") == 1


def test_a_worker_that_takes_no_bytes_for_a_while_gets_the_scan_once() -> None:
    uploads = []

    def reply(request: str) -> Reply:
        if request == "GET /v1/info":
            return 200, "application/json", INFO
        if request.startswith("PUT /v1/volumes"):
            uploads.append(request)
            return 413, "text/html", b""
        return 404, "application/json", b'{"error": "VolumeUnknownError", "message": "Send it."}'

    grid = Geometry((60, 512, 512), np.eye(4))
    volume = Volume(np.zeros(grid.shape, np.int16), grid, "CT")
    with serving(reply, stall_s=2.0) as url:
        session = create_engine("remote", url=url, timeouts=replace(QUICK, answer_s=5, upload_s=5)).open(volume)
        with pytest.raises(EngineError, match="too large for the way"):
            session.answer(Question("?"), Conversation(grid), progress=Told())
    assert len(uploads) == 1


def test_too_many_wrong_tokens_are_said_as_that() -> None:
    body = b'{"error": "LoginError", "message": "Too many wrong tokens were sent to the worker; try again in 50 s."}'
    with (
        serving(lambda request: (429, "application/json", body)) as url,
        pytest.raises(LoginError, match="try again in 50 s"),
    ):
        ask(url)


def test_the_users_certificates_are_not_replaced_by_the_environments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere.pem")
    ours = tmp_path / "ours.pem"
    ours.write_text("")
    connection = Connection(read_address("https://server.example"), Trust(None, ours), QUICK)
    believed: list[object] = []

    class Believed(requests.adapters.HTTPAdapter):
        def send(self, *arguments: object, verify: object = None, **more: object) -> requests.Response:
            believed.append(verify)
            raise requests.exceptions.ConnectionError("refused")

    connection._http.mount("https://", Believed())
    with pytest.raises(EngineUnavailableError):
        connection.get_json("/info")
    assert believed == [str(ours)]


def test_a_thread_whose_work_was_cancelled_ends_when_it_posts_again() -> None:
    ended, posts = threading.Event(), []

    def work(post: Callable[[object], None]) -> None:
        try:
            while True:
                post("piece")
                posts.append("piece")
                time.sleep(0.01)
        finally:
            ended.set()

    def progress(fraction: float, message: str) -> None:
        if len(posts) > 3:
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        Background(progress).run(work)
    assert ended.wait(1)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("localhost:8642", "http://localhost:8642"),
        (" 127.0.0.1:9 ", "http://127.0.0.1:9"),
        ("http://127.0.0.1:8642/", "http://127.0.0.1:8642"),
        ("https://server.example", "https://server.example"),
        ("http://[::1]:8642", "http://[::1]:8642"),
    ],
)
def test_addresses_that_are_understood(text: str, url: str) -> None:
    assert read_address(text).url == url


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("server.example:8642", "with https://"),
        ("", "with https://"),
        ("0.0.0.0:8642", "with https://"),
        ("http://0.0.0.0:8642", "cannot be asked"),
        ("ftp://server.example", "is no address"),
        ("http://", "is no address"),
        ("http://server.example:port", "is no address"),
        ("https://server.example/path", "more than scheme, host and port"),
        ("https://me:secret@server.example", "token in its own field"),
    ],
)
def test_addresses_that_are_refused_with_what_to_write(text: str, words: str) -> None:
    with pytest.raises(EngineUnavailableError, match=words) as refusal:
        read_address(text)
    assert "secret" not in str(refusal.value)


def test_a_token_does_not_travel_readable_to_another_computer() -> None:
    with pytest.raises(EngineUnavailableError, match="use https://"):
        create_engine("remote", url="http://server.example:8642", token="a-long-secret-of-ours")


def test_proxies_are_not_asked_for_this_computer(
    counting: tuple[Worker, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(counting[0].url).status == "answered"


def test_an_unknown_name_is_said() -> None:
    with pytest.raises(EngineUnavailableError, match="There is no computer of the name"):
        ask("http://worker.invalid:8642")


def test_missing_files_are_said() -> None:
    with pytest.raises(EngineUnavailableError, match="token file nothing cannot be read"):
        create_engine("remote", token_file="nothing")
    with pytest.raises(EngineUnavailableError, match="CA file nothing is not there"):
        create_engine("remote", ca_file="nothing")
