"""A language model as planner: it chooses among the structures that are there, or says that none is meant.

Any endpoint that speaks OpenAI's chat completions will do (Ollama, vLLM, llama.cpp, a cloud). It is sent the
question, the numbered rounds and the names of the available structures; never an image or a mask.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.wire.bearer import Bearer
from MultiRoundSegLib.wire.loopback import is_loopback

from .plan import Choice, Plan, Refusal, Target
from .segmenters import Candidate

KEY_VARIABLE = "MULTIROUNDSEG_LLM_KEY"
"""The environment variable with the key of an endpoint that wants one; a key is never a setting."""
_ACTIONS = ("segment", "none", "clarify", "text")
_ASKED_AT_MOST = 2
_INSTRUCTIONS = """You decide which labelled structures of one medical image a person means.
Answer with one JSON object and nothing else:
{"action": "segment" | "none" | "clarify" | "text", "structures": [names], "rounds": [numbers], "reason": "one line"}
- segment: "structures" are the names that are meant, copied exactly from the list of structures.
- none: the structure is not in the list, or nothing is meant that could be in an image.
- clarify: two or more readings are equally good; "structures" are those to choose from.
- text: the person wants words (small talk, an opinion, knowledge), no mask.
"rounds" are the numbers of the earlier rounds that the question refers to. Left and right are the patient's.
Never name a structure that is not in the list."""


class UnusablePlanError(ValueError):
    """What the model answered is no plan over the structures that are there."""


@dataclass(frozen=True)
class LanguageModel:
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

    def plan(self, question: Question, history: Conversation, candidates: Sequence[Candidate]) -> Plan | None:
        """The plan of a round; asked once more where the answer is unusable.

        Returns:
            None where it does not answer in time or not usably; the log says why.
        """
        messages = [
            {"role": "system", "content": _INSTRUCTIONS},
            {"role": "user", "content": json.dumps(_told(question, history, candidates), ensure_ascii=False)},
        ]
        for _ in range(_ASKED_AT_MOST):
            try:
                answer = self._complete(messages)
            except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
                logging.getLogger(__name__).warning("The language model did not answer: %s", type(error).__name__)
                return None
            try:
                return plan_of(answer, history, candidates)
            except UnusablePlanError as error:
                logging.getLogger(__name__).info("The language model's plan is unusable: %s", error)
                messages += [
                    {"role": "assistant", "content": answer},
                    {"role": "user", "content": f"That is no usable plan: {error} Answer again with the JSON object."},
                ]
        return None

    def _complete(self, messages: list[dict[str, str]]) -> str:
        import requests  # only when a model is asked, so that the panel opens without it

        key = os.environ.get(KEY_VARIABLE)
        with requests.Session() as http:
            http.trust_env = not is_loopback(urlsplit(self.address).hostname or "")  # proxies are for other computers
            http.auth = Bearer(key) if key else None
            response = http.post(
                f"{self.address.rstrip('/')}/chat/completions",
                json={
                    "model": self.model,
                    "messages": messages,
                    "temperature": 0,
                    "response_format": {"type": "json_object"},
                },
                timeout=self.timeout,
                allow_redirects=False,
            )
        response.raise_for_status()
        content = response.json()["choices"][0]["message"]["content"]
        return content if isinstance(content, str) else ""


def plan_of(answer: str, history: Conversation, candidates: Sequence[Candidate]) -> Plan:
    """A model's answer as a plan.

    Raises:
        UnusablePlanError: it is no such object, or it names what is not there.
    """
    document = _object_in(answer)
    action = document.get("action")
    if action not in _ACTIONS:
        raise UnusablePlanError(f'"action" is one of {", ".join(_ACTIONS)}.')
    names = _strings(document, "structures") if action in ("segment", "clarify") else []
    targets = tuple(_target(name, candidates) for name in names)
    used = tuple(r for number in _numbers(document) for r in _references(number, history))
    if action == "segment":
        if not targets:
            raise UnusablePlanError('"structures" is empty.')
        return Plan(targets=targets, used=used)
    if action == "clarify":
        if len(targets) < 2:
            raise UnusablePlanError("to clarify needs two structures or more.")
        return Plan(choice=Choice(targets))
    return Plan(in_words=True) if action == "text" else Plan(refusals=(Refusal("not_meant"),))


def _told(question: Question, history: Conversation, candidates: Sequence[Candidate]) -> dict[str, Any]:
    """What the model is told: words only."""
    rounds = [
        {
            "number": round_.number,
            "question": round_.question.text,
            "status": round_.answer.status,
            "structures": [mask.label for mask in round_.answer.masks],
        }
        for round_ in history.rounds
    ]
    return {
        "question": question.text,
        "picked_rounds": [reference.round_number for reference in question.references],
        "rounds": rounds,
        "structures": [candidate.title for candidate in candidates],
    }


def _object_in(answer: str) -> Mapping[str, Any]:
    """The JSON object in an answer, also between other words."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        document = json.loads(answer[start : end + 1]) if start >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise UnusablePlanError("it is no JSON object.")
    return document


def _strings(document: Mapping[str, Any], name: str) -> list[str]:
    values = document.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnusablePlanError(f'"{name}" is no list of names.')
    return values


def _numbers(document: Mapping[str, Any]) -> list[int]:
    values = document.get("rounds", [])
    if not isinstance(values, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        raise UnusablePlanError('"rounds" is no list of numbers.')
    return values


def _target(name: str, candidates: Sequence[Candidate]) -> Target:
    for candidate in candidates:
        if candidate.title.casefold() == name.strip().casefold():
            return Target(candidate.entity, candidate.label, (candidate,))
    raise UnusablePlanError(f"there is no structure {name!r} in the list.")


def _references(number: int, history: Conversation) -> tuple[Reference, ...]:
    return tuple(reference for reference in history.made() if reference.round_number == number)
