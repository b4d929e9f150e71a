"""Masks as they travel: {"name", "code", "source", "corner", "shape", "blob"} and a blob of packed bits."""

from __future__ import annotations

from typing import Any

from MultiRoundSegLib.conversation.round_json import decode_code, encode_segment
from MultiRoundSegLib.errors import WireError
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.packing import from_bits, place, to_bits

from .message import Message


def encode_mask(mask: Mask) -> Message:
    """A message with one mask."""
    return Message({"mask": describe(mask) | place(mask) | {"blob": 0}}, [to_bits(mask)])


def decode_mask(message: Message, geometry: Geometry) -> Mask:
    """The mask of a message.

    Raises:
        WireError: there is none, or it does not fit the grid.
    """
    return mask_at(message.header.get("mask"), message, geometry)


def mask_at(data: Any, message: Message, geometry: Geometry) -> Mask:
    """The mask of one JSON object of a message.

    Raises:
        WireError: it is damaged, or does not fit the grid.
    """
    try:
        mask = from_bits(message.blob(data["blob"]), data, geometry, str(data["name"]))
        return Mask.deferred(lambda: mask, geometry, mask.label, decode_code(data), source=data.get("source"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise WireError("A mask was received that is damaged or does not fit the image.") from error


def describe(mask: Mask) -> dict[str, Any]:
    """All but the voxels."""
    return encode_segment(mask) | {"source": mask.source}
