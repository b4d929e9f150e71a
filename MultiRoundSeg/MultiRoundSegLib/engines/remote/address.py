"""Where a worker is: what people type, and what of it is meant."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.wire.loopback import is_loopback


@dataclass(frozen=True)
class Address:
    """The address of a worker.

    Attributes:
        url: scheme, host and port, without a slash at the end.
        host: name or number, with the port where one was given, for sentences.
        is_loopback: the worker is on this computer.
        is_encrypted: by TLS.
    """

    url: str
    host: str
    is_loopback: bool
    is_encrypted: bool


def read_address(text: str) -> Address:
    """The address that a person typed; "localhost:8642" needs no http://.

    Raises:
        EngineUnavailableError: it is no address of a worker; the sentence says what to write.
    """
    text = text.strip()
    if "://" not in text:
        if not text or not is_loopback(urlsplit(f"//{text}").hostname or ""):
            raise EngineUnavailableError(
                f"Write the worker's address {text!r} with https:// (or http://) before it, such as https://server:8642."
            )
        text = f"http://{text}"
    parts = urlsplit(text)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("http", "https") or not host:
        raise EngineUnavailableError(f"{text!r} is no address of a worker; write one such as https://server:8642.")
    if parts.username or parts.password or parts.path.strip("/") or parts.query or parts.fragment:
        raise EngineUnavailableError(
            "The worker's address has more than scheme, host and port; write it as https://server:8642, and the "
            "token in its own field."
        )
    if host in ("0.0.0.0", "::"):
        raise EngineUnavailableError(
            f"{host} means every address of a computer and cannot be asked; write the worker's own name or number."
        )
    shown = f"[{host}]" if ":" in host else host
    shown = f"{shown}:{port}" if port else shown
    return Address(f"{parts.scheme}://{shown}", shown, is_loopback(host), parts.scheme == "https")
