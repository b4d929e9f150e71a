"""Signals as PythonQt has them: by name or full signature, with the arguments cut to what the slot takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import shiboken6
from PySide6 import QtCore

from . import faults
from .identity import to_qt

Convert = Callable[[Any], Any]


class Signal:
    """A signal declared in the body of a Python subclass of `qt.QObject`: `finished = qt.Signal(object)`."""

    def __init__(self, *types: type) -> None:
        self.native = QtCore.Signal(*types)


class BoundSignal:
    """One signal of one object."""

    def __init__(self, wrapper: Any, native: QtCore.QObject, name: str, to_python: Convert) -> None:
        self._wrapper = wrapper  # keeps the object alive while its signal is used
        self._native = native
        self._name = name
        self._to_python = to_python

    def connect(self, slot: Callable[..., Any]) -> bool:
        """Have `slot` called in the main thread with as many of the signal's arguments as it takes."""
        return connect(self._native, signature_of(self._native, self._name), slot, self._to_python)

    def disconnect(self, slot: Callable[..., Any] | None = None) -> bool:
        """Undo `connect`, of all slots if none is given; tell whether there was anything to undo."""
        return disconnect(self._native, signature_of(self._native, self._name), slot)

    def emit(self, *arguments: Any) -> None:
        """Send the signal; this may be done from any thread."""
        signature = signature_of(self._native, self._name)
        emit(self._native, signature, *_converted(signature, arguments, to_qt))

    def __call__(self, *arguments: Any) -> None:
        self.emit(*arguments)


def emit(native: QtCore.QObject, signature: str, *arguments: Any) -> None:
    """Send a signal with arguments of PySide6.

    Each `native.signal.emit()` of PySide6 6.12 gives away a reference to True, which ends in a crash before
    Python 3.12; this way of sending does not.
    """
    native.emit(QtCore.SIGNAL(signature), *arguments)


class _Receiver(QtCore.QObject):
    """Takes one signal in the main thread and calls one slot."""

    def __init__(self, signature: str, slot: Callable[..., Any], to_python: Convert) -> None:
        super().__init__()
        self.signature = signature
        self.slot = slot
        self._to_python = to_python
        application = QtCore.QCoreApplication.instance()
        if application is not None:
            self.moveToThread(application.thread())

    def receive(self, *arguments: Any) -> None:
        faults.call_slot(self.slot, _converted(self.signature, arguments, self._to_python))


_receivers: dict[int, list[_Receiver]] = {}


def connect(native: QtCore.QObject, signature: str, slot: Callable[..., Any], to_python: Convert) -> bool:
    """Connect a signal to a Python callable, which is kept alive as long as the sender.

    Raises:
        ValueError: the sender has no signal with this signature; PythonQt only prints this and returns False.
        TypeError: the slot cannot be called.
    """
    if not callable(slot):
        raise TypeError(f"The slot of {signature} is {slot!r}, which cannot be called.")
    receiver = _Receiver(signature, slot, to_python)
    QtCore.QObject.connect(native, QtCore.SIGNAL(_resolved(native, signature)), receiver.receive)
    _receivers_of(native).append(receiver)
    return True


def disconnect(native: QtCore.QObject, signature: str, slot: Callable[..., Any] | None) -> bool:
    """Undo `connect` for one slot, or for all slots if None; tell whether there was anything to undo."""
    resolved = _resolved(native, signature)
    found = [
        receiver
        for receiver in _receivers_of(native)
        if _resolved(native, receiver.signature) == resolved and (slot is None or receiver.slot == slot)
    ]
    for receiver in found if slot is None else found[:1]:
        QtCore.QObject.disconnect(native, QtCore.SIGNAL(resolved), receiver.receive)
        _receivers_of(native).remove(receiver)
    return bool(found)


def signature_of(native: QtCore.QObject, name: str) -> str:
    """Return the full signature of the signal `name`, that with the most arguments if there are several."""
    meta_object = native.metaObject()
    methods = [meta_object.method(index) for index in range(meta_object.methodCount())]
    signatures = [
        bytes(method.methodSignature().data()).decode()
        for method in methods
        if method.methodType() == QtCore.QMetaMethod.MethodType.Signal and method.name() == name.encode()
    ]
    if not signatures:
        raise ValueError(f"{meta_object.className()} has no signal named {name!r}.")
    return max(signatures, key=lambda signature: (signature.count(","), not signature.endswith("()")))


def _resolved(native: QtCore.QObject, signature: str) -> str:
    """Return the signature as PySide6 knows it, after checking that Slicer's Qt knows it as given."""
    normalized = bytes(QtCore.QMetaObject.normalizedSignature(signature).data()).decode()
    translated = getattr(type(native), "vtk_signals", {}).get(normalized, normalized)
    if native.metaObject().indexOfSignal(translated) < 0:
        raise ValueError(
            f"{native.metaObject().className()} has no signal {signature!r}; "
            'write it with the types of its arguments, as in "clicked(bool)".'
        )
    return translated


def _converted(signature: str, arguments: tuple[Any, ...], convert: Convert) -> tuple[Any, ...]:
    """Convert the arguments of a signal; what was declared as a Python object is passed as it is."""
    types = signature[signature.index("(") + 1 : -1].split(",")
    if len(arguments) > len(types):
        raise TypeError(f"{signature} takes fewer than {len(arguments)} arguments.")
    return tuple(
        argument if "PyObject" in kind or "vtk" in kind else convert(argument)
        for argument, kind in zip(arguments, types, strict=False)
    )


def _receivers_of(native: QtCore.QObject) -> list[_Receiver]:
    address = shiboken6.getCppPointer(native)[0]
    if address not in _receivers:
        _receivers[address] = []
        native.destroyed.connect(lambda *_: _receivers.pop(address, None))
    return _receivers[address]
