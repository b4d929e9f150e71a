"""Classes of PySide6 that hand their events to the Python subclass of a wrapper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from PySide6 import QtCore

from . import faults
from .identity import to_qt, wrapper_of

_RETURN_BOOL = ("event", "eventFilter")


def native_subclass(
    name: str,
    native_base: type,
    namespace: Mapping[str, Any],
    own_signals: Mapping[str, Any],
    to_python: Callable[[Any], Any],
) -> type:
    """Make the class behind a Python subclass.

    Args:
        name: the name of the Python subclass.
        native_base: the class of PySide6 behind its base.
        namespace: its body; functions named like a method of Qt are called when Qt calls that method.
        own_signals: the signals declared in its body.
        to_python: converts the arguments of such a call.

    Raises:
        TypeError: the class is a thread with a `run` of its own, which crashes Slicer.
    """
    if issubclass(native_base, QtCore.QThread) and "run" in namespace:
        raise TypeError(f"{name}: a qt.QThread with its own run() crashes Slicer; use threading.Thread.")
    body: dict[str, Any] = {key: signal.native for key, signal in own_signals.items()}
    for key, value in namespace.items():
        if isinstance(value, FunctionType) and not key.startswith("_") and hasattr(native_base, key):
            body[key] = _override(key, native_base, value, to_python)
    return type(name, (native_base,), body)


def _override(
    name: str, native_base: type, function: Callable[..., Any], to_python: Callable[[Any], Any]
) -> Callable[..., Any]:
    """Make the method that Qt calls; what `function` raises is recorded and Qt goes on with its own."""

    def call(native: Any, *arguments: Any) -> Any:
        wrapper = wrapper_of(native)
        if wrapper is None:  # Qt sends events while the object is still being made
            return getattr(native_base, name)(native, *arguments)
        try:
            result = to_qt(function(wrapper, *(to_python(argument) for argument in arguments)))
            if name in _RETURN_BOOL and not isinstance(result, bool):
                raise TypeError(f"{type(wrapper).__name__}.{name} must return True or False, not {result!r}.")
        except Exception as exception:
            faults.record(exception)
            return getattr(native_base, name)(native, *arguments)
        return result

    return call
