"""Which wrapper stands for which object of PySide6: the same one as long as it is used."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import shiboken6

from . import faults
from .enums import QtEnum, is_qt_enumeration

_wrappers: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def remember(native: Any, wrapper: Any) -> None:
    """Let `wrapper` stand for `native`, which it must keep alive."""
    _wrappers[id(native)] = wrapper


def wrapper_of(native: Any) -> Any:
    """Return the wrapper that stands for `native`, None if there is none yet."""
    return _wrappers.get(id(native))


def to_python(value: Any, new_wrapper: Callable[[Any], Any]) -> Any:
    """Convert what Qt returned: objects are wrapped, lists become tuples, enumerators become integers.

    Args:
        value: what PySide6 gave.
        new_wrapper: makes a wrapper for an object that has none.
    """
    if is_qt_enumeration(type(value)):
        return QtEnum(value)
    if isinstance(value, list | tuple):
        return tuple(to_python(item, new_wrapper) for item in value)
    if isinstance(value, dict):
        return {key: to_python(item, new_wrapper) for key, item in value.items()}
    if isinstance(value, shiboken6.Object):
        wrapper = wrapper_of(value)
        return new_wrapper(value) if wrapper is None else wrapper
    return value


def to_qt(value: Any) -> Any:
    """Convert what Python hands to Qt: wrappers give their object, and a callable records what it raises."""
    if isinstance(value, QtEnum):
        return value.native
    if isinstance(value, list | tuple):
        return type(value)(to_qt(item) for item in value)
    if isinstance(value, dict):
        return {key: to_qt(item) for key, item in value.items()}
    if hasattr(type(value), "native_class"):
        return value.__dict__["_native"]
    if isinstance(value, type) and hasattr(value, "native_class"):
        return value.native_class
    if callable(value) and not isinstance(value, type):
        return partial(_call, value)
    return value


def _call(slot: Callable[..., Any], *arguments: Any) -> None:
    faults.call_slot(slot, arguments)
