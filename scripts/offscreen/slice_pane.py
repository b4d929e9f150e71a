"""Renders one slice view as Slicer does: `vtkMRMLSliceLogic`, displayable managers and an EGL window."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import numpy as np
import slicer
import vtk
from numpy.typing import NDArray
from vtk.util.numpy_support import vtk_to_numpy

Orientation = Literal["Axial", "Sagittal", "Coronal"]

_DISPLAYABLE_MANAGERS = ("vtkMRMLSegmentationsDisplayableManager2D",)


def render_slice(
    volume_node: Any,
    orientation: Orientation,
    *,
    centre_ras: NDArray[np.float64],
    mm_per_pixel: float,
    columns: int,
    rows: int,
) -> NDArray[np.uint8]:
    """Render the slice of `volume_node` through a point, with every visible segmentation over it.

    Args:
        volume_node: the background volume, shown with its display node's window.
        orientation: patient-aligned plane, shown from the side radiologists look from.
        centre_ras: world position shown in the middle of the picture, mm.
        mm_per_pixel: size of a picture element, the same in both directions.
        columns: width of the picture in pixels.
        rows: height of the picture in pixels.

    Returns:
        (rows, columns, 3) RGB, first row on top. The scene is left as it was.

    Raises:
        RuntimeError: this computer has no EGL to render with.
    """
    _check_egl()
    with _slice_logic(orientation) as logic:
        slice_node = logic.GetSliceNode()
        logic.GetSliceCompositeNode().SetBackgroundVolumeID(volume_node.GetID())
        slice_node.SetDimensions(columns, rows, 1)
        slice_node.SetFieldOfView(columns * mm_per_pixel, rows * mm_per_pixel, mm_per_pixel)
        slice_node.SetXYZOrigin(0, 0, 0)
        slice_node.JumpSliceByCentering(*centre_ras)
        return _render(logic, columns, rows)


@contextmanager
def _slice_logic(orientation: Orientation) -> Iterator[Any]:
    """Yield a slice logic with nodes of its own, which leave the scene afterwards."""
    scene = slicer.mrmlScene
    logic = slicer.vtkMRMLSliceLogic()
    logic.SetMRMLApplicationLogic(slicer.app.applicationLogic())
    logic.SetMRMLScene(scene)
    logic.AddSliceNode(f"Offscreen{orientation}")
    logic.GetSliceNode().SetOrientation(orientation)
    nodes = [
        logic.GetSliceNode(),
        logic.GetSliceCompositeNode(),
        logic.GetSliceDisplayNode(),
        logic.GetSliceModelNode(),
        logic.GetSliceModelDisplayNode(),
        logic.GetSliceModelTransformNode(),
    ]
    try:
        yield logic
    finally:
        logic.SetMRMLScene(None)
        for node in nodes:
            if node is not None and scene.IsNodePresent(node):
                scene.RemoveNode(node)


def _render(logic: Any, columns: int, rows: int) -> NDArray[np.uint8]:
    background, overlay = vtk.vtkRenderer(), vtk.vtkRenderer()
    overlay.SetLayer(1)
    window = vtk.vtkEGLRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetSize(columns, rows)
    window.SetNumberOfLayers(2)
    window.AddRenderer(background)
    window.AddRenderer(overlay)
    interactor = vtk.vtkGenericRenderWindowInteractor()
    interactor.SetRenderWindow(window)
    background.AddViewProp(_image_actor(logic))
    group = slicer.vtkMRMLDisplayableManagerGroup()
    group.Initialize(_displayable_manager_factory(), overlay)
    group.SetMRMLDisplayableNode(logic.GetSliceNode())
    window.Render()
    pixels = _read_pixels(window)
    group.SetMRMLDisplayableNode(None)
    return pixels


@cache
def _check_egl() -> None:
    """Ask for EGL before rendering, which ends the process where there is none.

    Raises:
        RuntimeError: this computer has no EGL to render with.
    """
    vtk.vtkObject.GlobalWarningDisplayOff()
    supported = vtk.vtkEGLRenderWindow().SupportsOpenGL()
    vtk.vtkObject.GlobalWarningDisplayOn()
    if not supported:
        raise RuntimeError("Pictures need EGL; install the Debian packages libegl1 and libgl1-mesa-dri.")


def _image_actor(logic: Any) -> Any:
    """Show the slice logic's blended output, whose values are grey levels already, unchanged."""
    mapper = vtk.vtkImageMapper()
    mapper.SetColorWindow(255)
    mapper.SetColorLevel(127.5)
    mapper.SetInputConnection(logic.GetImageDataConnection())
    actor = vtk.vtkActor2D()
    actor.SetMapper(mapper)
    return actor


def _displayable_manager_factory() -> Any:
    factory = slicer.vtkMRMLSliceViewDisplayableManagerFactory.GetInstance()
    factory.SetMRMLApplicationLogic(slicer.app.applicationLogic())
    for name in _DISPLAYABLE_MANAGERS:
        if not factory.IsDisplayableManagerRegistered(name):
            factory.RegisterDisplayableManager(name)
    return factory


def _read_pixels(window: Any) -> NDArray[np.uint8]:
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    image = grab.GetOutput()
    columns, rows, _ = image.GetDimensions()
    pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(rows, columns, 3)
    return np.array(np.flipud(pixels), dtype=np.uint8)
