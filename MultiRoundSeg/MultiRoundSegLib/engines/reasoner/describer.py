"""From a description to the structures that it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Entity, Knowledge, terms_of
from MultiRoundSegLib.conversation import Reference

from .anchoring import Anchoring
from .description import Anchor, Description
from .earlier import Earlier
from .extremes import Extremes
from .inventory import Inventory, join
from .outright import Outright
from .plan import Plan, Refusal, Target
from .weighing import Fit, Weigher

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
_A_CATEGORY = 2.0
"""Less than this weight, of few structures, tells nothing but a category."""
_A_MEMBER_TOLD = 0.5
_A_MEMBER_LINKED = 1.5
_UNAVAILABLE_BUT_BETTER = 0.5
"""An available structure with less than this share of the weight of one that is not there, is not meant."""


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

    def outright(self, picked: tuple[Reference, ...] = ()) -> Outright:
        """Plans what needs no weighing."""
        return Outright(self.knowledge, self.inventory, self._anchoring(picked))

    def plan(self, description: Description, picked: tuple[Reference, ...]) -> Plan:
        """The structures that are meant, among all that are known; what is not at hand is refused."""
        outright = self.outright(picked)
        description = outright.with_the_finding_of(description)
        plain = outright.plan(description)
        if plain:
            return plain
        fits = self._weigher(description, self._anchoring(picked)).fits()
        best = fits[0].weight if fits else 0.0
        plain = outright.weakly(description) if best < _TELLING else None
        if plain is None and best < _ENOUGH:
            unclear = Plan(refusals=(Refusal("unclear", words=description.words),))
            plain = outright.by_category(description) or outright.only_one(description)
            plain = plain or outright.other_side(description) or unclear
        if plain is None and best < _TELLING and description.many:
            plain = outright.by_category(description)
        return plain or outright.series(description) or self._weighed(description, fits, outright)

    def among(self, description: Description, targets: Sequence[Target], picked: tuple[Reference, ...]) -> list[Target]:
        """Those of some targets that a description means; none where it tells nothing about them."""
        sides = description.sides
        extremes = self.extremes.chosen(description.words, targets)
        if extremes:
            return [t for t in extremes if not sides or (t.entity and t.entity.side in sides)]
        pool = tuple(target.entity for target in targets if target.entity)
        structures = tuple(dict.fromkeys(entity.structure for entity in pool))
        weigher = self._weigher(description, self._anchoring(picked), pool)
        fits = [fit for fit in weigher.fits(structures) if fit.weight >= _ENOUGH_OF_FEW]
        if description.heads:
            fits = [fit for fit in fits if fit.structure.key in description.heads] or fits
        if not fits:
            return [t for t in targets if t.entity and t.entity.side in sides] if sides else []
        paired = {s for s in structures if len({entity.side for entity in pool if entity.structure is s}) > 1}
        chosen = self._chosen_of_few(description, fits)
        told = {fit.structure: fit.side if fit.structure in paired else None for fit in chosen}
        return [
            target
            for target in targets
            if target.entity
            and target.entity.structure in told
            and (target.entity.side in sides if sides else told[target.entity.structure] in (None, target.entity.side))
        ]

    def _anchoring(self, picked: tuple[Reference, ...]) -> Anchoring:
        return Anchoring(self.knowledge, self.earlier, self.refused, picked)

    def _weigher(self, description: Description, anchoring: Anchoring, pool: tuple[Entity, ...] = ()) -> Weigher:
        def anchored(anchor: Anchor) -> Sequence[Entity]:
            return anchoring.entities(anchor) or (pool if anchor.pronoun else ())

        rounds = self.earlier.history.rounds
        before = terms_of(rounds[-1].question.text) if rounds else ()
        return Weigher(self.knowledge, description, anchored, before)

    def _weighed(self, description: Description, fits: Sequence[Fit], outright: Outright) -> Plan:
        """What weighs most, if it is at hand."""
        if description.besides:
            fits = [fit for fit in fits if not self._is_shown(fit)] or fits
        best = self._member(description, fits)
        there = sorted((fit for fit in fits if self.inventory.has(fit.structure)), key=lambda fit: fit is not best)
        if not self.inventory.has(best.structure):
            whole = next((fit for fit in there if fit.structure.key in best.structure.part_of), None)
            is_whole = whole is not None and whole.weight >= _NEARLY * best.weight and not description.named
            is_rival = bool(there) and there[0].weight >= _UNAVAILABLE_BUT_BETTER * best.weight
            if not is_whole and (not is_rival or description.named):
                return outright.absent(best, description)
        chosen = self._chosen(description, there)
        plan = join(outright.found(fit, description, alone=len(chosen) == 1) for fit in chosen)
        extreme = self.extremes.chosen(description.words, plan.targets)
        return replace(plan, targets=tuple(extreme) or plan.targets, used=outright.anchoring.used(description))

    def _is_shown(self, fit: Fit) -> bool:
        """Whether a structure was the result of an earlier round."""
        shown = self.earlier.entities_of(self.earlier.history.made())
        return any(entity.structure is fit.structure and fit.side in (None, entity.side) for entity in shown)

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
        in_a_series = anatomy.series_of((member.structure,)) is not None
        return member if in_a_series and told > of_group + _A_MEMBER_TOLD else best

    def _chosen_of_few(self, description: Description, fits: Sequence[Fit]) -> Sequence[Fit]:
        """Those that are meant of few; Chinese has no plural, so several may be."""
        if not (description.is_english or description.single or description.one or description.count):
            description = replace(description, many=True)
        is_category = bool(description.heads) and fits[0].weight <= (_TELLING if description.many else _A_CATEGORY)
        return fits if is_category else self._chosen(description, fits)

    def _chosen(self, description: Description, fits: Sequence[Fit]) -> list[Fit]:
        """The structures that are meant: one, or as many as the words say."""
        best, count = fits[0], description.count
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
