"""Choosing among structures by where they are or how large: "the lowest", "中间那根", "the larger of the two".

The masks at hand are measured first; where they do not tell, the graph is believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from MultiRoundSegLib.anatomy import Entity, Knowledge, Structure

from .counting import COUNTS, number_of
from .earlier import Earlier
from .plan import Target
from .wording import any_of

_OF_THEM = any_of(
    """
    (?:one|ones|which|two|either|the \\w+(?:er|est)) (?:out )?of (?:those|these|them)
    (?:one|ones|which|two|either|the \\w+(?:er|est)) (?:out )?of the (?:two|three|four|pair|lot|bunch)
    (?:and )?(?:out )?of (?:that|those|these|them),
    among (?:those|these|them)
    """,
    """
    [组里]里?(?:.{0,12}的)那(?:个|根|块|条|支) 其中 当中 里面?(?:的)?(?:更|最|哪|靠|偏|那个)
    (?:这|那)?[两几三](?:个|根|块|条|者|支)(?:里|中) 两者
    """,
)
_BACKWARDS = -1
_FORWARDS = 1


@dataclass(frozen=True)
class _Extreme:
    """One way to be the first of several.

    Attributes:
        words: which ask for it.
        relation: the one at the end has it to the others.
        axis: of the mask's middle in patient space (1 is front, 2 is up); None where the graph alone tells.
        sign: 1 where the largest value is meant.
    """

    words: re.Pattern[str]
    relation: str
    axis: int | None
    sign: int


_EXTREMES = (
    _Extreme(
        any_of(
            """
            lowest
            lowermost
            bottom(?:most)?
            lower(?! lobe| jaw| limb| leg)
            most (?:inferior|caudal)
            inferior-?most
            """,
            "最(?:下面?|低|底下?|尾端)(?:的|面|边|头|那|一|方)? 更低 偏低 低一[点些] 靠下 下面那 下边那 "
            "末尾 最末 最后一(?:对|根|节)",
        ),
        "below",
        2,
        _BACKWARDS,
    ),
    _Extreme(
        any_of(
            """
            high(?:er|est)
            uppermost
            topmost
            top(?! of)
            upper(?! lobe| jaw| limb| arm)
            most (?:superior|cranial)
            superior-?most
            """,
            "最(?:上面?|高|顶上?)(?:的|面|边|头|那|一|方)? 更高 偏高 高一[点些] 靠上 上面那 上边那",
        ),
        "above",
        2,
        _FORWARDS,
    ),
    _Extreme(any_of("deep(?:er|est)\ninnermost", "最深 更深 深(?:层|面|的)那 最里 更里"), "inside", None, 0),
    _Extreme(
        any_of("(?:most|more) superficial\nshallow(?:er|est)\noutermost", "最浅 更浅 浅(?:层|面|的)那 最表 最外层"),
        "surrounds",
        None,
        0,
    ),
    _Extreme(any_of("(?:most|more) medial\ninner(?: one)?", "最内侧 靠内 内侧那 更内"), "medial_to", None, 0),
    _Extreme(any_of("(?:most|more) lateral\nouter(?: one)?", "最外侧 靠外 外侧那 更外"), "lateral_to", None, 0),
    _Extreme(
        any_of(
            "(?:most|more) anterior\nfront(?:most)? one\nfrontmost\nforemost\nfurth?er (?:forward|front)",
            "最前 靠前 前面那 前方那",
        ),
        "in_front_of",
        1,
        _FORWARDS,
    ),
    _Extreme(
        any_of("(?:most|more) posterior\nrear(?:most)?\nhindmost\nback one", "最后面 最后方 靠后 后面那 后方那"),
        "behind",
        1,
        _BACKWARDS,
    ),
)
_LARGEST = any_of("larg(?:er|est)\nbig(?:ger|gest)\nbulk(?:ier|iest)", "最大 更大 大的那 较大 偏大 大一[点些]")
_SMALLEST = any_of("small(?:er|est)\ntin(?:ier|iest)\nlittlest", "最小 更小 小的那 较小 偏小 小一[点些]")
_SIZES = {1: ("larg", "bigg", "最大"), -1: ("small", "最小")}
"""Terms of statements that say so; see `terms_of`."""
_MIDDLE = any_of("middle(?! lobe)\ncentral\nin (?:the )?between", "中间 居中 正中")
_ENDS = any_of("first and last\nboth ends\ntop and bottom\nouter two", "首尾 头尾 两头 两端 最上和最下")
_SO_MANY = any_of(
    "(?:the )?first (?P<first>two|three|2|3)\n(?:the )?last (?P<last>two|three|2|3)",
    "(?:最?前面?|开头)(?P<zh_first>[两二三23])[节根块] (?:最?后面?|末尾?)(?P<zh_last>[两二三23])[节根块]",
)
_LAST_OF = any_of("(?:the )?last (?:one|of (?:them|these|those))", "最后(?:那|一)(?:个|根|块|条|节|支) 最末")
_ONWARDS = any_of(
    "(?:and |on )?(?:down(?:wards?)?|below|onwards?|or lower|and lower)(?! to)", "(?:及|和)?(?:以下|往下|向下|之下)"
)
_UPWARDS = any_of(
    "(?:and |on )?(?:up(?:wards?)|above|or higher|and higher)(?! to)", "(?:及|和)?(?:以上|往上|向上|之上)"
)


@dataclass(frozen=True)
class Extremes:
    """Chooses among targets.

    Attributes:
        knowledge: the graph and the series.
        earlier: the dialogue, for masks to be measured.
    """

    knowledge: Knowledge
    earlier: Earlier

    def asks_for_one_of_them(self, words: str) -> bool:
        """Whether the words choose among what was there before ("the deeper of the two")."""
        return bool(_OF_THEM.search(words))

    def chosen(self, words: str, targets: Sequence[Target]) -> list[Target]:
        """Those of the targets that the words choose; none where they do not choose, or it cannot be told."""
        known = [target for target in targets if target.entity or target.copied]
        if len(known) < 2:
            return []
        return self._in_range(words, known) or self._by_place(words, known) or self._by_order_or_size(words, known)

    def _by_place(self, words: str, targets: Sequence[Target]) -> list[Target]:
        """Those at an end or in the middle."""
        count = next((n for n, pattern in COUNTS.items() if pattern.search(words)), 1)
        found = [_ends(self._downwards(targets))] if _ENDS.search(words) else []
        found += [self._so_many(words, targets)]
        found += [_middle(self._downwards(targets))] if _MIDDLE.search(words) else []
        found += [self._most(extreme, targets, count) for extreme in _EXTREMES if extreme.words.search(words)]
        return next((those for those in found if those), [])

    def _so_many(self, words: str, targets: Sequence[Target]) -> list[Target]:
        """The first or last so many of a series ("前两节", "the first two")."""
        match = _SO_MANY.search(words)
        ordered = self._downwards(targets) if match and self._series(targets) else []
        if match is None or not ordered:
            return []
        number = number_of(match)
        chosen = ordered[:number] if match["first"] or match["zh_first"] else ordered[-number:]
        return chosen if len(chosen) < len(ordered) else []

    def _by_order_or_size(self, words: str, targets: Sequence[Target]) -> list[Target]:
        if _LAST_OF.search(words):
            return [targets[-1]]
        for pattern, sign in ((_LARGEST, _FORWARDS), (_SMALLEST, _BACKWARDS)):
            if pattern.search(words):
                return self._by_size(targets, sign) or self._said_to_be(_SIZES[sign], targets)
        return []

    def _in_range(self, words: str, targets: Sequence[Target]) -> list[Target]:
        """From one of a series onwards: "from T7 down", "L3以上"."""
        for name in self.knowledge.anatomy.mentions(words):
            series = self.knowledge.anatomy.series_of(name.structures) if len(name.structures) == 1 else None
            if series is None:
                continue
            place, behind = series.index(name.structures[0]), words[name.end :].lstrip()
            meant = series[place:] if _ONWARDS.match(behind) else series[: place + 1] if _UPWARDS.match(behind) else ()
            if meant:
                return [t for t in targets if t.entity and t.entity.structure in meant]
        return []

    def _series(self, targets: Sequence[Target]) -> tuple[Structure, ...] | None:
        structures = [target.entity.structure for target in targets if target.entity]
        return self.knowledge.anatomy.series_of(structures) if len(structures) == len(targets) else None

    def _downwards(self, targets: Sequence[Target]) -> list[Target]:
        """The targets from the top down, where that is known of all."""
        series = self._series(targets)
        if series:
            return sorted(targets, key=lambda t: series.index(t.entity.structure) if t.entity else 0)
        heights = [self._coordinate(target, 2) for target in targets]
        if len({None if height is None else round(height, 1) for height in heights} - {None}) < len(targets):
            return []
        return [target for _, target in sorted(zip(heights, targets, strict=True), key=lambda pair: -(pair[0] or 0.0))]

    def _most(self, extreme: _Extreme, targets: Sequence[Target], count: int) -> list[Target]:
        if extreme.axis == 2 and self._series(targets):
            ordered = list(dict.fromkeys(t.entity.structure for t in self._downwards(targets) if t.entity))
            ends = ordered[-count:] if extreme.sign == _BACKWARDS else ordered[:count]
            return [t for t in targets if t.entity and t.entity.structure in ends]
        measured = self._measured_to_be(extreme, targets)
        if measured:
            return measured
        beaten = [
            t for t in targets if any(self._is(other, extreme.relation, t) for other in targets if other is not t)
        ]
        beating = [
            t for t in targets if t not in beaten and any(self._is(t, extreme.relation, other) for other in beaten)
        ]
        if beating:
            level = {t.entity.structure for t in beating if t.entity}
            return beating if len(level) == 1 else []
        return []

    def _measured_to_be(self, extreme: _Extreme, targets: Sequence[Target]) -> list[Target]:
        """The one whose mask lies furthest; none where not all masks are at hand, or none is ahead."""
        if extreme.axis is None:
            return []
        values = {n: self._coordinate(target, extreme.axis) for n, target in enumerate(targets)}
        return _largest(targets, {n: v * extreme.sign for n, v in values.items() if v is not None})

    def _is(self, one: Target, relation: str, other: Target) -> bool:
        """Whether the graph says that one has this relation to the other."""
        if not one.entity or not other.entity:
            return False
        return any(
            fact.relation == relation
            and _is_of(fact.subject, one.entity)
            and any(_is_of(place, other.entity) for place in fact.objects)
            for fact in self.knowledge.facts_of(one.entity.structure)
        )

    def _coordinate(self, target: Target, axis: int) -> float | None:
        """Of the middle of a target's mask, where one is at hand."""
        return self._measured(target, lambda r: float(self.earlier.history.latest(r).centroid_ras()[axis]))

    def _by_size(self, targets: Sequence[Target], sign: int) -> list[Target]:
        sizes = {
            n: self._measured(t, lambda r: self.earlier.history.latest(r).volume_ml) for n, t in enumerate(targets)
        }
        return _largest(targets, {n: size * sign for n, size in sizes.items() if size is not None})

    def _said_to_be(self, terms: Sequence[str], targets: Sequence[Target]) -> list[Target]:
        """The targets of the one structure that statements call so."""
        heard = self.knowledge.evidence.hear(terms)
        structures = {t.entity.structure for t in targets if t.entity}
        weights = sorted(((heard.weight(s), s.key, s) for s in structures), reverse=True)
        if len(weights) < 2 or weights[0][0] < weights[1][0] + 0.3:
            return []
        return [t for t in targets if t.entity and t.entity.structure is weights[0][2]]

    def _measured(self, target: Target, measure: Callable[..., float]) -> float | None:
        shown = [r for r in self.earlier.history.references() if self.earlier.entity_of(r) == target.entity]
        shown = [target.copied] if target.copied else shown
        there = [
            r for r in shown if not self.earlier.history.is_removed(r) and not self.earlier.history.latest(r).is_empty
        ]
        return measure(there[-1]) if there else None


