"""Asks a language model: any endpoint that speaks OpenAI's chat completions (Ollama, vLLM, llama.cpp, a cloud)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from MultiRoundSegLib.errors import EngineUnavailableError

from .bearer import Bearer
from .loopback import is_loopback

KEY_VARIABLE = "MULTIROUNDSEG_LLM_KEY"
"""The environment variable with the key of an endpoint that wants one; a key is never a setting."""
Message = dict[str, str]
NO_ANSWER = (OSError, ValueError, KeyError, IndexError, TypeError)
"""What `ChatEndpoint.complete` raises where the endpoint does not answer, or not as it should."""


@dataclass(frozen=True)
class ChatEndpoint:
    """An endpoint and a model.

    Attributes:
        address: of the endpoint, up to and with "/v1".
        model: its name there.
        timeout: seconds to wait for an answer.
    """

    address: str
    model: str
    timeout: float = 20.0

    def __post_init__(self) -> None:
        """Check the address.

        Raises:
            EngineUnavailableError: it is none, or a key would travel readable to another computer.
        """
        if not re.match(r"https?://[^/\s@]+(?:/|$)", self.address):
            raise EngineUnavailableError(
                f"A language model's address starts with http:// or https://, not {self.address!r}."
            )
        host = urlsplit(self.address).hostname or ""
        if os.environ.get(KEY_VARIABLE) and self.address.startswith("http:") and not is_loopback(host):
            raise EngineUnavailableError(
                f"The key in {KEY_VARIABLE} would travel to {host} so that others can read it; use https://."
            )

    def complete(self, messages: Sequence[Message], temperature: float = 0.0) -> str:
        """The answer to messages, which should be a JSON object.

        Raises:
            OSError, ValueError, KeyError, IndexError, TypeError: see `NO_ANSWER`.
        """
        import requests  # only when a model is asked, so that the panel opens without it

        key = os.environ.get(KEY_VARIABLE)
        with requests.Session() as http:
            http.trust_env = not is_loopback(urlsplit(self.address).hostname or "")  # proxies are for other computers
            http.auth = Bearer(key) if key else None
            response = http.post(
                f"{self.address.rstrip('/')}/chat/completions",
                json={
                    "model": self.model,
                    "messages": list(messages),
                    "temperature": temperature,
                    "response_format": {"type": "json_object"},
                },
                timeout=self.timeout,
                allow_redirects=False,
            )
        response.raise_for_status()
        content = response.json()["choices"][0]["message"]["content"]
        return content if isinstance(content, str) else ""


def object_in(answer: str) -> dict[str, Any]:
    """The JSON object in an answer, also between other words.

    Raises:
        ValueError: there is none.
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        document = json.loads(answer[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError("it is no JSON object.")
    return document
