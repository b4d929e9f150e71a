"""Keeping the window alive while an engine works, and letting the user stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import slicer

from MultiRoundSegLib.errors import CancelledError


class WindowProgress:
    """A `Progress` that moves a bar, lets the window breathe, and stops the work on request.

    Engines run on the main thread, where alone MRML and Qt may be touched; what blocks (a worker's
    reply) waits in the engine, which calls this again and again meanwhile.
    """

    def __init__(self, bar: Any, look: Callable[[], None]) -> None:
        """Show progress in a QProgressBar of 0 to 100, and call `look` at each step."""
        self._bar = bar
        self._look = look
        self._cancelled = False

    def cancel(self) -> None:
        """Stop at the next step."""
        self._cancelled = True

    def __call__(self, fraction: float, message: str) -> None:
        """See `Progress`."""
        self._bar.value = round(100 * fraction)
        self._bar.format = message.replace("%", "\N{FULLWIDTH PERCENT SIGN}")  # %p, %v and %m are numbers to Qt
        slicer.app.processEvents()
        self._look()
        if self._cancelled:
            raise CancelledError("Cancelled; nothing was changed.")
