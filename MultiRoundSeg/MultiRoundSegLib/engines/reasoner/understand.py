"""Understanding: what the words of one question say, before anything else of the dialogue is looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from MultiRoundSegLib.anatomy import Anatomy, Language, Mention, Side, Structure

Sides = tuple[Side, ...]

_BOTH: Sides = ("left", "right")
_MODIFIERS: tuple[tuple[str, Sides], ...] = (
    (r"\bboth\b|\bbilateral\b|左右|双侧|双|两侧|两边|两个|两", _BOTH),
    (r"\bleft\b|左(?:侧|边|面)?", ("left",)),
    (r"\bright\b|右(?:侧|边|面)?", ("right",)),
)
_ALL = r"\ball\b|\bevery\b|\beach\b|所有|全部|每一?个?"
_ONE = r"一侧|单侧|一个|那个|哪个"
_SEPARATOR = r",|;|\+|\band\b|\bplus\b|、|，|；|和|与|及|跟"
_OPPOSITE = re.compile(
    r"\b(?:the\s+)?other(?:\s+(?:one|side))?\b|\bopposite\b|\bcontralateral\b|\bcounterpart\b"
    r"|对侧|另一?(?:个|侧|边|只)|对面",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Wanted:
    """One structure that the question names.

    Attributes:
        structures: what the name may mean; several for an ambiguous name; none where only a side
            was named ("the left one").
        sides: the sides the words name.
        many: the words ask for every one of the kind ("all", plural).
        words: the words themselves.
    """

    structures: tuple[Structure, ...]
    sides: Sides
    many: bool
    words: str


@dataclass(frozen=True)
class Reading:
    """What the words of a question say.

    Attributes:
        language: of the question, and so of the answer.
        wanted: the structures it names, in order.
        opposite: it asks for the other side of something.
    """

    language: Language
    wanted: tuple[Wanted, ...]
    opposite: bool


@dataclass(frozen=True)
class _Token:
    start: int
    end: int
    kind: Literal["name", "side", "all", "separator"]
    wanted: Wanted | None = None
    sides: Sides = ()


def language_of(text: str) -> Language:
    """Chinese where there is any Chinese character, so also for a mixture."""
    return "zh" if _CHINESE.search(text) else "en"


def understand(text: str, anatomy: Anatomy, language: Language) -> Reading:
    """Read a question in English, Chinese or a mixture.

    Args:
        text: the question; references to earlier rounds must have been blanked out.
        anatomy: the names to look for.
        language: of the answer.
    """
    tokens = _tokens(text, anatomy)
    bound = _bind(tokens)
    if language == "zh" and not re.search(_ONE, text):
        bound = tuple(replace(wanted, many=True) for wanted in bound)
    return Reading(language, bound, opposite=bool(_OPPOSITE.search(text)))


def _tokens(text: str, anatomy: Anatomy) -> list[_Token]:
    tokens = [
        _Token(
            mention.start,
            mention.end,
            "name",
            Wanted(
                mention.structures,
                (mention.side,) if mention.side else (),
                mention.plural,
                text[mention.start : mention.end],
            ),
        )
        for mention in _nouns(anatomy.mentions(text))
    ]
    patterns = [(re.compile(p, re.IGNORECASE), "side", sides) for p, sides in _MODIFIERS]
    patterns += [(re.compile(_ALL, re.IGNORECASE), "all", _BOTH)]
    patterns += [(re.compile(_SEPARATOR, re.IGNORECASE), "separator", ())]
    for pattern, kind, sides in patterns:
        for match in pattern.finditer(text):
            if all(match.end() <= t.start or t.end <= match.start() for t in tokens):
                tokens.append(_Token(*match.span(), kind, sides=sides))  # type: ignore[arg-type]
    return sorted(tokens, key=lambda token: token.start)


def _nouns(mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Without adjectives, where there is a noun: "hepatic parenchyma of the liver" names the liver once."""
    return tuple(mention for mention in mentions if not mention.adjective) or mentions


def _bind(tokens: list[_Token]) -> tuple[Wanted, ...]:
    """Give each name the modifiers that belong to it: those before it first, then those left after it.

    "left and right kidney", "the kidney on the left and the spleen", "both kidneys and the liver".
    """
    names = [n for n, token in enumerate(tokens) if token.kind == "name"]
    if not names:
        sides = tuple(dict.fromkeys(side for token in tokens for side in token.sides))
        return (Wanted((), sides, False, ""),) if sides else ()
    taken: set[int] = set()
    modifiers = {n: _before(tokens, n, taken) for n in names}
    for n in names:
        modifiers[n] += [] if modifiers[n] else _after(tokens, n, taken)
    return tuple(_modified(tokens[n], [tokens[m] for m in modifiers[n]]) for n in names)


def _before(tokens: list[_Token], name: int, taken: set[int]) -> list[int]:
    """Modifiers right before a name, and those before them that "and" joins: "left and right kidney".

    Where the name itself begins with its side, what is joined to it must not follow another name: in
    "the kidney on the left and the right lung" the left is the kidney's.
    """
    found, position = _run(tokens, name - 1, -1, taken)
    has_side = tokens[name].wanted is not None and bool(tokens[name].wanted.sides)  # type: ignore[union-attr]
    if not found and has_side and position >= 0 and tokens[position].kind == "separator":
        found, position = _run(tokens, position - 1, -1, taken)
        if position >= 0 and tokens[position].kind == "name":
            return []
    taken.update(found)
    return found


def _after(tokens: list[_Token], name: int, taken: set[int]) -> list[int]:
    """Modifiers that follow a name and belong to no other: "the kidney on the left", "kidney, right"."""
    start = name + 1
    if start < len(tokens) and tokens[start].kind == "separator":
        start += 1
    found, _ = _run(tokens, start, +1, taken)
    taken.update(found)
    return found


def _run(tokens: list[_Token], position: int, step: int, taken: set[int]) -> tuple[list[int], int]:
    """A run of free modifiers, across separators between two of them, and where it ends."""
    found: list[int] = []
    while 0 <= position < len(tokens):
        if _is_modifier(tokens, position) and position not in taken:
            found.append(position)
        elif not (found and tokens[position].kind == "separator" and _is_modifier(tokens, position + step)):
            break
        position += step
    return found, position


def _is_modifier(tokens: list[_Token], position: int) -> bool:
    return 0 <= position < len(tokens) and tokens[position].kind in ("side", "all")


def _modified(name: _Token, modifiers: list[_Token]) -> Wanted:
    wanted = name.wanted
    assert wanted is not None, "a token of kind name carries what is wanted"
    if any(token.kind == "all" for token in modifiers):
        wanted = replace(wanted, many=True)
    named = {*wanted.sides, *(side for token in modifiers if token.kind == "side" for side in token.sides)}
    return replace(wanted, sides=tuple(side for side in _BOTH if side in named))
