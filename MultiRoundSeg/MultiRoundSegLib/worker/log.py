"""Writing a failure down without what was asked or seen: exceptions may quote both."""

from __future__ import annotations

import logging
import traceback

_logger = logging.getLogger("MultiRoundSegLib.worker")


def note_failure(what: str, error: BaseException) -> None:
    """Log where an error came from and its class, but not its words."""
    places = "".join(traceback.format_tb(error.__traceback__))
    _logger.error("%s: %s\n%s", what, type(error).__name__, places)
