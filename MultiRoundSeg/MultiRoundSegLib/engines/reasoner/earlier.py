"""What earlier rounds of a dialogue show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Anatomy, Entity, Side, Structure
from MultiRoundSegLib.conversation import Conversation, Reference

from .plan import Target


@dataclass(frozen=True)
class Earlier:
    """The dialogue so far, seen as structures.

    Attributes:
        history: the dialogue so far.
        anatomy: names and sides.
    """

    history: Conversation
    anatomy: Anatomy

    def entity_of(self, reference: Reference) -> Entity | None:
        """The structure that an earlier mask shows, whatever it has been renamed to."""
        code = self.history.latest(reference).code
        known = (self.anatomy.identify(name) for name in self.history.names(reference))
        return next(
            (entity for entity in known if entity),
            self.anatomy.identify("", code) if code else None,
        )

    def structure_of(self, reference: Reference) -> Structure | None:
        """The same, whatever the side."""
        entity = self.entity_of(reference)
        return entity.structure if entity else None

    def entities_of(self, references: Iterable[Reference]) -> tuple[Entity, ...]:
        """What several masks show, each once; masks of nothing that is known are left out."""
        entities = (self.entity_of(reference) for reference in references)
        return tuple(dict.fromkeys(entity for entity in entities if entity))

    def last_masks(self) -> tuple[Reference, ...]:
        """The masks of the last round that has any left."""
        made = self.history.made()
        return tuple(reference for reference in made if reference.round_number == made[-1].round_number)

    def last_side(self) -> Side | None:
        """The side that all masks of the last round that has any are on."""
        return side_of(self.entities_of(self.last_masks()))

    def latest_side(self) -> Side | None:
        """The side of the latest round whose masks are all on one."""
        made = self.history.made()
        for number in sorted({reference.round_number for reference in made}, reverse=True):
            side = side_of(self.entities_of(r for r in made if r.round_number == number))
            if side:
                return side
        return None

    def series(self) -> str:
        """The series that all masks of the last round belong to: "rib", "C", "T", "L"; empty for none."""
        structures = [entity.structure for entity in self.entities_of(self.last_masks())]
        kinds = {_series_of(structure.key) for structure in structures}
        return kinds.pop() if len(kinds) == 1 else ""

    def latest(self, fits: Callable[[Reference], bool]) -> Reference | None:
        """The latest mask of a round, still there, that fits."""
        return next((reference for reference in reversed(self.history.made()) if fits(reference)), None)

    def latest_of(self, keys: frozenset[str]) -> Reference | None:
        """The latest mask of a round, still there, that shows one of these structures."""
        return self.latest(lambda r: (structure := self.structure_of(r)) is not None and structure.key in keys)

    def copy(self, reference: Reference) -> Target:
        """An earlier mask to be shown again."""
        return Target(self.entity_of(reference), self.history.latest(reference).label, copied=reference)


def side_of(entities: Iterable[Entity]) -> Side | None:
    """The one side that all paired structures among these are on."""
    sides = {entity.side for entity in entities if len(entity.structure.sides) == 2 and entity.side}
    return sides.pop() if len(sides) == 1 else None


def _series_of(key: str) -> str:
    kind, _, number = key.rpartition("_")
    if kind == "rib" and number.isdigit():
        return "rib"
    return number[0].upper() if kind == "vertebra" and number[1:].isdigit() and number[0] in "ctl" else ""
