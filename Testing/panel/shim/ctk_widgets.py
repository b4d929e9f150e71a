"""Stand-ins for the widgets of CTK, as classes of PySide6."""

# ruff: noqa: N801, N815 - the names are those of CTK and Qt

from __future__ import annotations

from PySide6 import QtCore, QtGui, QtWidgets

from . import signals


class ctkCollapsibleButton(QtWidgets.QWidget):
    """A titled area whose content hides when its title is clicked."""

    contentsCollapsed = QtCore.Signal(bool)

    _TITLE_HEIGHT_PX = 22

    def __init__(self, *arguments: object) -> None:
        texts = [argument for argument in arguments if isinstance(argument, str)]
        parents = [argument for argument in arguments if isinstance(argument, QtWidgets.QWidget)]
        super().__init__(*parents)
        self._text = texts[0] if texts else ""
        self._collapsed = False
        self.setContentsMargins(0, self._TITLE_HEIGHT_PX, 0, 0)
        self.setMinimumHeight(self._TITLE_HEIGHT_PX)

    def _read_text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        """Set the title."""
        self._text = text
        self.update()

    def _read_collapsed(self) -> bool:
        return self._collapsed

    def setCollapsed(self, collapsed: bool) -> None:
        """Hide or show the content."""
        if collapsed == self._collapsed:
            return
        self._collapsed = collapsed
        for child in self.findChildren(QtWidgets.QWidget, options=QtCore.Qt.FindChildOption.FindDirectChildrenOnly):
            child.setVisible(not collapsed)
        self.updateGeometry()
        signals.emit(self, "contentsCollapsed(bool)", collapsed)

    text = QtCore.Property(str, _read_text, setText)
    collapsed = QtCore.Property(bool, _read_collapsed, setCollapsed)

    def childEvent(self, event: QtCore.QChildEvent) -> None:
        super().childEvent(event)
        if event.added() and self._collapsed and event.child().isWidgetType():
            event.child().setVisible(False)

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        if event.position().y() <= self._TITLE_HEIGHT_PX:
            self.setCollapsed(not self._collapsed)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        option = QtWidgets.QStyleOptionButton()
        option.initFrom(self)
        option.rect.setHeight(self._TITLE_HEIGHT_PX)
        option.text = f"{'+' if self._collapsed else '-'} {self._text}"
        painter = QtWidgets.QStylePainter(self)
        painter.drawControl(QtWidgets.QStyle.ControlElement.CE_PushButton, option)
