"""A private Python environment for the worker on this computer; Slicer's own packages are not touched."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from MultiRoundSegLib.errors import CancelledError, EngineUnavailableError

PACKAGES = (
    "numpy",
    "scipy",
    "SimpleITK",
    "pydicom",
    "pillow",
    "requests",
    "fastapi",
    "uvicorn",
    "sse-starlette",
    "prometheus-client",
    "onnxruntime",
    "rapidfuzz",
)
MEGABYTES = 650
"""About what they take on the disk; a quarter of it is downloaded."""
_FITTING = "complete.json"
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_LOOK_S = 0.2

Report = Callable[[str], None]


class Environment:
    """Packages in a folder of their own, for Slicer's Python.

    Attributes:
        folder: where it is, or will be.
    """

    def __init__(self, folder: Path, python: str | None = None, packages: Sequence[str] = PACKAGES) -> None:
        """Name a place; nothing is made yet.

        Args:
            folder: nothing else may be in it.
            python: the program that runs Python; by default Slicer's.
            packages: what is installed.
        """
        self.folder = folder
        self._python = python or shutil.which("PythonSlicer") or sys.executable
        self._packages = tuple(packages)

    @property
    def is_ready(self) -> bool:
        """Whether it is complete, and made for this Python and these packages."""
        try:
            return bool(json.loads((self.folder / _FITTING).read_text(encoding="utf-8")) == self._description())
        except (OSError, ValueError):
            return False

    def make(self, report: Report, is_stopped: Callable[[], bool], wheels: Path | None = None) -> None:
        """Make it, or make it anew; until it is complete, an earlier one stays as it was.

        Args:
            report: takes each line that pip writes.
            is_stopped: tells whether the user wants it no more.
            wheels: a folder of wheels, for a computer without network.

        Raises:
            CancelledError: the user stopped it; nothing is left of it.
            EngineUnavailableError: pip failed; the reported lines say why.
        """
        aside = self.folder.with_name(self.folder.name + ".partial")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        try:
            self._install(aside, report, is_stopped, wheels)
            (aside / _FITTING).write_text(json.dumps(self._description()), encoding="utf-8")
            self.remove()
            aside.rename(self.folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def remove(self) -> None:
        """Delete it."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command line that starts the worker."""
        start, code = Path(__file__).with_name("start_worker.py"), Path(__file__).parents[2]
        return [self._python, "-S", "-s", str(start), str(self.folder / "packages"), str(code), *arguments]

    def _install(self, aside: Path, report: Report, is_stopped: Callable[[], bool], wheels: Path | None) -> None:
        source = ["--no-index", "--find-links", str(wheels)] if wheels else []
        command = [self._python, "-m", "pip", "install", "--target", str(aside / "packages")]
        command += ["--no-input", "--disable-pip-version-check", "--no-warn-script-location", *source, *self._packages]
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"PYTHONNOUSERSITE": "1"},
            creationflags=_NO_WINDOW,
        )
        with process:
            _watch(process, report, is_stopped)
        if process.returncode:
            raise EngineUnavailableError(
                "The packages of the worker could not be installed; the lines above say why. Slicer is as it was."
            )

    def _description(self) -> dict[str, object]:
        return {"python": list(sys.version_info[:2]), "packages": list(self._packages)}


def _watch(process: subprocess.Popen[str], report: Report, is_stopped: Callable[[], bool]) -> None:
    """Report what a process writes until it ends; also while it is silent it can be stopped.

    Raises:
        CancelledError: it was stopped.
    """
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None, "its output is a pipe"
        for line in process.stdout:
            lines.put(line.rstrip())
        lines.put(None)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    line: str | None = ""
    while line is not None:
        if is_stopped():
            process.kill()
            reading.join()
            raise CancelledError("Setting up was cancelled; nothing is left of it.")
        try:
            line = lines.get(timeout=_LOOK_S)
        except queue.Empty:
            continue
        if line is not None:
            report(line)
