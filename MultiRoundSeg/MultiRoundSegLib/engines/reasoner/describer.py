"""From a description to the structures that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from MultiRoundSegLib.anatomy import Entity, Knowledge, Structure, terms_of
from MultiRoundSegLib.conversation import Reference

from .description import Anchor, Description
from .earlier import Earlier, side_of
from .extremes import Extremes
from .inventory import Inventory, join
from .plan import Plan, Refusal, Target
from .reading import Wanted
from .sides import BOTH, Sides
from .weighing import Fit, Reason, Weigher

_ENOUGH = 2.0
"""The least weight that is believed: less is about half a rare word."""
_ENOUGH_OF_FEW = 0.5
"""The same where only few structures are to choose from."""
_AS_GOOD = 0.8
"""Structures with this share of the best weight are meant too, where several are."""
_NEARLY = 0.5
_FAIRLY = 0.2
_TELLING = 4.0
"""Less than this weight tells a category and little more."""
_A_MEMBER_TOLD = 0.5
_A_MEMBER_LINKED = 1.5
_OTHERS_TELL = 3.5
"""Words beside a name that tell more than this of a structure describe one."""
_UNAVAILABLE_BUT_BETTER = 0.5
"""An available structure with less than this share of the weight of one that is not there, is not meant."""
_CROSSED_KINDS = ("brain",)
_SUPPLY_OF_A_CROSSED_KIND = (
    "common_carotid_artery",
    "internal_carotid_artery",
    "middle_cerebral_artery",
    "anterior_cerebral_artery",
)
_UNCROSSED = ("cerebellum", "cerebellar_cortex", "cerebellar_white_matter", "brainstem", "medulla_oblongata")


@dataclass(frozen=True)
class Describer:
    """Finds what descriptions mean.

    Attributes:
        knowledge: what is known.
        inventory: the structures at hand.
        earlier: the dialogue so far.
        refused: what the last round asked for in vain; "it" may stand for it.
    """

    knowledge: Knowledge
    inventory: Inventory
    earlier: Earlier
    refused: tuple[Entity, ...] = ()

    @property
    def extremes(self) -> Extremes:
        """Chooses the lowest, the deepest, the largest."""
        return Extremes(self.knowledge, self.earlier)

    def plan(self, description: Description, picked: tuple[Reference, ...]) -> Plan:
        """The structures that are meant, among all that are known; what is not at hand is refused."""
        description = self._with_the_finding_of(description)
        named = self._whole_of_parts(description) or self._lone_name(description, picked)
        if named:
            return named
        between = self._between_in_a_series(description, picked)
        if between:
            return between
        fits = self._weigher(description, picked).fits()
        again = self._of_the_kind_before(description, fits)
        if again:
            return again
        if description.side_of == "other" and description.heads and (not fits or fits[0].weight < _TELLING):
            flipped = self._other_side(description, picked)
            if flipped:
                return flipped
        refused = Plan(refusals=(Refusal("unclear", words=description.words),))
        if not fits or fits[0].weight < _ENOUGH:
            return (
                self._by_category(description)
                or self._only_one(description, fits, picked)
                or self._other_side(description, picked)
                or refused
            )
        if description.many and description.heads and fits[0].weight < _TELLING:
            every = self._by_category(description)
            if every:
                return every
        if description.besides:
            fits = [fit for fit in fits if not self._is_shown(fit)] or fits
        there = [fit for fit in fits if self._is_there(fit.structure)]
        best = self._member(description, fits)
        there.sort(key=lambda fit: fit is not best)
        if not self._is_there(best.structure):
            whole = next((fit for fit in there if fit.structure.key in best.structure.part_of), None)
            if whole and whole.weight >= _NEARLY * best.weight and not description.named:
                best = whole
            elif not there or there[0].weight < _UNAVAILABLE_BUT_BETTER * best.weight or description.named:
                return Plan(refusals=(Refusal("absent", self._entity(best, description, picked)),))
        chosen = self._chosen(description, there)
        listed = self._series_named(description)
        if listed:
            return listed
        plans = [self._found(fit, description, picked, alone=len(chosen) == 1) for fit in chosen]
        plan = join(plans)
        extreme = self.extremes.chosen(description.words, plan.targets) if len(chosen) > 1 else []
        return replace(plan, targets=tuple(extreme) or plan.targets, used=self._used(description, picked))

    def _with_the_finding_of(self, description: Description) -> Description:
        """A finding that is named with an organ, as the finding of that organ ("右肾的囊肿")."""
        organs = [entity for entity in description.context if entity.structure.kind != "lesion"]
        findings = [
            entity for entity in (*description.named, *description.context) if entity.structure.kind == "lesion"
        ]
        for finding in findings:
            for kind in self.knowledge.anatomy.kinds(finding.structure.key):
                organ = next((o for o in organs if o.structure.key in kind.part_of), None)
                if organ and (finding in description.named or not description.named):
                    return replace(
                        description, named=(Entity(kind, organ.side),), sides=description.sides or _side(organ)
                    )
        return description

    def _series_named(self, description: Description) -> Plan | None:
        """Every member of a series that is named, where nothing else is asked for ("按断了左第4肋、左第5肋")."""
        named = tuple(dict.fromkeys((*description.context, *description.named)))
        series = [self.knowledge.anatomy.kinds(kind) for kind in ("vertebra", "rib")]
        if len(named) < 2 or description.asks or description.links or description.heads:
            return None
        if not any(all(entity.structure in members for entity in named) for members in series):
            return None
        sides = description.sides
        return join(
            self.inventory.find(Wanted((e.structure,), (e.side,) if e.side else sides, many=description.many))
            for e in named
        )

    def _is_shown(self, fit: Fit) -> bool:
        """Whether a structure was the result of an earlier round."""
        shown = self.earlier.entities_of(self.earlier.history.made())
        return any(entity.structure is fit.structure and fit.side in (None, entity.side) for entity in shown)

    def _between_in_a_series(self, description: Description, picked: tuple[Reference, ...]) -> Plan | None:
        """The members of a series between two of them ("夹在[2]和[3]中间的")."""
        for link in description.links:
            ends = (
                [e for anchor in link.anchors for e in self._anchored(anchor, picked)]
                if link.relation == "between"
                else []
            )
            for kind in ("vertebra", "rib"):
                series = self.knowledge.anatomy.kinds(kind)
                if len(ends) == 2 and all(entity.structure in series for entity in ends):
                    low, high = sorted(series.index(entity.structure) for entity in ends)
                    wanted = [
                        Wanted((s,), (ends[0].side,) if ends[0].side else (), many=True) for s in series[low + 1 : high]
                    ]
                    return join(self.inventory.find(w) for w in wanted) if wanted else None
        return None

    def _whole_of_parts(self, description: Description) -> Plan | None:
        """The whole of several parts that are named and have no labels of their own ("jejunum + ileum")."""
        whole = self.whole_of([e.structure for e in (*description.named, *description.context)])
        if whole is None or any(link.anchors and link.relation == "between" for link in description.links):
            return None
        return self._found(Fit(whole, None, 0.0, Reason()), description, (), alone=True)

    def whole_of(self, parts: Sequence[Structure]) -> Structure | None:
        """The one structure at hand that several others, not at hand, are parts of."""
        if len(set(parts)) < 2 or any(map(self._is_there, parts)):
            return None
        shared = set.intersection(*(set(part.part_of) for part in parts))
        wholes = [self.knowledge.anatomy[key] for key in shared if self._is_there(self.knowledge.anatomy[key])]
        return wholes[0] if len(wholes) == 1 else None

    def _lone_name(self, description: Description, picked: tuple[Reference, ...]) -> Plan | None:
        """The one structure that is named, where all other words tell nothing ("EVAR 前看 SMA 单独")."""
        names = tuple(dict.fromkeys(e.structure for e in description.context))
        asked = description.heads or description.named or description.links or description.asks or description.container
        asked = asked or description.anchors or description.count or description.single
        if asked or len(names) != 1 or names[0].kind == "lesion":
            return None
        heard = self.knowledge.evidence.hear(description.others)
        if any(heard.weight(s, side) > _OTHERS_TELL for s in heard.structures for side in (None, *s.sides)):
            return None
        fit = Fit(names[0], side_of(description.context), 0.0, Reason())
        if not self._is_there(names[0]):
            return Plan(refusals=(Refusal("absent", self._entity(fit, description, picked)),))
        named = replace(description, named=description.context)
        return self._found(fit, named, picked, alone=True)

    def _member(self, description: Description, fits: Sequence[Fit]) -> Fit:
        """The best fit or, where this is a group of which one member is told of, that member ("带齿突的那节颈椎")."""
        best, anatomy = fits[0], self.knowledge.anatomy
        group = {*anatomy.kinds(best.structure.key), *anatomy.parts(best.structure.key)}
        member = next((fit for fit in fits if fit.structure in group), None)
        is_named = any(entity.structure is best.structure for entity in description.named)
        if member is None or description.many or not is_named:
            return best
        heard = self.knowledge.evidence.hear(description.terms)
        told, of_group = heard.weight(member.structure, member.side), heard.weight(best.structure)
        if description.single:
            return member if told or member.weight > _A_MEMBER_LINKED else best
        in_a_series = member.structure in anatomy.kinds("vertebra") or member.structure in anatomy.kinds("rib")
        return member if in_a_series and told > of_group + _A_MEMBER_TOLD else best

    def among(self, description: Description, targets: Sequence[Target], picked: tuple[Reference, ...]) -> list[Target]:
        """Those of some targets that a description means; none where it tells nothing about them."""
        extremes = self.extremes.chosen(description.words, targets)
        if extremes:
            return [t for t in extremes if not description.sides or (t.entity and t.entity.side in description.sides)]
        structures = tuple(dict.fromkeys(t.entity.structure for t in targets if t.entity))
        weigher = self._weigher(description, picked, tuple(t.entity for t in targets if t.entity))
        fits = [fit for fit in weigher.fits(structures) if fit.weight >= _ENOUGH_OF_FEW]
        if description.heads:
            fits = [fit for fit in fits if fit.structure.key in description.heads] or fits
        sides = description.sides
        if not fits:
            return [t for t in targets if t.entity and t.entity.side in sides] if sides else []
        if not (description.words.isascii() or description.single or description.one or description.count):
            description = replace(description, many=True)  # Chinese has no plural
        several = description.many or not (description.words.isascii() or description.single)
        only_category = bool(description.heads) and fits[0].weight <= (_TELLING if several else 2.0)
        chosen = fits if only_category else self._chosen(description, fits)
        paired = {
            s for s in structures if len({t.entity.side for t in targets if t.entity and t.entity.structure is s}) > 1
        }
        told = {fit.structure: fit.side if fit.structure in paired else None for fit in chosen}
        return [
            target
            for target in targets
            if target.entity
            and target.entity.structure in told
            and (target.entity.side in sides if sides else told[target.entity.structure] in (None, target.entity.side))
        ]

    def _weigher(
        self, description: Description, picked: tuple[Reference, ...], pool: tuple[Entity, ...] = ()
    ) -> Weigher:
        def anchored(anchor: Anchor) -> Sequence[Entity]:
            return self._anchored(anchor, picked) or pool if anchor.pronoun else self._anchored(anchor, picked)

        rounds = self.earlier.history.rounds
        before = terms_of(rounds[-1].question.text) if rounds else ()
        return Weigher(self.knowledge, description, anchored, before)

    def _anchored(self, anchor: Anchor, picked: tuple[Reference, ...]) -> tuple[Entity, ...]:
        """What an anchor stands for."""
        if anchor.pronoun and not picked and self.refused:
            return self.refused
        return anchor.entities or self.earlier.entities_of(self._references(anchor, picked))

    def _references(self, anchor: Anchor, picked: tuple[Reference, ...]) -> tuple[Reference, ...]:
        if anchor.references:
            return anchor.references
        if anchor.which:
            return self._which(anchor.which)
        if anchor.pronoun:
            return picked or self.earlier.last_masks()
        if anchor.members:
            found = self.earlier.latest(
                lambda r: (structure := self.earlier.structure_of(r)) is not None and structure.key in anchor.members
            )
            return (found,) if found else ()
        return ()

    def _which(self, which: Literal["left", "right", "above", "below"]) -> tuple[Reference, ...]:
        """The latest masks that are the left one or the upper one of those before."""
        made = self.earlier.history.made()
        if which in BOTH:
            fits = [r for r in made if (entity := self.earlier.entity_of(r)) and entity.side == which]
            return tuple(fits[-1:])
        recent = made[-2:]
        entities = {r: self.earlier.entity_of(r) for r in recent}
        for reference, entity in entities.items():
            for fact in self.knowledge.facts_of(entity.structure) if entity else ():
                others = {other.structure for r, other in entities.items() if other and r != reference}
                is_asked = entity and fact.relation == which and fact.subject.structure is entity.structure
                if is_asked and others & {place.structure for place in fact.objects}:
                    return (reference,)
        return tuple(recent[-1:])

    def _used(self, description: Description, picked: tuple[Reference, ...]) -> tuple[Reference, ...]:
        anchors = [*description.anchors, *(anchor for link in description.links for anchor in link.anchors)]
        if any(not link.anchors for link in description.links):
            anchors.append(Anchor(pronoun=True))
        return tuple(dict.fromkeys((*picked, *(r for anchor in anchors for r in self._references(anchor, picked)))))

    def _is_there(self, structure: Structure) -> bool:
        sides: Sides = structure.sides
        kinds = self.knowledge.anatomy.kinds(structure.key)
        if any(self._is_there(kind) for kind in kinds):
            return True
        plans = (self.inventory.on_side(Entity(structure, side)) for side in (sides or (None,)))
        return any(plan.targets or plan.choice for plan in plans) or bool(
            len(sides) == 2 and self.inventory.on_side(Entity(structure)).targets
        )

    def _chosen(self, description: Description, fits: Sequence[Fit]) -> list[Fit]:
        """The structures that are meant: one, or as many as the words say."""
        best = fits[0]
        count = description.count
        if any(link.relation == "between" for link in description.links):
            return [best]  # the number is that of what it lies between
        if count == 2 and len(fits) > 1 and fits[1].structure is best.structure:
            return list(fits[:2])
        if count == 2 and best.side is None and len(best.structure.sides) == 2:
            rival = fits[1].weight if len(fits) > 1 else 0.0
            return [best] if rival < _AS_GOOD * best.weight else list(fits[:2])
        if count:
            least = (_FAIRLY if description.heads else _NEARLY) * best.weight
            return [fit for fit in fits[:count] if fit.weight >= least]
        if description.many:
            return [fit for fit in fits if fit.weight >= _AS_GOOD * best.weight]
        return [best]

    def _by_category(self, description: Description) -> Plan | None:
        """Every structure of a category that is there ("all four chambers"); None where that is not asked."""
        if not description.heads or not (description.many or description.count) or len(description.heads) > 12:
            return None
        wanted = Wanted(
            tuple(self.knowledge.anatomy[key] for key in sorted(description.heads)), description.sides, many=True
        )
        plans = [self.inventory.find(replace(wanted, structures=(structure,))) for structure in wanted.structures]
        there = [plan for plan in plans if plan.targets]
        return join(there) if there else None

    def _other_side(self, description: Description, picked: tuple[Reference, ...]) -> Plan | None:
        """The other side of the last result, where no more than that is told ("the other arm's one")."""
        references = picked or self.earlier.last_masks()
        if description.heads:
            latest = self.earlier.latest(
                lambda r: getattr(self.earlier.structure_of(r), "key", "") in description.heads
            )
            references = (latest,) if latest else ()
        others = [entity.opposite() for entity in self.earlier.entities_of(references)]
        if description.side_of != "other" or not others or None in others:
            return None
        return replace(join(self.inventory.on_side(entity) for entity in others if entity), used=references)

    def _of_the_kind_before(self, description: Description, fits: Sequence[Fit]) -> Plan | None:
        """A side of the latest mask of a kind, where no more than that is told ("R vein")."""
        bare = not (
            description.links or description.named or description.context or description.asks or description.many
        )
        if not (description.heads and description.sides and bare) or (fits and fits[0].weight >= _TELLING):
            return None
        latest = self.earlier.latest(lambda r: getattr(self.earlier.structure_of(r), "key", "") in description.heads)
        structure = self.earlier.structure_of(latest) if latest else None
        if structure is None or len(structure.sides) < 2:
            return None
        return self.inventory.find(Wanted((structure,), description.sides))

    def _only_one(self, description: Description, fits: Sequence[Fit], picked: tuple[Reference, ...]) -> Plan | None:
        """The only structure of a category that there is ("the muscle", where there is one)."""
        there = [key for key in description.heads if self._is_there(self.knowledge.anatomy[key])]
        fit = next((fit for fit in fits if fit.structure.key in there), None)
        if len(there) != 1 or fit is None:
            return None
        return self._found(fit, description, picked, alone=True)

    def _found(self, fit: Fit, description: Description, picked: tuple[Reference, ...], *, alone: bool) -> Plan:
        sides = self._sides(fit, description, picked)
        many = ((description.many or description.count == 2) and alone) or (
            not sides and not description.one and self._language_allows(description)
        )
        plan = self.inventory.find(Wanted((fit.structure,), sides, many=many))
        if len(plan.targets) > 1:
            extreme = self.extremes.chosen(description.words, plan.targets)
            plan = replace(plan, targets=tuple(extreme)) if extreme else plan
        return replace(plan, targets=tuple(replace(target, reason=fit.reason) for target in plan.targets))

    def _language_allows(self, description: Description) -> bool:
        """Chinese has no plural: without a side, both are meant."""
        return not description.words.isascii()

    def _sides(self, fit: Fit, description: Description, picked: tuple[Reference, ...]) -> Sides:
        """The sides that are meant: those that the words say, else those of what they are told by."""
        structure = fit.structure
        if not structure.sides:
            return ()
        if description.sides and not description.side_asked:
            return description.sides
        anchors = tuple(e for anchor in description.anchors for e in self._anchored(anchor, picked))
        told = side_of(anchors) or side_of(description.context)
        side = told or self.earlier.last_side() or (self.earlier.latest_side() if description.side_of else None)
        if description.named and not (told or description.side_of or description.anchors or description.links):
            side = None
        if description.side_of and side:
            return (side,) if description.side_of == "same" else tuple(other for other in BOTH if other != side)
        if description.crossed:
            crosses = structure.kind in _CROSSED_KINDS and structure.key not in _UNCROSSED
            crosses = crosses or structure.key in _SUPPLY_OF_A_CROSSED_KIND
            return tuple(s for s in BOTH if (s != description.crossed) == crosses)
        if fit.side:
            return (fit.side,)
        if description.both:
            return structure.sides
        if len(description.sides_elsewhere) == 1 and side_of(anchors) is None:
            return description.sides_elsewhere
        if description.single and not description.one and not description.words.isascii():
            side = side or self.earlier.latest_side()
        return (side,) if side and not description.one else ()

    def _entity(self, fit: Fit, description: Description, picked: tuple[Reference, ...]) -> Entity:
        sides = self._sides(fit, description, picked)
        side = sides[0] if len(sides) == 1 and sides[0] in fit.structure.sides else None
        return Entity(fit.structure, side)


def _side(entity: Entity) -> Sides:
    return (entity.side,) if entity.side else ()
