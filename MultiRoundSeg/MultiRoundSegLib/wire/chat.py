"""Asks a language model: any endpoint that speaks OpenAI's chat completions (Ollama, vLLM, llama.cpp, a cloud)."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from MultiRoundSegLib.errors import EngineUnavailableError, MultiRoundSegError

from .bearer import Bearer
from .loopback import is_loopback

KEY_VARIABLE = "MULTIROUNDSEG_LLM_KEY"
"""The environment variable with the key of an endpoint that wants one; a key is never a setting."""
Message = dict[str, str]
T = TypeVar("T")
_ASKED_AT_MOST = 2


class NoAnswerError(MultiRoundSegError):
    """The endpoint does not answer, or not as such endpoints do."""


class UnusableAnswerError(ValueError):
    """An answer is not what was asked for; the message tells the model why."""


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
            NoAnswerError: there is none; the message is the kind of trouble.
        """
        try:
            return self._complete(messages, temperature)
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            raise NoAnswerError(type(error).__name__) from error

    def ask(self, messages: Sequence[Message], read: Callable[[str], T], temperature: float = 0.0) -> T | None:
        """What an answer says; asked once more where it can not be used, and None where it can not then either.

        Args:
            messages: to answer.
            read: what an answer says; raises `UnusableAnswerError`.
            temperature: how freely it words.

        Raises:
            NoAnswerError: there is none.
        """
        said = list(messages)
        for _ in range(_ASKED_AT_MOST):
            answer = self.complete(said, temperature)
            try:
                return read(answer)
            except UnusableAnswerError as error:
                logging.getLogger(__name__).info("The language model's answer is unusable: %s", error)
                complaint = f"That can not be used: {error} Answer again with the JSON object."
                said += [{"role": "assistant", "content": answer}, {"role": "user", "content": complaint}]
        return None

    def _complete(self, messages: Sequence[Message], temperature: float) -> str:
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
        UnusableAnswerError: there is none.
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        document = json.loads(answer[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise UnusableAnswerError("it is no JSON object.")
    return document
