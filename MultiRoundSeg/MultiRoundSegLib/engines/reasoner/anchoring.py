"""What the anchors of a description stand for in a dialogue, and on which side what it means is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.anatomy import Entity, Knowledge, Side, Structure
from MultiRoundSegLib.conversation import Reference

from .description import Anchor, Description
from .earlier import Earlier, side_of
from .sides import BOTH, Sides

_CROSSED_KINDS = ("brain",)
_SUPPLY_OF_A_CROSSED_KIND = (
    "common_carotid_artery",
    "internal_carotid_artery",
    "middle_cerebral_artery",
    "anterior_cerebral_artery",
)
_UNCROSSED = ("cerebellum", "cerebellar_cortex", "cerebellar_white_matter", "brainstem", "medulla_oblongata")


@dataclass(frozen=True)
class Anchoring:
    """The dialogue, as descriptions lean on it.

    Attributes:
        knowledge: what is known.
        earlier: the dialogue so far.
        refused: what the last round asked for in vain; "it" may stand for it.
        picked: masks that the person clicked.
    """

    knowledge: Knowledge
    earlier: Earlier
    refused: tuple[Entity, ...] = ()
    picked: tuple[Reference, ...] = ()

    def entities(self, anchor: Anchor) -> tuple[Entity, ...]:
        """What an anchor stands for."""
        if anchor.pronoun and not self.picked and self.refused:
            return self.refused
        return anchor.entities or self.earlier.entities_of(self.references(anchor))

    def references(self, anchor: Anchor) -> tuple[Reference, ...]:
        """The masks that an anchor stands for."""
        if anchor.references:
            return anchor.references
        if anchor.which:
            return self._which(anchor.which)
        if anchor.pronoun:
            return self.picked or self.earlier.last_masks()
        if anchor.members:
            found = self.earlier.latest_of(anchor.members)
            return (found,) if found else ()
        return ()

    def used(self, description: Description) -> tuple[Reference, ...]:
        """All masks that a description leans on."""
        anchors = [*description.anchors, *(anchor for link in description.links for anchor in link.anchors)]
        if any(not link.anchors for link in description.links):
            anchors.append(Anchor(pronoun=True))
        return tuple(dict.fromkeys((*self.picked, *(r for anchor in anchors for r in self.references(anchor)))))

    def sides(self, structure: Structure, told_by_words: Side | None, description: Description) -> Sides:
        """The sides that are meant; none where that cannot be told.

        Args:
            structure: of which.
            told_by_words: the side of which alone the words are true.
            description: what was said.
        """
        if not structure.sides:
            return ()
        if description.sides and not description.side_asked:
            return description.sides
        anchors = tuple(e for anchor in description.anchors for e in self.entities(anchor))
        side = self._leaned_on(description, anchors)
        if description.side_of and side:
            return (side,) if description.side_of == "same" else tuple(other for other in BOTH if other != side)
        if description.crossed:
            return (_suffering(structure, description.crossed),)
        if told_by_words:
            return (told_by_words,)
        if description.both:
            return structure.sides
        if len(description.sides_elsewhere) == 1 and side_of(anchors) is None:
            return description.sides_elsewhere
        if description.single and not description.one and not description.is_english:
            side = side or self.earlier.latest_side()
        return (side,) if side and not description.one else ()

    def _leaned_on(self, description: Description, anchors: tuple[Entity, ...]) -> Side | None:
        """The side of what a description is told by, or of the last result."""
        told = side_of(anchors) or side_of(description.context)
        if description.named and not (told or description.side_of or description.anchors or description.links):
            return None
        return told or self.earlier.last_side() or (self.earlier.latest_side() if description.side_of else None)

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


def _suffering(structure: Structure, body_side: Side) -> Side:
    """The side of a structure that makes a side of the body suffer."""
    crosses = structure.kind in _CROSSED_KINDS and structure.key not in _UNCROSSED
    if not crosses and structure.key not in _SUPPLY_OF_A_CROSSED_KIND:
        return body_side
    return "right" if body_side == "left" else "left"
