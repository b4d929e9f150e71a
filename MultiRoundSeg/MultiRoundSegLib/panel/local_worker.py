"""The worker on this computer: started when it is needed, watched, started again once, ended with Slicer."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from MultiRoundSegLib.engines import Progress
from MultiRoundSegLib.errors import EngineUnavailableError

_START_S = 60.0
_LOOK_S = 0.03
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)

Command = Callable[[Sequence[str]], list[str]]


class LocalWorker:
    """A worker process that belongs to this program."""

    def __init__(self, command: Command) -> None:
        """Start it by this command, which is handed the worker's arguments."""
        self._command = command
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._url = ""
        self._restarts = 1

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def settings(self, progress: Progress) -> dict[str, Any]:
        """The settings of the engine `remote` that asks it; it is started where it does not run.

        Args:
            progress: is told while it starts.

        Raises:
            EngineUnavailableError: it does not start, or ended for the second time.
            CancelledError: `progress` said so.
        """
        if not self.is_running:
            if self._process is not None and not self._restarts:
                raise EngineUnavailableError(
                    f"The worker on this computer ended twice; its log is {self._log}. Repair it, or restart Slicer."
                )
            if self._process is not None:
                self._restarts -= 1
            self._start()
        until = time.monotonic() + _START_S
        while not self._address.exists():
            progress(0.0, "starting the worker")
            time.sleep(_LOOK_S)
            if not self.is_running or time.monotonic() > until:
                self.end()
                raise EngineUnavailableError(f"The worker on this computer does not start: {self._last_words()}")
        self._url = json.loads(self._address.read_text(encoding="utf-8"))["url"]
        return {"url": self._url, "token_file": str(self._token)}

    def watch(self) -> None:
        """Start it again, once and at its old address, where it ended while it was needed."""
        if self._process is not None and not self.is_running and self._restarts:
            self._restarts -= 1
            self._start()

    def end(self) -> None:
        """End it; its files are removed, but for the log of one that failed."""
        if self._process is None:
            return
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None
        for path in (self._address, self._token):
            path.unlink(missing_ok=True)

    def forget(self) -> None:
        """End it and remove its files."""
        self.end()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder, self._restarts, self._url = None, 1, ""

    @property
    def _place(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="MultiRoundSeg-"))  # only its owner may look into it
        return self._folder

    @property
    def _address(self) -> Path:
        return self._place / "address.json"

    @property
    def _token(self) -> Path:
        return self._place / "token"

    @property
    def _log(self) -> Path:
        return self._place / "worker.log"

    def _start(self) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.close()
        self._address.unlink(missing_ok=True)
        if not self._token.exists():
            self._token.touch(mode=0o600)
            self._token.write_text(secrets.token_urlsafe(32), encoding="ascii")
        arguments = ["--port", self._url.rsplit(":", 1)[-1] if self._url else "0", "--end-with-stdin"]
        arguments += ["--address-file", str(self._address), "--token-file", str(self._token)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command(arguments), stdin=subprocess.PIPE, stdout=log, stderr=log, creationflags=_NO_WINDOW
            )

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it says nothing."
