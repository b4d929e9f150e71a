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

from MultiRoundSegLib.anatomy import Category, Cue, Entity, Knowledge, Language, Side, cues_in, language_of, terms_of
from MultiRoundSegLib.anatomy import Mention as Name
from MultiRoundSegLib.conversation import Mention, Reference

from . import plain_words
from .counting import COUNTS, MANY, ONE, SINGLE
from .sides import BOTH, OTHER, PAIR, SAME, Sides, sides_in
from .tokens import blanked
from .wording import any_of


@dataclass(frozen=True)
class Anchor:
    """What a description is told by.

    Attributes:
        references: earlier masks.
        entities: structures that are named.
        members: keys of the structures that a word such as "the gland" may stand for; one of an earlier
            round is meant.
        pronoun: it is "it", which stands for the last result.
        which: which of the last results it is ("the upper one").
    """

    references: tuple[Reference, ...] = ()
    entities: tuple[Entity, ...] = ()
    members: frozenset[str] = frozenset()
    pronoun: bool = False
    which: Literal["left", "right", "above", "below"] | None = None


@dataclass(frozen=True)
class Link:
    """A relation to an anchor that a description tells.

    Attributes:
        relation: a key of relations.csv.
        asks: which end of it is described; None where the words do not say.
        anchors: to what; none for the last result.
    """

    relation: str
    asks: Literal["subject", "object"] | None
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True)
class Description:
    """What a description tells.

    Attributes:
        words: as typed.
        terms: for `Evidence`.
        heads: keys of the structures that its head word allows; empty where it allows any.
        named: structures that its head names.
        anchors: what it is told by.
        links: relations to them.
        context: structures that are named besides.
        sides: the sides it says.
        sides_elsewhere: the sides that other clauses say, perhaps of other things.
        side_asked: it asks on which side something is; the sides it says are those of other things.
        side_of: it is on the same side as an anchor or the last result, or on the other one.
        crossed: the side of the body that suffers; a brain suffers on the other one.
        count: how many are meant, where it says.
        both: both sides are meant.
        many: a plural, or both sides.
        one: it says that one is meant, whichever.
        others: terms that are not those of the structures named.
        asks: something is asked for that is not named.
        besides: what was shown before is not meant again ("the other two").
        single: it speaks of one certain structure ("那节", "which one").
        container: what contains something is asked for ("which label holds it").
        finding: its head is a finding, and not asked for itself ("hangman fracture").
    """

    words: str
    terms: tuple[str, ...]
    heads: frozenset[str] = frozenset()
    named: tuple[Entity, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    links: tuple[Link, ...] = ()
    context: tuple[Entity, ...] = ()
    sides: Sides = ()
    sides_elsewhere: Sides = ()
    side_asked: bool = False
    side_of: Literal["same", "other"] | None = None
    crossed: Side | None = None
    count: int | None = None
    both: bool = False
    many: bool = False
    one: bool = False
    others: tuple[str, ...] = ()
    asks: bool = False
    besides: bool = False
    single: bool = False
    container: bool = False
    finding: bool = False


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
        head = self._named_before(head, words) or head
        named = head.name.entities if head and head.name else ()
        members = head.category.members if head and head.category else frozenset()
        name_side = head.name.side if head and head.name else None
        if name_side and not sides:
            sides = (name_side,)
        near = _QUADRANT.search(self._text)
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
            side_asked=bool(_SIDE_ASKED.search(self._text)),
            side_of=side_of,
            crossed=crossed,
            count=count,
            both=bool(PAIR.search(self._rest)),
            many=many or bool(head and head.plural),
            one=one,
            others=tuple(terms_of(self._without_names(words))),
            asks=bool(_ASKS_WHAT.search(self._text)) or bool(_ASKED_BEFORE.search(self._text)),
            besides=bool(_BESIDES.search(self._text)),
            single=bool(SINGLE.search(self._text)),
            container=bool(_CONTAINER.search(self._text)),
            finding=bool(head and self._is_finding(head)),
        )

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
        return not (_ASKS_FOR_IT.search(before) or _ASKED_FOR.match(after))

    def _blank(self, match: re.Match[str]) -> None:
        self._rest = blanked(self._rest, *match.span())

    def _crossed(self) -> Side | None:
        match = _BODY_SIDE.search(self._rest)
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
        for which, pattern in _WHICH.items():
            for match in pattern.finditer(self._rest):
                if cues_in(self._rest):
                    found.append(_Word(*match.span(), Anchor(pronoun=True, which=which)))
                    self._blank(match)
        for match in _PRONOUN.finditer(self._rest):
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
        clauses = _BREAK.split(_without_sides(self._text))
        for start, _, sides in sides_in(self._rest):
            clause = len(_BREAK.findall(self._text[:start]))
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
        requests = list(_REQUEST.finditer(self._text))
        behind = [word for word in free if requests and word.start >= requests[-1].end()]
        if behind:
            return next((word for word in behind if word.is_specific), behind[0])
        last = [word for word in free if self._clause_of(word) == self._last_clause()]
        if not last and _OPENER.match(_BREAK.split(self._text)[-1].strip()):
            last = free  # the last clause only says where
        return next((word for word in last if word.is_specific), next(iter(last), None))

    def _last_clause(self) -> int:
        """Which clause is the last that says more than a side or a courtesy."""
        clauses = _BREAK.split(_without_sides(self._text))
        telling = [n for n, clause in enumerate(clauses) if _content(clause)]
        return telling[-1] if telling else len(clauses) - 1

    def _named_before(self, head: _Word | None, words: list[_Word]) -> _Word | None:
        """The structure that "that vertebra" stands for, where it is named before in the same text."""
        if head is None or not head.category or not _THAT.search(self._text[: head.start]):
            return None
        members = head.category.members
        named = [w for w in words if w.name and w.end <= head.start and {s.key for s in w.name.structures} <= members]
        return named[-1] if named else None

    def _asks_what(self, nouns: list[_Word]) -> bool:
        """Whether something is asked for that is not named ("superior gluteal nerve, what goes weak?")."""
        match = _ASKS_WHAT.search(self._text)
        return match is not None and not any(0 <= word.start - match.end() <= 2 for word in nouns)

    def _clause_of(self, word: _Word) -> int:
        """Which clause of the text a word is in, counted from the first."""
        return len(_BREAK.findall(self._text[: word.start]))

    def _is_asked(self, word: _Word) -> bool:
        """Whether a question word stands before it: "which lobe", "哪块骨头"."""
        before = self._text[max(0, word.start - 24) : word.start]
        return bool(_ASKED_BEFORE.search(before.rstrip() if self._language == "zh" else before))

    def _is_governed(self, word: _Word, words: list[_Word], cues: list[Cue]) -> bool:
        """Whether a word only tells where or what the head is."""
        if self._language == "zh":
            return self._is_governed_in_chinese(word, cues)
        before = self._text[: word.start]
        clause = _BREAK.split(before)[-1]
        if re.match(r"['’]s?\b", self._text[word.end :]) or (word.name and self._is_compound(word)):
            return True
        earlier = [w for w in words if w.category and w.start < word.start and before.endswith(clause[-1:] or "")]
        in_clause = [w for w in earlier if w.start >= len(before) - len(clause)]
        if in_clause and word.name:
            return True
        last_opener = None
        for match in _OPENER.finditer(clause):
            last_opener = match
        if last_opener is None:
            return False
        between = clause[last_opener.end() :]
        return not _REQUEST.search(between) and not re.search(r"\b(?:and|is|are)\b", between)

    def _is_compound(self, word: _Word) -> bool:
        """Whether a noun follows that is not known ("liver capsule")."""
        after = re.match(r"\s+([A-Za-z]+)", self._text[word.end :])
        if after is None:
            return False
        known = after[1].lower() in plain_words.ENGLISH or _OPENER.match(after[1]) or any(sides_in(after[1]))
        return not known

    def _is_governed_in_chinese(self, word: _Word, cues: list[Cue]) -> bool:
        after, before = self._text[word.end :], self._text[: word.start]
        if any(cue.end == word.start and cue.asks in ("verb", "verb_back") for cue in cues):
            return True
        if _ZH_GOVERNOR.search(before):
            return True
        return not _ZH_END.match(after)

    def _is_anchor(self, word: _Word, head: _Word | None, cues: list[Cue]) -> bool:
        if word.anchor.references or word.anchor.pronoun:
            return True
        if word.category:
            before = self._text[max(0, word.start - 12) : word.start]
            return bool(word.category.members and _DEFINITE.search(before))
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
            follows = bool(behind) and not _NEW_CLAUSE.search(self._text[cue.end : behind[0].start])
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
        if not before or (behind and not _NEW_CLAUSE.search(self._text[cue.end : behind[0].start])):
            return False
        pronoun = before[-1]
        between = self._text[pronoun.end : cue.start]
        is_near = len(between.split()) <= 3 and not re.search(r"[,;.?!]", between)
        is_asked = bool(re.search(r"\w\s+(?:that\s+|which\s+)?$", self._text[: pronoun.start]))
        return pronoun.anchor.pronoun and is_near and is_asked and bool(_CLAUSE_ENDS.match(self._text[cue.end :]))


