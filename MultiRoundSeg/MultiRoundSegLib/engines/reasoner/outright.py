"""What a description says outright, so that nothing needs to be weighed: a lone name, parts of a whole, a series.

And what is left to say where the weights tell too little: all of a category, the only one, the other side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Entity, Knowledge, Structure

from .anchoring import Anchoring
from .description import Description
from .earlier import Earlier, side_of
from .inventory import Inventory, join
from .plan import Plan, Refusal
from .reading import Wanted
from .sides import Sides
from .weighing import Fit, Reason
from .wording import any_of

_FROM_TO = any_of("from .+ (?:to|through|down to|up to)\nthrough", "从.+[到至] [到至]")
_WITH_THE_ENDS = any_of(
    "inclusive(?:ly)?\nincluding (?:both|them|these|the ends)\nall the way", "一直到 连(?:同|带)?中间 包括两端 首尾"
)
_OTHERS_TELL = 3.5
"""Words beside a name that tell more than this of a structure describe one."""
_MANY_KINDS = 12
"""Words for more structures than this say too little to mean all of them."""


@dataclass(frozen=True)
class Outright:
    """Plans descriptions without weighing them.

    Attributes:
        knowledge: what is known.
        inventory: the structures at hand.
        anchoring: what anchors stand for.
    """

    knowledge: Knowledge
    inventory: Inventory
    anchoring: Anchoring

    @property
    def earlier(self) -> Earlier:
        """The dialogue so far."""
        return self.anchoring.earlier

    def plan(self, description: Description) -> Plan | None:
        """What is said outright; None where it has to be weighed."""
        plain = self._whole_of_parts(description) or self._bare_finding(description)
        plain = plain or (self.by_category(description) if self._is_all_of_a_whole(description) else None)
        return plain or self._lone_name(description) or self._between(description) or self._from_to(description)

    def found(self, fit: Fit, description: Description, *, alone: bool) -> Plan:
        """A structure that was found, on the sides that are meant."""
        sides = self.anchoring.sides(fit.structure, fit.side, description)
        several = description.many or (description.count == 2 and alone)
        both = not sides and not description.one and not description.is_english  # Chinese has no plural
        plan = self.inventory.find(Wanted((fit.structure,), sides, many=several or both))
        if plan.choice and description.count == len(plan.choice.options):
            plan = Plan(targets=plan.choice.options)  # "the four heart chambers"
        return replace(plan, targets=tuple(replace(target, reason=fit.reason) for target in plan.targets))

    def absent(self, fit: Fit, description: Description) -> Plan:
        """A structure that was found but is not at hand."""
        sides = self.anchoring.sides(fit.structure, fit.side, description)
        side = sides[0] if len(sides) == 1 and sides[0] in fit.structure.sides else None
        return Plan(refusals=(Refusal("absent", Entity(fit.structure, side)),))

    def whole_of(self, parts: Iterable[Structure]) -> Structure | None:
        """The one structure at hand that several others, not at hand, are parts of."""
        parts = set(parts)
        if len(parts) < 2 or any(map(self.inventory.has, parts)):
            return None
        shared = set.intersection(*(set(part.part_of) for part in parts))
        wholes = [self.knowledge.anatomy[key] for key in shared if self.inventory.has(self.knowledge.anatomy[key])]
        return wholes[0] if len(wholes) == 1 else None

    def with_the_finding_of(self, description: Description) -> Description:
        """A finding that is named with an organ, as the finding of that organ ("右肾的囊肿")."""
        mentioned = (*description.named, *description.context)
        organs = [entity for entity in description.context if entity.structure.kind != "lesion"]
        for finding in (entity for entity in mentioned if entity.structure.kind == "lesion"):
            for kind in self.knowledge.anatomy.kinds(finding.structure.key):
                organ = next((o for o in organs if o.structure.key in kind.part_of), None)
                if organ and (finding in description.named or not description.named):
                    sides = description.sides or ((organ.side,) if organ.side else ())
                    return replace(description, named=(Entity(kind, organ.side),), sides=sides)
        return description

    def series(self, description: Description) -> Plan | None:
        """Every member of a series that is named, where nothing else is asked for ("按断了左第4肋、左第5肋")."""
        named = tuple(dict.fromkeys((*description.context, *description.named)))
        if len(named) < 2 or description.asks or description.links or description.heads:
            return None
        if self.knowledge.anatomy.series_of(entity.structure for entity in named) is None:
            return None

        def wanted(entity: Entity) -> Wanted:
            sides: Sides = (entity.side,) if entity.side else description.sides
            return Wanted((entity.structure,), sides, many=description.many)

        return join(self.inventory.find(wanted(entity)) for entity in named)

    def weakly(self, description: Description) -> Plan | None:
        """What is meant where the words tell little more than a category or a side."""
        plain = self._side_of_the_kind_before(description)
        if plain is None and description.heads:
            plain = self.other_side(description)
        if plain is None and len(description.terms) == 1 and not description.many:
            plain = self.only_one(description)  # nothing but "the artery"
        return plain

    def by_category(self, description: Description) -> Plan | None:
        """Every structure of a category that is there ("all four chambers"); None where that is not asked."""
        several = description.many or description.count
        if not description.heads or not several:
            return None
        structures = [self.knowledge.anatomy[key] for key in sorted(description.heads)]
        plans = [self.inventory.find(Wanted((structure,), description.sides, many=True)) for structure in structures]
        there = join(plan for plan in plans if plan.targets)
        names = {target.entity.structure for target in there.targets if target.entity}
        if len(names) > _MANY_KINDS or (
            len(description.heads) > _MANY_KINDS and description.count not in (None, len(names))
        ):
            return None
        return there if names else None

    def only_one(self, description: Description) -> Plan | None:
        """The only structure of a category that there is, or that is called like the last result."""
        there = [key for key in sorted(description.heads) if self.inventory.has(self.knowledge.anatomy[key])]
        if len(there) > 1:
            there = self._called_like_the_last(there)
        if len(there) != 1:
            return None
        return self.found(Fit(self.knowledge.anatomy[there[0]], None, 0.0, Reason()), description, alone=True)

    def _called_like_the_last(self, keys: Iterable[str]) -> list[str]:
        """Those whose name shares its telling word with the last result ("the artery", after the pulmonary vein)."""
        last = {entity.structure for entity in self.earlier.entities_of(self.earlier.last_masks())}
        words = {word for structure in last for word in _telling_words(structure)}
        known = ((key, self.knowledge.anatomy[key]) for key in keys)
        return [key for key, structure in known if structure not in last and words & _telling_words(structure)]

    def other_side(self, description: Description) -> Plan | None:
        """The other side of the last result or of the last of a kind, where no more is told ("gland, other side")."""
        if description.side_of != "other":
            return None
        references = self.anchoring.picked or self.earlier.last_masks()
        if description.heads:
            latest = self.earlier.latest_of(description.heads)
            references = (latest,) if latest else ()
        others = [entity.opposite() for entity in self.earlier.entities_of(references)]
        if not others or None in others:
            return None
        return replace(join(self.inventory.on_side(entity) for entity in others if entity), used=references)

    def _side_of_the_kind_before(self, description: Description) -> Plan | None:
        """A side of the latest mask of a kind, where no more than that is told ("R vein")."""
        told = description.links or description.named or description.context or description.asks or description.many
        if told or not (description.heads and description.sides):
            return None
        latest = self.earlier.latest_of(description.heads)
        structure = self.earlier.structure_of(latest) if latest else None
        if structure is None or len(structure.sides) < 2:
            return None
        return self.inventory.find(Wanted((structure,), description.sides))

    def _whole_of_parts(self, description: Description) -> Plan | None:
        """The whole of several parts that are named and have no labels of their own ("jejunum + ileum")."""
        whole = self.whole_of(e.structure for e in (*description.named, *description.context))
        if whole is None or any(link.anchors and link.relation == "between" for link in description.links):
            return None
        return self.found(Fit(whole, None, 0.0, Reason()), description, alone=True)

    def _bare_finding(self, description: Description) -> Plan | None:
        """A finding in an organ, where no more is told than these ("kidney stone"): the finding is wanted."""
        mentioned = tuple(dict.fromkeys((*description.context, *description.named)))
        findings = [entity for entity in mentioned if entity.structure.kind == "lesion"]
        if len(findings) != 1 or len(mentioned) != 2 or description.others or description.anchors or description.asks:
            return None
        fit = Fit(findings[0].structure, None, 0.0, Reason())
        return (
            self.found(fit, description, alone=True)
            if self.inventory.has(fit.structure)
            else self.absent(fit, description)
        )

    def _is_all_of_a_whole(self, description: Description) -> bool:
        """Whether all parts of a kind are meant that something has ("the lobes of the left lung")."""
        wholes = [entity.structure.key for entity in description.context]
        parts = [self.knowledge.anatomy[key] for key in description.heads]
        told = description.links or description.named or description.asks or description.one
        return (
            description.many
            and bool(wholes and parts)
            and not told
            and all(key in part.part_of for key in wholes for part in parts)
        )

    def _lone_name(self, description: Description) -> Plan | None:
        """The one structure that is named, where all other words tell nothing ("EVAR 前看 SMA 单独")."""
        names = tuple(dict.fromkeys(e.structure for e in description.context))
        if not description.only_mentions or len(names) != 1 or names[0].kind == "lesion":
            return None
        heard = self.knowledge.evidence.hear(description.others)
        if any(heard.weight(s, side) > _OTHERS_TELL for s in heard.structures for side in (None, *s.sides)):
            return None
        fit = Fit(names[0], side_of(description.context), 0.0, Reason())
        if not self.inventory.has(names[0]):
            return self.absent(fit, description)
        return self.found(fit, replace(description, named=description.context), alone=True)

    def _between(self, description: Description) -> Plan | None:
        """The members of a series between two of them ("夹在[2]和[3]中间的")."""
        for link in description.links:
            ends = [e for anchor in link.anchors for e in self.anchoring.entities(anchor)]
            series = self.knowledge.anatomy.series_of(entity.structure for entity in ends)
            if link.relation == "between" and len(ends) == 2 and series:
                low, high = sorted(series.index(entity.structure) for entity in ends)
                sides: Sides = (ends[0].side,) if ends[0].side else ()
                inner = series[low : high + 1] if _WITH_THE_ENDS.search(description.words) else series[low + 1 : high]
                return self.inventory.find_each(inner, sides) if inner else None
        return None

    def _from_to(self, description: Description) -> Plan | None:
        """From an earlier mask to a named member of the same series ("从[4]到第3胸椎")."""
        anchored = [e for anchor in description.anchors for e in self.anchoring.entities(anchor)]
        ends = [*anchored, *description.context, *description.named]
        series = self.knowledge.anatomy.series_of(entity.structure for entity in ends)
        if len(ends) != 2 or not anchored or not series or not _FROM_TO.search(description.words):
            return None
        low, high = sorted(series.index(entity.structure) for entity in ends)
        sides: Sides = next(((entity.side,) for entity in ends if entity.side), ())
        return self.inventory.find_each(series[low : high + 1], sides)


def _telling_words(structure: Structure) -> set[str]:
    """The words of its English name before the last, which is often that of its kind."""
    return set(structure.english[0].split()[:-1])
