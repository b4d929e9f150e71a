"""The row of chips: one button per earlier mask, pressed where the next question is about it."""

from __future__ import annotations

from typing import Any

import qt

from MultiRoundSegLib.conversation import Conversation, Reference


class Chips:
    """Buttons in a horizontal layout."""

    def __init__(self, layout: Any) -> None:
        """Fill this QHBoxLayout."""
        self._layout = layout
        self._buttons: dict[Reference, Any] = {}
        layout.addStretch(1)

    @property
    def pressed(self) -> tuple[Reference, ...]:
        """The masks whose chips are pressed, oldest first."""
        return tuple(reference for reference, button in self._buttons.items() if button.checked)

    def show(self, conversation: Conversation) -> None:
        """One chip per mask of the rounds that is still there; pressed ones stay pressed."""
        pressed = self.pressed
        self.clear()
        for reference in conversation.made():
            button = qt.QToolButton()
            button.text = conversation.name(reference).replace("&", "&&")  # a single one marks a shortcut
            button.checkable = True
            button.checked = reference in pressed
            self._layout.insertWidget(len(self._buttons), button)
            self._buttons[reference] = button

    def release(self) -> None:
        """Let all chips go."""
        for button in self._buttons.values():
            button.checked = False

    def clear(self) -> None:
        """Remove all chips."""
        for button in self._buttons.values():
            self._layout.removeWidget(button)
            button.deleteLater()
        self._buttons = {}
