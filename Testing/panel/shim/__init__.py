"""Slicer's user interface without Slicer: PySide6 with the manners of PythonQt, and stand-ins of our own.

`install()` makes `import qt`, `import ctk` and Slicer's scripting modules work in the tests of the panel.
"""

from __future__ import annotations

import os
import sys

__all__ = ["install"]


def install() -> None:
    """Start the scene and Qt, put the stand-ins in the place of the real modules; later calls do nothing."""
    if "qt" in sys.modules:
        return
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

    from offscreen.scene import start_slicer
    from PySide6 import QtWidgets

    start_slicer()
    if QtWidgets.QApplication.instance() is None:
        QtWidgets.QApplication(["Slicer"])
    _add_modules()


def _add_modules() -> None:
    import slicer

    from . import application, ctk, displays, faults, i18n, mrml_widgets, qt
    from .classes import class_for

    slicer.qMRMLWidget = class_for(mrml_widgets.qMRMLWidget)
    slicer.qMRMLNodeComboBox = class_for(mrml_widgets.qMRMLNodeComboBox)
    sys.modules["qt"] = qt
    sys.modules["ctk"] = ctk

    from . import scripted_module

    stand_ins = {
        "ScriptedLoadableModule": scripted_module,
        "i18n": i18n,
    }
    for name, stand_in in stand_ins.items():
        setattr(slicer, name, stand_in)
        sys.modules[f"slicer.{name}"] = stand_in
    application.use_temporary_settings()
    application.complete()
    displays.install()
    faults.keep_qt_warnings()
