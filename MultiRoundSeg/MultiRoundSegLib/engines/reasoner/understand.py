"""Understanding: what the words of one question say, before the rest of the dialogue is looked at.

A question is cut at its separators into clauses, each with a name, a reference, or words for the other
side. A clause with a word that is not understood is not carried out, since the word may change all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import (
    Knowledge,
    Language,
    Structure,
    cues_in,
    is_common,
    language_of,
    terms_of,
)
from MultiRoundSegLib.conversation import Mention, spans_of

from . import plain_words
from .clauses import HEADS, clauses_of, items_of, joined, with_ranges, with_the_side_behind
from .describing import describe
from .description import Description
from .extremes import names_an_extreme
from .operations import POINTER, only, operation_in
from .reading import Item, Pointed, Reading, Unclear, Wanted
from .segmenters import Candidate
from .tokens import BLANK, Token, blanked, tokens_of

_TELLING = 2.0
"""How rare a word must be to tell anything by itself."""
_ANATOMICAL = re.compile(r"[骨肌腺膜瓣核窦孔沟索囊结脉肠胃肝脾肾肺脑心腔]|神经|静脉|动脉|韧带|组织|淋巴")
"""Characters with which Chinese names of anatomy are made."""
_CONJUNCTION = re.compile(r"[\s,，]+(?:and|plus|&|\+)\s+|[+＋]|[,，]?(?:和|跟|以及|加上|还有)", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;:?!。；：？！]|[,，](?!\s*(?:and|plus|和|跟|以及|加上|还有))")
_SHORT = 60
"""Longer parts of a question (characters) are no items of a list."""


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
    own = own_places(text, unknown)
    mended = plain_words.CORRECTION.match(text)
    if mended and any(start < mended.end() for start, _ in own):
        mended = None  # a name that begins like a correction
    text = blanked(text, 0, mended.end()) if mended else text
    for skipped in plain_words.SKIPPED.finditer(text):
        if skipped.end() < len(text.rstrip()):
            text = blanked(text, *skipped.span())
    outside = text
    for pointer in pointers:
        outside = outside[: pointer.start] + POINTER * (pointer.end - pointer.start) + outside[pointer.end :]
    for start, end in own:
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
    return Reading(language, base, operation.action, reader.items(part), told, operation.steps, operation.reaches)


def _parts_of(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The parts of a text between matches of a pattern."""
    spans, start = [], 0
    for match in pattern.finditer(text):
        spans.append((start, match.start()))
        start = match.end()
    return [*spans, (start, len(text))]


def own_places(text: str, unknown: Iterable[Candidate]) -> list[tuple[int, int]]:
    """Where a text has the names of candidates that anatomy does not know."""
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
        tokens = with_ranges(tokens_of(words, there, anatomy, self.unknown), anatomy)
        read = [self._clause(clause, words, there) for clause in clauses_of(tokens)]
        items = tuple(item for clause in read for item in clause)
        items = joined(items, words)
        description = describe(words, there, self.knowledge)
        asks_more = bool(description.heads or description.links or len(description.named) > 1)
        items = items if description.asks else self._without_noise(items, asks_more=asks_more)
        items = with_the_side_behind(items, words)
        if not any(isinstance(item, Unclear) for item in items) and not self._is_told_by_relation(description, items):
            return items
        if items and (not _tells(description, self.knowledge) or (not asks_more and self._has_strange_words(items))):
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
        items = items_of(clause, words, self.language)
        known = [token for token in clause if token.kind != "unknown"]
        named = any(token.name or token.candidates for token in clause)
        if named or len(known) == len(clause) or not any(token.kind in (*HEADS, "side") for token in known):
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
        return items_of(known, words, self.language) or items

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
        if not (in_a_series or listed) or any(map(_is_finding_of_an_organ, unclear)):
            return items
        return tuple(kept for item in items for kept in (item.named if isinstance(item, Unclear) else (item,)))

    def _has_strange_words(self, items: tuple[Item, ...]) -> bool:
        """Whether all of a list but words that nobody knows is clear ("liver, XQ, spleen")."""
        unclear = [item for item in items if isinstance(item, Unclear)]
        return len(items) - len(unclear) > 1 and all(self._is_strange(item.words) for item in unclear)

    def _is_strange(self, words: str) -> bool:
        """Whether words in Latin letters are neither common nor told of anything."""
        letters = words.isascii() and not self.knowledge.evidence.hear(terms_of(words)).structures
        return letters and not any(map(is_common, re.findall(r"[A-Za-z]+", words)))

    def _tells_of(self, words: str, named: list[Structure]) -> bool:
        """Whether words describe what is named ("胸骨，前面正中那块")."""
        heard = self.knowledge.evidence.hear(terms_of(words))
        best = max(heard.structures, key=heard.weight, default=None)
        return best in named and not describe(words, (), self.knowledge).links

    def _is_about(self, words: str, named: list[Structure]) -> bool:
        """Whether words tell of what is named, or of nothing."""
        heard = self.knowledge.evidence.hear(terms_of(words))
        best = max(heard.structures, key=heard.weight, default=None)
        if best is None:
            return not self._is_strange(words)
        return best in named or heard.weight(best) < _TELLING

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


def _is_finding_of_an_organ(item: Unclear) -> bool:
    """Whether an organ and a finding in it are named ("肾结石")."""
    findings = [s.kind == "lesion" for wanted in item.named for s in wanted.structures]
    return any(findings) and not all(findings)


def _tells(description: Description, knowledge: Knowledge) -> bool:
    """Whether a description tells anything at all."""
    return bool(
        description.heads
        or description.links
        or description.context
        or description.named
        or names_an_extreme(description.words)
        or sum(knowledge.evidence.rarity.get(term, 0.0) for term in set(description.terms)) > _TELLING
    )
