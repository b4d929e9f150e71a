"""Failures as they travel: {"error": class of `errors`, "message": one sentence, and what the class adds}."""

from __future__ import annotations

from typing import Any

from MultiRoundSegLib import errors
from MultiRoundSegLib.errors import MultiRoundSegError, WireError

_MORE = {  # attributes besides the message, in the order of the class's arguments
    "AmbiguousReferenceError": ("choices",),
    "EngineBusyError": ("retry_after_s",),
    "PackageMissingError": ("package", "megabytes"),
}
_CLASSES: dict[str, type[MultiRoundSegError]] = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, MultiRoundSegError)
}


def encode_fault(error: MultiRoundSegError) -> dict[str, Any]:
    """The JSON object of an error."""
    name = type(error).__name__
    return {"error": name, "message": str(error)} | {key: getattr(error, key) for key in _MORE.get(name, ())}


def decode_fault(data: dict[str, Any]) -> MultiRoundSegError:
    """The error of a JSON object.

    Raises:
        WireError: it is none.
    """
    name, message = data.get("error"), data.get("message")
    if not isinstance(name, str) or name not in _CLASSES or not isinstance(message, str):
        raise WireError("What was received is no failure of a worker.")
    more = [data.get(key) for key in _MORE.get(name, ())]
    if name == "AmbiguousReferenceError":
        more = [tuple(str(choice) for choice in more[0] or ())]
    return _CLASSES[name](message, *more)
