"""One worker over HTTP: every answer is checked before it is used, every failure is a sentence."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from requests import Response

from MultiRoundSegLib.errors import (
    EngineBusyError,
    EngineError,
    EngineUnavailableError,
    LoginError,
    MultiRoundSegError,
    WireError,
)
from MultiRoundSegLib.wire import MEDIA_TYPE
from MultiRoundSegLib.wire.bearer import Bearer
from MultiRoundSegLib.wire.faults import decode_fault
from MultiRoundSegLib.wire.message import Message, read_json

from .address import Address
from .timeouts import Timeouts

LARGEST_ANSWER = 512 * 2**20
_PIECE = 2**18
_LENGTHS = {"Content-Length", "Transfer-Encoding"}


class ConnectionLostError(EngineUnavailableError):
    """The worker could not be reached, or the connection was cut; asking again may help."""


class NobodyThereError(ConnectionLostError):
    """Nobody listens or answers at the address, or it leads nowhere."""


@dataclass(frozen=True)
class Trust:
    """What a client shows and what it believes.

    Attributes:
        token: for the worker; None where it wants none.
        ca_file: certificates to trust instead of the system's.
    """

    token: str | None = None
    ca_file: Path | None = None

    def __repr__(self) -> str:
        return "Trust(...)"


class Connection:
    """Requests to one worker."""

    def __init__(self, address: Address, trust: Trust, timeouts: Timeouts) -> None:
        """Prepare; nothing is sent yet.

        Raises:
            EngineUnavailableError: the token would travel readable to another computer.
        """
        if trust.token and not address.is_loopback and not address.is_encrypted:
            raise EngineUnavailableError(
                f"The token would travel to {address.host} so that others can read it; use https:// for this worker."
            )
        self.address = address
        self.timeouts = timeouts
        self._trust = trust
        self._http = requests.Session()
        self._http.trust_env = not address.is_loopback  # proxies are for other computers
        self._http.headers["Accept-Encoding"] = "identity"
        if trust.token:
            self._http.auth = Bearer(trust.token)

    def for_session(self) -> Connection:
        """A connection whose requests all reach the same replica, where several share the worker's address."""
        connection = Connection(self.address, self._trust, self.timeouts)
        connection._http.headers["X-Session-Id"] = uuid.uuid4().hex
        return connection

    def get_json(self, path: str) -> dict[str, Any]:
        """A JSON object."""
        with self._request("GET", path, self.timeouts.answer_s) as response:
            return self._json(response)

    def post_json(self, path: str, data: dict[str, Any]) -> dict[str, Any]:
        """A JSON object for a JSON object."""
        headers = {"Content-Type": "application/json"}
        body = json.dumps(data, allow_nan=False).encode()
        with self._request("POST", path, self.timeouts.answer_s, data=body, headers=headers) as response:
            return self._json(response)

    def put(self, path: str, body: bytes) -> None:
        """Send a message."""
        headers = {"Content-Type": MEDIA_TYPE}
        with self._request("PUT", path, self.timeouts.answer_s, data=body, headers=headers) as response:
            self._read(response)

    def upload(self, path: str, pieces: Iterable[bytes | memoryview], headers: dict[str, str]) -> None:
        """Send voxels in pieces."""
        with self._request("PUT", path, self.timeouts.upload_s, data=pieces, headers=headers) as response:
            self._read(response)

    def get_message(self, path: str) -> Message:
        """A message."""
        with self._request("GET", path, self.timeouts.answer_s) as response:
            self._expect(response, MEDIA_TYPE)
            return Message.decode(self._read(response))

    @contextmanager
    def events(self, path: str) -> Iterator[Iterator[tuple[str, dict[str, Any]]]]:
        """Server-sent events, as (name, data), while the worker sends them."""
        with self._request("GET", path, self.timeouts.silence_s) as response:
            self._expect(response, "text/event-stream")
            yield self._events(response)

    def delete(self, path: str) -> None:
        """Tell the worker to forget something; what comes of it does not matter."""
        try:
            with self._request("DELETE", path, self.timeouts.forget_s):
                pass
        except MultiRoundSegError:
            pass

    @contextmanager
    def _request(self, method: str, path: str, seconds: float, **what: Any) -> Iterator[Response]:
        host = self.address.host
        try:
            with self._http.request(
                method,
                f"{self.address.url}/v1{path}",
                timeout=(self.timeouts.send_s if "data" in what else self.timeouts.connect_s, seconds),
                verify=str(self._trust.ca_file) if self._trust.ca_file else None,  # None: the system's
                allow_redirects=False,
                stream=True,
                **what,
            ) as response:
                if not 200 <= response.status_code < 300:
                    raise self._failure(response)
                yield response
        except requests.exceptions.SSLError as error:
            raise EngineUnavailableError(
                f"The certificate of the worker {host} is not trusted; if it is your own, give its CA file in the "
                "settings (ca_file)."
            ) from error
        except requests.exceptions.ProxyError as error:
            raise EngineUnavailableError(
                f"The proxy does not lead to the worker {host}; check its settings."
            ) from error
        except requests.exceptions.Timeout as error:
            raise NobodyThereError(f"The worker {host} does not answer; it may be overloaded or gone.") from error
        except (requests.exceptions.RequestException, OSError) as error:
            raise _unreachable(host, error) from error

    def _failure(self, response: Response) -> MultiRoundSegError:
        """What the worker, or something in its place, refused."""
        host, status = self.address.host, response.status_code
        if _media_type(response) == "application/json":
            try:
                error = decode_fault(read_json(self._read(response)))
            except WireError:
                return self._not_ours(status)
            if isinstance(error, LoginError):
                if status == 429:
                    return error
                return LoginError(f"The worker {host} needs a token, or another one than was given.")
            if isinstance(error, WireError):
                return EngineError(f"The worker {host} did not accept what was sent: {error}")
            return error
        if status == 413:
            return EngineError(f"What was sent is too large for the way to the worker {host}; crop the image.")
        if status in (502, 503, 504):
            return EngineBusyError(f"The way to the worker {host} is there, but not the worker (status {status}).")
        return self._not_ours(status)

    def _not_ours(self, status: int) -> EngineUnavailableError:
        return EngineUnavailableError(
            f"What answers at {self.address.host} is no worker of MultiRoundSeg (status {status}); check the address."
        )

    def _expect(self, response: Response, media_type: str) -> None:
        if _media_type(response) == media_type:
            return
        if _media_type(response) != "text/html" and not response.headers.keys() & _LENGTHS:
            raise ConnectionLostError(f"The connection to the worker {self.address.host} was cut.")
        self._read(response)  # a head that was cut has a body that was cut
        raise self._not_ours(response.status_code)

    def _json(self, response: Response) -> dict[str, Any]:
        self._expect(response, "application/json")
        return read_json(self._read(response))

    def _read(self, response: Response) -> bytes:
        """The whole body, which has the length it promised and no more than is allowed."""
        promised = response.headers.get("Content-Length", "")
        if promised.isdigit() and int(promised) > LARGEST_ANSWER:
            raise WireError(f"The answer of the worker {self.address.host} is too large to be one.")
        body = bytearray()
        for piece in response.iter_content(_PIECE):
            body += piece
            if len(body) > LARGEST_ANSWER:
                raise WireError(f"The answer of the worker {self.address.host} is too large to be one.")
        if promised.isdigit() and len(body) != int(promised):
            raise ConnectionLostError(f"The connection to the worker {self.address.host} was cut.")
        return bytes(body)

    def _events(self, response: Response) -> Iterator[tuple[str, dict[str, Any]]]:
        name = ""
        for line in response.iter_lines():
            if line.startswith(b"event:"):
                name = line[6:].strip().decode("ascii", "replace")
            elif line.startswith(b"data:"):
                yield name, read_json(line[5:])


def _media_type(response: Response) -> str:
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


def _unreachable(host: str, error: Exception) -> ConnectionLostError:
    reason = str(error)
    if "resolve" in reason or "getaddrinfo" in reason:
        return NobodyThereError(f"There is no computer of the name {host}; check the worker's address.")
    if "refused" in reason:
        return NobodyThereError(f"No worker listens at {host}; start it, or check the address.")
    return ConnectionLostError(f"The connection to the worker {host} failed or was cut.")
