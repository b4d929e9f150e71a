"""What `slicer.app` offers when it has windows: events, settings, start-up, and the three slice views."""

# ruff: noqa: N815 - the names are those of Slicer

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import slicer
import vtk
from PySide6 import QtCore, QtWidgets

from . import signals
from .classes import wrap
from .identity import to_qt

_ORIENTATIONS = {"Red": "Axial", "Green": "Coronal", "Yellow": "Sagittal"}


class _StartUp(QtCore.QObject):
    """Sends what Slicer sends once all modules are loaded."""

    startupCompleted = QtCore.Signal()


class SliceWidget:
    """One slice view of the layout, on a real slice node and its logic."""

    def __init__(self, name: str) -> None:
        self._logic = slicer.vtkMRMLSliceLogic()
        self._logic.SetMRMLApplicationLogic(slicer.app.applicationLogic())
        self._logic.SetMRMLScene(slicer.mrmlScene)
        self._logic.AddSliceNode(name).SetOrientation(_ORIENTATIONS[name])

    def sliceLogic(self) -> Any:
        """Return the `vtkMRMLSliceLogic`."""
        return self._logic

    def mrmlSliceNode(self) -> Any:
        """Return the `vtkMRMLSliceNode`."""
        return self._logic.GetSliceNode()


class LayoutManager:
    """The slice views Red, Green and Yellow."""

    def __init__(self) -> None:
        self._widgets = {name: SliceWidget(name) for name in _ORIENTATIONS}
        self._logics = vtk.vtkCollection()
        for widget in self._widgets.values():
            self._logics.AddItem(widget.sliceLogic())
        slicer.app.applicationLogic().SetSliceLogics(self._logics)

    def sliceViewNames(self) -> tuple[str, ...]:
        """Return the names of the slice views."""
        return tuple(_ORIENTATIONS)

    def sliceWidget(self, name: str) -> SliceWidget | None:
        """Return the slice view of this name, None if there is none."""
        return self._widgets.get(name)

    def mrmlSliceLogics(self) -> Any:
        """Return the slice views' logics as a `vtkCollection`."""
        return self._logics

    def resetSliceViews(self) -> None:
        """Show each view's volume whole."""
        for widget in self._widgets.values():
            widget.sliceLogic().FitSliceToAll()


def complete() -> None:
    """Give `slicer.app` its windows' side."""
    application = QtWidgets.QApplication.instance()
    start_up = _StartUp(application)
    layout_manager = LayoutManager()
    slicer.app.layoutManager = lambda: layout_manager
    slicer.app.processEvents = QtWidgets.QApplication.processEvents
    slicer.app.topLevelWidgets = lambda: wrap(QtWidgets.QApplication.topLevelWidgets())
    slicer.app.clipboard = lambda: wrap(QtWidgets.QApplication.clipboard())
    slicer.app.settings = slicer.app.userSettings = lambda: wrap(QtCore.QSettings())
    slicer.app.slicerUserSettingsFilePath = str(Path(tempfile.mkdtemp(prefix="settings-")) / "Slicer.ini")
    slicer.app.connect = wrap(start_up).connect
    slicer.app.disconnect = wrap(start_up).disconnect
    slicer.app.setOverrideCursor = lambda shape: QtWidgets.QApplication.setOverrideCursor(to_qt(shape))
    slicer.app.restoreOverrideCursor = QtWidgets.QApplication.restoreOverrideCursor
    slicer.app.testingEnabled = lambda: False  # message boxes are shown to `displays`
    slicer.app.majorVersion, slicer.app.minorVersion = 5, 12
    slicer.app.applicationVersion = "5.12.0"


def complete_startup() -> None:
    """Send `startupCompleted()`, as Slicer does once all modules are loaded."""
    start_up = QtWidgets.QApplication.instance().findChild(_StartUp)
    signals.emit(start_up, "startupCompleted()")


def use_temporary_settings() -> None:
    """Keep `qt.QSettings` in a new temporary folder, so that tests neither see nor change the user's own."""
    QtCore.QCoreApplication.setOrganizationName("Testing")
    QtCore.QCoreApplication.setApplicationName("Slicer")
    QtCore.QSettings.setDefaultFormat(QtCore.QSettings.Format.IniFormat)
    QtCore.QSettings.setPath(
        QtCore.QSettings.Format.IniFormat,
        QtCore.QSettings.Scope.UserScope,
        tempfile.mkdtemp(prefix="settings-"),
    )
