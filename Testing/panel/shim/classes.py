"""The classes of the module `qt`: flat wrappers around PySide6 that behave like PythonQt's."""

from __future__ import annotations

import sys
from typing import Any

import shiboken6
from PySide6 import QtCore, QtGui, QtWidgets

from . import faults, identity, members, qt5, signals
from .enums import enumerator
from .virtuals import native_subclass

_classes: dict[type, type] = {}
_RETURN_NAME_AND_FILTER = ("getOpenFileName", "getOpenFileNames", "getSaveFileName")


class QtClass(type):
    """The type of every class of `qt`.

    No wrapper inherits from another, so `isinstance(button, qt.QWidget)` is False and `super()` finds no
    method of Qt. A Python subclass gets a class of PySide6 of its own, which calls its event handlers.
    """

    native_class: type

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> QtClass:
        parents = [base for base in bases if isinstance(base, QtClass) and base is not Wrapper]
        if parents and "native_class" not in namespace:
            own_signals = {key: value for key, value in namespace.items() if isinstance(value, signals.Signal)}
            namespace = {key: value for key, value in namespace.items() if key not in own_signals}
            namespace["native_class"] = native_subclass(name, parents[0].native_class, namespace, own_signals, wrap)
        return super().__new__(mcs, name, bases, namespace)

    def __getattr__(cls, name: str) -> Any:
        native_class = cls.__dict__.get("native_class")
        if native_class is None or name.startswith("_"):
            raise AttributeError(f"{cls.__name__} has no attribute named {name!r}")
        qt5.refuse_member(native_class, name)
        value = enumerator(native_class, name)
        if value is not None:
            return value
        member = getattr(native_class, members.without_underscore(name), None)
        if isinstance(member, type) or members.is_signal(native_class, name) or not callable(member):
            raise AttributeError(f"{cls.__name__} has no attribute named {name!r}")
        return _ClassMethod(native_class, members.without_underscore(name))


class Wrapper(metaclass=QtClass):
    """An object of Qt as Python code in Slicer sees it."""

    native_class = object

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if keywords:
            raise TypeError(f"{type(self).__name__} takes no keyword arguments: {', '.join(keywords)}.")
        faults.require_main_thread(f"qt.{type(self).__name__}")
        self._adopt(type(self).native_class(*(identity.to_qt(argument) for argument in arguments)))

    def _adopt(self, native: Any) -> None:
        self.__dict__["_native"] = native
        identity.remember(native, self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute named {name!r}")
        native = native_of(self, f"read attribute {name!r} of")
        qt5.refuse_member(type(native), name)
        if members.has_property(native, name):
            faults.require_main_thread(f"{type(self).__name__}.{name}")
            return wrap(members.read_property(native, name))
        if members.is_signal(type(native), name):
            return signals.BoundSignal(self, native, name, wrap)
        if members.has_method(native, name):
            return _Method(self, members.without_underscore(name))
        value = enumerator(type(native), name)
        if value is None:
            value = wrap(members.dynamic_property(native, name))
        if value is None:
            raise AttributeError(f"{type(self).__name__} has no attribute named {name!r}")
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        native = native_of(self, f"set attribute {name!r} of", AttributeError)
        if members.has_property(native, name):
            faults.require_main_thread(f"{type(self).__name__}.{name}")
            members.write_property(native, name, identity.to_qt(value))
        elif members.is_taken(native, name):
            raise AttributeError(f"{name!r} can not be overwritten on {type(self).__name__} object")
        elif members.dynamic_property(native, name) is not None:
            native.setProperty(name, identity.to_qt(value))
        elif _is_plain(type(self)):
            raise AttributeError(
                f"Attribute {name!r} does not exist on {type(self).__name__} and can not be added to it"
            )
        else:
            self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wrapper):
            return NotImplemented
        return bool(self.__dict__["_native"] == other.__dict__["_native"])

    def __hash__(self) -> int:
        return hash(self.__dict__["_native"])

    def __bool__(self) -> bool:
        return shiboken6.isValid(self.__dict__["_native"])

    def __repr__(self) -> str:
        native = self.__dict__.get("_native")
        state = "not yet made" if native is None else f"at {id(self):#x}" if shiboken6.isValid(native) else "destroyed"
        return f"<{type(self).__name__} {state}>"

    def __del__(self, _is_finalizing: Any = sys.is_finalizing) -> None:
        """Let an object of a Python subclass live on with its parent, as PythonQt does."""
        if _is_finalizing():
            return
        native = self.__dict__.get("_native")
        if native is None or _is_plain(type(self)) or not shiboken6.isValid(native):
            return
        if not shiboken6.ownedByPython(native):
            native.kept_wrapper = self

    def connect(self, signature: str, slot: Any) -> bool:
        """Connect the signal with this full signature, such as "clicked(bool)", to a Python callable."""
        return signals.connect(native_of(self, "connect"), signature, slot, wrap)

    def disconnect(self, signature: str, slot: Any = None) -> bool:
        """Undo `connect`, for every slot of the signal if none is given."""
        return signals.disconnect(native_of(self, "disconnect"), signature, slot)

    def className(self) -> str:
        """Return the name of the class."""
        return type(self).__name__

    def findChild(self, kind: Any, name: str = "") -> Any:
        """Return the first child of this class (or class name) and object name, None if there is none."""
        found = self.findChildren(kind, name)
        return found[0] if found else None

    def findChildren(self, kind: Any, name: str = "") -> tuple[Any, ...]:
        """Return all children, at any depth, of this class (or class name) and object name."""
        class_name = kind if isinstance(kind, str) else kind.native_class.__name__
        children = native_of(self, "search").findChildren(QtCore.QObject)
        return tuple(
            wrap(child) for child in children if child.inherits(class_name) and (not name or child.objectName() == name)
        )


