"""Starts Slicer's scene and module logics, and saves, loads and closes scenes."""

from pathlib import Path
from typing import Any

import slicer
import slicer.util

from .application import Application, connect_modules

_kept_alive: list[Any] = []


def start_slicer() -> None:
    """Set `slicer.mrmlScene`, `slicer.app` and `slicer.modules` as Slicer does; later calls do nothing."""
    if hasattr(slicer, "mrmlScene"):
        return
    scene = slicer.vtkMRMLScene()
    application_logic = slicer.vtkSlicerApplicationLogic()
    slicer.mrmlScene = scene
    slicer.app = Application(application_logic)
    _connect_remote_io(application_logic, scene)
    _add_colors(application_logic, scene)
    application_logic.SetMRMLScene(scene)
    slicer.modules = connect_modules(application_logic, scene)
    slicer.vtkMRMLSliceNode.AddDefaultSliceOrientationPresets(scene)
    _ensure_subject_hierarchy()


def save_scene(path: Path) -> None:
    """Write the scene to a .mrb file, or without the nodes' data to a .mrml file.

    Raises:
        ValueError: the file's name ends otherwise.
        OSError: the file could not be written.
    """
    if not slicer.util.saveScene(str(path)):
        raise OSError(f"The scene could not be saved as {path}; check that the folder exists and has room.")


def load_scene(path: Path) -> None:
    """Replace the scene by the one in a .mrb or .mrml file.

    Raises:
        OSError: the file could not be read whole.
    """
    _read_scene(path, clear=True)


def import_scene(path: Path) -> None:
    """Add the nodes of a .mrb or .mrml file to the scene, under new IDs where theirs are taken.

    Raises:
        OSError: the file could not be read whole.
    """
    _read_scene(path, clear=False)


def close_scene() -> None:
    """Remove everything from the scene but singletons, as File > Close Scene does."""
    slicer.mrmlScene.Clear(False)
    _ensure_subject_hierarchy()


def _read_scene(path: Path, *, clear: bool) -> None:
    try:
        slicer.util.loadScene(str(path), {"clear": clear})
    except RuntimeError as error:
        raise OSError(f"The scene {path} could not be loaded; save it again from where it came.") from error


def _ensure_subject_hierarchy() -> None:
    """Create the hierarchy's node if there is none: in Slicer a scene always has one."""
    slicer.vtkMRMLSubjectHierarchyNode.GetSubjectHierarchyNode(slicer.mrmlScene)


def _add_colors(application_logic: Any, scene: Any) -> None:
    color_logic = slicer.vtkMRMLColorLogic()
    color_logic.SetMRMLScene(scene)
    application_logic.SetColorLogic(color_logic)
    color_logic.AddDefaultColorNodes()


def _connect_remote_io(application_logic: Any, scene: Any) -> None:
    """Give the scene the data transfer that storage nodes ask for, without which .mrb files do not load."""
    remote_io = slicer.vtkMRMLRemoteIOLogic()
    data_io = slicer.vtkDataIOManagerLogic()
    data_io.SetMRMLApplicationLogic(application_logic)
    data_io.SetAndObserveDataIOManager(remote_io.GetDataIOManager())
    application_logic.SetMRMLSceneDataIO(scene, remote_io, data_io)
    remote_io.GetCacheManager().SetRemoteCacheDirectory(slicer.app.temporaryPath)
    _kept_alive.extend([remote_io, data_io])
