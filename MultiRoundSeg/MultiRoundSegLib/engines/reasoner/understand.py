"""Understanding: what the words of one question say, before the rest of the dialogue is looked at.

A question is cut at its separators into clauses, each with a name, a reference, or words for the other
side. A clause with a word that is not understood is not carried out, since the word may change all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from MultiRoundSegLib.anatomy import Anatomy, Entity, Language, Structure, language_of
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention, Reference

from . import plain_words
from .segmenters import Candidate
from .tokens import BOTH, Sides, Token, blanked, tokens_of

_HEADS = ("name", "own", "reference", "other", "unknown")
"""Kinds of tokens that a clause can stand on."""


@dataclass(frozen=True)
class Wanted:
    """One structure that the question names.

    Attributes:
        structures: what the name may mean; several for an ambiguous name; none where only a side
            was named ("the left one").
        sides: the sides the words name.
        many: the words ask for every one of the kind ("all", plural).
        side_of: the side is that of an earlier mask, or the other one.
        references: earlier masks named with it ("the liver of [1]").
    """

    structures: tuple[Structure, ...]
    sides: Sides = ()
    many: bool = False
    side_of: Literal["same", "other"] | None = None
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True)
class Pointed:
    """Earlier masks, or their other sides.

    Attributes:
        references: the masks; none for those of the last round.
        other: their other sides are asked for.
    """

    references: tuple[Reference, ...]
    other: bool


@dataclass(frozen=True)
class Own:
    """Candidates called by a name that only its author knows; several where they share it."""

    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Unclear:
    """A clause with words that are not understood."""

    words: str


Item = Wanted | Pointed | Own | Unclear


@dataclass(frozen=True)
class Reading:
    """What the words of a question say.

    Attributes:
        language: of the question, and so of the answer.
        items: what is asked for, in order.
        excludes: it takes something away in a way that is not understood.
        taken: what is to be taken from the items or, where there are none, from the last result.
    """

    language: Language
    items: tuple[Item, ...]
    excludes: bool = False
    taken: tuple[Item, ...] = ()


def understand(text: str, pointers: Iterable[Mention], anatomy: Anatomy, unknown: Iterable[Candidate] = ()) -> Reading:
    """Read a question in English, Chinese or a mixture.

    Args:
        text: the question.
        pointers: the references to earlier masks in it.
        anatomy: the names to look for.
        unknown: candidates with names that anatomy does not know.
    """
    language = language_of(text)
    pointers = tuple(pointers)
    mended = plain_words.CORRECTION.match(text)
    outside = text = blanked(text, 0, mended.end()) if mended else text
    for pointer in pointers:
        outside = blanked(outside, pointer.start, pointer.end)

    def items_of(words: str) -> tuple[Item, ...]:
        there = [p for p in pointers if words[p.start : p.end] == text[p.start : p.end]]
        tokens = _with_ranges(tokens_of(words, there, anatomy, unknown), anatomy)
        return tuple(item for clause in _clauses(tokens) for item in _items(clause, words, language))

    taking = plain_words.TAKING.search(outside) or plain_words.REMOVING.search(outside)
    if taking:
        outside = blanked(outside, *taking.span())
    if plain_words.EXCLUSION.search(plain_words.CHINESE.sub("", outside)):
        return Reading(language, (), excludes=True)
    if not taking:
        return Reading(language, items_of(text))
    before, behind = blanked(text, taking.start(), len(text)), blanked(text, 0, taking.end())
    items, taken = items_of(before), items_of(behind)
    if items and not taken and language == "zh" and plain_words.REMOVING.fullmatch(taking[0]):
        items, taken = (), items  # "把左肾去掉"
    return Reading(language, items, excludes=not taken, taken=taken)


def _clauses(tokens: list[Token]) -> Iterator[list[Token]]:
    """Tokens between separators; a part without a head belongs to the next one: "left | and right kidney"."""
    clause: list[Token] = []
    for n, token in enumerate(tokens):
        headed = any(t.kind in _HEADS for t in clause)
        rest = tokens[n + 1 :]
        follows = next((t for t in rest if t.kind in (*_HEADS, "separator")), None)
        if token.kind == "separator" and headed and follows is not None and follows.kind != "separator":
            yield clause
            clause = []
        elif token.kind != "separator":
            clause.append(token)
    if clause:
        yield clause


def _items(clause: list[Token], text: str, language: Language) -> list[Item]:
    own = [Own(token.candidates) for token in clause if token.candidates]
    if own and all(token.kind in ("own", "all", "one") for token in clause):
        return list(own)
    if own or any(token.kind in ("unknown", "range") for token in clause) or _is_finding_in_an_organ(clause):
        return [Unclear(text[clause[0].start : clause[-1].end])]
    references = tuple(r for token in clause if token.pointer for r in token.pointer.references)
    kinds = {token.kind for token in clause}
    if "name" in kinds:
        side_of: Literal["same", "other"] | None = "other" if "other" in kinds else "same" if "same" in kinds else None
        many = language == "zh" and "one" not in kinds
        return [
            replace(wanted, side_of=side_of, references=references, many=wanted.many or many)
            for wanted in _bind(clause)
        ]
    if "other" in kinds:
        return [Pointed(references, other=True)]
    if "side" in kinds:
        sides = {side for token in clause for side in token.sides}
        return [Wanted((), tuple(side for side in BOTH if side in sides), references=references)]
    return [Pointed(references, other=False)] if references else []


def _is_finding_in_an_organ(clause: list[Token]) -> bool:
    """Whether it is about a finding somewhere ("kidney stone"), which is neither the organ nor every such finding."""
    structures = [structure for token in clause if token.name for structure in token.name.structures]
    return len(structures) > 1 and any(structure.kind == "lesion" for structure in structures)


def _bind(clause: list[Token]) -> list[Wanted]:
    """Give each name the modifiers before it; the last one, if it has no side yet, also those behind it."""
    found: list[Wanted] = []
    modifiers: list[Token] = []
    for token in clause:
        if token.kind == "name":
            found.append(_wanted(token, modifiers))
            last, modifiers = token, []
        else:
            modifiers.append(token)
    if modifiers and not found[-1].sides:
        trailing = _wanted(last, modifiers)
        found[-1] = replace(trailing, many=trailing.many or found[-1].many)
    return found


def _wanted(token: Token, modifiers: list[Token]) -> Wanted:
    name = token.name
    assert name is not None, "a token of kind name carries a name"
    sides = {*([name.side] if name.side else []), *_sides(modifiers)}
    many = name.plural or any(modifier.kind == "all" for modifier in modifiers)
    return Wanted(name.structures, tuple(side for side in BOTH if side in sides), many)


def _sides(tokens: Iterable[Token]) -> list[str]:
    return [side for token in tokens if token.kind == "side" for side in token.sides]


def _with_ranges(tokens: list[Token], anatomy: Anatomy) -> list[Token]:
    """Put the members between two names of a kind ("L1 to L3"); a "to" elsewhere is left out."""
    expanded: list[Token] = []
    for n, token in enumerate(tokens):
        if token.kind != "range":
            expanded.append(token)
        elif 0 < n < len(tokens) - 1 and tokens[n - 1].name and tokens[n + 1].name:
            expanded += _between(tokens[n - 1].name, tokens[n + 1].name, token, anatomy)  # type: ignore[arg-type]
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
