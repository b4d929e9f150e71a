"""The module `ctk` as Slicer has it, as far as stand-ins exist."""

from __future__ import annotations

from . import ctk_widgets
from .classes import class_for

__all__ = ["ctkCollapsibleButton"]

ctkCollapsibleButton = class_for(ctk_widgets.ctkCollapsibleButton)  # noqa: N816 - the name is that of CTK
