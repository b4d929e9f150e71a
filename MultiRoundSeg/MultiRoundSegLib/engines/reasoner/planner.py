"""Planning: from what the words say, the dialogue so far and what there is, to targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Entity, Structure
from MultiRoundSegLib.conversation import Conversation, Reference

from .inventory import Inventory, join
from .plan import Choice, Plan, Refusal, Target
from .segmenters import Candidate
from .understand import Item, Own, Pointed, Reading, Unclear, Wanted


@dataclass(frozen=True)
class Planner:
    """Plans rounds over the structures at hand.

    Attributes:
        inventory: the structures at hand.
        history: the dialogue so far.
    """

    inventory: Inventory
    history: Conversation

    def plan(self, reading: Reading, picked: Sequence[Reference]) -> Plan:
        """Plan one round.

        Args:
            reading: what the words say.
            picked: earlier masks that the person clicked.

        Raises:
            ReferenceNotFoundError: a reference points to nothing.
            EmptyMaskError: a reference points to an empty mask.
        """
        if reading.excludes:
            return Plan(refusals=(Refusal("excludes"),))
        if reading.taken:
            return self._without(reading, tuple(picked))
        items = reading.items or ((Pointed(tuple(picked), other=False),) if picked else ())
        if not items:
            return Plan(refusals=(Refusal("not_understood"),))
        plan = join(self._item(item, tuple(picked)) for item in items)
        used = (r for item in items for r in getattr(item, "references", ()))
        return replace(plan, used=tuple(dict.fromkeys((*picked, *used, *plan.used))))

    def _without(self, reading: Reading, picked: tuple[Reference, ...]) -> Plan:
        """What the words want, or the last result, less what they take away; only what is in it can be taken."""
        before = picked or self.last_masks()
        last = Plan(targets=tuple(self._copy(reference) for reference in before), used=before)
        base = join(self._item(item, picked) for item in reading.items) if reading.items else last
        named = tuple(dict.fromkeys(t.entity.structure for t in base.targets if t.entity))
        items = [
            replace(item, structures=named) if isinstance(item, Wanted) and not item.structures else item
            for item in reading.taken
        ]
        taken = join(self._item(item, ()) for item in items)
        there = {candidate for target in base.targets for candidate in self._candidates(target)}
        meant = [o for o in (taken.choice.options if taken.choice else ()) if there & set(o.candidates)]
        if len(meant) == 1:
            taken = Plan(targets=tuple(meant))
        elif taken.choice and not meant:
            return Plan(refusals=(Refusal("excludes"),))
        for plan in (base, taken):
            if plan.refusals or plan.choice:
                return replace(plan, targets=())
        kept = [part for target in base.targets for part in self._rest_of(target, taken.targets)]
        if not kept or tuple(kept) == base.targets:
            return Plan(refusals=(Refusal("excludes"),))
        return replace(base, targets=tuple(kept))

    def _rest_of(self, target: Target, taken: Sequence[Target]) -> tuple[Target, ...]:
        """A target as it is where nothing is taken of it, or else those of its parts that are left."""
        if target.entity in {other.entity for other in taken if other.entity}:
            return ()
        parts = self._candidates(target)
        gone = {candidate for other in taken for candidate in other.candidates}
        left = [candidate for candidate in parts if candidate not in gone]
        if len(left) == len(parts):
            return (target,)
        return tuple(Target(candidate.entity, candidate.label, (candidate,)) for candidate in left)

    def _candidates(self, target: Target) -> list[Candidate]:
        """What the segmenter is, or was, asked for."""
        whole = self.inventory.on_side(target.entity).targets if target.copied and target.entity else (target,)
        return [candidate for one in whole for candidate in one.candidates]

    def _item(self, item: Item, picked: tuple[Reference, ...]) -> Plan:
        if isinstance(item, Unclear):
            return Plan(refusals=(Refusal("unclear", words=item.words),))
        if isinstance(item, Own):
            targets = tuple(Target(None, candidate.label, (candidate,)) for candidate in item.candidates)
            return Plan(choice=Choice(targets)) if len(targets) > 1 else Plan(targets=targets)
        anchors = item.references or picked
        for reference in anchors:
            self.history.mask(reference)
        if isinstance(item, Pointed):
            if item.other:
                return self._opposites(anchors or self.last_masks())
            return Plan(targets=tuple(self._copy(reference) for reference in anchors))
        if not item.structures:
            return self._side_of_before(item, anchors)
        if item.side_of:
            return self._beside(item, anchors)
        return self._named(item)

    def _named(self, wanted: Wanted) -> Plan:
        """A structure by its name: the mask referred to with it, what is at hand, or an earlier result of it."""
        referred = [r for r in wanted.references if self._shows(r, wanted)]
        if referred:
            return Plan(targets=tuple(self._copy(reference) for reference in referred))
        plan = self.inventory.find(wanted)
        if plan.targets or plan.choice:
            return plan
        earlier = self._latest(lambda reference: self._shows(reference, wanted))
        if earlier:
            return Plan(targets=(self._copy(earlier),), used=(earlier,))
        return plan if self.inventory.candidates else Plan(refusals=(Refusal("no_labels"),))

    def _side_of_before(self, wanted: Wanted, anchors: tuple[Reference, ...]) -> Plan:
        """Only a side was named ("the left one"): of the structures it is said of."""
        structures: dict[Structure, None]
        if not anchors and self.history.rounds and self.history.rounds[-1].answer.status == "clarify":
            mentions = self.inventory.anatomy.mentions(self.history.rounds[-1].question.text)
            structures = dict.fromkeys(s for mention in mentions for s in mention.structures)
        else:
            entities = (self.entity_of(reference) for reference in anchors or self.last_masks())
            structures = dict.fromkeys(entity.structure for entity in entities if entity)
        if not structures:
            return Plan(refusals=(Refusal("not_understood"),))
        return join(self._named(replace(wanted, structures=(s,), references=())) for s in structures)

    def _beside(self, wanted: Wanted, anchors: tuple[Reference, ...]) -> Plan:
        """A structure on the side of an earlier mask, or on the other one ("the adrenal on the same side")."""
        alike = (
            self._latest(lambda r: self._structure_of(r) in wanted.structures) if wanted.side_of == "other" else None
        )
        anchors = anchors or tuple(r for r in self.last_masks() if self._structure_of(r) in wanted.structures)
        anchors = anchors or ((alike,) if alike else self.last_masks())
        sides = {entity.side for r in anchors if (entity := self.entity_of(r)) and entity.side}
        if wanted.side_of == "other":
            sides = {"right" if side == "left" else "left" for side in sides}
        if len(sides) != 1:
            return self.inventory.find(wanted)
        plan = self._named(replace(wanted, sides=(sides.pop(),), references=()))
        targets = tuple(replace(target, opposite_of=self._opposite_anchor(target, anchors)) for target in plan.targets)
        return replace(plan, targets=targets, used=anchors)

    def _opposite_anchor(self, target: Target, anchors: tuple[Reference, ...]) -> Reference | None:
        """The anchor whose other side a target is."""
        mirrored = [r for r in anchors if target.entity and self.entity_of(r) == target.entity.opposite()]
        return mirrored[0] if mirrored else None

    def entity_of(self, reference: Reference) -> Entity | None:
        """The structure that an earlier mask shows, whatever it has been renamed to."""
        code = self.history.latest(reference).code
        known = (self.inventory.anatomy.identify(name) for name in self.history.names(reference))
        return next(
            (entity for entity in known if entity),
            self.inventory.anatomy.identify("", code) if code else None,
        )

    def last_masks(self) -> tuple[Reference, ...]:
        """The masks of the last round that has any left."""
        made = self.history.made()
        return tuple(reference for reference in made if reference.round_number == made[-1].round_number)

    def _opposites(self, anchors: tuple[Reference, ...]) -> Plan:
        """The other side of each mask; of both sides at once it is asked which is meant."""
        if not anchors:
            return Plan(refusals=(Refusal("not_understood"),))
        plans = [self._opposite_of(reference) for reference in anchors]
        entities = {target.entity for plan in plans for target in plan.targets}
        if entities and entities == {self.entity_of(reference) for reference in anchors}:
            return Plan(choice=Choice(tuple(target for plan in plans for target in plan.targets)))
        return replace(join(plans), used=anchors)

    def _structure_of(self, reference: Reference) -> Structure | None:
        entity = self.entity_of(reference)
        return entity.structure if entity else None

    def _shows(self, reference: Reference, wanted: Wanted) -> bool:
        """Whether an earlier mask shows what is wanted."""
        entity = self.entity_of(reference)
        if entity is None or entity.structure not in wanted.structures:
            return False
        return not wanted.sides or entity.side in wanted.sides

    def _latest(self, fits: Callable[[Reference], bool]) -> Reference | None:
        """The latest mask of a round, still there, that fits."""
        return next((reference for reference in reversed(self.history.made()) if fits(reference)), None)

    def _opposite_of(self, reference: Reference) -> Plan:
        entity = self.entity_of(reference)
        other = entity.opposite() if entity else None
        if other is None:
            return Plan(refusals=(Refusal("one_sided", entity, reference),))
        plan = self._named(Wanted((other.structure,), (other.side,) if other.side else ()))
        return replace(plan, targets=tuple(replace(t, opposite_of=reference) for t in plan.targets))

    def _copy(self, reference: Reference) -> Target:
        return Target(self.entity_of(reference), self.history.latest(reference).label, copied=reference)
