"""Real workers in processes of their own, on loopback, and engines for them.

`python -m worker.running ENGINE [worker options]` serves one of the engines below.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TESTING = Path(__file__).parents[1]
START_S = 30.0


@dataclass
class Worker:
    """A worker that runs.

    Attributes:
        url: its address.
        process: the process that listens.
        log: what it writes.
    """

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def kill(self) -> None:
        """As a crash or a power cut would."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()

    def read_log(self) -> str:
        return self.log.read_text(encoding="utf-8")


@contextmanager
def running(folder: Path, engine: str, *options: str, environment: dict[str, str] | None = None) -> Iterator[Worker]:
    """A worker that serves `engine`: one of `ENGINES` here, or an engine of the product."""
    worker = start(folder, engine, *options, environment=environment)
    try:
        yield worker
    finally:
        worker.kill()


def start(folder: Path, engine: str, *options: str, environment: dict[str, str] | None = None) -> Worker:
    """Start a worker and wait until it listens; any free port unless the options say which."""
    folder.mkdir(exist_ok=True, parents=True)
    address, log = folder / "address.json", folder / "log.txt"
    address.unlink(missing_ok=True)
    port = () if "--port" in options else ("--port", "0")
    command = [sys.executable, "-m", "worker.running", engine, *port, *options, "--address-file", str(address)]
    paths = os.pathsep.join([str(TESTING), str(TESTING.parent / "MultiRoundSeg")])
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": paths} | (environment or {}),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
        )
    until = time.monotonic() + START_S
    while not address.exists():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            raise RuntimeError(f"The worker did not start: {log.read_text(encoding='utf-8')}")
        time.sleep(0.02)
    return Worker(json.loads(address.read_text(encoding="utf-8"))["url"], process, log)


def main() -> None:
    """Serve an engine of this file under its name."""
    from MultiRoundSegLib.engines import engine as table
    from MultiRoundSegLib.worker.command import main as serve

    name = sys.argv[1]
    if name in ENGINES:
        table._ENGINES[name] = "worker.engines"
    arguments = ["--engine", name, *sys.argv[2:]]
    if name in ENGINES:
        arguments += ["--setting", f"kind={name}"]
    sys.exit(serve(arguments))


ENGINES = ("echo", "slow", "crashing", "hungry", "counting", "stubborn", "nameless")


if __name__ == "__main__":
    main()
