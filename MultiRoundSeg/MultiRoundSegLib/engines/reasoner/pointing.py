"""Earlier masks that a text points to otherwise than by one number: "those two", "the first vessel", "前两个"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Knowledge, terms_of
from MultiRoundSegLib.conversation import Mention, Reference

from .earlier import Earlier
from .wording import any_of

_VALUES = {
    **dict.fromkeys(("1", "one", "first", "一"), 1),
    **dict.fromkeys(("2", "two", "second", "二", "两", "俩", "both", "pair", "couple"), 2),
    **dict.fromkeys(("3", "three", "third", "三", "仨"), 3),
    **dict.fromkeys(("4", "four", "fourth", "四"), 4),
    **dict.fromkeys(("5", "five", "fifth", "五"), 5),
    **dict.fromkeys(("6", "six", "sixth", "六"), 6),
    **dict.fromkeys(("7", "seven", "seventh", "七"), 7),
    **dict.fromkeys(("8", "eight", "eighth", "八"), 8),
    **dict.fromkeys(("9", "nine", "ninth", "九"), 9),
    **dict.fromkeys(("10", "ten", "tenth", "十"), 10),
}
_EN = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)"
_EN_FEW = r"(?:two|three|four|five|six|[2-6])"
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth)"
_ZH = r"(?:\d{1,2}|[一二三四五六七八九十])"
_ZH_FEW = r"[两俩二三四五六仨2-6]"
_CLASSIFIER = r"(?:个|根|块|条|段|样|叶|支|者|处|次|轮|种|只|节|组|步|题|问|项|结构|器官|部分|(?=$|[\s，,。.]))"
_ROUND = r"(?:answers?|rounds?|results?|masks?|steps?|items?|numbers?|nos?\.?|questions?|segments?|structures?)"
_ZH_ROUND = r"(?:轮|步|题|问|项|次|回|个结果|个答案|个结构|个mask)"
_NOT_ANATOMY = r"(?!\s*(?:个|节|根|块)?(?:肋|椎|腰|胸|颈|骶|掌|跖|趾|指|脑室))"
_MASKS = r"(?:ones|masks|results|rounds|structures|segments|answers|labels|guys|things)"
_TO = r"(?:to|-|–|~|through|thru|到|至)"
_AND = r"(?:,|and|&|\+|plus|with|和|跟|与|、|，|加)"
_ANATOMY = (
    r"(?:\w+ )?\w*(?:lobe|chamber|muscle|rib|nucle|vertebr|bone|vessel|arter|vein|valve|segment|branch|atri|ventric"
    r"|kidney|lung)"
)

_RANGE = any_of(
    rf"""
    {_ROUND} (?P<a1>{_EN})\s*{_TO}\s*(?:{_ROUND} )?(?P<b1>{_EN})
    """,
    rf"\[(?P<a2>\d+)\]\s*{_TO}\s*\[(?P<b2>\d+)\] 第?(?P<a3>{_ZH})\s*(?:到|至|-|~)\s*第?(?P<b3>{_ZH})\s*{_ZH_ROUND}",
)
_LIST = any_of(
    rf"{_ROUND} (?P<l1>{_EN}(?:\s*{_AND}\s*(?:{_ROUND} )?{_EN})*)(?! {_ANATOMY})",
    rf"""
    第(?P<l4>{_ZH}(?:[、和跟与,，]第?{_ZH})+)(?=合|并|一起|拼|叠|放|都|串|加)
    第(?P<l2>{_ZH}(?:[、和跟与,，]第?{_ZH})*){_ZH_ROUND}
    第(?P<l3>{_ZH}(?:[、和跟与,，]第?{_ZH})*)个{_NOT_ANATOMY}
    """,
)
_BARE_LIST = re.compile(
    rf"^\W*(?:\w+\s+)?(?P<l1>\d{{1,2}}(?:\s*{_AND}\s*\d{{1,2}})+)(?!\d|\s*(?:肋|椎|cm|mm|%))", re.IGNORECASE
)
_THOSE = r"(?:those|these|the last|the previous|last|previous|all|any of the)(?: last)?"
_ZH_THOSE = (
    r"(?<!剩下)(?<!其余)(?<!另外)(?:这|那|刚才(?:那|的)?|上面(?:那|的|这)?|上述|刚刚(?:那|的)?|最后(?:的|那)?|后面?(?:的|那)?"
    r"|以上|前述)"
)
_LAST = any_of(
    rf"""
    {_THOSE} (?P<n1>{_EN_FEW})(?: (?:{_MASKS}|of (?:them|these|those)))?(?! {_ANATOMY})
    the (?P<n2>two|three) of (?:them|these|those)
    (?P<n3>both) of (?:them|these|those)
    (?:those|these|the|that)(?: last)? (?P<n4>pair|couple)(?= (?:together|in one|as one|combined|merged)|\W*$)
    """,
    rf"""
    {_ZH_THOSE}(?P<n5>{_ZH_FEW}){_CLASSIFIER}
    (?:^|[把将这那是，,])(?P<n6>两)(?:样|个|者|块|根|条)(?=都|一起|合|并|拼|叠|\s*(?:merge|combine))
    (?:它们|这|他们|她们)(?P<n7>俩|仨)
    """,
)
_FIRST = any_of(
    rf"the first (?P<n1>{_EN_FEW})(?: {_MASKS})?(?! {_ANATOMY})",
    rf"(?<!腺)(?:最?前面?|头|开头)(?:的|那)?(?P<n2>{_ZH_FEW}){_CLASSIFIER}",
)
_I = r"(?:i|we)(?:'d| had|'ve)?(?: \w+)?"
_ASKED = (
    r"(?:typed|asked(?: you)?(?: for)?|wanted|had|said|started with|requested|segmented|showed|mentioned|named|did"
    r"|drew|got)"
)
_ONE = r"(?:one|thing|structure|organ|mask|item|request|answer|result)"
_ZH_ONE = r"(?:的|标的|画的|要的|说的|问的|那)?(?:那)?(?:一)?(?:个|块|根|条|叶|支|对|组|样)?"
_VERY_FIRST = any_of(
    rf"""
    what {_I} {_ASKED}(?: \w+)? first
    (?:the )?(?:very )?first {_ONE}?(?: that)? ?{_I} {_ASKED}(?: for)?
    the (?:very )?first {_ONE}(?! (?:to|that|it|on|in|above|below))
    the (?:original|initial) (?:one|structure|mask|organ|\w+)(?=\W*$| again| back)
    (?:the one )?(?:we|i) (?:started|began|opened) with
    where (?:we|i) (?:started|began)
    the first(?=\W*$)
    (?:go |going )?back to (?:the )?(?:very )?first(?: one)?(?! \w*(?:rib|lumbar|thoracic|cervical|sacral))
    (?:go |going )?back to (?:the )?(?:very )?(?:start|beginning|square one|top)(?! \w*(?:rib|lumbar|thoracic))
    """,
    rf"""
    (?:最开始|一开始|最初|最早|开头|起初|最先|最前面?){_ZH_ONE}
    第一(?:个|题|问|步|条|块|根|支){_NOT_ANATOMY}
    """,
)
_BEFORE_LAST = any_of(
    """
    the one before (?:that|last|it|this)
    two (?:rounds |steps |answers )?(?:ago|back|before)
    (?:the )?(?:second|next) to last(?: one)?
    (?:the )?penultimate(?: one)?
    """,
    "上上(?:个|轮|次|一?步) 前前(?:个|轮) 再(?:往)?前(?:面)?(?:的)?一?(?:个|轮|步) 倒数第二(?:个|轮|步)",
)
_HAVE = r"(?:you(?:'ve| have)?|we(?:'ve| have)?|i(?:'ve| have)?|is|has been)"
_DONE = r"(?:drawn|got|segmented|shown|marked|done|made|outlined|have|painted|asked|labell?ed|contoured|collected)"
_EVERYTHING = any_of(
    rf"""
    (?:everything|all|whatever)(?: that)? {_HAVE}(?: already)? {_DONE}(?: (?:so far|up to now|until now))?
    (?:everything|all) {_DONE} (?:so far|up to now|until now|above)
    (?:everything|all(?: of (?:it|them|these|those|the above))?) (?:so far|above|together|up to now)
    all(?: the)? (?:masks|results|above|rounds|structures|answers)(?: (?:so far|above|together|up to now))?
    (?:everything|all) (?:from|in|of) (?:this|the) (?:case|session|chat|list|dialogue)
    all of (?:them|these|those|the above|it)
    (?:the )?(?:whole|entire) (?:trip|lot|set|list|path|route|journey|letter|series|collection)(?: so far)?
    (?:the )?(?:whole|entire) (?:chain|circuit|tour)(?: so far)?
    """,
    """
    (?:目前|已经|之前|前面)?(?:标|画|勾|做)过的(?:这些|那些)?(?:里头|里面|里)?(?!.{0,2}(?:那|这)?(?:个|根|块|条|叶))
    (?:目前|到现在|到目前|至今|前面|上面|以上|之前|刚才|已经)(?:为止)?(?:的|标的|画的|标过的|画过的|勾的|这些)?(?:所有|全部)(?:结果|结构|的)?
    (?:所有|全部)(?:已经?)?(?:标|画|分割|做|勾)(?:过|好|出)?的
    (?:前面|上面|之前|刚才)(?:这|那)?(?:几|些)(?:个|轮|步|段|块|根|条|样|项)?
    以上(?:结果|各项|几个|这些|全部|所有)
    这几个(?=都|全|合|并|一起|拼)
    """,
)
_IT = r"(?:it|them|that one|this one|this|that|those|these)"
_WITH_IT = any_of(
    rf"""
    (?:and|plus|with|&) {_IT}(?= (?:together|in one|as one|combined|merged|please|too|into one|in a single)|[\s.?!]*$)
    (?<!.){_IT}(?= (?:and|plus|together with|with|&) (?!then|now|also|only|just)\S)
    """,
    """
    (?:和|跟|与|加上?|同)(?:它们?|这个|那个|前者|这块|那块|这根|那根)(?=拼|并|合|一起|叠|放|$|[，。])
    (?:^|把|将|^那)(?:它们?|这个|那个)(?=和|跟|与|加上)
    """,
)
_NTH_OF_A_KIND = any_of(
    rf"(?:the )?(?P<n1>{_ORDINAL})(?= \w)",
    r"第(?P<n2>[一二三四五1-5])(?:个|块|根|条|只|支|段|侧)?(?=\s*\S)",
)
_SAID = r"(?:said|called|described|mentioned|asked about|told you)"
_ZH_SAID = r"(?:我|你)?(?:说|提|问|讲|提到|说到|问到|聊)(?:的|过|到)?(?:过)?(?:的)?"
_DESCRIBED_BEFORE = any_of(
    rf"(?:the )?\w+(?: that| which)? (?:i|we|you) {_SAID}(?: (?:was|were|is|as|to be|had|would be))? (?P<d1>[^,.;?!]+)",
    rf"(?:前面|刚才|之前|上面|一开始){_ZH_SAID}(?P<d2>[^，,。；]{{2,12}}?)的?那(?:个|根|块|条|叶|节|支)",
)
_BEFORE_A_KIND = re.compile(r"\s*(?:里面?|中)?的?\s*(?:那|这)?(?:一)?(?:个|根|块|条|支|只|段|片|层)?\s*")
_OF = re.compile(r"(?:the\s+)?(?P<what>[\w ]{2,30}?)\s+(?:from|in|of|at|on)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Pointing:
    """Finds pointers in the texts of one dialogue.

    Attributes:
        knowledge: names and categories.
        earlier: the dialogue so far.
        picked: masks that the person clicked for this question.
    """

    knowledge: Knowledge
    earlier: Earlier
    picked: tuple[Reference, ...] = ()

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """The pointers in a text; none where the dialogue has no masks yet."""
        made = self.earlier.history.made()
        if not made:
            return ()
        found: list[Mention] = []
        for start, end, references in self._all(text):
            free = all(end <= other.start or other.end <= start for other in found)
            if references and free:
                found.append(self.with_its_kind(Mention(start, end, references), text))
        return tuple(sorted(found, key=lambda mention: mention.start))

    def with_its_kind(self, mention: Mention, text: str) -> Mention:
        """A pointer with the word for what it points to ("the lobe from [2]", "第一题那个腺体")."""
        structures = {entity.structure.key for entity in self.earlier.entities_of(mention.references)}
        gap = _BEFORE_A_KIND.match(text, mention.end)
        place = gap.end() if gap else mention.end
        for end, members in self._kinds_at(text, place):
            if structures and structures <= members and not re.match(r"\s*(?:of|in)\b", text[end:]):
                return Mention(mention.start, end, mention.references, mention.note)
        before = _OF.search(text, 0, mention.start)
        if before:
            for start in (m.start() for m in re.finditer(r"\b\w", before["what"])):
                place = before.start("what") + start
                if any(
                    structures <= members and end == before.end("what") for end, members in self._kinds_at(text, place)
                ):
                    return Mention(place, mention.end, mention.references, mention.note)
        return mention

    def _all(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        finders: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Reference, ...]]], ...] = (
            (_EVERYTHING, lambda _: self.earlier.history.made()),
            (_RANGE, self._range),
            (_LIST, self._list),
            (_FIRST, lambda match: self._first(_number(match))),
            (_LAST, lambda match: self._last(_number(match))),
            (_BEFORE_LAST, lambda _: self._rounds_before_last(2)),
        )
        for pattern, resolve in finders:
            for match in pattern.finditer(text):
                yield (*match.span(), resolve(match))
        yield from self._of_a_kind(text)
        for match in _VERY_FIRST.finditer(text):
            yield (*match.span(), self._first(1))
        yield from self._described_before(text)
        match = _BARE_LIST.search(text)
        if match and not self.knowledge.anatomy.mentions(text):
            yield (*match.span("l1"), self._list(match))
        for match in _WITH_IT.finditer(text):
            start, end = match.span()
            word = re.search(rf"{_IT}|它们?|这个|那个|前者|[这那][块根]", match[0], re.IGNORECASE)
            if word:
                yield start + word.start(), start + word.end(), self.picked or self.earlier.last_masks()

    def _described_before(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Such as "the one i called obstructed": of the round whose question has the most words in common."""
        made = self.earlier.history.made()
        for match in _DESCRIBED_BEFORE.finditer(text):
            said = set(terms_of(next(value for value in match.groupdict().values() if value)))
            shared = {
                round_.number: sum(
                    self.knowledge.evidence.rarity.get(t, 1.0) for t in said & set(terms_of(round_.question.text))
                )
                for round_ in self.earlier.history.rounds
            }
            best = max(shared, key=lambda number: shared[number])
            if shared[best]:
                yield (*match.span(), tuple(r for r in made if r.round_number == best))

    def _of_a_kind(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Such as "the first vessel": of the earlier masks that show one."""
        names = self.knowledge.anatomy.mentions(text)
        for match in _NTH_OF_A_KIND.finditer(text):
            if any(name.start < match.end() and match.start() < name.end for name in names):
                continue
            place = match.end() + len(re.match(r"\s*", text[match.end() :])[0])  # type: ignore[index]
            for end, members in self._kinds_at(text, place):
                alike = [
                    r for r in self.earlier.history.made() if (s := self.earlier.structure_of(r)) and s.key in members
                ]
                number = _number(match)
                if number <= len(alike):
                    yield match.start(), end, (alike[number - 1],)
                    break

    def _kinds_at(self, text: str, place: int) -> Iterator[tuple[int, frozenset[str]]]:
        """Words for several structures, or names, that begin here: where each ends, and the keys it may stand for."""
        for name in self.knowledge.anatomy.mentions(text):
            if name.start == place:
                kinds = {k.key for s in name.structures for k in self.knowledge.anatomy.kinds(s.key)}
                yield name.end, frozenset({s.key for s in name.structures} | kinds)
        for word, category in self.knowledge.category_words.items():
            end = place + len(word)
            ends = not word.isascii() or not text[end : end + 2].rstrip("s").isalpha()
            if category.members and text[place:end].lower() == word.lower() and ends:
                yield end, category.members

    def _range(self, match: re.Match[str]) -> tuple[Reference, ...]:
        first, last = (_VALUES.get(v.lower(), 0) for v in match.groupdict().values() if v)
        return self._of_rounds(range(first, last + 1))

    def _list(self, match: re.Match[str]) -> tuple[Reference, ...]:
        words = next(value for value in match.groupdict().values() if value)
        numbers = [_VALUES.get(word.lower(), 0) for word in re.findall(rf"{_EN}|{_ZH}", words, re.IGNORECASE)]
        return self._of_rounds(numbers)

    def _of_rounds(self, numbers: Sequence[int]) -> tuple[Reference, ...]:
        """All masks of these rounds; none where one of them has none."""
        made = self.earlier.history.made()
        by_round = [[r for r in made if r.round_number == number] for number in numbers]
        return tuple(dict.fromkeys(r for found in by_round for r in found)) if all(by_round) else ()

    def _first(self, number: int) -> tuple[Reference, ...]:
        """The first so many masks, or the masks of the first so many rounds that have any."""
        return self._so_many(self._by_round(), number)

    def _last(self, number: int) -> tuple[Reference, ...]:
        """The last so many, or those that were clicked."""
        if len(self.picked) == number:
            return self.picked
        return tuple(sorted(self._so_many(self._by_round()[::-1], number)))

    def _so_many(self, rounds: Sequence[tuple[Reference, ...]], number: int) -> tuple[Reference, ...]:
        found: tuple[Reference, ...] = ()
        for masks in rounds:
            if len(found) >= number:
                break
            found += masks
        if len(found) == number or number == 1:
            return found
        return tuple(r for masks in rounds[:number] for r in masks) if number <= len(rounds) else ()

    def _rounds_before_last(self, number: int) -> tuple[Reference, ...]:
        rounds = self._by_round()
        return rounds[-number] if number <= len(rounds) else ()

    def _by_round(self) -> list[tuple[Reference, ...]]:
        by_round: dict[int, tuple[Reference, ...]] = {}
        for reference in self.earlier.history.made():
            by_round[reference.round_number] = (*by_round.get(reference.round_number, ()), reference)
        return list(by_round.values())


def _number(match: re.Match[str]) -> int:
    return _VALUES[next(value for value in match.groupdict().values() if value).lower()]
