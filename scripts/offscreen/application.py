"""Stand-ins for `slicer.app` and `slicer.modules`: only what scripts, tests and `slicer.util` ask of them."""

# ruff: noqa: N802, N815 - the names are those of Slicer

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

import slicer
import vtk

from .file_types import CoreIOManager


class Application:
    """What Slicer offers as `slicer.app` when it runs without a main window."""

    applicationName = "Slicer"

    def __init__(self, logic: Any) -> None:
        self._logic = logic
        self._core_io_manager = CoreIOManager()
        self.temporaryPath = tempfile.mkdtemp(prefix="offscreen-slicer-")
        atexit.register(shutil.rmtree, self.temporaryPath, ignore_errors=True)
        logic.SetTemporaryPath(self.temporaryPath)

    def applicationLogic(self) -> Any:
        """Return the `vtkSlicerApplicationLogic` that knows the scene and every module's logic."""
        return self._logic

    def coreIOManager(self) -> CoreIOManager:
        """Return the readers and writers behind `slicer.util.load*` and `save*`."""
        return self._core_io_manager

    def layoutManager(self) -> None:
        """Return None, as Slicer does without a main window."""

    def processEvents(self) -> None:
        """Do nothing: without a window, no event waits."""

    def pauseRender(self) -> None:
        """Do nothing: pictures are rendered on request only."""

    def resumeRender(self) -> None:
        """Do nothing: pictures are rendered on request only."""

    def testingEnabled(self) -> bool:
        """Return True, so that `slicer.util` never waits for a dialog."""
        return True


class Module:
    """One entry of `slicer.modules`."""

    def __init__(self, name: str, logic: Any) -> None:
        self.name = name
        self._logic = logic

    def logic(self) -> Any:
        """Return the module's logic, observing the scene."""
        return self._logic


def connect_modules(application_logic: Any, scene: Any) -> SimpleNamespace:
    """Create the logics of the modules used here, let them observe `scene` and know of one another.

    Args:
        application_logic: the `vtkSlicerApplicationLogic` to register them with.
        scene: the `vtkMRMLScene` they observe.

    Returns:
        What becomes `slicer.modules`, with module names in lower case as Slicer has them.
    """
    logics = {
        "Colors": application_logic.GetColorLogic(),
        "Markups": slicer.vtkSlicerMarkupsLogic(),
        "Segmentations": slicer.vtkSlicerSegmentationsModuleLogic(),
        "Sequences": slicer.vtkSlicerSequencesLogic(),
        "SubjectHierarchy": slicer.vtkSlicerSubjectHierarchyModuleLogic(),
        "Tables": slicer.vtkSlicerTablesLogic(),
        "Terminologies": slicer.vtkSlicerTerminologiesModuleLogic(),
        "Texts": slicer.vtkSlicerTextsLogic(),
        "Transforms": slicer.vtkSlicerTransformLogic(),
        "Volumes": slicer.vtkSlicerVolumesLogic(),
    }
    modules = SimpleNamespace()
    for name, logic in logics.items():
        application_logic.SetModuleLogic(name, logic)
        with _without_vtk_messages() if name == "Terminologies" else nullcontext():
            logic.SetMRMLApplicationLogic(application_logic)
            logic.SetMRMLScene(scene)
        setattr(modules, name.lower(), Module(name, logic))
    return modules


@contextmanager
def _without_vtk_messages() -> Iterator[None]:
    """Silence VTK while the terminology logic looks for Slicer's own lists, which the wheel does not hold."""
    vtk.vtkObject.GlobalWarningDisplayOff()
    try:
        yield
    finally:
        vtk.vtkObject.GlobalWarningDisplayOn()
