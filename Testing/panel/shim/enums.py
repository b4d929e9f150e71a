"""Enumerators as PythonQt has them: integers, reached through the class and not through their enumeration."""

from __future__ import annotations

import enum
from typing import Any


class QtEnum(int):
    """An integer that remembers which enumeration of Qt it comes from."""

    native: enum.Enum

    def __new__(cls, native: enum.Enum) -> QtEnum:
        number = super().__new__(cls, native.value)
        number.native = native
        return number

    def __or__(self, other: int) -> int:
        return self._combined(int(self) | int(other))

    def __and__(self, other: int) -> int:
        return self._combined(int(self) & int(other))

    def __invert__(self) -> int:
        return QtEnum(~self.native) if isinstance(self.native, enum.Flag) else ~int(self)

    def _combined(self, number: int) -> int:
        return QtEnum(type(self.native)(number)) if isinstance(self.native, enum.Flag) else number


def is_qt_enumeration(candidate: Any) -> bool:
    """Tell whether `candidate` is an enumeration that belongs to Qt."""
    return (
        isinstance(candidate, type) and issubclass(candidate, enum.Enum) and candidate.__module__.startswith("PySide6")
    )


def enumerator(native_class: type, name: str) -> QtEnum | None:
    """Return the enumerator `name` of `native_class` or one of its bases, None if there is none."""
    for ancestor in native_class.__mro__:
        for enumeration in vars(ancestor).values():
            if is_qt_enumeration(enumeration) and name in enumeration.__members__:
                return QtEnum(enumeration[name])
    return None
