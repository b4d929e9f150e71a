"""A real HTTP server on loopback that answers as a language model's endpoint does, well and badly."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint:
    """Answers requests with prepared words, one after the other, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[str | int | None] = []
        self.sent: list[dict[str, object]] = []
        self.keys: list[str | None] = []
        self.hold = threading.Event()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.sent.append(json.loads(body))
                endpoint.keys.append(self.headers.get("Authorization"))
                answer = endpoint.answers.pop(0)
                if answer is None:
                    endpoint.hold.wait(5)
                    return
                self.send_response(answer if isinstance(answer, int) else 200)
                self.end_headers()
                if isinstance(answer, str):
                    self.wfile.write(json.dumps({"choices": [{"message": {"content": answer}}]}).encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"
