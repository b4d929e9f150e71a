"""What a description tells: its head, its anchors, its relations to them, its sides and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.anatomy import Entity, Side
from MultiRoundSegLib.conversation import Reference

from .sides import Sides


@dataclass(frozen=True)
class Anchor:
    """What a description is told by.

    Attributes:
        references: earlier masks.
        entities: structures that are named.
        members: keys of the structures that a word such as "the gland" may stand for; one of an earlier
            round is meant.
        pronoun: it is "it", which stands for the last result.
        which: which of the last results it is ("the upper one").
    """

    references: tuple[Reference, ...] = ()
    entities: tuple[Entity, ...] = ()
    members: frozenset[str] = frozenset()
    pronoun: bool = False
    which: Literal["left", "right", "above", "below"] | None = None


@dataclass(frozen=True)
class Link:
    """A relation to an anchor that a description tells.

    Attributes:
        relation: a key of relations.csv.
        asks: which end of it is described; None where the words do not say.
        anchors: to what; none for the last result.
    """

    relation: str
    asks: Literal["subject", "object"] | None
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True)
class Description:
    """What a description tells.

    Attributes:
        words: as typed.
        terms: for `Evidence`.
        heads: keys of the structures that its head word allows; empty where it allows any.
        named: structures that its head names.
        anchors: what it is told by.
        links: relations to them.
        context: structures that are named besides.
        sides: the sides it says.
        sides_elsewhere: the sides that other clauses say, perhaps of other things.
        side_asked: it asks on which side something is; the sides it says are those of other things.
        side_of: it is on the same side as an anchor or the last result, or on the other one.
        crossed: the side of the body that suffers; a brain suffers on the other one.
        count: how many are meant, where it says.
        both: both sides are meant.
        many: a plural, or both sides.
        one: it says that one is meant, whichever.
        others: terms that are not those of the structures named.
        asks: something is asked for that is not named.
        besides: what was shown before is not meant again ("the other two").
        single: it speaks of one certain structure ("那节", "which one").
        container: what contains something is asked for ("which label holds it").
        finding: its head is a finding, and not asked for itself ("hangman fracture").
    """

    words: str
    terms: tuple[str, ...]
    heads: frozenset[str] = frozenset()
    named: tuple[Entity, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    links: tuple[Link, ...] = ()
    context: tuple[Entity, ...] = ()
    sides: Sides = ()
    sides_elsewhere: Sides = ()
    side_asked: bool = False
    side_of: Literal["same", "other"] | None = None
    crossed: Side | None = None
    count: int | None = None
    both: bool = False
    many: bool = False
    one: bool = False
    others: tuple[str, ...] = ()
    asks: bool = False
    besides: bool = False
    single: bool = False
    container: bool = False
    finding: bool = False

    @property
    def is_english(self) -> bool:
        """Whether it is in English alone."""
        return self.words.isascii()

    @property
    def only_mentions(self) -> bool:
        """Whether it asks for nothing beside what it mentions."""
        told = self.heads or self.named or self.links or self.anchors
        return not (told or self.asks or self.container or self.count or self.single)
