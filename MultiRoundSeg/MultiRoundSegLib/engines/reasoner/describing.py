"""Descriptions: what is meant is not named, but told by what it is, where it lies, what it does.

Which word a description stands on (its head: "the MUSCLE medial to the kidney", "肾上方的腺体") and what it is
told by (its anchors: "it", "the kidney") follow from the order of words: English heads come first and
anchors behind prepositions and verbs; Chinese heads come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from MultiRoundSegLib.anatomy import Category, Cue, Knowledge, Language, Side, cues_in, language_of, terms_of
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention

from . import plain_words
from .counting import COUNTS, MANY, ONE, SINGLE
from .describing_words import (
    ARTICLE,
    ASKED_BEFORE,
    ASKED_FOR,
    ASKS_FOR_IT,
    ASKS_WHAT,
    BESIDES,
    BODY_SIDE,
    BREAK,
    CLAUSE_ENDS,
    CONTAINER,
    DEFINITE,
    NEW_CLAUSE,
    OF_THE,
    OPENER,
    PATIENT_SIDE,
    PRONOUN,
    QUADRANT,
    REQUEST,
    SIDE_ASKED,
    THAT,
    THEN_ASKED_FOR,
    WHICH,
    ZH_END,
    ZH_GOVERNOR,
)
from .description import Anchor, Description, Link
from .sides import BOTH, OTHER, PAIR, SAME, Sides, sides_in
from .tokens import blanked


def describe(text: str, pointers: Iterable[Mention], knowledge: Knowledge) -> Description:
    """Read a text as a description.

    Args:
        text: the whole question or a part of it; what is not to be looked at may be blanked out.
        pointers: the references to earlier masks in it.
        knowledge: names, categories and words for relations.
    """
    return _Reader(text, tuple(pointers), knowledge).read()


@dataclass(frozen=True)
class _Word:
    """A word of the text that counts: a name, a category, a pointer or a pronoun."""

    start: int
    end: int
    anchor: Anchor
    name: Name | None = None
    category: Category | None = None
    plural: bool = False

    @property
    def is_specific(self) -> bool:
        """Whether it says more than "the one"."""
        return bool(self.name or (self.category and self.category.members))


class _Reader:
    def __init__(self, text: str, pointers: tuple[Mention, ...], knowledge: Knowledge) -> None:
        self._text = text
        self._rest = text
        self._language: Language = language_of(text)
        self._knowledge = knowledge
        self._pointers = pointers

    def read(self) -> Description:
        crossed = self._crossed()
        side_of = self._side_of()
        words = self._words()
        cues = [cue for cue in cues_in(self._rest) if not _inside(cue, words)]
        sides, elsewhere = self._sides()
        head = self._head(words, cues)
        count, many, one = self._counts(words, head)
        anchors = [word for word in words if word is not head and self._is_anchor(word, head, cues)]
        anchors = [self._within_the_text(word, words, head) for word in anchors]
        context = [word for word in words if word is not head and word not in anchors and word.name]
        head = self._named_before(head, words) or head or self._asked_for_then(words)
        named = head.name.entities if head and head.name else ()
        members = head.category.members if head and head.category else frozenset()
        name_side = head.name.side if head and head.name else None
        if name_side and not sides:
            sides = (name_side,)
        sides = sides or self._side_of_the_whole(words, head)
        near = QUADRANT.search(self._text)
        if near and not elsewhere:
            elsewhere = ("left",) if re.search("left|左|LUQ|LLQ", near[0], re.IGNORECASE) else ("right",)
        return Description(
            words=self._text.replace("\x00", " ").strip(),
            terms=tuple(terms_of(self._text)),
            heads=members,
            named=named,
            anchors=tuple(word.anchor for word in anchors),
            links=tuple(self._link(cue, anchors) for cue in cues),
            context=tuple(entity for word in context if word.name for entity in word.name.entities),
            sides=sides,
            sides_elsewhere=elsewhere,
            side_asked=bool(SIDE_ASKED.search(self._text)),
            side_of=side_of,
            crossed=crossed,
            count=count,
            both=bool(PAIR.search(self._rest)),
            many=many or bool(head and head.plural),
            one=one,
            others=tuple(terms_of(self._without_names(words))),
            asks=bool(ASKS_WHAT.search(self._text)) or bool(ASKED_BEFORE.search(self._text)),
            besides=bool(BESIDES.search(self._text)),
            single=bool(SINGLE.search(self._text)),
            container=bool(CONTAINER.search(self._text)),
            finding=bool(head and self._is_finding(head)),
        )

    def _side_of_the_whole(self, words: list[_Word], head: _Word | None) -> Sides:
        """That of the whole of which the head is a part: "the lobes of the left lung"."""
        sides = (
            word.name.side
            for word in words
            if head and word.name and head.end < word.start and OF_THE.fullmatch(self._text[head.end : word.start])
        )
        side = next(sides, None)
        return (side,) if side else ()

    def _without_names(self, words: list[_Word]) -> str:
        text = self._text
        for word in words:
            text = blanked(text, word.start, word.end) if word.name else text
        return text.replace("\x00", " ")

    def _is_finding(self, word: _Word) -> bool:
        """Whether a word names a finding that is not itself asked for."""
        if not word.name or any(structure.kind != "lesion" for structure in word.name.structures):
            return False
        before, after = self._text[: word.start], self._text[word.end :]
        return not (ASKS_FOR_IT.search(before) or ASKED_FOR.match(after))

    def _blank(self, match: re.Match[str]) -> None:
        self._rest = blanked(self._rest, *match.span())

    def _crossed(self) -> Side | None:
        match = BODY_SIDE.search(self._rest)
        if match is None:
            return None
        self._blank(match)
        return "left" if re.search(r"left|左", match[0], re.IGNORECASE) else "right"

    def _side_of(self) -> Literal["same", "other"] | None:
        for pattern, meaning in ((SAME, "same"), (OTHER, "other")):
            match = pattern.search(self._rest)
            if match:
                self._blank(match)
                return "same" if meaning == "same" else "other"
        return None

    def _words(self) -> list[_Word]:
        found = [_Word(p.start, p.end, Anchor(references=p.references)) for p in self._pointers]
        for word in found:
            self._rest = blanked(self._rest, word.start, word.end)
        for name in self._knowledge.anatomy.mentions(self._rest):
            if self._is_category(self._rest[name.start : name.end]):
                continue
            found.append(_Word(name.start, name.end, Anchor(entities=name.entities), name=name, plural=name.plural))
            self._rest = blanked(self._rest, name.start, name.end)
        for which, pattern in WHICH.items():
            for match in pattern.finditer(self._rest):
                if cues_in(self._rest):
                    found.append(_Word(*match.span(), Anchor(pronoun=True, which=which)))
                    self._blank(match)
        for match in PRONOUN.finditer(self._rest):
            found.append(_Word(*match.span(), Anchor(pronoun=True)))
            self._blank(match)
        for start, end, category, plural in _categories_in(self._rest, self._knowledge):
            anchor = Anchor(members=category.members)
            found.append(_Word(start, end, anchor, category=category, plural=plural))
        return sorted(found, key=lambda word: word.start)

    def _is_category(self, words: str) -> bool:
        """Whether a name is rather a word for a category, such as "airway"."""
        return words.lower() in self._knowledge.category_words

    def _sides(self) -> tuple[Sides, Sides]:
        """The sides that the last clause says, or clauses that say nothing else; and those that others say."""
        told: dict[bool, set[Side]] = {True: set(), False: set()}
        clauses = BREAK.split(_without_sides(self._text))
        for start, _, sides in sides_in(self._rest):
            clause = len(BREAK.findall(self._text[:start]))
            is_main = clause == self._last_clause() or not (clause < len(clauses) and _content(clauses[clause]))
            told[is_main].update(sides)
        main, elsewhere = (tuple(side for side in BOTH if side in told[is_main]) for is_main in (True, False))
        return main, elsewhere

    def _counts(self, words: list[_Word], head: _Word | None) -> tuple[int | None, bool, bool]:
        """How many are meant; a number right before something else counts that."""
        others = {word.start for word in words if word is not head}
        found = [
            n
            for n, pattern in COUNTS.items()
            for match in pattern.finditer(self._rest)
            if self._language == "en" or match.end() not in others
        ]
        count = found[0] if found else None
        return count, bool(MANY.search(self._rest)), bool(ONE.search(self._rest))

    def _head(self, words: list[_Word], cues: list[Cue]) -> _Word | None:
        """The word that the description stands on."""
        nouns = [word for word in words if word.category or (word.name and not word.name.adjective)]
        asked = [word for word in nouns if word.category and self._is_asked(word)]
        if self._asks_what(nouns):
            nouns = [word for word in nouns if word.category]
        free = [word for word in nouns if not self._is_governed(word, words, cues)]
        if asked:
            return asked[-1]
        if self._language == "zh":
            categories = [word for word in free if word.category]
            names = [word for word in free if self._clause_of(word) == self._last_clause()]
            last = categories or names
            return last[-1] if last else None
        requests = list(REQUEST.finditer(self._text))
        behind = [word for word in free if requests and word.start >= requests[-1].end()]
        if behind:
            return next((word for word in behind if word.is_specific), behind[0])
        last = [word for word in free if self._clause_of(word) == self._last_clause()]
        if not last and OPENER.match(BREAK.split(self._text)[-1].strip()):
            last = free  # the last clause only says where
        return next((word for word in last if word.is_specific), next(iter(last), None))

    def _last_clause(self) -> int:
        """Which clause is the last that says more than a side or a courtesy."""
        clauses = BREAK.split(_without_sides(self._text))
        telling = [n for n, clause in enumerate(clauses) if _content(clause)]
        return telling[-1] if telling else len(clauses) - 1

    def _named_before(self, head: _Word | None, words: list[_Word]) -> _Word | None:
        """The structure that "that vertebra" stands for, where it is named before in the same text."""
        if head is None or not head.category or not THAT.search(self._text[: head.start]):
            return None
        members = head.category.members
        named = [w for w in words if w.name and w.end <= head.start and {s.key for s in w.name.structures} <= members]
        return named[-1] if named else None

    def _asked_for_then(self, words: list[_Word]) -> _Word | None:
        """The one structure named before "draw that", "标它"."""
        request = THEN_ASKED_FOR.search(self._text)
        named = [word for word in words if request and word.name and word.end <= request.start()]
        alone = len(named) == 1 and ARTICLE.fullmatch(BREAK.split(self._text[: named[0].start])[-1])
        return named[0] if alone else None

    def _asks_what(self, nouns: list[_Word]) -> bool:
        """Whether something is asked for that is not named ("superior gluteal nerve, what goes weak?")."""
        match = ASKS_WHAT.search(self._text)
        return match is not None and not any(0 <= word.start - match.end() <= 2 for word in nouns)

    def _clause_of(self, word: _Word) -> int:
        """Which clause of the text a word is in, counted from the first."""
        return len(BREAK.findall(self._text[: word.start]))

    def _is_asked(self, word: _Word) -> bool:
        """Whether a question word stands before it: "which lobe", "哪块骨头"."""
        before = self._text[max(0, word.start - 24) : word.start]
        return bool(ASKED_BEFORE.search(before.rstrip() if self._language == "zh" else before))

    def _is_governed(self, word: _Word, words: list[_Word], cues: list[Cue]) -> bool:
        """Whether a word only tells where or what the head is."""
        if self._language == "zh":
            return self._is_governed_in_chinese(word, cues)
        before = self._text[: word.start]
        clause = BREAK.split(before)[-1]
        if re.match(r"['’]s?\b", self._text[word.end :]) or (word.name and self._is_compound(word)):
            return True
        earlier = [w for w in words if w.category and w.start < word.start and before.endswith(clause[-1:] or "")]
        in_clause = [w for w in earlier if w.start >= len(before) - len(clause)]
        if in_clause and word.name:
            return True
        last_opener = None
        for match in OPENER.finditer(clause):
            last_opener = match
        if last_opener is None:
            return False
        between = clause[last_opener.end() :]
        if last_opener[0].lower() == "between" and len(re.findall(r"\band\b", between)) == 1:
            return True
        return not REQUEST.search(between) and not re.search(r"\b(?:and|is|are)\b", between)

    def _is_compound(self, word: _Word) -> bool:
        """Whether a noun follows that is not known ("liver capsule")."""
        after = re.match(r"\s+([A-Za-z]+)", self._text[word.end :])
        if after is None:
            return False
        known = after[1].lower() in plain_words.ENGLISH or OPENER.match(after[1]) or any(sides_in(after[1]))
        return not known

    def _is_governed_in_chinese(self, word: _Word, cues: list[Cue]) -> bool:
        after, before = self._text[word.end :], self._text[: word.start]
        if any(cue.end == word.start and cue.asks in ("verb", "verb_back") for cue in cues):
            return True
        if ZH_GOVERNOR.search(before):
            return True
        return not ZH_END.match(after)

    def _is_anchor(self, word: _Word, head: _Word | None, cues: list[Cue]) -> bool:
        if word.anchor.references or word.anchor.pronoun:
            return True
        if word.category:
            before = self._text[max(0, word.start - 12) : word.start]
            return bool(word.category.members and DEFINITE.search(before))
        return bool(cues) and bool(word.name)

    def _within_the_text(self, word: _Word, words: list[_Word], head: _Word | None) -> _Word:
        """A pronoun that stands for a structure named earlier in the text ("DBS of the STN: which label holds it")."""
        if not word.anchor.pronoun or word.anchor.which or self._pointers:
            return word
        named = [w for w in words if w.name and not w.name.adjective and w is not head and w.end <= word.start]
        if not named or self._clause_of(named[-1]) == self._clause_of(word):
            return word
        return replace(word, anchor=Anchor(entities=named[-1].anchor.entities))

    def _link(self, cue: Cue, anchors: list[_Word]) -> Link:
        behind = [word for word in anchors if word.start >= cue.end]
        before = [word for word in anchors if word.end <= cue.start]
        if cue.asks in ("subject", "object"):
            prefer_before = self._language == "zh"
            near = (before or behind) if prefer_before else (behind or before)
            asks: Literal["subject", "object"] | None = cue.asks
            if not prefer_before and cue.asks == "subject" and self._dangles(cue, before, behind):
                near, asks = before, "object"
        else:
            follows = bool(behind) and not NEW_CLAUSE.search(self._text[cue.end : behind[0].start])
            near = behind if follows else before
            asks = "subject" if follows else "object"
            if cue.asks == "verb_back":
                asks = "object" if follows else "subject"
            if not near:
                asks = None
        if cue.relation != "between" and near:
            near = near[-1:] if near is before else near[:1]
        return Link(cue.relation, asks, tuple(word.anchor for word in near))

    def _dangles(self, cue: Cue, before: list[_Word], behind: list[_Word]) -> bool:
        """Whether a preposition ends its clause and "it" comes first: "the organ it sits on"."""
        if not before or (behind and not NEW_CLAUSE.search(self._text[cue.end : behind[0].start])):
            return False
        pronoun = before[-1]
        between = self._text[pronoun.end : cue.start]
        is_near = len(between.split()) <= 3 and not re.search(r"[,;.?!]", between)
        is_asked = bool(re.search(r"\w\s+(?:that\s+|which\s+)?$", self._text[: pronoun.start]))
        return pronoun.anchor.pronoun and is_near and is_asked and bool(CLAUSE_ENDS.match(self._text[cue.end :]))


def _without_sides(text: str) -> str:
    """A text without words for sides; clauses stay what they are."""
    for pattern in (SAME, OTHER, PAIR, PATIENT_SIDE):
        text = pattern.sub(" ", text)
    return text


def _content(clause: str) -> list[str]:
    """The terms of a clause that are not merely asking."""
    plain = {
        stem
        for word in re.findall("[A-Za-z]+", clause)
        if word.lower() in plain_words.ENGLISH
        for stem in terms_of(word)
    }
    return [term for term in terms_of(plain_words.CHINESE.sub(" ", clause)) if term not in plain]


def _inside(cue: Cue, words: list[_Word]) -> bool:
    return any(word.start < cue.end and cue.start < word.end for word in words)


def _categories_in(text: str, knowledge: Knowledge) -> list[tuple[int, int, Category, bool]]:
    """The words for categories in a text, longest first; one Chinese character only where a word ends."""
    found: list[tuple[int, int, Category, bool]] = []
    for phrase, category in knowledge.category_words.items():
        for match in _category_pattern(phrase).finditer(text):
            if all(match.end() <= start or end <= match.start() for start, end, *_ in found):
                plural = match[0].isascii() and match[0].lower() != phrase
                found.append((*match.span(), category, plural))
    return found


_CACHE: dict[str, re.Pattern[str]] = {}


def _category_pattern(phrase: str) -> re.Pattern[str]:
    if phrase not in _CACHE:
        if phrase.isascii():
            plural = re.escape(phrase[:-2]) + "(?:us|i)" if phrase.endswith("us") else re.escape(phrase) + "(?:e?s)?"
            if phrase.endswith("y"):
                plural = re.escape(phrase[:-1]) + "(?:y|ies)"
            pattern = rf"\b{plural}\b"
        elif len(phrase) == 1:
            ends = r"(?=$|[\s\x00,.，。、；;?？!！：:在是上里中])"
            pattern = rf"(?<=[\u4e00-\u9fff\x00]){phrase}{ends}|(?<=[块条根个节对颗段哪]){phrase}"
        else:
            pattern = re.escape(phrase)
        _CACHE[phrase] = re.compile(pattern, re.IGNORECASE)
    return _CACHE[phrase]
