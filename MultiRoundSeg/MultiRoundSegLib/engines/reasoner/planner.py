"""Planning: from what the words say, the dialogue so far and what there is, to targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from MultiRoundSegLib.anatomy import Entity, Knowledge, Structure
from MultiRoundSegLib.conversation import Conversation, Reference

from .describer import Describer
from .description import Description
from .earlier import Earlier, side_of
from .extremes import names_an_extreme
from .inventory import Inventory, join
from .operating import Operator
from .plan import Choice, Plan, Refusal, Target
from .reading import Item, Own, Pointed, Reading, Unclear, Wanted
from .sides import Sides


class Planner:
    """Plans rounds over the structures at hand."""

    def __init__(
        self, knowledge: Knowledge, inventory: Inventory, history: Conversation, replan: Callable[[int], Plan]
    ) -> None:
        """Hold what a plan is made from.

        Args:
            knowledge: what is known of the body.
            inventory: the structures at hand.
            history: the dialogue so far.
            replan: gives the plan of an earlier round again.
        """
        self.inventory = inventory
        self.history = history
        self.earlier = Earlier(history, knowledge.anatomy)
        self.replan = replan
        self.knowledge = knowledge
        self.describer = Describer(knowledge, inventory, self.earlier, self._refused())

    def plan(self, reading: Reading, picked: Sequence[Reference]) -> Plan:
        """Plan one round.

        Args:
            reading: what the words say.
            picked: earlier masks that the person clicked.

        Raises:
            ReferenceNotFoundError: a reference points to nothing.
            EmptyMaskError: a reference points to an empty mask.
        """
        picked = tuple(picked)
        if reading.action:
            return Operator(self).plan(reading, picked)
        asked = tuple(self._on_the_same_side(item) for item in reading.items)
        chosen = self._answer_to_a_choice(asked) or (self._mended_choice(asked) if reading.mends else None)
        if chosen:
            return chosen
        items = _with_the_side_before(asked) or ((Pointed(picked, other=False),) if picked else ())
        if reading.mends:
            items = tuple(self._on_the_side_before(item) for item in items)
        return self.items(items, picked)

    def _on_the_same_side(self, item: Item) -> Item:
        """Where nothing but "the same side" is said: that of the last result."""
        side = self.earlier.latest_side()
        if side and isinstance(item, Wanted) and not item.structures and item.side_of == "same" and not item.sides:
            return replace(item, sides=(side,), side_of=None)
        return item

    def _on_the_side_before(self, item: Item) -> Item:
        """A structure named to mend the question before is on the same side."""
        side = self.earlier.last_side()
        if side and isinstance(item, Wanted) and item.structures and not (item.sides or item.side_of or item.many):
            return replace(item, sides=(side,)) if all(len(s.sides) == 2 for s in item.structures) else item
        return item

    def _refused(self) -> tuple[Entity, ...]:
        """What the last round asked for in vain."""
        rounds = self.history.rounds
        if not rounds or rounds[-1].answer.status != "none":
            return ()
        return tuple(r.entity for r in self.replan(len(rounds)).refusals if r.entity and r.trouble == "absent")

    def items(self, items: Sequence[Item], picked: tuple[Reference, ...]) -> Plan:
        """Plan what is asked for, in order."""
        if not items:
            return Plan(refusals=(Refusal("not_understood"),))
        plan = self._whole_of(items) or join(self._item(item, picked) for item in items)
        used = (r for item in items for r in getattr(item, "references", ()))
        return replace(plan, used=tuple(dict.fromkeys((*picked, *used, *plan.used))))

    def _whole_of(self, items: Sequence[Item]) -> Plan | None:
        """The whole whose parts are all named, where they have no labels of their own ("pons, medulla, midbrain")."""
        named = [item for item in items if len(_structures(item)) == 1]
        whole = self.describer.outright().whole_of(_structures(item)[0] for item in named)
        if whole is None or len(named) < len(items):
            return None
        sides = tuple(dict.fromkeys(side for item in named for side in getattr(item, "sides", ())))
        return self.inventory.find(Wanted((whole,), sides, many=True))

    def _answer_to_a_choice(self, items: Sequence[Item]) -> Plan | None:
        """What answers the question back of the last round; None where there was none or it asks for something else."""
        rounds = self.history.rounds
        if not rounds or rounds[-1].answer.status != "clarify" or not items:
            return None
        choice = self.replan(len(rounds)).choice
        if choice is None or any(_stands_alone(item) for item in items):
            return None
        both = [item for item in items if isinstance(item, Wanted) and len(item.sides) > 1]
        left = self._meant_of(choice.options, [item for item in items if item not in both])
        return Plan(targets=left) if left else None

    def _mended_choice(self, items: Sequence[Item]) -> Plan | None:
        """What else was offered when the last result was chosen ("sorry, meant the low-pressure one")."""
        offered = self._offered_before_last()
        if not offered or any(_stands_alone(item) for item in items):
            return None
        left = self._meant_of(offered, items)
        return Plan(targets=left) if 0 < len(left) < len(offered) else None

    def _meant_of(self, offered: Sequence[Target], items: Sequence[Item]) -> tuple[Target, ...]:
        """Those of what was offered that all items mean."""
        for item in items:
            offered = Operator(self).matching(item, offered, ())
        return tuple(offered)

    def _offered_before_last(self) -> tuple[Target, ...]:
        """Among what the last result was chosen; nothing where it was not chosen."""
        rounds = self.history.rounds
        if len(rounds) < 2 or rounds[-2].answer.status != "clarify":
            return ()
        choice = self.replan(len(rounds) - 1).choice
        return choice.options if choice else ()

    def _item(self, item: Item, picked: tuple[Reference, ...]) -> Plan:
        if isinstance(item, Unclear):
            return Plan(refusals=(Refusal("unclear", words=item.words),))
        if isinstance(item, Description):
            return self._together(item) or self._one_of_them(item, picked) or self.describer.plan(item, picked)
        if isinstance(item, Own):
            targets = tuple(Target(None, candidate.label, (candidate,)) for candidate in item.candidates)
            return Plan(choice=Choice(targets)) if len(targets) > 1 else Plan(targets=targets)
        anchors = item.references or picked
        for reference in anchors:
            self.history.mask(reference)
        if isinstance(item, Pointed):
            if item.other:
                if not anchors and (option := self._other_option()):
                    return option
                return self._opposites(anchors or self.earlier.last_masks())
            return Plan(targets=tuple(self.earlier.copy(reference) for reference in anchors))
        if not item.structures:
            return self._side_of_before(item, anchors)
        if item.side_of:
            return self._beside(item, anchors)
        return self._named(item)

    def _together(self, description: Description) -> Plan | None:
        """Several earlier rounds that are named by number, where nothing is asked of them ("[1][2] 串起来")."""
        references = tuple(dict.fromkeys(r for anchor in description.anchors for r in anchor.references))
        if len({reference.round_number for reference in references}) < 2 or description.asks or description.side_of:
            return None
        if any(link.anchors for link in description.links):
            return None
        return Plan(targets=tuple(self.earlier.copy(reference) for reference in references), used=references)

    def _one_of_them(self, description: Description, picked: tuple[Reference, ...]) -> Plan | None:
        """Of several masks shown before, those that are meant, where the words say so ("the deeper of the two")."""
        extremes = self.describer.extremes
        pointed = tuple(r for anchor in description.anchors for r in anchor.references)
        references = next((r for r in (pointed, picked) if len(r) > 1), self.earlier.last_masks())
        chooses = extremes.asks_for_one_of_them(description.words)
        bare = not (description.heads or description.named or description.anchors or description.links)
        if len(references) < 2 or not (chooses or (bare and names_an_extreme(description.words))):
            return None
        copies = [self.earlier.copy(reference) for reference in references]
        found = self.describer.among(description, copies, picked)
        return Plan(targets=tuple(found), used=references) if 0 < len(found) < len(copies) else None

    def _named(self, wanted: Wanted) -> Plan:
        """A structure by its name: the mask referred to with it, what is at hand, or an earlier result of it."""
        referred = [r for r in wanted.references if self._shows(r, wanted)]
        if referred:
            return Plan(targets=tuple(self.earlier.copy(reference) for reference in referred))
        plan = self.inventory.find(wanted)
        if plan.choice and not wanted.sides:
            plan = self._whole_of_the_last(wanted) or plan
        if plan.targets or plan.choice:
            return plan
        earlier = self.earlier.latest(lambda reference: self._shows(reference, wanted))
        if earlier:
            return Plan(targets=(self.earlier.copy(earlier),), used=(earlier,))
        return plan if self.inventory.candidates else Plan(refusals=(Refusal("no_labels"),))

    def _whole_of_the_last(self, wanted: Wanted) -> Plan | None:
        """On the side of the last result, where this is part of what is wanted ("one complete lung")."""
        last = self.earlier.entities_of(self.earlier.last_masks())
        parts = {part for structure in wanted.structures for part in self.knowledge.anatomy.parts(structure.key)}
        side = side_of(last)
        if side is None or not all(entity.structure in parts for entity in last):
            return None
        return self.inventory.find(replace(wanted, sides=(side,)))

    def _side_of_before(self, wanted: Wanted, anchors: tuple[Reference, ...]) -> Plan:
        """Only a side was named ("the left one"): of the structures it is said of."""
        rounds = self.history.rounds
        structures: dict[Structure, None] = {}
        if not anchors and rounds and rounds[-1].answer.status in ("clarify", "none"):
            mentions = self.knowledge.anatomy.mentions(rounds[-1].question.text)
            structures = dict.fromkeys(s for mention in mentions for s in mention.structures)
        if not structures:
            entities = self.earlier.entities_of(anchors or self.earlier.last_masks())
            structures = dict.fromkeys(entity.structure for entity in entities)
        if not structures:
            return Plan(refusals=(Refusal("not_understood"),))
        return join(self._named(replace(wanted, structures=(s,), references=())) for s in structures)

    def _beside(self, wanted: Wanted, anchors: tuple[Reference, ...]) -> Plan:
        """A structure on the side of an earlier mask, or on the other one ("the adrenal on the same side")."""
        of_kind = [r for r in self.earlier.last_masks() if self.earlier.structure_of(r) in wanted.structures]
        alike = self.earlier.latest(lambda r: self.earlier.structure_of(r) in wanted.structures)
        anchors = anchors or tuple(of_kind)
        anchors = anchors or ((alike,) if alike and wanted.side_of == "other" else self.earlier.last_masks())
        side = side_of(self.earlier.entities_of(anchors)) or self.earlier.latest_side()
        if side and wanted.side_of == "other":
            side = "right" if side == "left" else "left"
        if side is None:
            return self.inventory.find(wanted)
        plan = self._named(replace(wanted, sides=(side,), references=()))
        targets = tuple(replace(target, opposite_of=self._opposite_anchor(target, anchors)) for target in plan.targets)
        return replace(plan, targets=targets, used=anchors)

    def _opposite_anchor(self, target: Target, anchors: tuple[Reference, ...]) -> Reference | None:
        """The anchor whose other side a target is."""
        mirrored = [r for r in anchors if target.entity and self.earlier.entity_of(r) == target.entity.opposite()]
        return mirrored[0] if mirrored else None

    def _other_option(self) -> Plan | None:
        """What else was offered when the last result was chosen ("the other one", after "which vein?")."""
        offered = self._offered_before_last()
        shown = self.earlier.entities_of(self.earlier.last_masks())
        left = tuple(option for option in offered if option.entity not in shown)
        return Plan(targets=left) if 0 < len(left) < len(offered) else None

    def _opposites(self, anchors: tuple[Reference, ...]) -> Plan:
        """The other side of each mask; of both sides at once it is asked which is meant."""
        if not anchors:
            return Plan(refusals=(Refusal("not_understood"),))
        plans = [self._opposite_of(reference) for reference in anchors]
        entities = {target.entity for plan in plans for target in plan.targets}
        if entities and entities == {self.earlier.entity_of(reference) for reference in anchors}:
            return Plan(choice=Choice(tuple(target for plan in plans for target in plan.targets)))
        return replace(join(plans), used=anchors)

    def _opposite_of(self, reference: Reference) -> Plan:
        entity = self.earlier.entity_of(reference)
        other = entity.opposite() if entity else None
        if other is None:
            return Plan(refusals=(Refusal("one_sided", entity, reference),))
        plan = self._named(Wanted((other.structure,), (other.side,) if other.side else ()))
        return replace(plan, targets=tuple(replace(t, opposite_of=reference) for t in plan.targets))

    def _shows(self, reference: Reference, wanted: Wanted) -> bool:
        """Whether an earlier mask shows what is wanted."""
        entity = self.earlier.entity_of(reference)
        if entity is None or entity.structure not in wanted.structures:
            return False
        return not wanted.sides or entity.side in wanted.sides


def _with_the_side_before(items: Sequence[Item]) -> tuple[Item, ...]:
    """Each structure without a side on that of the one before: "left kidney and adrenal"."""
    found: list[Item] = []
    side: Sides = ()
    for item in items:
        if isinstance(item, Wanted) and item.structures:
            is_plain = not (item.sides or item.side_of or item.references or item.plural)
            if is_plain and side and all(len(s.sides) == 2 for s in item.structures):
                item = replace(item, sides=side)
            elif any(len(s.sides) == 2 for s in item.structures):
                side = item.sides if len(item.sides) == 1 else ()
        found.append(item)
    return tuple(found)


def _structures(item: Item) -> tuple[Structure, ...]:
    """What an item names."""
    if isinstance(item, Wanted):
        return item.structures
    return tuple(entity.structure for entity in item.named) if isinstance(item, Description) else ()


def _stands_alone(item: Item) -> bool:
    """Whether an item says by itself what is meant."""
    if isinstance(item, Description):
        return any(entity.structure.kind == "lesion" for entity in item.named)
    return bool((isinstance(item, Wanted) and item.structures) or (isinstance(item, Pointed) and item.references))
