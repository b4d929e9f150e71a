"""How wordings are written down: English alternatives one a line, Chinese ones apart by spaces."""

from __future__ import annotations

import re


def any_of(english: str = "", chinese: str = "") -> re.Pattern[str]:
    """A pattern that finds any of these wordings, in any case.

    Args:
        english: regular expressions, one a line; a space stands for any white space, and each begins and
            ends at the edge of a word.
        chinese: regular expressions, apart by white space.
    """
    lines = [line.strip().replace(" ", r"\s+") for line in english.splitlines() if line.strip()]
    parts = [rf"\b(?:{'|'.join(lines)})(?!\w)"] if lines else []
    return re.compile("|".join((*parts, *chinese.split())), re.IGNORECASE)
