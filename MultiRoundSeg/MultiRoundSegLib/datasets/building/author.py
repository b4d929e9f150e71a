"""A language model as an author: it is asked for text, its answers are checked and kept on disk."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from MultiRoundSegLib.wire.chat import ChatEndpoint, NoAnswerError, UnusableAnswerError

T = TypeVar("T")
KEPT = "answers.jsonl"


@dataclass
class Author:
    """Asks, and remembers what was said, so that a run that was stopped goes on.

    Attributes:
        endpoint: where it is asked.
        folder: gets the kept answers.
        temperature: how freely it words.
    """

    endpoint: ChatEndpoint
    folder: Path
    temperature: float = 0.7
    _kept: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what an earlier run kept; a line that was cut off is passed over."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / KEPT
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
                self._kept[entry["key"]] = str(entry["answer"])
            except (ValueError, KeyError, TypeError):
                continue

    def answer(self, instructions: str, asked: Mapping[str, Any], read: Callable[[str], T]) -> T | None:
        """What the model says; None where it cannot be used, also when asked once more.

        Args:
            instructions: what is wanted, and how.
            asked: what it is about; it is sent as JSON.
            read: what an answer says; raises `UnusableAnswerError`.

        Raises:
            NoAnswerError: the endpoint does not answer.
        """
        key = hashlib.sha256(json.dumps([self.endpoint.model, instructions, asked], sort_keys=True).encode())
        kept = self._kept.get(key.hexdigest())
        if kept is not None:
            return _read(read, kept)
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": json.dumps(asked, ensure_ascii=False)},
        ]
        try:
            found = self.endpoint.ask(messages, lambda answer: (answer, read(answer)), self.temperature)
        except NoAnswerError as error:
            logging.getLogger(__name__).warning("The language model did not answer: %s", error)
            raise
        answer, said = found or ("", None)
        self._keep(key.hexdigest(), answer)
        return said

    def _keep(self, key: str, answer: str) -> None:
        self._kept[key] = answer
        with (self.folder / KEPT).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "answer": answer}, ensure_ascii=False) + "\n")


def _read(read: Callable[[str], T], kept: str) -> T | None:
    """A kept answer is checked as a new one is."""
    try:
        return read(kept)
    except UnusableAnswerError:
        return None