def names_an_extreme(words: str) -> bool:
    """Whether there is a word for an extreme."""
    return next(places_of_extremes(words), None) is not None


def places_of_extremes(text: str) -> Iterator[tuple[int, int]]:
    """Where the words for extremes stand."""
    patterns = (_SO_MANY, _LARGEST, _SMALLEST, _MIDDLE, _ENDS, _LAST_OF, *(extreme.words for extreme in _EXTREMES))
    return (match.span() for pattern in patterns for match in pattern.finditer(text))


def _is_of(place: object, entity: Entity) -> bool:
    structure, side = place.structure, place.side  # type: ignore[attr-defined]
    return structure is entity.structure and side in (None, entity.side)


def _ends(ordered: list[Target]) -> list[Target]:
    return [ordered[0], ordered[-1]] if len(ordered) > 2 else []


def _middle(ordered: list[Target]) -> list[Target]:
    if len(ordered) < 3:
        return []
    half = len(ordered) // 2
    return [ordered[half]] if len(ordered) % 2 else ordered[half - 1 : half + 1]


def _largest(targets: Sequence[Target], values: dict[int, float]) -> list[Target]:
    """The one target whose value is largest; none where some are not known or it is a draw."""
    if len(values) < len(targets):
        return []
    order = sorted(values, key=lambda n: -values[n])
    if np.isclose(values[order[0]], values[order[1]]):
        return []
    return [targets[order[0]]]
