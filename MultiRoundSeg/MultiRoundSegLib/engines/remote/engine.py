"""The engine `remote` and how it is made."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from MultiRoundSegLib.engines.engine import EngineInfo
from MultiRoundSegLib.errors import EngineUnavailableError, WireError
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.wire import PROTOCOL

from .address import read_address
from .connection import Connection, Trust
from .session import RemoteSession
from .timeouts import Timeouts


class RemoteEngine:
    """A worker that answers."""

    def __init__(self, connection: Connection) -> None:
        """Ask over this connection."""
        self._connection = connection

    @cached_property
    def info(self) -> EngineInfo:
        """Who answers at the other end.

        Raises:
            EngineError: the worker cannot be reached, or it speaks another protocol.
        """
        host, info = self._connection.address.host, self._connection.get_json("/info")
        protocol, engine = info.get("protocol"), info.get("engine")
        if not isinstance(protocol, int) or not isinstance(engine, dict):
            raise EngineUnavailableError(f"What answers at {host} is no worker of MultiRoundSeg; check the address.")
        if protocol != PROTOCOL:
            older = "worker" if protocol < PROTOCOL else "extension"
            raise EngineUnavailableError(
                f"The worker {host} speaks protocol {protocol}, this extension {PROTOCOL}; update the {older}."
            )
        try:
            return EngineInfo(str(engine["name"]), str(engine["version"]), str(engine["title"]), engine["weights"])
        except KeyError as error:
            raise WireError(f"The worker {host} does not say who answers.") from error

    def open(self, volume: Volume) -> RemoteSession:
        """Take in a volume; it is sent with the first question."""
        return RemoteSession(self, self._connection.for_session(), volume)


def create(
    *,
    url: str = "http://127.0.0.1:8642",
    token: str | None = None,
    token_file: str | Path | None = None,
    ca_file: str | Path | None = None,
    timeouts: Timeouts | None = None,
) -> RemoteEngine:
    """The worker at an address.

    Args:
        url: its address.
        token: that it wants; better in a file, since command lines can be read by others.
        token_file: a file that holds the token.
        ca_file: PEM file of certificates to trust instead of the system's, for a worker with a certificate of its own.
        timeouts: how long to wait for what.

    Raises:
        EngineUnavailableError: the address is none, a file is missing, or the token would travel readable.
    """
    if token_file:
        try:
            token = Path(token_file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise EngineUnavailableError(f"The token file {Path(token_file).name} cannot be read.") from error
    if ca_file and not Path(ca_file).is_file():
        raise EngineUnavailableError(f"The CA file {Path(ca_file).name} is not there.")
    trust = Trust(token or None, Path(ca_file) if ca_file else None)
    return RemoteEngine(Connection(read_address(url), trust, timeouts or Timeouts()))
