"""What is at hand: which of the structures a question names the segmenter can find, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Anatomy, Entity, Side, Structure

from .plan import Choice, Plan, Refusal, Target
from .reading import Wanted
from .segmenters import Candidate
from .sides import Sides


@dataclass(frozen=True)
class Inventory:
    """The structures at hand.

    Attributes:
        anatomy: names, sides and parts.
        candidates: what the segmenter can find in this volume.
    """

    anatomy: Anatomy
    candidates: tuple[Candidate, ...]

    def has(self, structure: Structure) -> bool:
        """Whether a structure, one of its kind, or parts of it are at hand on any side."""
        if any(self.has(kind) for kind in self.anatomy.kinds(structure.key)):
            return True
        plans = (self.on_side(entity) for entity in structure.entities())
        return any(plan.targets or plan.choice for plan in plans) or bool(self.on_side(Entity(structure)).targets)

    def find(self, wanted: Wanted) -> Plan:
        """What the words want, of the structures at hand; of several meanings the one that is there."""
        plans = [self._meant(structure, wanted) for structure in wanted.structures]
        found = [plan for plan in plans if plan.targets or plan.choice]
        if len(found) > 1:
            options = [option for plan in found for option in (plan.choice.options if plan.choice else plan.targets)]
            return Plan(choice=Choice(tuple(options)))
        return (found or plans)[0]

    def find_each(self, structures: Iterable[Structure], sides: Sides) -> Plan:
        """Each of several structures, on these sides or on every side it has here."""
        return join(self.find(Wanted((structure,), sides, many=True)) for structure in structures)

    def on_side(self, entity: Entity) -> Plan:
        """One structure on one side: its own candidate, or the union of its parts."""
        direct = self._direct(entity)
        if len(direct) > 1:
            return Plan(choice=Choice(tuple(Target(entity, c.label, (c,)) for c in direct)))
        found = direct or self._parts(entity)
        if found:
            return Plan(targets=(Target(entity, found[0].label, found),))
        unsided = entity.side is not None and len(entity.structure.sides) == 2
        if unsided and self._direct(Entity(entity.structure)):
            return Plan(refusals=(Refusal("unsided", entity),))
        return Plan(refusals=(Refusal("absent", entity),))

    def _meant(self, structure: Structure, wanted: Wanted) -> Plan:
        kinds = self.anatomy.kinds(structure.key)
        named = tuple(side for other, side in wanted.named_sides if other is structure)
        wanted = replace(wanted, sides=wanted.sides or named)
        if kinds and len(wanted.sides) > 1 and not any(kind.sides for kind in kinds):
            wanted = replace(wanted, sides=(), many=True)  # "both venae cavae"
        if kinds and not self._direct(Entity(structure)):
            plans = [self._on_sides(kind, wanted.sides) for kind in kinds]
        else:
            plans = [self._on_sides(structure, wanted.sides)]
        there = [plan for plan in plans if plan.targets or plan.choice]
        plan = join(there) if there else _absent(structure, plans, wanted.sides)
        if len(plan.targets) > max(1, len(wanted.sides)) and not wanted.many:
            return Plan(choice=Choice(plan.targets))
        return plan

    def _on_sides(self, structure: Structure, sides: tuple[Side, ...]) -> Plan:
        """The structure on these sides, or on every side it has here."""
        if not structure.sides:
            refused = Plan(refusals=(Refusal("one_sided", Entity(structure)),))
            return refused if sides else self.on_side(Entity(structure))
        plans = [
            self.on_side(Entity(structure, side)) if side in structure.sides else _missing(structure)
            for side in sides or structure.sides
        ]
        there = [plan for plan in plans if not plan.refusals]
        if sides or not there:
            whole = Plan() if sides else self.on_side(Entity(structure))
            return whole if whole.targets or whole.choice else join(plans)
        return join(there)

    def _direct(self, entity: Entity) -> tuple[Candidate, ...]:
        return tuple(candidate for candidate in self.candidates if candidate.entity == entity)

    def _parts(self, whole: Entity) -> tuple[Candidate, ...]:
        """The parts at hand; what is part of one of them is in it."""
        parts = self.anatomy.parts(whole.structure.key)
        found = [
            (candidate, candidate.entity)
            for candidate in self.candidates
            if candidate.entity and candidate.entity.structure in parts and whole.side in (None, candidate.entity.side)
        ]
        inner = {part for _, entity in found for part in self.anatomy.parts(entity.structure.key)}
        return tuple(candidate for candidate, entity in found if entity.structure not in inner)


def join(plans: Iterable[Plan]) -> Plan:
    """One plan of several, nothing twice; the first question back is asked before anything is done."""
    plans = tuple(plans)
    choice = next((plan.choice for plan in plans if plan.choice), None)
    if choice:
        return Plan(choice=choice)
    return Plan(
        targets=tuple(dict.fromkeys(target for plan in plans for target in plan.targets)),
        refusals=tuple(dict.fromkeys(refusal for plan in plans for refusal in plan.refusals)),
        used=tuple(dict.fromkeys(reference for plan in plans for reference in plan.used)),
    )


def _missing(structure: Structure) -> Plan:
    """A side that the body does not have, such as a left middle lobe."""
    return Plan(refusals=(Refusal("one_sided", Entity(structure, structure.sides[0])),))


def _absent(structure: Structure, plans: list[Plan], sides: tuple[Side, ...]) -> Plan:
    """One sentence for a structure of which nothing is there, whatever its kinds and sides."""
    if len(plans) == 1 and (sides or not structure.sides):
        return plans[0]
    return Plan(refusals=(Refusal("absent", structure.entities()[0]),))
