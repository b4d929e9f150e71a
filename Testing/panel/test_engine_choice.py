"""Choosing where the engine runs, as a person does: in Slicer, on this computer, on a server."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import slicer
import tomllib
from panel.shim import displays, drive
from panel.shim.modules import close_module, open_module
from scene_parts import add_volume
from worker.running import Worker, running
from worker.wheels import make_wheel

from MultiRoundSegLib.panel.engine_choice import COMPUTER, SERVER
from MultiRoundSegLib.panel.environment import PACKAGES, Environment

MODULE_FILE = Path(__file__).parents[2] / "MultiRoundSeg" / "MultiRoundSeg.py"
TOKEN = "a-long-secret-of-ours"
INFO = {"protocol": 1, "engine": {"name": "x", "version": "7", "title": "Some engine", "weights": None}}
REFUSED = {"error": "LoginError", "message": "The worker does not accept this token."}


@pytest.fixture
def module(empty_scene: Any) -> Iterator[Any]:
    add_volume((20, 20, 20), name="scan")
    slicer.app.userSettings().clear()
    widget = open_module(MODULE_FILE)
    drive.process_events()
    yield widget
    close_module(widget)


@pytest.fixture
def server() -> Iterator[str]:
    """Answers /v1/info, slowly, where the token is right."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(0.2)
            good = self.headers.get("Authorization") == f"Bearer {TOKEN}"
            body = json.dumps(INFO if good else REFUSED).encode()
            self.send_response(200 if good else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Quietly."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    listening.server_close()


def choose(ui: Any, place: str) -> None:
    ui.engineSelector.setCurrentIndex(ui.engineSelector.findData(place))
    drive.process_events()


def choose_server(ui: Any, address: str, token: str = TOKEN) -> None:
    choose(ui, SERVER)
    drive.type_text(ui.addressEdit, address)
    drive.type_text(ui.tokenEdit, token)


def all_nodes() -> list[str]:
    """IDs of all nodes but the subject hierarchy, which Slicer makes when it is first asked for."""
    nodes = (slicer.mrmlScene.GetNthNode(n) for n in range(slicer.mrmlScene.GetNumberOfNodes()))
    return [node.GetID() for node in nodes if not node.IsA("vtkMRMLSubjectHierarchyNode")]


def state(ui: Any) -> str:
    return str(ui.engineStateLabel.text)


def test_only_what_belongs_to_the_choice_is_shown(module: Any) -> None:
    ui = module.panel.ui
    assert not ui.serverWidget.visible
    assert not ui.computerWidget.visible
    choose(ui, SERVER)
    assert ui.serverWidget.visible
    choose(ui, COMPUTER)
    assert ui.computerWidget.visible
    assert not ui.serverWidget.visible
    assert state(ui) == "Not set up."


def test_a_connection_is_tested_without_freezing_the_window(module: Any, server: str) -> None:
    ui = module.panel.ui
    choose_server(ui, server)
    started = time.monotonic()
    drive.click(ui.testButton)
    assert time.monotonic() - started < 0.15
    assert state(ui) == "Testing the connection…"
    assert not ui.testButton.enabled
    drive.wait_until(lambda: state(ui).startswith("Connected"))
    assert state(ui) == "Connected: Some engine, version 7."
    assert ui.testButton.enabled


@pytest.mark.parametrize(
    ("address", "token", "words"),
    [
        ("", TOKEN, "Write the worker's address first"),
        ("server.example", TOKEN, "with https://"),
        ("SERVER", "wrong", "needs a token, or another one"),
        ("http://127.0.0.1:9", TOKEN, "No worker listens at 127.0.0.1:9"),
    ],
)
def test_what_is_wrong_with_a_connection_is_said(
    module: Any, server: str, address: str, token: str, words: str
) -> None:
    ui = module.panel.ui
    choose_server(ui, address.replace("SERVER", server), token)
    drive.click(ui.testButton)
    drive.wait_until(lambda: words in state(ui))
    assert "wrong" not in state(ui)


def test_the_token_is_kept_only_where_the_user_ticks_it(module: Any, server: str, tmp_path: Path) -> None:
    ui = module.panel.ui
    choose_server(ui, server)
    module.panel.choice._keep()
    assert slicer.app.userSettings().value("MultiRoundSeg/token", "") == ""
    drive.click(ui.rememberCheckBox)
    assert slicer.app.userSettings().value("MultiRoundSeg/token", "") == TOKEN
    drive.click(ui.rememberCheckBox)
    assert slicer.app.userSettings().value("MultiRoundSeg/token", "") == ""
    assert slicer.mrmlScene.Commit(str(tmp_path / "scene.mrml"))
    assert TOKEN not in (tmp_path / "scene.mrml").read_text()


def test_the_choice_is_remembered_in_the_application_not_in_the_scene(empty_scene: Any, server: str) -> None:
    first = open_module(MODULE_FILE)
    choose_server(first.panel.ui, server)
    drive.click(first.panel.ui.rememberCheckBox)
    first.panel.choice._keep()
    close_module(first)
    again = open_module(MODULE_FILE)
    try:
        assert again.panel.choice.place == SERVER
        assert again.panel.ui.addressEdit.text == server
        assert again.panel.ui.tokenEdit.text == TOKEN
    finally:
        slicer.app.userSettings().clear()
        close_module(again)


def test_a_question_to_a_server_that_is_gone_leaves_scene_and_question(module: Any, caplog: Any) -> None:
    ui, before = module.panel.ui, all_nodes()
    choose_server(ui, "http://127.0.0.1:9")
    drive.type_text(ui.questionEdit, "the liver")
    drive.click(ui.askButton)
    drive.process_events()
    assert "No worker listens at 127.0.0.1:9" in ui.messageBrowser.plainText
    assert ui.questionEdit.plainText == "the liver"
    assert all_nodes() == before
    assert TOKEN not in caplog.text


@pytest.fixture(scope="module")
def slow_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    with running(tmp_path_factory.mktemp("slow"), "slow") as worker:
        yield worker


def test_a_real_worker_answers_in_the_panel(module: Any, slow_worker: Worker) -> None:
    ui = module.panel.ui
    choose_server(ui, slow_worker.url, "")
    drive.type_text(ui.questionEdit, "0.2")
    drive.click(ui.askButton)
    assert "[1] 0.2" in ui.messageBrowser.plainText
    assert [node for node in all_nodes() if "Segmentation" in node]


def test_a_cancelled_round_leaves_nothing_behind(module: Any, slow_worker: Worker) -> None:
    ui = module.panel.ui
    choose_server(ui, slow_worker.url, "")
    before = all_nodes()
    drive.type_text(ui.questionEdit, "20")
    looks: list[float] = []

    def cancel_after_a_moment() -> None:
        looks.append(time.monotonic())
        if looks[-1] - looks[0] > 0.6:
            drive.click(ui.cancelButton)

    module.panel.choice.watch = cancel_after_a_moment
    drive.click(ui.askButton)
    assert time.monotonic() - looks[0] < 2.6
    assert max(later - earlier for earlier, later in pairwise(looks)) < 0.3
    assert "Cancelled; nothing was changed." in ui.messageBrowser.plainText
    assert ui.questionEdit.plainText == "20"
    assert all_nodes() == before


@pytest.mark.parametrize("end", ["let_go", "close"])
def test_a_module_that_is_closed_during_a_round_leaves_nothing_behind(
    module: Any, slow_worker: Worker, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, shown = module.panel, []
    choose_server(panel.ui, slow_worker.url, "")
    before = all_nodes()
    drive.type_text(panel.ui.questionEdit, "20")
    panel.choice.watch = getattr(panel, end)
    monkeypatch.setattr(panel, "_show_messages", lambda *arguments: shown.append(arguments))
    drive.click(panel.ui.askButton)
    assert all_nodes() == before
    assert bool(shown) == (end == "let_go")  # Slicer has deleted the widgets of a module that was closed


def test_an_atlas_with_a_worker_is_said_to_be_impossible(module: Any, slow_worker: Worker) -> None:
    ui = module.panel.ui
    choose_server(ui, slow_worker.url, "")
    ui.atlasSelector.setCurrentNode(add_volume((4, 4, 4), name="prior"))
    drive.type_text(ui.questionEdit, "0.1")
    drive.click(ui.askButton)
    assert "choose that engine, or no atlas" in ui.messageBrowser.plainText


def test_a_computer_that_is_not_set_up_is_said(module: Any) -> None:
    ui = module.panel.ui
    choose(ui, COMPUTER)
    drive.type_text(ui.questionEdit, "the liver")
    drive.click(ui.askButton)
    assert "This computer is not set up for a worker yet" in ui.messageBrowser.plainText


def with_wheels(module: Any, tmp_path: Path, broken: bool = False) -> Environment:
    """Let the panel set up a tiny environment."""
    make_wheel(tmp_path / "wheels", "tinything", "1.0", broken=broken)
    environment = Environment(tmp_path / "worker", packages=["tinything"])
    module.panel.choice._environment = environment
    choose(module.panel.ui, COMPUTER)
    module.panel.ui.wheelsEdit.text = str(tmp_path / "wheels")
    return environment


def test_this_computer_is_set_up_after_a_click_that_says_what(module: Any, tmp_path: Path) -> None:
    ui, environment = module.panel.ui, with_wheels(module, tmp_path)
    displays.answer_next_question(False)
    drive.click(ui.setupButton)
    assert not environment.folder.exists()
    displays.answer_next_question(True)
    drive.click(ui.setupButton)
    assert state(ui) == "Setting up…"
    assert ui.setupCancelButton.enabled
    drive.wait_until(lambda: "Set up;" in state(ui), 30)
    assert environment.is_ready
    assert "Successfully installed" in ui.setupOutput.plainText
    assert ui.setupButton.text == "Repair"
    drive.click(ui.removeButton)
    drive.wait_until(lambda: state(ui) == "Not set up.", 30)
    assert not environment.folder.exists()


def test_setting_up_that_fails_leaves_a_usable_panel(module: Any, tmp_path: Path) -> None:
    ui, environment = module.panel.ui, with_wheels(module, tmp_path, broken=True)
    displays.answer_next_question(True)
    drive.click(ui.setupButton)
    drive.wait_until(lambda: "could not be installed" in state(ui), 30)
    assert not environment.folder.exists()
    assert ui.setupButton.enabled


def test_setting_up_can_be_cancelled(module: Any, tmp_path: Path) -> None:
    ui, environment = module.panel.ui, with_wheels(module, tmp_path)
    displays.answer_next_question(True)
    drive.click(ui.setupButton)
    drive.click(ui.setupCancelButton)
    drive.wait_until(lambda: "cancelled" in state(ui), 30)
    assert not environment.folder.exists()


def test_a_module_that_is_closed_during_a_set_up_leaves_nothing_of_it(module: Any, tmp_path: Path) -> None:
    ui, environment = module.panel.ui, with_wheels(module, tmp_path)
    displays.answer_next_question(True)
    drive.click(ui.setupButton)
    module.panel.close()
    assert not list(environment.folder.parent.glob("worker*"))


def test_the_packages_are_those_of_the_project_file() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["worker"]}
    assert {name.partition(">")[0] for name in wanted} == set(PACKAGES)


def test_opening_the_module_imports_only_what_slicer_ships() -> None:
    """In a process of its own; the stand-ins for Slicer import none of these either."""
    root = MODULE_FILE.parents[1]
    code = f"""
import sys
from pathlib import Path
from panel.shim import install
install()
from panel.shim.modules import close_module, open_module
close_module(open_module(Path({str(MODULE_FILE)!r})))
heavy = {{"torch", "transformers", "fastapi", "onnxruntime", "SimpleITK", "pydicom", "requests"}}
print(sorted(heavy & set(sys.modules)))
"""
    paths = [root / "Testing", root / "Testing" / "mrml", root / "scripts", root / "MultiRoundSeg"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stdout + done.stderr
