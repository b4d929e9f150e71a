"""The nodes chosen in the panel, kept in the module's parameter node so that they are saved with the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import slicer


class Choices:
    """Selectors whose nodes are remembered as node references of the parameter node."""

    def __init__(self, parameter_node: Callable[[], Any], selectors: Mapping[str, Any]) -> None:
        """Remember what is chosen from now on.

        Args:
            parameter_node: gives the module's vtkMRMLScriptedModuleNode of the present scene.
            selectors: qMRMLNodeComboBox of each role.
        """
        self._parameter_node = parameter_node
        self._selectors = selectors
        self._restoring = False
        for role, selector in selectors.items():
            selector.connect("currentNodeChanged(vtkMRMLNode*)", self._keeper(role))

    def restore(self) -> None:
        """Choose what the scene remembers; as volume otherwise the one that is shown, or the first."""
        parameter_node = self._parameter_node()
        self._restoring = True
        for role, selector in self._selectors.items():
            selector.setCurrentNode(parameter_node.GetNodeReference(role))
        self._restoring = False
        if self._selectors["volume"].currentNode() is None:
            self._selectors["volume"].setCurrentNode(shown_volume())

    def _keeper(self, role: str) -> Callable[[Any], None]:
        def keep(node: Any) -> None:
            if not self._restoring:
                self._parameter_node().SetNodeReferenceID(role, node.GetID() if node else None)

        return keep


_IMAGE_CLASSES = ("vtkMRMLScalarVolumeNode", "vtkMRMLVectorVolumeNode")
"""Exactly what the selector offers: a label map is a scalar volume too, but no image."""


def shown_volume() -> Any:
    """The volume that the slice views show, else the active one, else the first of the scene; or None."""
    shown = [node.GetBackgroundVolumeID() for node in slicer.util.getNodesByClass("vtkMRMLSliceCompositeNode")]
    shown.append(slicer.app.applicationLogic().GetSelectionNode().GetActiveVolumeID())
    volumes = [slicer.mrmlScene.GetNodeByID(node_id) for node_id in shown if node_id]
    volumes += slicer.util.getNodesByClass("vtkMRMLScalarVolumeNode")
    return next((v for v in volumes if v is not None and v.GetClassName() in _IMAGE_CLASSES), None)
