"""Planning: from what the words say, the dialogue so far and what there is, to targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Entity, Structure
from MultiRoundSegLib.conversation import Conversation, Reference

from .inventory import Inventory, join
from .plan import Choice, Plan, Refusal, Target
from .understand import Reading, Wanted


@dataclass(frozen=True)
class Planner:
    """Plans rounds over the structures at hand.

    Attributes:
        inventory: the structures at hand.
        history: the dialogue so far.
    """

    inventory: Inventory
    history: Conversation

    def plan(self, reading: Reading, references: Sequence[Reference]) -> Plan:
        """Plan one round.

        Args:
            reading: what the words say.
            references: earlier masks that the words or the person's clicks point to.

        Raises:
            ReferenceNotFoundError: a reference points to nothing.
            EmptyMaskError: a reference points to an empty mask.
        """
        anchors = tuple(references)
        for reference in anchors:
            self.history.mask(reference)
        if not self.inventory.candidates and not (anchors and not reading.opposite):
            return Plan(refusals=(Refusal("no_labels"),))
        if reading.opposite:
            return self._opposite(reading, anchors or self._last_masks())
        if reading.wanted:
            wanted = self._with_structures(reading.wanted, anchors)
            plan = join(self.inventory.find(item) for item in wanted)
            return replace(plan, used=anchors) if wanted else Plan(refusals=(Refusal("not_understood"),))
        if anchors:
            return Plan(targets=tuple(self._copy(reference) for reference in anchors), used=anchors)
        return Plan(refusals=(Refusal("not_understood"),))

    def entity_of(self, reference: Reference) -> Entity | None:
        """The structure that an earlier mask shows, whatever it has been renamed to."""
        code = self.history.latest(reference).code
        known = (self.inventory.anatomy.identify(name) for name in self.history.names(reference))
        return next(
            (entity for entity in known if entity),
            self.inventory.anatomy.identify("", code) if code else None,
        )

    def _with_structures(self, wanted: tuple[Wanted, ...], anchors: tuple[Reference, ...]) -> tuple[Wanted, ...]:
        """Where only a side was named ("the left one"), the structures of what it is said of."""
        if any(item.structures for item in wanted):
            return wanted
        structures: dict[Structure, None]
        if not anchors and self.history.rounds and self.history.rounds[-1].answer.status == "clarify":
            mentions = self.inventory.anatomy.mentions(self.history.rounds[-1].question.text)
            structures = dict.fromkeys(s for mention in mentions for s in mention.structures)
        else:
            entities = (self.entity_of(reference) for reference in anchors or self._last_masks())
            structures = dict.fromkeys(entity.structure for entity in entities if entity)
        return tuple(replace(wanted[0], structures=(structure,)) for structure in structures)

    def _last_masks(self) -> tuple[Reference, ...]:
        """The masks of the last round that has any left."""
        for round_ in reversed(self.history.rounds):
            living = [
                reference
                for reference in self.history.references()
                if reference.round_number == round_.number and not self.history.is_removed(reference)
            ]
            if living:
                return tuple(living)
        return ()

    def _opposite(self, reading: Reading, anchors: tuple[Reference, ...]) -> Plan:
        named = {structure for item in reading.wanted for structure in item.structures}
        if named:
            anchors = tuple(r for r in anchors if self._structure_of(r) in named) or self._latest_of(named)
        if not anchors and named:
            return join(self.inventory.find(item) for item in reading.wanted)
        if not anchors:
            return Plan(refusals=(Refusal("not_understood"),))
        plans = [self._opposite_of(reference) for reference in anchors]
        entities = {target.entity for plan in plans for target in plan.targets}
        if entities and entities == {self.entity_of(reference) for reference in anchors}:
            return Plan(choice=Choice(tuple(t for plan in plans for t in plan.targets)))
        return replace(join(plans), used=anchors)

    def _structure_of(self, reference: Reference) -> Structure | None:
        entity = self.entity_of(reference)
        return entity.structure if entity else None

    def _latest_of(self, structures: set[Structure]) -> tuple[Reference, ...]:
        """The latest mask of the dialogue that shows one of these structures."""
        for reference in reversed(self.history.references()):
            alive = reference.round_number > 0 and not self.history.is_removed(reference)
            if alive and self._structure_of(reference) in structures:
                return (reference,)
        return ()

    def _opposite_of(self, reference: Reference) -> Plan:
        entity = self.entity_of(reference)
        other = entity.opposite() if entity else None
        if other is None:
            return Plan(refusals=(Refusal("one_sided", entity, reference),))
        plan = self.inventory.on_side(other)
        return replace(plan, targets=tuple(replace(t, opposite_of=reference) for t in plan.targets))

    def _copy(self, reference: Reference) -> Target:
        return Target(self.entity_of(reference), self.history.latest(reference).label, copied=reference)
