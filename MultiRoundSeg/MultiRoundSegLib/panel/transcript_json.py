"""The text of a transcript as JSON, read strictly: what is damaged is found here and not where it is used."""

from __future__ import annotations

import json
from types import NoneType
from typing import Any, get_args

from MultiRoundSegLib.conversation.rounds import Status
from MultiRoundSegLib.errors import RecordError

FORMAT = "multiroundseg-transcript"
VERSION = 1

_NUMBER = (int, float)
_ROUND = {
    "number": int,
    "question": str,
    "references": list,
    "view": (dict, NoneType),
    "frame": (str, NoneType),
    "status": str,
    "answer": str,
    "score": (*_NUMBER, NoneType),
    "seconds": _NUMBER,
    "choices": list,
    "origin": dict,
    "used": list,
    "segments": list,
    "taken": list,
}
_ORIGIN = {"engine": str, "version": str, "weights": (str, NoneType)}
_SEGMENT = {"name": str, "code": (dict, NoneType), "segmentation": int, "id": str}
_CODE = {"scheme": str, "value": str, "meaning": str}
_TAKEN = {"segmentation": int, "id": str, "voxels": dict}
_VOXELS = {"corner": list, "shape": list, "bits": str}
_REFERENCE = {"round": int, "mask": int}


def read_rounds(text: str) -> list[dict[str, Any]]:
    """The rounds of a transcript's text, each with all its fields and of the right kinds.

    Raises:
        ValueError: it is damaged; the message names the field.
        RecordError: another version wrote it.
    """
    data = json.loads(text)
    _check(data, {"version": int, "rounds": list}, "the transcript")
    if data["version"] != VERSION:
        raise RecordError(
            f"The dialogue was saved by another version ({data['version']}) of MultiRoundSeg; update to go on."
        )
    rounds: list[dict[str, Any]] = data["rounds"]
    for number, round_ in enumerate(rounds, start=1):
        _check(round_, _ROUND, f"round {number}")
        _check_parts(round_, number)
    return rounds


def write_rounds(rounds: list[dict[str, Any]]) -> str:
    """The text of a transcript, in ASCII: VTK takes any of it."""
    return json.dumps({"format": FORMAT, "version": VERSION, "rounds": rounds})


def _check_parts(round_: dict[str, Any], number: int) -> None:
    where = f"round {number}"
    if round_["number"] != number or round_["status"] not in get_args(Status):
        raise ValueError(f"{where} has the number {round_['number']} and the status {round_['status']!r}")
    if not all(isinstance(choice, str) for choice in round_["choices"]):
        raise ValueError(f"{where} has a choice that is no text")
    _check(round_["origin"], _ORIGIN, where)
    for reference in round_["references"]:
        _check(reference, _REFERENCE, where)
    for reference in round_["used"]:
        _check(reference, {**_REFERENCE, "sha256": (str, NoneType)}, where)
    for segment in round_["segments"]:
        _check(segment, _SEGMENT, where)
        if segment["code"] is not None:
            _check(segment["code"], _CODE, where)
    for taken in round_["taken"]:
        _check(taken, _TAKEN, where)
        _check(taken["voxels"], _VOXELS, where)


def _check(data: Any, fields: dict[str, Any], where: str) -> None:
    if not isinstance(data, dict):
        raise ValueError(f"{where} holds {type(data).__name__} in the place of an object")
    for name, kinds in fields.items():
        if name not in data or not isinstance(data[name], kinds):
            raise ValueError(f"{where} has no {name!r} of the right kind")
