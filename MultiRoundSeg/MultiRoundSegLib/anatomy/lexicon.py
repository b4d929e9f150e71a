"""English words of everyday language, from the most to the least used."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path


@cache
def common_words() -> tuple[str, ...]:
    """In lower case; the order is that of use."""
    return tuple((Path(__file__).parent / "common_words.txt").read_text(encoding="utf-8").split())


@cache
def is_common(word: str) -> bool:
    """Whether an English word is one of everyday language, or a number."""
    word = word.lower()
    return word.isdigit() or any(form in _words() for form in (word, *_plain_forms(word)))


def _plain_forms(word: str) -> Iterator[str]:
    """What a word is without its ending or beginning, and as Americans spell it: "nods", "overlaid", "colour"."""
    for beginning in ("over", "under", "out", "un", "re"):
        if word.startswith(beginning) and len(word) > len(beginning) + 3:
            yield word.removeprefix(beginning)
    for ending in ("s", "es", "ed", "ing", "er", "ly", "ish"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            yield word.removesuffix(ending)
    for british, american in (
        ("our", "or"),
        ("ise", "ize"),
        ("isation", "ization"),
        ("tre", "ter"),
        ("ae", "e"),
        ("oe", "e"),
    ):
        if british in word:
            yield word.replace(british, american)


@cache
def _words() -> frozenset[str]:
    return frozenset(common_words())
