"""What an object of PySide6 has under a name, asked the way PythonQt asks: properties first."""

from __future__ import annotations

from typing import Any

from PySide6 import QtCore

from .enums import enumerator


def without_underscore(name: str) -> str:
    """Return the name in Qt of a method that PythonQt offers as `exec_`."""
    return name[:-1] if name.endswith("_") else name


def has_property(native: Any, name: str) -> bool:
    """Tell whether `name` is a Q_PROPERTY; PythonQt hides that of `QTimer.singleShot`, adds `name`."""
    if not isinstance(native, QtCore.QObject) or (name == "singleShot" and isinstance(native, QtCore.QTimer)):
        return False
    return native.metaObject().indexOfProperty(_property_name(name)) >= 0


def read_property(native: QtCore.QObject, name: str) -> Any:
    """Return the value of a Q_PROPERTY."""
    try:
        return native.property(_property_name(name))
    except RuntimeError:  # PySide6 cannot convert flags before their getter was called once
        return getattr(native, name)()


def write_property(native: QtCore.QObject, name: str, value: Any) -> None:
    """Set a Q_PROPERTY.

    Raises:
        AttributeError: the property cannot be written, or does not take this value.
    """
    meta_object = native.metaObject()
    meta_property = meta_object.property(meta_object.indexOfProperty(_property_name(name)))
    if not meta_property.isWritable():
        raise AttributeError(f"Property {name!r} of {meta_object.className()} object is not writable")
    if value is None or not native.setProperty(_property_name(name), value):
        raise AttributeError(
            f"Property {name!r} of type {meta_property.typeName()!r} does not accept {value!r} "
            f"of type {type(value).__name__}"
        )


def has_method(native: Any, name: str) -> bool:
    """Tell whether `name` can be called on the object."""
    member = getattr(type(native), without_underscore(name), None)
    return callable(member) and not isinstance(member, type)


def is_taken(native: Any, name: str) -> bool:
    """Tell whether `name` is a method, signal or enumerator, which PythonQt does not let be overwritten."""
    return is_signal(type(native), name) or has_method(native, name) or enumerator(type(native), name) is not None


def is_signal(native_class: type, name: str) -> bool:
    """Tell whether `name` is a signal.

    The type is compared because each `isinstance(..., QtCore.Signal)` of PySide6 6.12 gives away a reference
    to False, which ends in a crash before Python 3.12.
    """
    return type(getattr(native_class, name, None)) is QtCore.Signal


def dynamic_property(native: Any, name: str) -> Any:
    """Return the value of a property set by name only, None if there is none."""
    return native.property(name) if isinstance(native, QtCore.QObject) else None


def _property_name(name: str) -> str:
    return "objectName" if name == "name" else name
