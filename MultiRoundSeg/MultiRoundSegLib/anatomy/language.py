"""The two languages that are spoken here."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "zh"]

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def language_of(text: str) -> Language:
    """Chinese where there is any Chinese character, so also for a mixture."""
    return "zh" if _CHINESE.search(text) else "en"