def class_for(native_class: type) -> type:
    """Return the wrapper class of a class of PySide6 or of a stand-in, the same each time."""
    if native_class not in _classes:
        name = native_class.__name__
        _classes[native_class] = QtClass(name, (Wrapper,), {"native_class": native_class})
    return _classes[native_class]


def wrap(value: Any) -> Any:
    """Convert what Qt returned into what PythonQt would return."""
    return identity.to_python(value, _new_wrapper)


def native_of(wrapper: Wrapper, action: str, error: type[Exception] = ValueError) -> Any:
    """Return the living object behind `wrapper`.

    Raises:
        ValueError: (or `error`) the object was destroyed, or its constructor was never called.
    """
    native = wrapper.__dict__.get("_native")
    if native is None:
        raise error(f"Trying to {action} a {type(wrapper).__name__} whose __init__ was not called")
    if not shiboken6.isValid(native):
        raise error(f"Trying to {action} a destroyed {type(wrapper).__name__} object")
    return native


def _is_plain(wrapper_class: type) -> bool:
    """Tell whether this is a class of Qt itself and not a Python subclass of one."""
    return _classes.get(wrapper_class.native_class) is wrapper_class


class _Method:
    """A method of one object."""

    def __init__(self, wrapper: Wrapper, name: str) -> None:
        self._wrapper = wrapper
        self._name = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if keywords:
            raise TypeError(f"{self._name} takes no keyword arguments: {', '.join(keywords)}.")
        native = native_of(self._wrapper, f"call {self._name!r} on")
        if isinstance(native, QtCore.QObject):
            faults.require_main_thread(f"{type(self._wrapper).__name__}.{self._name}")
        return wrap(getattr(native, self._name)(*(identity.to_qt(argument) for argument in arguments)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Method) and (self._wrapper, self._name) == (other._wrapper, other._name)

    def __hash__(self) -> int:
        return hash((self._wrapper, self._name))


class _ClassMethod:
    """A static method, or a method called as `qt.QWidget.keyPressEvent(self, event)`."""

    def __init__(self, native_class: type, name: str) -> None:
        self._native_class = native_class
        self._name = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if keywords:
            raise TypeError(f"{self._name} takes no keyword arguments: {', '.join(keywords)}.")
        faults.require_main_thread(f"{self._native_class.__name__}.{self._name}")
        method = getattr(self._native_class, self._name)
        result = method(*(identity.to_qt(argument) for argument in arguments))
        return wrap(result[0] if self._name in _RETURN_NAME_AND_FILTER else result)


def _new_wrapper(native: Any) -> Wrapper:
    wrapper: Wrapper = object.__new__(class_for(_public_class(type(native))))
    wrapper._adopt(native)
    return wrapper


def _public_class(native_class: type) -> type:
    """Return the nearest class that Slicer knows by name."""
    for ancestor in native_class.__mro__:
        if ancestor in _classes or any(
            getattr(module, ancestor.__name__, None) is ancestor for module in (QtCore, QtGui, QtWidgets)
        ):
            return ancestor
    raise TypeError(f"{native_class.__name__} is not a class of Qt.")
