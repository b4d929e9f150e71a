"""Operations on results: keep a part, take a part away, add to it, what is left, what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from MultiRoundSegLib.anatomy import Entity, Structure
from MultiRoundSegLib.conversation import Reference

from .description import Anchor, Description, Link
from .earlier import side_of
from .inventory import join
from .plan import Plan, Refusal, Target
from .reading import Item, Own, Pointed, Reading, Wanted
from .segmenters import Candidate
from .sides import Sides

if TYPE_CHECKING:
    from .planner import Planner

_SIDE = re.compile(r"\bsides?\b|侧|边", re.IGNORECASE)
"""What is left of a pair rather than of a whole is asked for."""
_EXCLUDES = Plan(refusals=(Refusal("excludes"),))


@dataclass(frozen=True)
class Operator:
    """Carries operations out, with what a planner knows."""

    planner: Planner

    def plan(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """Plan one operation."""
        if reading.action == "keep":
            return self._keep(reading, picked)
        if reading.action == "take":
            return self._take(reading, picked)
        if reading.action == "add":
            return self._add(reading, picked)
        if reading.action == "rest":
            return self._rest(reading, picked)
        if reading.action in ("next", "back"):
            return self._next(reading, picked)
        if reading.action == "swap":
            return self._swap(reading, picked)
        if reading.action == "whole":
            return self._whole(reading, picked)
        if reading.action == "step":
            return self._step(reading, picked)
        return self._dropped(reading)

    def matching(self, item: Item, targets: Sequence[Target], picked: tuple[Reference, ...]) -> list[Target]:
        """Those of some targets that an item means."""
        if isinstance(item, Description):
            return self.planner.describer.among(item, targets, picked)
        if isinstance(item, Own):
            return [target for target in targets if set(target.candidates) & set(item.candidates)]
        if isinstance(item, Wanted):
            if not item.structures:
                return [t for t in targets if t.entity and t.entity.side in item.sides]
            if item.sides and all(structure.key == "cerebral_hemisphere" for structure in item.structures):
                return [t for t in targets if t.entity and t.entity.side in item.sides]
            meant = self._family(item.structures)
            fits = [t for t in targets if t.entity and t.entity.structure in meant]
            return [t for t in fits if t.entity and (not item.sides or t.entity.side in item.sides)]
        if isinstance(item, Pointed):
            shown = set(self.planner.earlier.entities_of(item.references or self.planner.earlier.last_masks()))
            if item.other:
                shown = {other for entity in shown if (other := entity.opposite())}
            return [target for target in targets if target.entity in shown]
        return []

    def _base(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """What an operation works on: what is named, what is clicked, or the last result."""
        if reading.items:
            return self.planner.items([self._on_the_side_shown(item) for item in reading.items], picked)
        earlier = self.planner.earlier
        references = picked or earlier.last_masks()
        return Plan(targets=tuple(earlier.copy(reference) for reference in references), used=references)

    def _on_the_side_shown(self, item: Item) -> Item:
        """A structure named without a side, on that on which it was shown last."""
        if not isinstance(item, Wanted) or item.sides or item.side_of or item.plural:
            return item
        family = self._family(item.structures)
        earlier = self.planner.earlier
        shown = earlier.latest(lambda reference: earlier.structure_of(reference) in family)
        if shown is None:
            return item
        round_ = [r for r in earlier.history.made() if r.round_number == shown.round_number]
        side = side_of(earlier.entities_of(round_))
        return replace(item, sides=(side,)) if side else item

    def _keep(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """Only a part of the base or, where that has none, of all results; or else just what is asked for."""
        base = self._base(reading, picked) if reading.items else self._base(Reading(reading.language, ()), picked)
        everything = self.planner.history.made()
        bases = [base.targets]
        if not reading.items:
            bases.append(tuple(self.planner.earlier.copy(reference) for reference in everything))
        for targets in bases:
            atoms = self._atoms(targets)
            kept = self._meant(reading, atoms, picked)
            if kept and len(kept) < len(atoms):
                gone = tuple(atom for atom in atoms if atom not in kept)
                return replace(base, targets=self._merged(targets, kept), dropped=gone, refusals=(), choice=None)
        return self.planner.items(reading.part, picked) if reading.part else _EXCLUDES

    def _take(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """The base without a part; only what is in it can be taken."""
        base = self._base(reading, picked)
        if base.choice or (base.refusals and not base.targets):
            base = self._widened(reading, picked) or base
        if base.choice or base.refusals or not (reading.part or reading.told):
            return replace(base, targets=()) if base.choice or base.refusals else _EXCLUDES
        atoms = self._atoms(base.targets)
        structures = tuple(dict.fromkeys(t.entity.structure for t in base.targets if t.entity))
        gone = self._pointed(reading, atoms) or self._meant(reading, atoms, ())
        left = [atom for atom in atoms if atom not in gone]
        if not left and reading.items:
            return base  # "the muscle, not the blood pool"
        if not left or (not gone and not reading.items) or (not structures and not gone):
            return _EXCLUDES
        return replace(base, targets=self._merged(base.targets, left), dropped=tuple(gone))

    def _pointed(self, reading: Reading, atoms: Sequence[Target]) -> list[Target]:
        """What "these" stands for in what is taken away: the last result."""
        told = reading.told
        if not reading.items or not told or told.heads or told.links or told.context or told.terms:
            return []
        if not any(anchor.pronoun for anchor in told.anchors):
            return []
        return self.matching(Pointed((), other=False), atoms, ())

    def _widened(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan | None:
        """A base that is named in the singular, of which something is taken: all that has the name."""
        items = [replace(item, many=True) if isinstance(item, Wanted) else item for item in reading.items]
        plan = self.planner.items(items, picked) if items else None
        return plan if plan and plan.targets and not plan.choice else None

    def _add(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """The last result and something besides."""
        base = self._base(Reading(reading.language, ()), picked)
        if reading.steps:
            added = self._step(reading, picked)
        else:
            added = self.planner.items(reading.part, ()) if reading.part else self._dropped(reading)  # "put it back"
        return join((base, added)) if added.targets else added

    def _swap(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """The last result with something else in the place of a part of it."""
        added = self.planner.items(reading.part, ())
        last = self._base(Reading(reading.language, ()), picked)
        atoms = self._atoms(last.targets)
        gone = [target for item in reading.items for target in self.matching(item, atoms, picked)]
        left = [atom for atom in atoms if atom not in gone]
        if not gone or not left or added.choice or added.refusals:
            return added
        return join((replace(last, targets=self._merged(last.targets, left)), added))

    def _rest(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """What has not been shown yet of a group: of what is named, of what was refused, or of the last result."""
        sides = _sides(reading.part)
        group, shown = self._group(reading.part)
        targets = [t for t in self._all_of(group) if t.entity not in shown]
        if sides:
            targets = [t for t in targets if t.entity and t.entity.side in sides]
        return Plan(targets=tuple(targets)) if targets else Plan(refusals=(Refusal("not_understood"),))

    def _group(self, part: Sequence[Item]) -> tuple[list[Structure], set[Entity | None]]:
        """The structures of a group, and those of them that were shown."""
        planner = self.planner
        made = planner.history.made()
        shown: set[Entity | None] = set(planner.earlier.entities_of(made))
        named = [s for item in part if isinstance(item, Wanted) for s in item.structures]
        heads = sorted(key for item in part if isinstance(item, Description) for key in item.heads)
        if not heads:
            told = [item for item in part if isinstance(item, Description) and not _SIDE.search(item.words)]
            named += [entity.structure for item in told for entity in (*item.named, *item.context)]
        if named:
            return list(self._family(named)), shown
        if heads and made:
            return [planner.knowledge.anatomy[key] for key in heads], shown
        rounds = planner.history.rounds
        if rounds and rounds[-1].answer.status == "none":
            refused = [r.entity for r in planner.replan(len(rounds)).refusals if r.entity]
            if refused:
                return [entity.structure for entity in refused], set()
        last = planner.earlier.entities_of(planner.earlier.last_masks())
        sided = [entity.structure for entity in last if len(entity.structure.sides) == 2]
        wholes = [key for entity in last for key in entity.structure.part_of]
        siblings = [s for key in wholes for s in planner.knowledge.anatomy.parts(key)]
        return (siblings or sided), shown

    def _next(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """What comes next in a flow or before, or what is asked for next."""
        last = (Anchor(references=picked),) if picked else (Anchor(pronoun=True),)
        asks: Literal["subject", "object"] = "object" if reading.action == "next" else "subject"
        links = tuple(Link(relation, asks, last) for relation in ("flows_into", "continues_as"))
        described = [item for item in reading.part if isinstance(item, Description)]
        if any(isinstance(item, Wanted) and item.structures for item in reading.part):
            return self.planner.items(reading.part, picked)
        base = described[0] if described else Description("", ())
        return self.planner.describer.plan(replace(base, links=(*base.links, *links), anchors=last), picked)

    def _step(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """So many places up or down the series that the last result, or what is named, belongs to."""
        named = [r for item in reading.part for r in getattr(item, "references", ())]
        if reading.told:
            named += [r for anchor in reading.told.anchors for r in anchor.references]
        references = tuple(dict.fromkeys(named)) or picked or self.planner.earlier.last_masks()
        entities = self.planner.earlier.entities_of(references)
        for key in ("vertebra", "rib"):
            series = self.planner.knowledge.anatomy.kinds(key)
            places = [series.index(entity.structure) for entity in entities if entity.structure in series]
            if not places or len(places) < len(entities):
                continue
            start = min(places) if reading.steps < 0 else max(places)
            place = start + reading.steps
            if not 0 <= place < len(series):
                return Plan(refusals=(Refusal("not_understood"),))
            sides = tuple(dict.fromkeys(entity.side for entity in entities if entity.side))
            low, high = sorted((place, start + (1 if reading.steps > 0 else -1) if reading.reaches else place))
            return replace(self.planner.inventory.find_each(series[low : high + 1], sides), used=references)
        return self.planner.items(reading.part, picked)

    def _whole(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """The whole that a mask is part of."""
        named = [s for item in reading.part if isinstance(item, Wanted) for s in item.structures]
        if named:
            plan = self.planner.items(reading.part, picked)
            wholes = [whole for structure in named for whole in self._wholes(structure)]
            found = (self.planner.inventory.find(Wanted((w,), _sides(reading.part), many=True)) for w in wholes)
            return plan if plan.targets or plan.choice else next((f for f in found if f.targets), plan)
        references = picked or self.planner.earlier.last_masks()
        for reference in references:
            earlier, entity = self.planner.earlier.copy(reference), self.planner.earlier.entity_of(reference)
            for whole in self._wholes(entity.structure) if entity else ():
                side = entity.side if entity and entity.side in whole.sides else None
                plan = self.planner.inventory.on_side(Entity(whole, side))
                if plan.targets and any(self._candidates(t) != self._candidates(earlier) for t in plan.targets):
                    return replace(plan, used=references)
        return self.planner.items(reading.part, picked)

    def _wholes(self, part: Structure) -> list[Structure]:
        """What a structure is part of, nearest first."""
        found: dict[Structure, None] = {}
        border = [part]
        while border:
            border = [self.planner.knowledge.anatomy[key] for structure in border for key in structure.part_of]
            found |= dict.fromkeys(border)
        return list(found)

    def _dropped(self, reading: Reading) -> Plan:
        """What an earlier round took away."""
        pointed = reading.told.anchors if reading.told else ()
        rounds = sorted({r.round_number for anchor in pointed for r in anchor.references}, reverse=True)
        for number in rounds or range(len(self.planner.history.rounds), 0, -1):
            dropped = self.planner.replan(number).dropped
            told = self._meant(reading, dropped, ()) or dropped
            if told:
                return Plan(targets=tuple(told))
        return self.planner.items(reading.part, ()) if reading.part else Plan(refusals=(Refusal("not_understood"),))

    def _meant(self, reading: Reading, targets: Sequence[Target], picked: tuple[Reference, ...]) -> list[Target]:
        """Those of some targets that the part of an operation names or, where it names none of them, describes."""
        words = reading.told.words if reading.told else ""
        found = self.planner.describer.extremes.chosen(words, targets)
        found = found or [target for item in reading.part for target in self.matching(item, targets, picked)]
        named = any(isinstance(item, Wanted) and item.structures for item in reading.part)
        if not found and reading.told and not named:
            found = self.planner.describer.among(reading.told, targets, picked)
        return [target for target in targets if target in found]

    def _family(self, structures: Iterable[Structure]) -> set[Structure]:
        """Structures with their kinds and parts."""
        anatomy = self.planner.knowledge.anatomy
        found: set[Structure] = set()
        for structure in structures:
            kinds = anatomy.kinds(structure.key)
            found |= {structure, *kinds, *anatomy.parts(structure.key)}
        return found

    def _all_of(self, structures: Iterable[Structure]) -> list[Target]:
        """Every structure of these that there is, by itself."""
        targets = (self.planner.inventory.on_side(e).targets for s in structures for e in s.entities())
        direct = [
            t for found in targets for t in found if len(t.candidates) == 1 and t.entity == t.candidates[0].entity
        ]
        return list(dict.fromkeys(direct))

    def _atoms(self, targets: Sequence[Target]) -> list[Target]:
        """What the masks of some targets are made of, one for each that the segmenter finds by itself."""
        return list(dict.fromkeys(atom for target in targets for atom in self._parts_of(target)))

    def _parts_of(self, target: Target) -> list[Target]:
        candidates = self._candidates(target)
        return [Target(c.entity, c.label, (c,)) for c in candidates] or [target]

    def _candidates(self, target: Target) -> list[Candidate]:
        """What the segmenter is, or was, asked for."""
        on_side = self.planner.inventory.on_side
        whole = on_side(target.entity).targets if target.copied and target.entity else (target,)
        return [candidate for one in whole for candidate in one.candidates]

    def _merged(self, targets: Sequence[Target], left: Sequence[Target]) -> tuple[Target, ...]:
        """The targets as they are where all of them is left, or else what is left of them."""
        kept: list[Target] = []
        for target in targets:
            parts = self._parts_of(target)
            remaining = [part for part in parts if part in left]
            kept += [target] if len(remaining) == len(parts) else remaining
        return tuple(dict.fromkeys(kept))


def _sides(items: Iterable[Item]) -> Sides:
    return tuple(dict.fromkeys(side for item in items for side in getattr(item, "sides", ())))
