"""Rounds as JSON objects: the one form that records on disk and transcripts in a scene share.

    {"number": 2, "question": "the other one", "references": [{"round": 1, "mask": 1}],
     "view": {"plane": "axial", "index": 30, "window": {"lower": -160, "upper": 240, "name": "abdomen"}},
     "frame": null, "status": "answered", "answer": "...", "score": null, "seconds": 0.01, "choices": [],
     "origin": {"engine": "reasoner", "version": "0.1.0", "weights": null, "segmenters": ["labels"]},
     "used": [{"round": 1, "mask": 1, "sha256": "..."}], "segments": [...]}

Rounds and masks are counted from 1, as people count. What stands in "segments" is the keeper's:
files on disk, segment IDs in a scene; here only name and code are known of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from MultiRoundSegLib.errors import RecordError
from MultiRoundSegLib.images import Code, Mask, SliceView, Window

from .rounds import Answer, Origin, Question, Reference, Round


def encode_round(round_: Round) -> dict[str, Any]:
    """The JSON object of a round; the voxels of its masks are not in it."""
    used = [_encode_reference(r) | {"sha256": round_.digests.get(r)} for r in round_.answer.used]
    return {"number": round_.number} | encode_question(round_.question) | encode_answer(round_.answer) | {"used": used}


def encode_question(question: Question) -> dict[str, Any]:
    """The JSON object of a question."""
    return {
        "question": question.text,
        "references": [_encode_reference(r) for r in question.references],
        "view": _encode_view(question.view),
        "frame": question.frame,
    }


def encode_answer(answer: Answer) -> dict[str, Any]:
    """The JSON object of an answer; the voxels of its masks are not in it."""
    return {
        "status": answer.status,
        "answer": answer.text,
        "score": answer.score,
        "seconds": answer.seconds,
        "choices": list(answer.choices),
        "origin": {
            "engine": answer.origin.engine,
            "version": answer.origin.version,
            "weights": answer.origin.weights,
            "segmenters": list(answer.origin.segmenters),
        },
        "used": [_encode_reference(r) for r in answer.used],
        "segments": [encode_segment(mask) for mask in answer.masks],
    }


def encode_segment(mask: Mask) -> dict[str, Any]:
    """Name and code of a mask."""
    code = mask.code
    return {
        "name": mask.label,
        "code": None if code is None else {"scheme": code.scheme, "value": code.value, "meaning": code.meaning},
    }


def decode_round(data: dict[str, Any], masks: Sequence[Mask]) -> Round:
    """The round of a JSON object.

    Args:
        data: as `encode_round` makes it.
        masks: the round's masks, in the order of "segments".

    Raises:
        RecordError: something is missing or of the wrong kind.
    """
    try:
        digests = {_decode_reference(item): item["sha256"] for item in data["used"]}
        return Round(int(data["number"]), decode_question(data), decode_answer(data, masks), digests)
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"A saved round cannot be read: {error!r} in {str(data)[:80]}.") from error


def decode_question(data: dict[str, Any]) -> Question:
    """The question of a JSON object.

    Raises:
        KeyError, TypeError, ValueError: something is missing or of the wrong kind.
    """
    return Question(
        text=data["question"],
        view=_decode_view(data["view"]),
        references=tuple(_decode_reference(item) for item in data["references"]),
        frame=data["frame"],
    )


def decode_answer(data: dict[str, Any], masks: Sequence[Mask]) -> Answer:
    """The answer of a JSON object.

    Args:
        data: as `encode_answer` makes it.
        masks: the answer's masks, in the order of "segments".

    Raises:
        KeyError, TypeError, ValueError: something is missing or of the wrong kind.
    """
    return Answer(
        text=data["answer"],
        origin=_decode_origin(data["origin"]),
        status=data["status"],
        masks=tuple(masks),
        score=data["score"],
        seconds=data["seconds"],
        used=tuple(_decode_reference(item) for item in data["used"]),
        choices=tuple(data["choices"]),
    )


def decode_code(segment: dict[str, Any]) -> Code | None:
    """The code of a segment's JSON object."""
    return Code(**segment["code"]) if segment["code"] else None


def _encode_reference(reference: Reference) -> dict[str, Any]:
    return {"round": reference.round_number, "mask": reference.mask_index + 1}


def _decode_reference(data: dict[str, Any]) -> Reference:
    return Reference(int(data["round"]), int(data["mask"]) - 1)


def _decode_origin(data: dict[str, Any]) -> Origin:
    return Origin(data["engine"], data["version"], data["weights"], tuple(data.get("segmenters", ())))


def _encode_view(view: SliceView | None) -> dict[str, Any] | None:
    if view is None:
        return None
    window = view.window
    return {
        "plane": view.plane,
        "index": view.index,
        "window": window and {"lower": window.lower, "upper": window.upper, "name": window.name},
    }


def _decode_view(data: dict[str, Any] | None) -> SliceView | None:
    if data is None:
        return None
    return SliceView(data["plane"], int(data["index"]), Window(**data["window"]) if data["window"] else None)
