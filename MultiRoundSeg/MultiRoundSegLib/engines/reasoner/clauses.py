"""The clauses of a question, each read by itself: names with their sides, references, series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from MultiRoundSegLib.anatomy import (
    Anatomy,
    Entity,
    Language,
)
from MultiRoundSegLib.anatomy import Mention as Name

from .describing_words import OF_THE
from .reading import Item, Own, Pointed, Unclear, Wanted
from .sides import BOTH
from .tokens import Token
from .wording import any_of

_SIDE_AT_THE_END = any_of(
    "(?:[,;] ?)?(?:both(?: sides)?|bilat(?:eral(?:ly)?)?|left|right|L|R)[\\s.!?]*$",
    "(?:双侧|两侧|左侧?|右侧?)[。！!]?$",
)
_AND_THE_OTHER = any_of(
    "(?:and|plus|with|&|\\+) (?:the |its )?(?:contralateral|other|opposite|mate|twin|counterpart|mirror image)",
    "[和跟与加+](?:上)?(?:它的?)?(?:对侧|另一?侧|另一?边)",
)
HEADS = ("name", "own", "reference", "other", "unknown")
"""Kinds of tokens that a clause can stand on."""


def clauses_of(tokens: list[Token]) -> Iterator[list[Token]]:
    """Tokens between separators; a part without a head belongs to the next one: "left | and right kidney"."""
    clause: list[Token] = []
    for n, token in enumerate(tokens):
        headed = any(t.kind in HEADS for t in clause)
        rest = tokens[n + 1 :]
        follows = next((t for t in rest if t.kind in (*HEADS, "separator")), None)
        if token.kind == "separator" and headed and follows is not None and follows.kind != "separator":
            yield clause
            clause = []
        elif token.kind != "separator":
            clause.append(token)
    if clause:
        yield clause


def joined(items: tuple[Item, ...], words: str) -> tuple[Item, ...]:
    """A side that stands alone behind earlier masks is theirs: "back to step 2, but the other side".

    It is meant besides them where the words add it: "[1] plus the contralateral one".
    """
    adds = bool(_AND_THE_OTHER.search(words))
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else None
        if last and _is_other(last) and isinstance(item, Pointed) and item.references and not item.other:
            found[-1] = replace(item, other=True)  # "the other side, all three"
            continue
        if isinstance(last, Wanted) and _takes_the_other_side(last) and not adds and _is_other(item):
            found[-1] = replace(last, side_of="other")  # "humerus, other side"
            continue
        if isinstance(last, Pointed) and last.references and not last.other:
            if isinstance(item, Pointed) and item.other and not item.references:
                found[-1:] = [*([last] if adds else []), replace(item, references=last.references)]
                continue
            if isinstance(item, Wanted) and not item.structures and not item.references:
                found[-1] = replace(item, references=last.references)
                continue
        found.append(item)
    return tuple(found)


def _is_other(item: Item) -> bool:
    """Whether it is nothing but "the other side"."""
    return isinstance(item, Pointed) and item.other and not item.references


def _takes_the_other_side(wanted: Wanted) -> bool:
    """Whether a name may mean the other side of what was shown."""
    paired = bool(wanted.structures) and all(len(s.sides) == 2 for s in wanted.structures)
    return paired and not (wanted.sides or wanted.side_of or wanted.plural)


def with_the_side_behind(items: tuple[Item, ...], words: str) -> tuple[Item, ...]:
    """A side at the very end is that of all: "caudate, putamen, pallidum, bilateral"."""
    last = items[-1] if items else None
    if not isinstance(last, Wanted) or not last.sides or not _SIDE_AT_THE_END.search(words):
        return items
    return tuple(
        replace(item, sides=last.sides)
        if isinstance(item, Wanted)
        and item.structures
        and not item.sides
        and all(len(s.sides) == 2 for s in item.structures)
        else item
        for item in items
    )


def items_of(clause: list[Token], text: str, language: Language) -> list[Item]:
    """What one clause asks for."""
    own = [Own(token.candidates) for token in clause if token.candidates]
    if own and all(token.kind in ("own", "all", "one") for token in clause):
        return list(own)
    if own or any(token.kind in ("unknown", "range") for token in clause) or _is_finding_in_an_organ(clause):
        named = _bind(clause, text) if any(token.name for token in clause) else []
        return [Unclear(text[clause[0].start : clause[-1].end], tuple(named))]
    references = tuple(r for token in clause if token.pointer for r in token.pointer.references)
    kinds = {token.kind for token in clause}
    if "name" in kinds:
        side_of: Literal["same", "other"] | None = "other" if "other" in kinds else "same" if "same" in kinds else None
        many = language == "zh" and "one" not in kinds
        return [
            replace(wanted, side_of=side_of, references=references, many=wanted.many or many)
            for wanted in _bind(clause, text)
        ]
    if "other" in kinds:
        return [Pointed(references, other=True)]
    if "side" in kinds:
        sides = {side for token in clause if token.kind == "side" for side in token.sides}
        return [Wanted((), tuple(side for side in BOTH if side in sides), references=references)]
    if references:
        return [Pointed(references, other=False)]
    return [Wanted((), side_of="same")] if "same" in kinds else []


def _is_finding_in_an_organ(clause: list[Token]) -> bool:
    """Whether it is about a finding somewhere ("kidney stone"), which is neither the organ nor every such finding."""
    structures = [structure for token in clause if token.name for structure in token.name.structures]
    return len(structures) > 1 and any(structure.kind == "lesion" for structure in structures)


def _bind(clause: list[Token], text: str) -> list[Wanted]:
    """Give each name the modifiers before it; the last one, if it has no side yet, also those behind it.

    A part has the side of its whole: "the white matter of the right cerebrum".
    """
    found: list[Wanted] = []
    modifiers: list[Token] = []
    last: Token | None = None
    for token in clause:
        if token.kind == "name":
            wanted = _wanted(token, modifiers)
            if last and OF_THE.fullmatch(text[last.end : token.start]) and _is_part(found[-1], wanted):
                found[-1] = replace(found[-1], sides=found[-1].sides or wanted.sides)
            else:
                found.append(wanted)
            last, modifiers = token, []
        else:
            modifiers.append(token)
    if last and modifiers and not found[-1].sides:
        trailing = _wanted(last, modifiers)
        found[-1] = replace(trailing, many=trailing.many or found[-1].many)
    return found


def _is_part(part: Wanted, whole: Wanted) -> bool:
    """Whether what was named first is part of what was named then."""
    keys = {structure.key for structure in whole.structures}
    return bool(keys) and all(keys & set(structure.part_of) for structure in part.structures)


def _wanted(token: Token, modifiers: list[Token]) -> Wanted:
    name = token.name
    assert name is not None, "a token of kind name carries a name"
    sides = {*([name.side] if name.side else []), *_sides(modifiers)}
    many = name.plural or any(modifier.kind == "all" for modifier in modifiers)
    named_sides = tuple((entity.structure, entity.side) for entity in name.entities if entity.side)
    sides_named = tuple(side for side in BOTH if side in sides)
    return Wanted(name.structures, sides_named, many, named_sides=named_sides, plural=many)


def _sides(tokens: Iterable[Token]) -> list[str]:
    return [side for token in tokens if token.kind in ("side", "two") for side in token.sides]


def with_ranges(tokens: list[Token], anatomy: Anatomy) -> list[Token]:
    """Put the members between two names of a kind ("L1 to L3"); a "to" elsewhere is left out."""
    expanded: list[Token] = []
    for n, token in enumerate(tokens):
        if token.kind != "range":
            expanded.append(token)
            continue
        first = next((t for t in reversed(tokens[:n]) if t.kind != "unknown"), None)
        last = next((t for t in tokens[n + 1 :] if t.kind != "unknown"), None)
        if first and last and first.name and last.name:
            between = _between(first.name, last.name, token, anatomy)
            if between and between[0] is not token:  # "C4 一路 fuse 到 C7"
                expanded = [t for t in expanded if t.kind != "unknown" or t.start < first.start]
            expanded += between
        elif first and last and first.pointer and last.name and all(s.is_a for s in last.name.structures):
            expanded.append(token)  # "from [1] to T7": what [1] shows is not known yet
    return expanded


def _between(first: Name, last: Name, token: Token, anatomy: Anatomy) -> list[Token]:
    """The members of a kind between two of them, in the order of the table; the token itself where there is none."""
    one, other = first.structures[0], last.structures[0]
    shared = [key for key in one.is_a if key in other.is_a]
    if not shared:
        return [token]
    kinds = anatomy.kinds(shared[0])
    low, high = sorted((kinds.index(one), kinds.index(other)))
    side = first.side if first.side == last.side else None
    inner = [Entity(s, side if side in s.sides else None) for s in kinds[low + 1 : high]]
    return [
        replace(token, kind="name", name=Name(token.start, token.end, (entity,), plural=False, adjective=False))
        for entity in inner
    ]
