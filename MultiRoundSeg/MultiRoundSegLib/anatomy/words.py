"""How text is compared: letters folded, cut into units, spaces and hyphens forgotten."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

# A run of ASCII letters and digits is one unit ("L3"), every other letter or digit, such as a Chinese
# character, one of its own. The article "the" and the "s" of "kidney's" are none.
_UNIT = re.compile(r"(?<![a-z0-9])(?!the(?![a-z0-9]))(?!(?<=\w['’])s(?![a-z0-9]))[a-z0-9]+|[^\W_a-z0-9]")
_GAP = re.compile(r"(?:['’]s)?[\s_\-‐-–]*(?:the\s+)?")

_FIRST_CHARACTER = "\u4e00"
"""Of the Chinese characters, which are units as they are."""


class Unit(NamedTuple):
    """A word or a character of a text.

    Attributes:
        text: folded.
        start: position of its first character in the text.
        end: position after its last character.
    """

    text: str
    start: int
    end: int

    @property
    def is_letter(self) -> bool:
        """Whether it is a single Latin letter."""
        return len(self.text) == 1 and self.text.isascii() and self.text.isalpha()


def fold(text: str) -> str:
    """Lower case and half width; positions stay."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).lower()
    return folded if len(folded) == len(text) else "".join(map(_fold_character, text))


def units(text: str) -> list[Unit]:
    """Cut a text into units."""
    return [Unit(match[0], *match.span()) for match in _UNIT.finditer(fold(text))]


def key_of(text: str) -> str:
    """What names are looked up by: "Gall bladder", "gall-bladder" and "gallbladder" are one."""
    if text.isascii():
        plain = text.lower().replace(" ", "")
        if plain.isalnum() and "the" not in plain:
            return plain
    elif text.isalpha() and min(text) >= _FIRST_CHARACTER:
        return fold(text)
    return "".join(_UNIT.findall(fold(text)))


def adjoin(text: str, before: Unit, after: Unit) -> bool:
    """Whether two consecutive units may belong to one name.

    Latin words may be apart by spaces, hyphens, underscores and "the"; Chinese characters may not.
    """
    gap = fold(text[before.end : after.start])
    if not before.text.isascii() and not after.text.isascii():
        return not gap
    return _GAP.fullmatch(gap) is not None


def plural_of(name: str) -> str:
    """The regular English plural of a name; "lobe of lung" becomes "lobes of lung"."""
    head, of, rest = name.partition(" of ")
    if re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ie"
    elif re.search(r"(s|x|z|ch|sh)$", head):
        head += "e"
    return head + "s" + of + rest


def _fold_character(character: str) -> str:
    folded = unicodedata.normalize("NFKC", character).lower()
    return folded if len(folded) == 1 else character
