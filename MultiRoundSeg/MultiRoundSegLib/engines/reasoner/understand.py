"""Understanding: what the words of one question say, before the rest of the dialogue is looked at.

A question is cut at its separators into clauses, each with a name, a reference, or words for the other
side. A clause with a word that is not understood is not carried out, since the word may change all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from MultiRoundSegLib.anatomy import (
    Anatomy,
    Entity,
    Knowledge,
    Language,
    Side,
    Structure,
    cues_in,
    is_common,
    language_of,
    terms_of,
)
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention, Reference, spans_of

from . import plain_words
from .describing import Description, describe
from .extremes import names_an_extreme
from .operations import POINTER, Action, only, operation_in
from .segmenters import Candidate
from .sides import BOTH, Sides
from .tokens import BLANK, Token, blanked, tokens_of
from .wording import any_of

_TELLING = 2.0
"""How rare a word must be to tell anything by itself."""
_ANATOMICAL = re.compile(r"[骨肌腺膜瓣核窦孔沟索囊结脉肠胃肝脾肾肺脑心腔]|神经|静脉|动脉|韧带|组织|淋巴")
"""Characters with which Chinese names of anatomy are made."""
_CONJUNCTION = re.compile(r"[\s,，]+(?:and|plus|&|\+)\s+|[+＋]|[,，]?(?:和|跟|以及|加上|还有)", re.IGNORECASE)
_SIDE_AT_THE_END = any_of(
    "(?:[,;] ?)?(?:both(?: sides)?|bilat(?:eral(?:ly)?)?|left|right|L|R)[\\s.!?]*$",
    "(?:双侧|两侧|左侧?|右侧?)[。！!]?$",
)
_SENTENCE = re.compile(r"[.;:?!。；：？！]|[,，](?!\s*(?:and|plus|和|跟|以及|加上|还有))")
_SHORT = 60
"""Longer parts of a question (characters) are no items of a list."""
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
        plural: the name is a plural.
        named_sides: the side that the name has in some of its meanings ("LV").
    """

    structures: tuple[Structure, ...]
    sides: Sides = ()
    many: bool = False
    side_of: Literal["same", "other"] | None = None
    references: tuple[Reference, ...] = ()
    named_sides: tuple[tuple[Structure, Side], ...] = ()
    plural: bool = False


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
    """A clause with words that are not understood.

    Attributes:
        words: the clause.
        named: what it names besides.
    """

    words: str
    named: tuple[Wanted, ...] = ()


Item = Wanted | Pointed | Own | Unclear | Description


@dataclass(frozen=True)
class Reading:
    """What the words of a question say.

    Attributes:
        language: of the question, and so of the answer.
        items: what is asked for, in order; of an operation, what it works on, none for the last result.
        action: the operation; None where something is just asked for.
        part: what the operation keeps, takes away, adds, or is told by.
        told: the same read as a description.
        steps: how many places further down a series; negative for up.
        mends: it corrects the question before ("no, i meant ...").
    """

    language: Language
    items: tuple[Item, ...]
    action: Action | None = None
    part: tuple[Item, ...] = ()
    told: Description | None = None
    steps: int = 0
    mends: bool = False


def understand(
    text: str, pointers: Iterable[Mention], knowledge: Knowledge, unknown: Iterable[Candidate] = ()
) -> Reading:
    """Read a question in English, Chinese or a mixture.

    Args:
        text: the question.
        pointers: the references to earlier masks in it.
        knowledge: the names to look for, and what is told of them.
        unknown: candidates with names that anatomy does not know.
    """
    language = language_of(text)
    pointers = tuple(pointers)
    mended = plain_words.CORRECTION.match(text)
    outside = text = blanked(text, 0, mended.end()) if mended else text
    for skipped in plain_words.SKIPPED.finditer(text):
        if skipped.end() < len(text.rstrip()):
            outside = text = blanked(text, *skipped.span())
    for pointer in pointers:
        outside = outside[: pointer.start] + POINTER * (pointer.end - pointer.start) + outside[pointer.end :]
    for start, end in _own_places(text, unknown):
        outside = blanked(outside, start, end)
    reader = _Reader(text, pointers, knowledge, tuple(unknown), language)
    operation = operation_in(outside)
    if operation and operation.action == "swap":
        spans = (*operation.base, *operation.part)
        if not all(knowledge.anatomy.mentions(text[start:end]) for start, end in spans):
            operation = None  # "change it to the right"
    if operation and operation.action == "add" and operation.is_return and any(p.references for p in pointers):
        operation = None  # "the first one, bring it back" is no addition
    if operation is None:
        return Reading(language, reader.items(text), mends=bool(mended and mended[0].strip()))
    base = reader.items(only(text, operation.base)) if operation.action in ("keep", "take", "swap") else ()
    part = only(text, operation.part)
    told = describe(part, [p for p in pointers if part[p.start : p.end].strip(BLANK)], knowledge)
    return Reading(language, base, operation.action, reader.items(part), told, operation.steps)