def _without_sides(text: str) -> str:
    """A text without words for sides; clauses stay what they are."""
    for pattern in (SAME, OTHER, PAIR, _PATIENT_SIDE):
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


_BODY = (
    r"(?:arms?|legs?|hands?|limbs?|face|facial|body|hemi\w+|weakness|numbness|paralysis|plegia|paresis|extremit\w+|tremor|"
    r"sensory|homonymous|neglect|chorea|ballism\w*|clumsiness|foot|fingers?|half of (?:the|his|her) body)"
)
_BODY_SIDE = any_of(
    rf"(?:left|right)[-\s]*(?:sided?\b)?[-\s]*(?:upper |lower )?{_BODY}",
    "(?:左|右)侧?(?:的)?(?:肢体|上肢|下肢|半身|偏瘫|偏身|偏盲|手|腿|胳膊|脸|面部|身体|轻瘫|无力|麻木|震颤|上下肢|同向|舞蹈|投掷|忽视|半侧)",
)
_PRONOUN = any_of(
    "(?:it|its|they|them|their|those|these|that|this|previous|same)(?! side)(?: (?:one|ones|two|three))?",
    "它们 它 其(?!他|它|余|中|实) 前者 后者 上述 刚才(?:那个|的)? 这(?:个|根|块|条|些|里|两个|两根) "
    "那(?:个|根|块|条|些)(?=的|上|下|旁|里|后|前) 此(?=腺|处|肌|骨|器官|血管|静脉|动脉)",
)
_WHICH: dict[Literal["left", "right", "above", "below"], re.Pattern[str]] = {
    "left": any_of("(?:the )?left (?:one|of the two)", r"(?<![\w\]\x00])左(?:边|侧)?的?那(?:个|根|块|条)"),
    "right": any_of("(?:the )?right (?:one|of the two)", r"(?<![\w\]\x00])右(?:边|侧)?的?那(?:个|根|块|条)"),
    "above": any_of(
        "(?:the )?(?:upper|top|higher|superior) (?:one|of the two)",
        r"(?<![\w\]\x00])上(?:面|方|边)的?那(?:个|根|块|条)",
    ),
    "below": any_of(
        "(?:the )?(?:lower|bottom|inferior) (?:one|of the two)", r"(?<![\w\]\x00])下(?:面|方|边)的?那(?:个|根|块|条)"
    ),
}
_REQUEST = any_of(
    """
    (?:mark|show|outline|segment|highlight|draw|delineate|contour|find|label|trace|give|get|pick|want|need|select)
    (?:paint|colou?r|circle|locate|identify|display|point (?:to|out)|pull up|grab|do|add)
    """
)
_ASKED_BEFORE = re.compile(
    r"\b(?:which|what)(?:'s|\s+is|\s+are)?(?:\s+(?:the|other|single|one|pair\s+of))?\s+(?:\w+\s+){0,2}$"
    r"|哪(?:一|两|几)?(?:个|块|根|条|叶|段|节|只|种|侧|支|对|些)?$|什么$|何$",
    re.IGNORECASE,
)
_OPENER = any_of(
    """
    (?<!one\\s)(?<!pair\\s)(?<!part\\s)of
    (?:in|at|to|from|with|by|into|onto|on|off|for|over|under|above|below|beneath|behind|beside|between|through)
    (?:alongside|opposite|amid|among|off|against|around|along|across|toward|towards|within|inside|outside|near|past|after|before|via|as|like|than)
    (?:that|which|where|whose|who|when|because|if|medial|lateral|anterior|posterior|superior|inferior|adjacent|next)
    (?:supplying|draining|feeding|covering|surrounding|containing|supplies|drains|feeds|contains|touching|hugging)
    (?:crossing|leaving|entering|joining|connecting|pierces|piercing|swallows|houses|its|their)
    """
)
_CONTAINER = any_of(
    """
    (?:which|what) (?:label|structure|region|segment|mask)
    label (?:that|which|it|for|holding|containing|covering)
    belongs? to
    (?:parent|host) \\w+
    (?:contain|includ|swallow|hous|hold|cover)(?:s|ing|es)
    (?:hid|liv|sit|count)(?:es?|ing|s)?(?: \\w+)? (?:in(?:side)?|under|with|as part)
    lumped (?:in|into|with)
    """,
    "哪(?:个|一个)?(?:标签|label|结构|区域) 大?标签 属于 包含 归(?:到|在|入|属) 算(?:在|到|进|作) 打包 包在",
)
_ASKS_FOR_IT = re.compile(
    r"(?:\b(?:only|just|mark|outline|segment|show|draw|highlight|find|contour|label|trace)\s+(?:me\s+)?(?:out\s+)?"
    r"(?:the|a|an|this|that|all|any|its)?\s*(?:\w+\s+)?|\bany\s+(?:\w+\s+)?"
    r"|(?:标|勾|画|圈|分割|只要|找|单独)(?:出|一下|注)?(?:那个|这个)?)$",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"\s*(?:本身|单独|自己|也?(?:标|勾|画|圈)|itself|itselves|by itself|alone|only|on its own)", re.IGNORECASE
)
_ASKS_WHAT = re.compile(
    r"\b(?:what|which|who)(?:'s|\s+(?:is|are))?\b(?!\s+(?:about|if|i\b|we\b|you\b))|(?<![做说指])什么|谁", re.IGNORECASE
)
_THAT = re.compile(r"\b(?:that|this|said)\s+$|[那这该](?:个|根|块|条|节|支)$", re.IGNORECASE)
_BESIDES = any_of(
    "other (?:two|three|four|ones|\\w+s)\nothers\nremaining (?:two|three|ones|one)",
    "另外[两三四几] 其他 其余 剩下(?:的)?[那这]?[两三几]",
)
_QUADRANT = any_of(
    """
    (?:upper |lower )?(?:left|right) (?:upper |lower )?(?:quadrant|flank|loin|groin|iliac fossa)
    LUQ|RUQ|LLQ|RLQ|LIF|RIF
    """,
    "(?:左|右)(?:上腹|下腹|季肋|腰部?|腹股沟|髂窝)",
)
_SIDE_ASKED = any_of("which side\nwhich (?:one )?of the two", "哪一?[侧边]")
_CLAUSE_ENDS = re.compile(r"\s*(?:$|[,;.?!]|please\b|too\b|as\s+well\b|and\b|on\s+the\b)", re.IGNORECASE)
_BREAK = re.compile(r"[,;:.?!\"“”\n，；：。？！]|\s-\s")
_PATIENT_SIDE = any_of("left|right|L|R|same side|both", "左侧?|右侧?|同侧|双侧|两侧")
_NEW_CLAUSE = re.compile(r"[,;.?!，。；？！]")
_DEFINITE = re.compile(
    r"\b(?:the|that|this|those|these|said)\s+(?:\w+\s+)?$|[这该此那](?:个|根|块|条|些|两根|两个)?$|该$", re.IGNORECASE
)
_ZH_GOVERNOR = re.compile(
    r"(?:在|从|到|沿|沿着|经|由|向|靠|靠近|接|跟|与|和|给|往|绕过|穿过|进入|紧贴|来自|属于|供应|引流|汇入|支配)$"
)
_ZH_END = re.compile(
    r"(?:的?(?:左|右)侧?|上|里|内)?(?:是|在)?"
    r"\s*(?:$|[\x00,.，。、；;?？!！：:)）]|吗|呢|吧|了|都|也|标|勾|画|圈|给|一下|给我|找|显示|分|要|就行|即可|看看|有|哪)"
)
