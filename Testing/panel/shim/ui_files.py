"""Loads .ui files with the stand-ins of ctk and qMRML in the place of the real widgets."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from PySide6 import QtCore, QtUiTools, QtWidgets

from . import ctk_widgets, mrml_widgets, signals
from .classes import wrap

STAND_INS = {
    widget.__name__: widget
    for widget in (ctk_widgets.ctkCollapsibleButton, mrml_widgets.qMRMLNodeComboBox, mrml_widgets.qMRMLWidget)
}


class QUiLoader(QtUiTools.QUiLoader):
    """What `slicer.util.loadUI` reads .ui files with."""

    def __init__(self) -> None:
        super().__init__()
        for widget in STAND_INS.values():
            self.registerCustomWidget(widget)

    def load(self, file: QtCore.QIODevice) -> QtWidgets.QWidget:
        """Make the widget that an open file describes.

        Raises:
            ValueError: the file names a widget that has no stand-in.
        """
        root = ElementTree.fromstring(bytes(file.readAll().data()))
        for name in root.findall("./customwidgets/customwidget/class"):
            if name.text not in STAND_INS:
                raise ValueError(f"There is no stand-in for {name.text}; add one to ui_files.STAND_INS.")
        of_vtk = _take_vtk_connections(root)
        buffer = QtCore.QBuffer()
        buffer.setData(ElementTree.tostring(root))
        buffer.open(QtCore.QIODevice.OpenModeFlag.ReadOnly)
        widget = super().load(buffer)
        for connection in of_vtk:
            _connect(widget, connection)
        return widget


def _take_vtk_connections(root: ElementTree.Element) -> list[dict[str, str]]:
    """Take out the connections whose arguments are VTK objects, which PySide6 does not know."""
    connections = root.find("connections")
    if connections is None:
        return []
    taken = [connection for connection in connections if "vtk" in connection.findtext("signal", "")]
    for connection in taken:
        connections.remove(connection)
    return [{part.tag: part.text or "" for part in connection} for connection in taken]


def _connect(root: QtWidgets.QWidget, connection: dict[str, str]) -> None:
    sender = _find(root, connection["sender"])
    receiver: Any = wrap(_find(root, connection["receiver"]))
    slot = getattr(receiver, connection["slot"].split("(")[0])
    signals.connect(sender, connection["signal"], slot, wrap)


def _find(root: QtWidgets.QWidget, name: str) -> QtCore.QObject:
    found = root if root.objectName() == name else root.findChild(QtCore.QObject, name)
    if found is None:
        raise ValueError(f"A connection of the .ui file names {name!r}, which is not in it.")
    return found
