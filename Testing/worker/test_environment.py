"""The private environment: whole or not there, and Slicer's own packages stay as they are."""

import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from MultiRoundSegLib.errors import CancelledError, EngineUnavailableError
from MultiRoundSegLib.panel.environment import Environment
from worker.wheels import make_wheel


def never() -> bool:
    return False


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    make_wheel(folder, "tinything", "1.0", "numpy>=99")
    make_wheel(folder, "numpy", "99.0")
    return folder


def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "settings" / "worker", sys.executable, ["tinything"])


def test_it_is_made_from_wheels_and_leaves_this_python_alone(tmp_path: Path, wheels: Path) -> None:
    before, lines = version("numpy"), []
    made = environment(tmp_path)
    assert not made.is_ready
    made.make(lines.append, never, wheels)
    assert made.is_ready
    assert any("Successfully installed" in line for line in lines)
    assert "99.0" in (made.folder / "packages" / "numpy.py").read_text()
    assert version("numpy") == before
    assert [path.name for path in made.folder.parent.iterdir()] == ["worker"]


def test_of_a_cancelled_one_nothing_is_left_and_an_earlier_one_stays(tmp_path: Path, wheels: Path) -> None:
    made = environment(tmp_path)
    with pytest.raises(CancelledError, match="nothing is left"):
        made.make(lambda line: None, lambda: True, wheels)
    assert list(made.folder.parent.iterdir()) == []
    made.make(lambda line: None, never, wheels)
    with pytest.raises(CancelledError):
        made.make(lambda line: None, lambda: True, wheels)
    assert made.is_ready


def test_pip_can_be_stopped_while_it_says_nothing(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    made, started = Environment(tmp_path / "worker", str(silent), ["tinything"]), time.monotonic()
    with pytest.raises(CancelledError):
        made.make(lambda line: None, lambda: time.monotonic() > started + 0.5)
    assert time.monotonic() - started < 5


def test_a_broken_wheel_is_said_with_what_pip_wrote(tmp_path: Path) -> None:
    lines: list[str] = []
    make_wheel(tmp_path / "wheels", "tinything", "1.0", broken=True)
    made = environment(tmp_path)
    with pytest.raises(EngineUnavailableError, match="the lines above say why"):
        made.make(lines.append, never, tmp_path / "wheels")
    assert any("tinything" in line for line in lines)
    assert not made.folder.exists()


def test_another_list_of_packages_asks_for_a_repair(tmp_path: Path, wheels: Path) -> None:
    environment(tmp_path).make(lambda line: None, never, wheels)
    assert not Environment(tmp_path / "settings" / "worker", sys.executable, ["tinything", "more"]).is_ready


def test_it_can_be_removed(tmp_path: Path, wheels: Path) -> None:
    made = environment(tmp_path)
    made.make(lambda line: None, never, wheels)
    made.remove()
    made.remove()
    assert not made.folder.exists()


def test_the_worker_sees_its_own_packages_and_none_of_this_python(tmp_path: Path) -> None:
    """The start program runs for real; instead of our code it finds a worker that tells what it sees."""
    packages, code = tmp_path / "worker" / "packages", tmp_path / "code"
    packages.mkdir(parents=True)
    told = code / "MultiRoundSegLib" / "worker" / "__main__.py"
    told.parent.mkdir(parents=True)
    told.write_text("import ctypes, ssl, sys\nprint(sys.path, sys.argv[1:])\n")
    command = Environment(tmp_path / "worker", sys.executable).command(["--port", "0"])
    command[command.index(str(packages)) + 1] = str(code)
    seen = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(tmp_path / "others")}
    ).stdout
    assert "site-packages" not in seen
    assert "others" not in seen
    assert str(packages) in seen
    assert "['--port', '0']" in seen
