"""Opens a scripted module as Slicer does: loads its file, makes its panel, enters it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import slicer

from . import drive, qt


class ScriptedModule:
    """What Slicer keeps of a module and `slicer.modules.<name>` returns; no other attribute can be set."""

    __slots__ = (
        "_widget",
        "acknowledgementText",
        "categories",
        "contributors",
        "dependencies",
        "helpText",
        "hidden",
        "icon",
        "name",
        "path",
        "title",
    )

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.path = str(path)
        self.title = path.stem
        self._widget: Any = None

    def widgetRepresentation(self) -> ScriptedModule:
        """Return what `self()` gives the panel's Python object of."""
        return self

    def self(self) -> Any:
        """Return the panel's Python object, None before it is opened."""
        return self._widget


def open_module(path: Path) -> Any:
    """Load the module in this file, make its panel and enter it.

    Returns:
        The `<Name>Widget`; its panel is `widget.parent`.
    """
    module = ScriptedModule(path)
    setattr(slicer.modules, module.name.lower(), module)
    source = _load(path)
    setattr(slicer.modules, f"{module.name}Instance", getattr(source, module.name)(module))
    panel = slicer.qMRMLWidget()
    panel.setLayout(qt.QVBoxLayout())
    panel.setMRMLScene(slicer.mrmlScene)
    widget = getattr(source, f"{module.name}Widget")(panel)
    module._widget = widget
    widget.setup()
    panel.show()
    if hasattr(widget, "enter"):
        widget.enter()
    return widget


def close_module(widget: Any) -> None:
    """Leave the panel and unload the module, as Slicer does when it quits."""
    if hasattr(widget, "exit"):
        widget.exit()
    widget.cleanup()
    widget.parent.hide()
    widget.parent.deleteLater()
    drive.process_events()
    delattr(slicer.modules, widget.moduleName.lower())
    delattr(slicer.modules, f"{widget.moduleName}Instance")


def _load(path: Path) -> Any:
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        raise ImportError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return module
