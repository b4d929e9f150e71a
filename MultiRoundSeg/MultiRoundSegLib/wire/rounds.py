"""Questions, dialogues and answers as they travel; `conversation.round_json` says what a round is in JSON.

A question is {"question": ..., "history": {"given": [mask], "rounds": [round]}}; of each mask its name, code and
segmentation, not its voxels. A round's "segments" are masks as they were made, with "present": the mask as it is now,
null where it was deleted. An answer is {"answer": ..., "masks": [mask]} with the voxels in blobs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from MultiRoundSegLib.conversation import GIVEN, Answer, Conversation, Question, Reference, Round
from MultiRoundSegLib.conversation.round_json import (
    decode_answer as decode_answer_json,
)
from MultiRoundSegLib.conversation.round_json import (
    decode_code,
    decode_question,
    decode_round,
    encode_question,
    encode_round,
)
from MultiRoundSegLib.conversation.round_json import (
    encode_answer as encode_answer_json,
)
from MultiRoundSegLib.errors import GeometryMismatchError, RecordError, ReferenceNotFoundError, WireError
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.packing import place, to_bits

from .masks import describe, mask_at
from .message import Message

ReadMask = Callable[[Reference], Mask]
"""Gives the voxels of a mask of the dialogue as it is now."""


def encode_ask(question: Question, history: Conversation) -> Message:
    """A message that asks a question; the voxels of the dialogue's masks are not in it."""
    rounds = [_encode_round(round_, history) for round_ in history.rounds]
    given = [describe(mask) for mask in history.given]
    return Message({"question": encode_question(question), "history": {"given": given, "rounds": rounds}})


def decode_ask(message: Message, geometry: Geometry, read: ReadMask) -> tuple[Question, Conversation]:
    """The question and the dialogue of a message.

    Args:
        message: as `encode_ask` makes it.
        geometry: the volume's grid.
        read: is asked for the voxels of a mask when somebody first looks at them.

    Raises:
        WireError: something is missing or of the wrong kind.
    """
    try:
        history = message.header["history"]
        given = [_deferred(data, Reference(GIVEN, n), geometry, read) for n, data in enumerate(history["given"])]
        conversation = Conversation(geometry, given)
        for data in history["rounds"]:
            _restore(data, conversation, read)
        question = decode_question(message.header["question"])
    except (KeyError, TypeError, ValueError, AttributeError, RecordError, ReferenceNotFoundError) as error:
        raise WireError("A question was received that is damaged.") from error
    if question.view and not question.view.is_within(geometry):
        raise WireError(f"The image has no {question.view.plane} slice {question.view.index}.")
    return question, conversation


def encode_answer(answer: Answer) -> Message:
    """A message with an answer and its masks."""
    masks = [describe(mask) | place(mask) | {"blob": n} for n, mask in enumerate(answer.masks)]
    return Message({"answer": encode_answer_json(answer), "masks": masks}, [to_bits(mask) for mask in answer.masks])


def decode_answer(message: Message, geometry: Geometry) -> Answer:
    """The answer of a message.

    Raises:
        WireError: it is damaged, or a mask does not fit the grid.
    """
    try:
        masks = [mask_at(data, message, geometry) for data in message.header["masks"]]
        return decode_answer_json(message.header["answer"], masks)
    except (KeyError, TypeError, ValueError, AttributeError, GeometryMismatchError) as error:
        raise WireError("An answer was received that is damaged.") from error


def _encode_round(round_: Round, history: Conversation) -> dict[str, Any]:
    data = encode_round(round_)
    for index, (segment, made) in enumerate(zip(data["segments"], round_.answer.masks, strict=True)):
        reference = Reference(round_.number, index)
        segment["source"] = made.source
        segment["present"] = None if history.is_removed(reference) else describe(history.latest(reference))
    return data


def _restore(data: dict[str, Any], conversation: Conversation, read: ReadMask) -> None:
    number = int(data["number"])
    references = [Reference(number, index) for index in range(len(data["segments"]))]
    made = [
        _deferred(segment, reference, conversation.geometry, read)
        for reference, segment in zip(references, data["segments"], strict=True)
    ]
    conversation.restore(decode_round(data, made))
    for reference, segment in zip(references, data["segments"], strict=True):
        if segment["present"] is None:
            conversation.remove_mask(reference)
        else:
            conversation.replace_mask(reference, _deferred(segment["present"], reference, conversation.geometry, read))


def _deferred(data: dict[str, Any], reference: Reference, geometry: Geometry, read: ReadMask) -> Mask:
    return Mask.deferred(
        lambda: read(reference), geometry, str(data["name"]), decode_code(data), source=data.get("source")
    )
