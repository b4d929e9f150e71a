"""The module `qt` as Slicer has it, made of PySide6."""

from __future__ import annotations

from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets

from . import qt5
from .classes import class_for
from .signals import Signal
from .ui_files import QUiLoader as _NativeUiLoader

__all__ = ["QUiLoader", "Signal"]

QUiLoader = class_for(_NativeUiLoader)


def __getattr__(name: str) -> Any:
    qt5.refuse_class(name)
    for module in (QtCore, QtGui, QtWidgets):
        native_class = getattr(module, name, None)
        if isinstance(native_class, type) and name.startswith("Q"):
            return class_for(native_class)
    raise AttributeError(f"module 'qt' has no attribute {name!r}")
