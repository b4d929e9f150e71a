"""Stand-in for `slicer.ScriptedLoadableModule`: the four classes that every scripted module derives from."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import slicer

from . import qt

__all__ = [
    "ScriptedLoadableModule",
    "ScriptedLoadableModuleLogic",
    "ScriptedLoadableModuleTest",
    "ScriptedLoadableModuleWidget",
]


class ScriptedLoadableModule:
    """What Slicer lists in its module selector."""

    def __init__(self, parent: Any) -> None:
        super().__init__()
        self.parent = parent
        self.moduleName = type(self).__name__

    def resourcePath(self, filename: str) -> str:
        """Return the path of a file in the module's Resources folder."""
        return str(Path(self.parent.path).parent / "Resources" / filename)

    def getDefaultModuleDocumentationLink(self, docPage: str | None = None) -> str:  # noqa: N803
        """Return the sentence that links to the module's documentation."""
        return f'<p>See <a href="{docPage or self.moduleName}">the documentation</a>.</p>'


class ScriptedLoadableModuleWidget:
    """The module's panel."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__()
        self.moduleName = type(self).__name__.removesuffix("Widget")
        self.developerMode = False
        self.parent = parent or _new_panel()
        self.layout = self.parent.layout()
        if parent is None:
            self.setup()
            self.parent.show()

    def resourcePath(self, filename: str) -> str:
        """Return the path of a file in the module's Resources folder."""
        return str(Path(slicer.util.modulePath(self.moduleName)).parent / "Resources" / filename)

    def setup(self) -> None:
        """Fill the panel; called once."""

    def cleanup(self) -> None:
        """Undo what `setup` did outside the panel; called before the module is unloaded."""


class ScriptedLoadableModuleLogic:
    """What the module computes, with its parameter node in the scene."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__()
        self.moduleName = type(self).__name__.removesuffix("Logic")
        self.isSingletonParameterNode = True

    def getParameterNode(self) -> Any:
        """Return the module's parameter node, made if the scene has none."""
        nodes = self.getAllParameterNodes()
        if self.isSingletonParameterNode:
            node = slicer.mrmlScene.GetSingletonNode(self.moduleName, "vtkMRMLScriptedModuleNode")
            if node is not None:  # closing the scene keeps the node but wipes its attributes
                node.SetAttribute("ModuleName", self.moduleName)
                nodes = [node]
        return nodes[0] if nodes else slicer.mrmlScene.AddNode(self.createParameterNode())

    def getAllParameterNodes(self) -> list[Any]:
        """Return the scene's parameter nodes of this module."""
        nodes = slicer.util.getNodesByClass("vtkMRMLScriptedModuleNode")
        return [node for node in nodes if node.GetAttribute("ModuleName") == self.moduleName]

    def createParameterNode(self) -> Any:
        """Return a new parameter node, not yet in the scene."""
        node = slicer.mrmlScene.CreateNodeByClass("vtkMRMLScriptedModuleNode")
        node.UnRegister(None)
        if self.isSingletonParameterNode:
            node.SetSingletonTag(self.moduleName)
        node.SetAttribute("ModuleName", self.moduleName)
        node.SetName(slicer.mrmlScene.GenerateUniqueName(self.moduleName))
        return node


class ScriptedLoadableModuleTest(unittest.TestCase):
    """The module's own test, run from its panel."""

    def runTest(self) -> None:
        """Run the tests; a module overrides this."""

    def delayDisplay(self, message: str, msec: int | None = None) -> None:
        """Show what the test is about to do; without a window, let pending events happen."""
        slicer.app.processEvents()


def _new_panel() -> Any:
    panel = slicer.qMRMLWidget()
    panel.setLayout(qt.QVBoxLayout())
    panel.setMRMLScene(slicer.mrmlScene)
    return panel
