"""What a question does with earlier results or with what it names: keep, take away, add, what is left or comes next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .counting import VALUES
from .operation_words import (
    ADD,
    BACK,
    CLAUSE,
    CLAUSE_BREAK,
    COURTESY,
    DROPPED,
    KEEP,
    NEXT,
    OTHERS,
    REFUSES,
    REST,
    STEP,
    SWAP,
    TAKE,
    TAKE_FROM,
    TAKE_OUT,
    TAKEN_AND_LEFT,
    UP,
    WHOLE,
)
from .tokens import BLANK, blanked

Action = Literal["keep", "take", "add", "rest", "next", "back", "swap", "dropped", "whole", "step"]
Spans = tuple[tuple[int, int], ...]
"""Parts of a text: start and end of each."""
POINTER = "\x02"
"""What stands in a text in the place of a reference to an earlier mask."""


@dataclass(frozen=True)
class Operation:
    """An operation and the parts of the text it works on.

    Attributes:
        action: "keep" only `part` of the base; "take" it away; "add" it; the "rest" of a group; what comes
            "next" in a flow, or before ("back"); what was "dropped" earlier; the "whole" that something is part of;
            a "step" along a series such as the vertebrae; "swap" a part of the last result for something else.
        base: what it works on; none for the last result.
        part: what is kept, taken away, added, or tells which.
        steps: how many places further down; negative for up.
        is_return: what is added was there before ("bring it back").
        reaches: all on the way are meant too ("the two ribs below that").
    """

    action: Action
    base: Spans
    part: Spans
    steps: int = 0
    is_return: bool = False
    reaches: bool = False


def operation_in(text: str) -> Operation | None:
    """The operation that a question asks for; None where it just asks for something."""
    left = TAKEN_AND_LEFT.search(text)
    if left:
        text = blanked(text, *left.span("left"))
    swap = SWAP.search(text)
    if swap:
        spans = {name.rstrip("0123456789"): swap.span(name) for name, value in swap.groupdict().items() if value}
        return Operation("swap", (spans["old"],), (spans["new"],))
    for pattern, action, part in _PATTERNS:
        match = pattern.search(text)
        if match is None:
            continue
        if action == "step":
            return Operation(action, (), ((0, len(text)),), _steps(match), reaches=_reaches(match))
        if "part" in match.groupdict():
            return Operation(action, (), (match.span("part"),))
        start, end = match.span()
        if part == "around":
            step = STEP.search(text[end:]) if action == "add" else None
            is_return = bool(re.search("back|回", match[0], re.IGNORECASE))
            steps, reaches = (_steps(step), _reaches(step)) if step else (0, False)
            return Operation(action, (), ((0, start), (end, len(text))), steps, is_return, reaches)
        clause_end = next((m.start() for m in CLAUSE_BREAK.finditer(text, end)), len(text))
        begin = max((m.end() for m in CLAUSE_BREAK.finditer(text, 0, start)), default=0)
        postposed = _is_blank(text[end:clause_end]) and not _is_blank(text[begin:start])
        if part == "flexible" and (postposed or _is_blank(text[end:])):
            begin = max((m.end() for m in CLAUSE_BREAK.finditer(text, 0, start)), default=0)
            return Operation(action, _without_refusals(text, 0, begin), ((begin, start),))  # "把肝去掉", "R only"
        rest = OTHERS.search(text, end) if part == "flexible" and _is_blank(text[:start]) else None
        if rest:  # "去掉最后一个，前面几段合并"
            return Operation(action, ((rest.start(), len(text)),), ((end, rest.start()),))
        return Operation(action, _without_refusals(text, 0, start), _without_refusals(text, end, len(text)))
    return None


def _steps(match: re.Match[str]) -> int:
    groups = {name.rstrip("0123456789"): value for name, value in match.groupdict().items() if value}
    number = VALUES.get((groups.get("m") or groups.get("n", "1")).lower(), 1)
    return -number if groups["up"].lower() in UP else number


def _reaches(match: re.Match[str]) -> bool:
    return any(value for name, value in match.groupdict().items() if name.startswith("m"))


def only(text: str, spans: Spans) -> str:
    """A text with all else blanked out."""
    kept = {place for start, end in spans for place in range(start, end)}
    return "".join(letter if place in kept else BLANK for place, letter in enumerate(text))


def _without_refusals(text: str, start: int, end: int) -> Spans:
    """A part of a text without the clauses that say what is not wanted: "不要肌肉，只要腔"."""
    clauses = (match for match in CLAUSE.finditer(text, start, end))
    return tuple(match.span() for match in clauses if not REFUSES.search(match[0]))


def _is_blank(text: str) -> bool:
    return POINTER not in text and not re.search(r"[^\W\x00]", COURTESY.sub("", text))


_PATTERNS: tuple[tuple[re.Pattern[str], Action, Literal["around", "behind", "flexible"]], ...] = (
    (DROPPED, "dropped", "around"),
    (TAKE_OUT, "take", "behind"),
    (ADD, "add", "around"),
    (KEEP, "keep", "flexible"),
    (REST, "rest", "around"),
    (TAKE_FROM, "take", "behind"),
    (TAKE, "take", "flexible"),
    (STEP, "step", "around"),
    (BACK, "back", "around"),
    (NEXT, "next", "around"),
    (WHOLE, "whole", "around"),
)
