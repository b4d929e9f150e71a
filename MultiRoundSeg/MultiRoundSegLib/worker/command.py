"""The command `multiroundseg-worker`: serves an engine on this computer, or to others with a token."""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import sys
import threading
from pathlib import Path

import uvicorn

from MultiRoundSegLib.engines import create_engine, engine_names
from MultiRoundSegLib.errors import MultiRoundSegError
from MultiRoundSegLib.wire.loopback import is_loopback

from .app import make_app
from .login import SHORTEST_TOKEN

PORT = 8642
TOKEN_VARIABLE = "MULTIROUNDSEG_TOKEN"


def main(arguments: list[str] | None = None) -> int:
    """Parse, make the engine, serve it; 2 where it was refused."""
    options = _parser().parse_args(arguments)
    try:
        token = read_token(options.token_file)
        refuse_unsafe(options.host, token, options.certificate, options.key)
        settings = dict(setting.split("=", 1) for setting in options.setting)
        app = make_app(create_engine(options.engine, **settings), token=token, device=options.device)
    except (ValueError, OSError, MultiRoundSegError) as error:
        sys.stderr.write(f"The worker was not started: {error}\n")
        return 2
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(asctime)s %(levelname)s %(message)s")
    serve(app, options)
    return 0


def console() -> None:
    """The command of the installed package."""
    sys.exit(main())


def serve(app: object, options: argparse.Namespace) -> None:
    """Listen until told to end."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((options.host, options.port))
    listening.listen(128)
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        ssl_certfile=options.certificate,
        ssl_keyfile=options.key,
    )
    server = uvicorn.Server(config)
    host = f"[{options.host}]" if family == socket.AF_INET6 else options.host
    url = f"{'https' if options.certificate else 'http'}://{host}:{listening.getsockname()[1]}"
    if options.address_file:
        _write_address(options.address_file, url)
    logging.getLogger(__name__).info("The worker listens on %s", url)
    if options.end_with_stdin:
        threading.Thread(target=_end_with_stdin, args=(server,), daemon=True).start()
    server.run(sockets=[listening])


def read_token(path: Path | None) -> str | None:
    """The token of a file or of the environment; None where there is neither.

    Raises:
        OSError: the file cannot be read.
        ValueError: the token is too short.
    """
    token = path.read_text(encoding="utf-8").strip() if path else os.environ.pop(TOKEN_VARIABLE, "").strip()
    if (path or token) and len(token) < SHORTEST_TOKEN:
        raise ValueError(f"its token must have at least {SHORTEST_TOKEN} characters.")
    return token or None


def refuse_unsafe(host: str, token: str | None, certificate: Path | None, key: Path | None) -> None:
    """Refuse to be open to others without a token.

    Raises:
        ValueError: it would be, or one of certificate and key is missing.
    """
    if bool(certificate) != bool(key):
        raise ValueError("TLS needs both --certificate and --key.")
    if token is None and not is_loopback(host):
        raise ValueError(
            f"on {host} other computers could use it; give it a token by --token-file or {TOKEN_VARIABLE}."
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="multiroundseg-worker", description="Serve an engine of MultiRoundSeg.")
    parser.add_argument("--engine", default="reasoner", choices=[name for name in engine_names() if name != "remote"])
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="of the engine")
    parser.add_argument("--device", default="cpu", help="what the engine works on, as clients are told")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this computer only)")
    parser.add_argument("--port", type=int, default=PORT, help=f"0 for any free one (default: {PORT})")
    parser.add_argument("--token-file", type=Path, help=f"holds the token (or the variable {TOKEN_VARIABLE})")
    parser.add_argument("--certificate", type=Path, help="PEM file, for https")
    parser.add_argument("--key", type=Path, help="PEM file of the certificate's key")
    parser.add_argument("--address-file", type=Path, help="where to write the address as JSON")
    parser.add_argument("--end-with-stdin", action="store_true", help="end when the standard input closes")
    return parser


def _write_address(path: Path, url: str) -> None:
    aside = path.with_suffix(".part")
    aside.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")
    aside.replace(path)


def _end_with_stdin(server: uvicorn.Server) -> None:
    while sys.stdin.buffer.read(1):
        pass
    server.should_exit = True
