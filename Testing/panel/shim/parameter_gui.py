"""Which widgets can show which types of parameters: those of Slicer's own list that a panel may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import slicer

from . import qt


class Connector:
    """Keeps one widget's value and tells when the user changes it."""

    def __init__(self, widget: Any, value: str, signal: str) -> None:
        self._widget = widget
        self._value = value
        self._signal = signal
        self._on_changed: Callable[[], None] | None = None

    def read(self) -> Any:
        """Return the value shown."""
        return getattr(self._widget, self._value)

    def write(self, value: Any) -> None:
        """Show a value, unless it is shown already."""
        if self.read() != value:
            setattr(self._widget, self._value, value)

    def connect(self, on_changed: Callable[[], None]) -> None:
        """Have `on_changed` called for each change."""
        self._on_changed = on_changed
        self._widget.connect(self._signal, on_changed)

    def disconnect(self) -> None:
        """Undo `connect`."""
        self._widget.disconnect(self._signal, self._on_changed)


class _NodeConnector(Connector):
    """Keeps the current node of a list of nodes."""

    def __init__(self, widget: Any) -> None:
        super().__init__(widget, "currentNode", "currentNodeChanged(vtkMRMLNode*)")

    def read(self) -> Any:
        return self._widget.currentNode()

    def write(self, value: Any) -> None:
        self._widget.setCurrentNode(value)


_CONNECTIONS = {
    (bool, "QCheckBox"): ("checked", "toggled(bool)"),
    (bool, "QPushButton"): ("checked", "toggled(bool)"),
    (int, "QSpinBox"): ("value", "valueChanged(int)"),
    (float, "QDoubleSpinBox"): ("value", "valueChanged(double)"),
    (str, "QLineEdit"): ("text", "textChanged(QString)"),
    (str, "QTextEdit"): ("plainText", "textChanged()"),
}


def connector_for(widget: Any, kind: type) -> Connector:
    """Return what connects a parameter of this type to the widget.

    Raises:
        RuntimeError: the widget cannot show this type, or no stand-in knows how; as in Slicer, the widget's
            own class counts and not its bases.
    """
    if issubclass(kind, slicer.vtkMRMLNode) and type(widget) is slicer.qMRMLNodeComboBox:
        return _NodeConnector(widget)
    known = _CONNECTIONS.get((kind, type(widget).__name__))
    if known is None or type(widget) is not getattr(qt, type(widget).__name__):
        raise RuntimeError(f"A parameter of type {kind.__name__} can not be bound to a {type(widget).__name__}.")
    return Connector(widget, *known)