def _parts_of(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The parts of a text between matches of a pattern."""
    spans, start = [], 0
    for match in pattern.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(text))]


def _own_places(text: str, unknown: Iterable[Candidate]) -> list[tuple[int, int]]:
    names = {name.casefold() for candidate in unknown for name in (candidate.label, candidate.title)}
    return [(start, end) for start, end, _ in spans_of(names, text)]


@dataclass(frozen=True)
class _Reader:
    """Reads parts of one question."""

    text: str
    pointers: tuple[Mention, ...]
    knowledge: Knowledge
    unknown: tuple[Candidate, ...]
    language: Language

    def items(self, words: str) -> tuple[Item, ...]:
        """What the words name or, where they do not name it, describe."""
        if not words.strip(f"{BLANK} "):
            return ()
        there = [p for p in self.pointers if words[p.start : p.end] == self.text[p.start : p.end]]
        anatomy = self.knowledge.anatomy
        tokens = _with_ranges(tokens_of(words, there, anatomy, self.unknown), anatomy)
        read = [self._clause(clause, words, there) for clause in _clauses(tokens)]
        items = tuple(item for clause in read for item in clause)
        items = _joined(items)
        description = describe(words, there, self.knowledge)
        asks_more = bool(description.heads or description.links or len(description.named) > 1)
        items = items if description.asks else self._without_noise(items, asks_more=asks_more)
        items = _with_the_side_behind(items, words)
        if not any(isinstance(item, Unclear) for item in items) and not self._is_told_by_relation(description, items):
            return items
        if not _tells(description, self.knowledge) and items:
            return items
        return self._listed(words, there) or (description,)

    def _listed(self, words: str, there: list[Mention]) -> tuple[Item, ...]:
        """What is described by itself on each side of an "and"; nothing where some part does not stand alone."""
        spans = _parts_of(_CONJUNCTION, words)
        between = any(cue.relation == "between" for cue in cues_in(words))
        if len(spans) < 2 or between or _SENTENCE.search(words.strip(f"{BLANK} .?!。？！")):
            return ()
        found: list[Item] = []
        for start, end in spans:
            part = only(words, ((start, end),))
            if len(part.strip(BLANK)) > _SHORT:
                return ()
            items = self.items(part)
            named = any(
                (isinstance(i, Wanted) and i.structures) or (isinstance(i, Pointed) and i.references) for i in items
            )
            described = [item for item in items if isinstance(item, Description)]
            if not named and not all(d.heads or d.named or any(link.anchors for link in d.links) for d in described):
                return ()
            if not items or any(isinstance(item, Unclear) for item in items) or not (named or described):
                return ()
            found += items
        return tuple(found)

    def _clause(self, clause: list[Token], words: str, there: list[Mention]) -> list[Item]:
        """What one clause asks for; words that tell nothing beside a reference or a side are left out."""
        items = _items(clause, words, self.language)
        known = [token for token in clause if token.kind != "unknown"]
        named = any(token.name or token.candidates for token in clause)
        if named or len(known) == len(clause) or not any(token.kind in (*_HEADS, "side") for token in known):
            return items
        told = describe(self._part(clause, words), there, self.knowledge)
        if told.heads or told.links or told.context or told.named:
            return items
        pointed = any(token.kind == "reference" for token in known)
        if names_an_extreme(self._part(clause, words)):
            return items
        several = len([r for token in known if token.pointer for r in token.pointer.references]) > 1
        if (self._telling(clause) > _TELLING and not several) or (not pointed and any(map(self._may_tell, clause))):
            return items
        return _items(known, words, self.language) or items

    def _without_noise(self, items: tuple[Item, ...], *, asks_more: bool) -> tuple[Item, ...]:
        """Without clauses that tell nothing beside several members of a series ("车祸，左5、6、7肋")."""
        clear = [
            w for i in items for w in ([i] if isinstance(i, Wanted) else i.named if isinstance(i, Unclear) else ())
        ]
        named = [structure for wanted in clear for structure in wanted.structures]
        series = [self.knowledge.anatomy.kinds(kind) for kind in ("vertebra", "rib")]
        in_a_series = len(named) > 1 and any(all(s in members for s in named) for members in series)
        unclear = [item for item in items if isinstance(item, Unclear)]
        listed = len(named) > 1 and not asks_more and all(self._is_about(item.words, named) for item in unclear)
        apart = len(named) == 1 and not any(item.named for item in unclear)
        listed = listed or (apart and all(self._tells_of(item.words, named) for item in unclear))
        in_a_series = in_a_series or listed
        if not in_a_series:
            return items
        return tuple(kept for item in items for kept in (item.named if isinstance(item, Unclear) else (item,)))

    def _tells_of(self, words: str, named: list[Structure]) -> bool:
        """Whether words describe what is named ("胸骨，前面正中那块")."""
        heard = self.knowledge.evidence.hear(terms_of(words))
        best = max(heard.structures, key=heard.weight, default=None)
        return best in named and not describe(words, (), self.knowledge).links

    def _is_about(self, words: str, named: list[Structure]) -> bool:
        """Whether words tell of what is named, or of nothing."""
        heard = self.knowledge.evidence.hear(terms_of(words))
        best = max(heard.structures, key=heard.weight, default=None)
        return best is None or best in named or heard.weight(best) < _TELLING

    def _is_told_by_relation(self, description: Description, items: tuple[Item, ...]) -> bool:
        """Whether "it" is there to tell of something else ("它分成的两根"), and not wanted itself."""
        named = any(isinstance(item, Wanted) and item.structures for item in items)
        return not named and any(link.anchors for link in description.links)

    def _telling(self, clause: list[Token]) -> float:
        """How much the words that are not understood tell of any structure."""
        words = " ".join(self.text[token.start : token.end] for token in clause if token.kind == "unknown")
        return sum(self.knowledge.evidence.rarity.get(term, 0.0) for term in set(terms_of(words)))

    def _may_tell(self, token: Token) -> bool:
        """Whether a word that is not understood may be one of anatomy, or one that is rare."""
        if token.kind != "unknown":
            return False
        word = self.text[token.start : token.end]
        return not is_common(word) if word.isascii() else bool(_ANATOMICAL.search(word))

    def _part(self, clause: list[Token], words: str) -> str:
        """The words of one clause, all else blanked out."""
        return blanked(blanked(words, 0, clause[0].start), clause[-1].end, len(words))


def _tells(description: Description, knowledge: Knowledge) -> bool:
    """Whether a description tells anything at all."""
    return bool(
        description.heads
        or description.links
        or description.context
        or description.named
        or sum(knowledge.evidence.rarity.get(term, 0.0) for term in set(description.terms)) > _TELLING
    )


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


def _joined(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """A side that stands alone behind earlier masks is theirs: "back to step 2, but the other side"."""
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else None
        if isinstance(last, Pointed) and last.references and not last.other:
            if isinstance(item, Pointed) and item.other and not item.references:
                found[-1] = replace(item, references=last.references)
                continue
            if isinstance(item, Wanted) and not item.structures and not item.references:
                found[-1] = replace(item, references=last.references)
                continue
        found.append(item)
    return tuple(found)


def _with_the_side_behind(items: tuple[Item, ...], words: str) -> tuple[Item, ...]:
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


def _items(clause: list[Token], text: str, language: Language) -> list[Item]:
    own = [Own(token.candidates) for token in clause if token.candidates]
    if own and all(token.kind in ("own", "all", "one") for token in clause):
        return list(own)
    if own or any(token.kind in ("unknown", "range") for token in clause) or _is_finding_in_an_organ(clause):
        named = _bind(clause) if any(token.name for token in clause) else []
        return [Unclear(text[clause[0].start : clause[-1].end], tuple(named))]
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
        sides = {side for token in clause if token.kind == "side" for side in token.sides}
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
    named_sides = tuple((entity.structure, entity.side) for entity in name.entities if entity.side)
    sides_named = tuple(side for side in BOTH if side in sides)
    return Wanted(name.structures, sides_named, many, named_sides=named_sides, plural=many)


def _sides(tokens: Iterable[Token]) -> list[str]:
    return [side for token in tokens if token.kind in ("side", "two") for side in token.sides]


def _with_ranges(tokens: list[Token], anatomy: Anatomy) -> list[Token]:
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
