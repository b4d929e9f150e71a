"""Stand-in for `slicer.parameterNodeWrapper`: typed parameters on a real `vtkMRMLScriptedModuleNode`.

It knows `str`, `bool`, `int`, `float` and classes of MRML nodes, with a default after `=`. Values are kept in
the node as Slicer keeps them: texts as parameters, nodes as references.
"""

# ruff: noqa: N815 - the names are those of Slicer

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import slicer
import vtk

from .parameter_gui import Connector, connector_for

__all__ = ["parameterNodeWrapper"]

_ZERO = {str: "", bool: False, int: 0, float: 0.0}


class _Parameter:
    """One typed parameter, as a property of the wrapper class."""

    def __init__(self, name: str, kind: type, default: Any) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.is_node = issubclass(kind, slicer.vtkMRMLNode)

    def __get__(self, wrapper: Any, owner: type | None = None) -> Any:
        if wrapper is None:
            return self
        node = wrapper.parameterNode
        if not node.HasParameter(self.name):  # the scene was closed: the node is there, its content is not
            self.__set__(wrapper, self.default)
        if self.is_node:
            return node.GetNodeReference(self.name)
        text = node.GetParameter(self.name)
        return text == "True" if self.kind is bool else self.kind(text)

    def __set__(self, wrapper: Any, value: Any) -> None:
        self._check(value)
        node = wrapper.parameterNode
        with slicer.util.NodeModify(node):
            if self.is_node:
                node.SetParameter(self.name, "")
                node.SetNodeReferenceID(self.name, value.GetID() if value is not None else None)
            else:
                node.SetParameter(self.name, str(value))

    def _check(self, value: Any) -> None:
        accepted = (int, float) if self.kind is float else (self.kind,)
        if isinstance(value, accepted) or (self.is_node and value is None):
            return
        raise ValueError(f"Parameter {self.name} takes {self.kind.__name__}, not {value!r}.")


class _WrapperMethods:
    """What Slicer adds to every wrapper class."""

    allParameters: Mapping[str, _Parameter]

    def __init__(self, parameterNode: Any) -> None:  # noqa: N803
        self.parameterNode = parameterNode
        self._connections: dict[int, tuple[int, dict[str, Connector]]] = {}
        for parameter in self.allParameters.values():
            if not parameterNode.HasParameter(parameter.name):
                setattr(self, parameter.name, parameter.default)

    def connectGui(self, gui: Any) -> int:
        """Bind the widgets whose dynamic property SlicerParameterName names a parameter; return a tag.

        Args:
            gui: a widget with all its children, or what `slicer.util.childWidgetVariables` returned.
        """
        widgets = gui.findChildren("QWidget") if hasattr(gui, "isWidgetType") else vars(gui).values()
        named = {widget.property("SlicerParameterName"): widget for widget in widgets}
        return self.connectParametersToGui({name: widget for name, widget in named.items() if name})

    def connectParametersToGui(self, mapping: Mapping[str, Any]) -> int:
        """Bind the parameters named to widgets; return a tag to undo it."""
        connectors = {name: connector_for(widget, self.dataType(name)) for name, widget in mapping.items()}
        self._show(connectors)
        for name, connector in connectors.items():
            connector.connect(self._setter(name, connector))
        observer = self.AddObserver(vtk.vtkCommand.ModifiedEvent, lambda *_: self._show(connectors))
        self._connections[observer] = (observer, connectors)
        return observer

    def disconnectGui(self, guiTag: int | None) -> None:  # noqa: N803
        """Undo `connectGui`."""
        if guiTag not in self._connections:
            return
        observer, connectors = self._connections.pop(guiTag)
        self.RemoveObserver(observer)
        for connector in connectors.values():
            connector.disconnect()

    def dataType(self, name: str) -> type:
        """Return the type of the parameter `name`."""
        if name not in self.allParameters:
            raise ValueError(f"No parameter is named {name}; there are {', '.join(self.allParameters)}.")
        return self.allParameters[name].kind

    def getValue(self, name: str) -> Any:
        """Return the value of the parameter `name`."""
        self.dataType(name)
        return getattr(self, name)

    def setValue(self, name: str, value: Any) -> None:
        """Set the value of the parameter `name`."""
        self.dataType(name)
        setattr(self, name, value)

    def AddObserver(self, event: Any, callback: Callable[..., None], priority: float = 0.0) -> int:
        """Observe the parameter node."""
        return int(self.parameterNode.AddObserver(event, callback, priority))

    def RemoveObserver(self, tag: int) -> None:
        """Undo `AddObserver`."""
        self.parameterNode.RemoveObserver(tag)

    def StartModify(self) -> int:
        """Hold back the node's events."""
        return int(self.parameterNode.StartModify())

    def EndModify(self, wasModified: int) -> int:  # noqa: N803
        """Send one event for all changes since `StartModify`."""
        return int(self.parameterNode.EndModify(wasModified))

    def Modified(self) -> None:
        """Tell the node's observers that it changed."""
        self.parameterNode.Modified()

    def _show(self, connectors: Mapping[str, Connector]) -> None:
        for name, connector in connectors.items():
            connector.write(self.getValue(name))

    def _setter(self, name: str, connector: Connector) -> Callable[[], None]:
        return lambda: self.setValue(name, connector.read())


def parameterNodeWrapper(described: type) -> type:
    """Make a class with one typed parameter per annotation of `described`.

    Raises:
        TypeError: an annotation is of a type that this stand-in does not know.
    """
    parameters = {}
    for name, kind in get_type_hints(described).items():
        if kind not in _ZERO and not (isinstance(kind, type) and issubclass(kind, slicer.vtkMRMLNode)):
            raise TypeError(f"{described.__name__}.{name}: parameters of type {kind!r} have no stand-in.")
        parameters[name] = _Parameter(name, kind, getattr(described, name, _ZERO.get(kind)))
    body = {**{key: value for key, value in vars(described).items() if key not in ("__dict__", "__weakref__")}}
    return type(described.__name__, (_WrapperMethods,), {**body, **parameters, "allParameters": parameters})
