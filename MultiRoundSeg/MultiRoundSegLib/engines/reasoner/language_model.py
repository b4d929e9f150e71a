"""A language model as planner: it chooses among the structures that are there, or says that none is meant.

Any endpoint that speaks OpenAI's chat completions will do (Ollama, vLLM, llama.cpp, a cloud). It is sent the
question, the numbered rounds and the names of the available structures; never an image or a mask.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.wire.chat import ChatEndpoint, NoAnswerError, UnusableAnswerError, object_in

from .plan import Choice, Plan, Refusal, Target
from .segmenters import Candidate

_ACTIONS = ("segment", "none", "clarify", "text")
_INSTRUCTIONS = """You decide which labelled structures of one medical image a person means.
Answer with one JSON object and nothing else:
{"action": "segment" | "none" | "clarify" | "text", "structures": [names], "rounds": [numbers], "reason": "one line"}
- segment: "structures" are the names that are meant, copied exactly from the list of structures.
- none: the structure is not in the list, or nothing is meant that could be in an image.
- clarify: two or more readings are equally good; "structures" are those to choose from.
- text: the person wants words (small talk, an opinion, knowledge), no mask.
"rounds" are the numbers of the earlier rounds that the question refers to. Left and right are the patient's.
Never name a structure that is not in the list."""


@dataclass(frozen=True)
class LanguageModel:
    """Plans by a language model.

    Attributes:
        endpoint: where it is asked.
    """

    endpoint: ChatEndpoint

    def plan(self, question: Question, history: Conversation, candidates: Sequence[Candidate]) -> Plan | None:
        """The plan of a round; asked once more where the answer is unusable.

        Returns:
            None where it does not answer in time or not usably; the log says why.
        """
        messages = [
            {"role": "system", "content": _INSTRUCTIONS},
            {"role": "user", "content": json.dumps(_told(question, history, candidates), ensure_ascii=False)},
        ]
        try:
            return self.endpoint.ask(messages, lambda answer: plan_of(answer, history, candidates))
        except NoAnswerError as error:
            logging.getLogger(__name__).warning("The language model did not answer: %s", error)
            return None


def plan_of(answer: str, history: Conversation, candidates: Sequence[Candidate]) -> Plan:
    """A model's answer as a plan.

    Raises:
        UnusableAnswerError: it is no such object, or it names what is not there.
    """
    document = object_in(answer)
    action = document.get("action")
    if action not in _ACTIONS:
        raise UnusableAnswerError(f'"action" is one of {", ".join(_ACTIONS)}.')
    names = _strings(document, "structures") if action in ("segment", "clarify") else []
    targets = tuple(_target(name, candidates) for name in names)
    used = tuple(r for number in _numbers(document) for r in _references(number, history))
    if action == "segment":
        if not targets:
            raise UnusableAnswerError('"structures" is empty.')
        return Plan(targets=targets, used=used)
    if action == "clarify":
        if len(targets) < 2:
            raise UnusableAnswerError("to clarify needs two structures or more.")
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


def _strings(document: Mapping[str, Any], name: str) -> list[str]:
    values = document.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnusableAnswerError(f'"{name}" is no list of names.')
    return values


def _numbers(document: Mapping[str, Any]) -> list[int]:
    values = document.get("rounds", [])
    if not isinstance(values, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        raise UnusableAnswerError('"rounds" is no list of numbers.')
    return values


def _target(name: str, candidates: Sequence[Candidate]) -> Target:
    for candidate in candidates:
        if candidate.title.casefold() == name.strip().casefold():
            return Target(candidate.entity, candidate.label, (candidate,))
    raise UnusableAnswerError(f"there is no structure {name!r} in the list.")


def _references(number: int, history: Conversation) -> tuple[Reference, ...]:
    return tuple(reference for reference in history.made() if reference.round_number == number)
