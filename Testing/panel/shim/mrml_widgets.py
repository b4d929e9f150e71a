"""Stand-ins for the widgets of Slicer that follow the MRML scene, as classes of PySide6."""

# ruff: noqa: N801, N815 - the names are those of Slicer and Qt

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import slicer
from PySide6 import QtCore, QtWidgets
from slicer.util import VTKObservationMixin

from . import signals

_SCENE_CHANGES = (
    slicer.vtkMRMLScene.NodeAddedEvent,
    slicer.vtkMRMLScene.NodeRemovedEvent,
    slicer.vtkMRMLScene.EndBatchProcessEvent,
)


class qMRMLWidget(QtWidgets.QWidget):
    """A widget that knows the scene."""

    mrmlSceneChanged = QtCore.Signal(object)

    vtk_signals = {"mrmlSceneChanged(vtkMRMLScene*)": "mrmlSceneChanged(PyObject)"}  # noqa: RUF012

    def __init__(self, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Any = None

    def mrmlScene(self) -> Any:
        """Return the scene, None before it is set."""
        return self._scene

    def setMRMLScene(self, scene: Any) -> None:
        """Set the scene and tell the widgets that are connected."""
        if scene is not self._scene:
            self._scene = scene
            signals.emit(self, "mrmlSceneChanged(PyObject)", scene)


def _weakly(method: Any) -> Callable[[Any, str], None]:
    """Make an observer that does not keep the widget of `method` alive."""
    reference = weakref.WeakMethod(method)

    def observe(caller: Any, event: str) -> None:
        alive = reference()
        if alive is not None:
            alive(caller, event)

    return observe


def _flag(name: str, *, initially: bool) -> QtCore.Property:
    """Make a property that is True or False and changes what the list of nodes shows."""

    def read(self: qMRMLNodeComboBox) -> bool:
        return self.options.get(name, initially)

    def write(self: qMRMLNodeComboBox, value: bool) -> None:
        self.options[name] = value
        self.refresh()

    return QtCore.Property(bool, read, write)


class qMRMLNodeComboBox(QtWidgets.QWidget):
    """A list of the scene's nodes of certain classes, one of which is current.

    The nodes offered are those whose class is named in `nodeTypes`, and of its subclasses while
    `showChildNodeTypes` is set; hidden nodes need `showHidden`. Without `noneEnabled`, the first node becomes
    current by itself.
    """

    currentNodeChanged = QtCore.Signal(object)
    currentNodeIDChanged = QtCore.Signal(str)
    nodeActivated = QtCore.Signal(object)

    vtk_signals = {  # noqa: RUF012
        "currentNodeChanged(vtkMRMLNode*)": "currentNodeChanged(PyObject)",
        "nodeActivated(vtkMRMLNode*)": "nodeActivated(PyObject)",
    }

    def __init__(self, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self.options: dict[str, bool] = {}
        self._observations = observations = VTKObservationMixin()
        self._on_scene_changed = _weakly(self._refresh_between_batches)
        self._on_node_modified = _weakly(self._show_name)
        self.destroyed.connect(lambda *_: observations.removeObservers())
        self._scene: Any = None
        self._node_types: list[str] = []
        self._none_display = "None"
        self._current: Any = None
        self._requested_id = ""
        self._nodes: list[Any] = []
        self._list = QtWidgets.QComboBox(self)
        self._list.activated.connect(self._on_activated)
        layout = QtWidgets.QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._list)
        self.setEnabled(False)

    noneEnabled = _flag("noneEnabled", initially=False)
    addEnabled = _flag("addEnabled", initially=True)
    removeEnabled = _flag("removeEnabled", initially=True)
    editEnabled = _flag("editEnabled", initially=False)
    renameEnabled = _flag("renameEnabled", initially=False)
    showHidden = _flag("showHidden", initially=False)
    showChildNodeTypes = _flag("showChildNodeTypes", initially=True)
    selectNodeUponCreation = _flag("selectNodeUponCreation", initially=True)

    def _read_node_types(self) -> list[str]:
        return self._node_types

    def _write_node_types(self, node_types: list[str]) -> None:
        self._node_types = list(node_types)
        self.refresh()

    nodeTypes = QtCore.Property("QStringList", _read_node_types, _write_node_types)

    def _read_none_display(self) -> str:
        return self._none_display

    def _write_none_display(self, text: str) -> None:
        self._none_display = text
        self.refresh()

    noneDisplay = QtCore.Property(str, _read_none_display, _write_none_display)

    def _read_current_node_id(self) -> str:
        return "" if self._current is None else str(self._current.GetID())

    def setCurrentNodeID(self, node_id: str) -> None:
        """Make the node with this ID current; no such node means none. Before the scene is set, remember it."""
        if self._scene is None:
            self._requested_id = node_id
        self.setCurrentNode(self._scene.GetNodeByID(node_id) if self._scene and node_id else None)

    currentNodeID = QtCore.Property(str, _read_current_node_id, setCurrentNodeID)

    def mrmlScene(self) -> Any:
        """Return the scene, None before it is set."""
        return self._scene

    def setMRMLScene(self, scene: Any) -> None:
        """Follow this scene from now on."""
        self._observations.removeObservers()
        self._nodes = []
        self._scene = scene
        self.setEnabled(scene is not None)
        for event in _SCENE_CHANGES if scene else ():
            self._observations.addObserver(scene, event, self._on_scene_changed)
        self.refresh()
        if scene is not None and self._requested_id:
            self.setCurrentNodeID(self._requested_id)
            self._requested_id = ""

    def currentNode(self) -> Any:
        """Return the current node, None if there is none."""
        return self._current

    def setCurrentNode(self, node: Any) -> None:
        """Make a node current; one that is not offered (yet), or None, means none."""
        if self._scene is None and node is not None:
            self._requested_id = node.GetID() or ""
        chosen = node if any(node is offered for offered in self._nodes) else None
        if chosen is not self._current:
            self._current = chosen
            self._tell_current()
        self._show_current()

    def nodeCount(self) -> int:
        """Return how many nodes are offered."""
        return len(self._nodes)

    def nodeFromIndex(self, index: int) -> Any:
        """Return an offered node by its place, from 0, None beyond the last."""
        return self._nodes[index] if 0 <= index < len(self._nodes) else None

    def refresh(self) -> None:
        """Show the nodes that the scene has now."""
        for node in self._nodes:
            self._observations.removeObserver(node, "ModifiedEvent", self._on_node_modified)
        self._nodes = self._offered()
        for node in self._nodes:
            self._observations.addObserver(node, "ModifiedEvent", self._on_node_modified)
        self._list.clear()
        if self.noneEnabled:
            self._list.addItem(self._none_display)
        self._list.addItems([node.GetName() or "" for node in self._nodes])
        is_offered = any(node is self._current for node in self._nodes)
        first = None if self.noneEnabled or not self._nodes else self._nodes[0]
        self.setCurrentNode(self._current if is_offered else first)

    def _offered(self) -> list[Any]:
        if self._scene is None:
            return []
        nodes = [self._scene.GetNthNode(index) for index in range(self._scene.GetNumberOfNodes())]
        return [node for node in nodes if self._is_offered(node)]

    def _is_offered(self, node: Any) -> bool:
        if node.GetHideFromEditors() and not self.showHidden:
            return False
        return any(
            node.IsA(node_type) if self.showChildNodeTypes else node.GetClassName() == node_type
            for node_type in self._node_types
        )

    def _show_current(self) -> None:
        places = [place for place, node in enumerate(self._nodes) if node is self._current]
        none_rows = int(bool(self.noneEnabled))
        self._list.setCurrentIndex(places[0] + none_rows if places else none_rows - 1)

    def _tell_current(self) -> None:
        signals.emit(self, "currentNodeChanged(PyObject)", self._current)
        signals.emit(self, "currentNodeIDChanged(QString)", self._read_current_node_id())

    def _on_activated(self, row: int) -> None:
        self.setCurrentNode(self.nodeFromIndex(row - int(bool(self.noneEnabled))))
        signals.emit(self, "nodeActivated(PyObject)", self._current)

    def _refresh_between_batches(self, _scene: Any, _event: str) -> None:
        if not self._scene.IsBatchProcessing():
            self.refresh()

    def _show_name(self, node: Any, _event: str) -> None:
        place = next(index for index, offered in enumerate(self._nodes) if offered is node)
        row = place + int(bool(self.noneEnabled))
        if self._list.itemText(row) == (node.GetName() or ""):
            return
        self._list.setItemText(row, node.GetName() or "")
        if node is self._current:  # as in Slicer, whose list tells each change of the text it shows
            self._tell_current()
