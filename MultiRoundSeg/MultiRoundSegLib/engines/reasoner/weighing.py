"""Weighing descriptions: how well each structure fits, by what is said of it and by its relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Entity, Fact, Heard, Knowledge, Place, Side, Structure, load_relations

from .description import Anchor, Description, Link

_LINKED = 6.0
"""A relation that is asked for counts as much as a rare word."""
_LOOSELY_LINKED = 2.5
"""A relation of the right kind, the other way round or where the words do not say which way."""
_NEAR = 3.5
"""A spatial relation of another kind, where something beside is asked for or nothing of the kind is known."""
_ON_THIS_SIDE = 0.8
"""A relation that holds on one side only."""
_NEIGHBOUR = 1.0
"""Any relation to what a description is told by."""
_THROUGH_THE_WHOLE = 0.6
_CONTEXT = 3.0
"""A structure that is named besides is often the one that is meant ("hepatic steatosis: the organ")."""
_CONTAINER = 5.0
_BEFORE = 0.2
_BEFORE_AT_MOST = 1.0
_HEAD = 1.0
_NAMED = 5.0
_NOT_THE_HEAD = 0.2
_ANCHOR_ITSELF = 0.15
_SIDE_TOLD = 1.0
_SIDE_TOLD_OF_FEW = 0.2
_SIDES_DIFFER = ("heart",)
"""Kinds of structures whose left and right are two different things, not one thing twice."""


@dataclass(frozen=True)
class Reason:
    """Why a structure was chosen.

    Attributes:
        fact: the relation; None where words of a statement told.
        anchor: the entity at the other end of it.
        phrase: the words of a statement.
    """

    fact: Fact | None = None
    anchor: Entity | None = None
    phrase: str = ""


@dataclass(frozen=True)
class Fit:
    """How well a structure fits.

    Attributes:
        structure: which.
        side: where what is told is true of one side only.
        weight: 5 is about one rare word or one relation.
        reason: what told most.
    """

    structure: Structure
    side: Side | None
    weight: float
    reason: Reason


class Weigher:
    """Weighs structures against one description."""

    def __init__(
        self,
        knowledge: Knowledge,
        description: Description,
        anchored: Callable[[Anchor], Sequence[Entity]],
        before: Iterable[str] = (),
    ) -> None:
        """Prepare.

        Args:
            knowledge: what is known.
            description: what is told.
            anchored: what an anchor stands for in this dialogue.
            before: terms of the question before, which may still be what is spoken of.
        """
        self._before: Heard = knowledge.evidence.hear(before)
        self._knowledge = knowledge
        self._description = description
        self._told = _SIDE_TOLD
        self._heard: Heard = knowledge.evidence.hear(description.terms)
        self._linked: dict[Place, tuple[float, Reason]] = {}
        self._anchors = [entity for anchor in description.anchors for entity in anchored(anchor)]
        for link in description.links:
            anchors = link.anchors or (Anchor(pronoun=True),)
            for anchor in anchors:
                for entity in anchored(anchor):
                    self._follow(link, entity, bool(link.anchors))
        neighbour = _NEIGHBOUR if description.links else _LOOSELY_LINKED
        for entity in self._anchors:
            for fact in knowledge.facts_of(entity.structure):
                for place in (fact.subject, *fact.objects):
                    self._credit(place, neighbour, Reason(fact, entity), entity)

    def fits(self, pool: Iterable[Structure] | None = None) -> list[Fit]:
        """The structures that fit at all, best first.

        Args:
            pool: to choose from, where a little tells which side; all where it is None.
        """
        self._told = _SIDE_TOLD if pool is None else _SIDE_TOLD_OF_FEW
        linked = [place.structure for place in self._linked]
        context = [entity.structure for entity in (*self._description.context, *self._description.named)]
        structures = dict.fromkeys((*self._heard.structures, *linked, *context) if pool is None else pool)
        fits = [fit for structure in structures for fit in self._fits(structure)]
        return sorted(fits, key=lambda fit: -fit.weight)

    def _fits(self, structure: Structure) -> Iterator[Fit]:
        """How well a structure fits; where its sides are two different things and fit differently, each."""
        weights = {side: self._weight(structure, side) for side in structure.sides or (None,)}
        low, high = min(weights.values()), max(weights.values())
        told = len(weights) == 2 and high - low >= self._told
        if told and structure.kind in _SIDES_DIFFER:
            for side, weight in weights.items():
                yield Fit(structure, side, weight, self._reason(structure, side))
            return
        side = max(weights, key=lambda side: weights[side]) if told or len(weights) == 1 else None
        yield Fit(structure, side, high, self._reason(structure, side))

    def _weight(self, structure: Structure, side: Side | None) -> float:
        weight = self._heard.weight(structure, side)
        if weight:
            weight += min(_BEFORE * self._before.weight(structure, side), _BEFORE_AT_MOST)
        linked = [self._linked[place][0] for place in _places(structure, side) if place in self._linked]
        weight += max(linked, default=0.0)
        own = self._linked.get(Place(structure, side), (0.0,))[0] if side else 0.0
        weight += _ON_THIS_SIDE if own >= _NEAR else 0.0
        weight += sum(self._context(entity, structure, side) for entity in self._description.context)
        description = self._description
        if description.finding:
            return weight + _CONTEXT if self._is_named(structure) else weight
        if description.named:
            if self._is_named(structure):
                return weight + _NAMED
            return weight + _HEAD if weight and self._is_part_of_the_named(structure) else weight * _NOT_THE_HEAD
        if description.heads:
            weight = weight + _HEAD if structure.key in description.heads else weight * _NOT_THE_HEAD
        if any(entity.structure is structure for entity in self._anchors):
            weight *= _ANCHOR_ITSELF
        return weight

    def _is_named(self, structure: Structure) -> bool:
        anatomy = self._knowledge.anatomy
        return any(
            entity.structure is structure or structure in anatomy.kinds(entity.structure.key)
            for entity in self._description.named
        )

    def _is_part_of_the_named(self, structure: Structure) -> bool:
        """Whether a description may be of a part: "跟着变大的脑室" is one of the ventricles."""
        anatomy = self._knowledge.anatomy
        return any(structure in anatomy.parts(entity.structure.key) for entity in self._description.named)

    def _context(self, entity: Entity, structure: Structure, side: Side | None) -> float:
        if entity.structure is structure:
            return _CONTEXT if entity.side in (None, side) else _CONTEXT / 2
        is_part = structure.key in entity.structure.part_of and entity.side in (None, side)
        if self._description.container:
            return _CONTAINER if self._holds(structure, entity.structure) else 0.0
        return _CONTEXT / 2 if is_part else 0.0

    def _holds(self, whole: Structure, part: Structure) -> bool:
        """Whether something is part of a structure, or of a part of it."""
        return whole.key in part.part_of or any(
            self._holds(whole, self._knowledge.anatomy[key]) for key in part.part_of
        )

    def _reason(self, structure: Structure, side: Side | None) -> Reason:
        linked = [self._linked[place] for place in _places(structure, side) if place in self._linked]
        best = max(linked, key=lambda entry: entry[0], default=None)
        if best and best[0] >= _LOOSELY_LINKED:
            return best[1]
        return Reason(phrase=self._heard.best_phrase(structure, side))

    def _follow(self, link: Link, entity: Entity, has_anchor: bool) -> None:
        """Credit what is at the other end of a relation of this kind."""
        if entity.structure.kind == "lesion":
            self._credit_its_organ(entity)
        found = list(self._other_ends(link.relation, entity))
        if link.relation == "branch_of" and link.asks == "object" and not any(end == "object" for end, *_ in found):
            # what a great vessel comes off is the chamber that leads into it
            into = self._other_ends("flows_into", entity)
            found += [("object", place, share, fact) for end, place, share, fact in into if end == "subject"]
        is_spatial = load_relations()[link.relation].family == "spatial"
        if link.relation == "beside" or (not found and has_anchor and is_spatial):
            self._follow_any(entity)
        ends = {end for end, *_ in found}
        for end, place, share, fact in found:
            asked = link.asks == end or (link.asks is not None and link.asks not in ends)
            self._credit(place, share * (_LINKED if asked else _LOOSELY_LINKED), Reason(fact, entity), entity)

    def _other_ends(self, relation: str, entity: Entity) -> Iterator[tuple[str, Place, float, Fact]]:
        """What has a relation to a structure or to a whole of it: at which end it is, where, the share, the fact."""
        for share, anchor in self._with_wholes(entity):
            for fact in self._knowledge.facts_of(anchor.structure):
                if fact.relation != relation:
                    continue
                if any(_is_at(place, anchor) for place in fact.objects):
                    yield "subject", fact.subject, share, fact
                if _is_at(fact.subject, anchor):
                    yield from (("object", place, share, fact) for place in fact.objects)

    def _credit_its_organ(self, finding: Entity) -> None:
        """Whatever a finding lies on, is the organ that it is in."""
        for fact in self._knowledge.facts_of(finding.structure):
            if fact.relation == "found_in":
                self._credit(fact.objects[0], _LINKED, Reason(fact, finding), finding)

    def _follow_any(self, entity: Entity) -> None:
        """Credit what is anywhere near, where nothing is known to be in the place that is asked for."""
        for fact in self._knowledge.facts_of(entity.structure):
            if load_relations()[fact.relation].family in ("spatial", "hierarchy"):
                for place in (fact.subject, *fact.objects):
                    self._credit(place, _NEAR, Reason(fact, entity), entity)

    def _with_wholes(self, entity: Entity) -> Iterator[tuple[float, Entity]]:
        yield 1.0, entity
        for key in entity.structure.part_of:
            whole = self._knowledge.anatomy[key]
            side = entity.side if entity.side in whole.sides else None
            yield _THROUGH_THE_WHOLE, Entity(whole, side)

    def _credit(self, place: Place, credit: float, reason: Reason, anchor: Entity) -> None:
        if place.structure is anchor.structure:
            return
        if credit > self._linked.get(place, (0.0, reason))[0]:
            self._linked[place] = (credit, reason)


def _places(structure: Structure, side: Side | None) -> tuple[Place, ...]:
    return (Place(structure), Place(structure, side)) if side else (Place(structure),)


def _is_at(place: Place, entity: Entity) -> bool:
    return place.structure is entity.structure and (place.side is None or entity.side in (None, place.side))
