"""All structures, and how they are found in segment names and in free text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from MultiRoundSegLib.images import Code

from .names import Form, label_forms, written_forms
from .structure import SIDES, Entity, Side, Structure
from .table import read_guards, read_structures
from .words import Unit, adjoin, key_of, units

_SIDE_UNITS: dict[str, Side] = {
    **dict.fromkeys(("left", "l", "lt", "lh", "左"), SIDES[0]),
    **dict.fromkeys(("right", "r", "rt", "rh", "右"), SIDES[1]),
}
SERIES = ("vertebra", "rib")
"""Kinds whose members stand one below the other, in the order of the table."""
_AFTER_SIDE = ("侧", "边")


@dataclass(frozen=True)
class Mention:
    """A structure named in a text.

    Attributes:
        start: position of its first character.
        end: position after its last character.
        entities: what it can mean; usually one. A side only where the name includes it.
        plural: whether it is an English plural.
        adjective: whether it is an English adjective, which may belong to a noun that is not known here
            ("renal fascia").
    """

    start: int
    end: int
    entities: tuple[Entity, ...]
    plural: bool
    adjective: bool

    @property
    def structures(self) -> tuple[Structure, ...]:
        """What it can mean, whatever the side."""
        return tuple(dict.fromkeys(entity.structure for entity in self.entities))

    @property
    def side(self) -> Side | None:
        """The side that the name includes, the same in every meaning."""
        sides = {entity.side for entity in self.entities}
        return sides.pop() if len(sides) == 1 else None


class Anatomy:
    """The structures of the body.

    Names are compared without regard to case, width, spaces, hyphens and underscores, and never by
    similarity.
    """

    def __init__(self, structures: Sequence[Structure], guards: Iterable[str] = ()) -> None:
        """Take in the structures.

        Args:
            structures: with unique keys.
            guards: phrases that hold a name but do not mean it.
        """
        self._structures = {structure.key: structure for structure in structures}
        self._written: dict[str, list[Form]] = {}
        self._labels: dict[str, list[Form]] = {}
        self._coded: dict[tuple[str, str], list[Entity]] = {}
        for structure in structures:
            _collect(self._written, written_forms(structure))
            _collect(self._labels, label_forms(structure))
            for entity, code in _coded(structure):
                self._coded.setdefault((code.scheme, code.value), []).append(entity)
        self._parts_of = _by(s for s in structures if s.kind != "lesion")
        self._kinds_of = _by(structures, kinds=True)
        self._parts: dict[str, frozenset[Structure]] = {}
        self._kinds: dict[str, tuple[Structure, ...]] = {}
        self._guards = {key_of(phrase) for phrase in guards}
        self._longest = max(map(len, (*self._written, *self._guards)), default=0)

    @property
    def structures(self) -> tuple[Structure, ...]:
        """All structures, in the order of the table."""
        return tuple(self._structures.values())

    def __getitem__(self, key: str) -> Structure:
        """The structure with this key.

        Raises:
            KeyError: there is none.
        """
        return self._structures[key]

    def parts(self, key: str) -> frozenset[Structure]:
        """The structures that are part of this one, and their parts; lesions in it do not belong to it."""
        if key not in self._parts:
            direct = self._parts_of.get(key, ())
            self._parts[key] = frozenset(direct).union(*(self.parts(part.key) for part in direct))
        return self._parts[key]

    def kinds(self, key: str) -> tuple[Structure, ...]:
        """The single structures that are of this kind, in the order of the table: the twelve ribs."""
        if key not in self._kinds:
            found = (k for s in self._kinds_of.get(key, ()) for k in self.kinds(s.key) or (s,))
            self._kinds[key] = tuple(dict.fromkeys(found))
        return self._kinds[key]

    def series_of(self, structures: Iterable[Structure]) -> tuple[Structure, ...] | None:
        """The vertebrae or the ribs from the top down, where all these are some; None where they are not."""
        structures = tuple(structures)
        series = (self.kinds(key) for key in SERIES)
        return next((s for s in series if structures and all(structure in s for structure in structures)), None)

    def identify(self, name: str, code: Code | None = None) -> Entity | None:
        """What a segment is, by its name or, where the name does not tell, by its code.

        The name may be English, Chinese, a TotalSegmentator class or a FreeSurfer label, with words for
        the side anywhere ("Kidney (L)", "右_肾").

        Args:
            name: of the segment.
            code: its terminology entry.

        Returns:
            The one thing it can be, without a side where none is said of a paired structure; None if
            there is no such thing or more than one.
        """
        side, unsided = _apart(units(name))
        named = self._named(key_of(name)) or _on_side(self._named(unsided), side)
        coded = self._coded.get((code.scheme, code.value), []) if code else []
        if not named:
            return _only(_on_side(coded, side) if side else coded)
        meant = {entity.structure: entity for entity in coded}
        agreed = [entity if entity.side else meant[entity.structure] for entity in named if entity.structure in meant]
        return _only(agreed or named)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Every structure named in a question, English, Chinese or mixed, in the order of the text.

        Where names overlap, the longest one counts ("肝" does not show in "肝静脉", nor "kidney" in "kidney
        cyst"), and of equally long ones the later: "标出血肿" holds "血肿", not "出血".
        """
        taken: set[int] = set()
        found: list[Mention] = []
        for start, parts, key in sorted(self._windows(text), key=lambda window: (-len(window[2]), -window[0])):
            places = range(start, start + len(parts))
            if taken.isdisjoint(places):
                taken.update(places)
                if key not in self._guards:
                    found.append(self._mention(parts, key))
        return tuple(sorted(found, key=lambda mention: mention.start))

    def _windows(self, text: str) -> Iterable[tuple[int, list[Unit], str]]:
        """Runs of units that spell a name or a guard: position of the first, the units, the key."""
        parts = units(text)
        for start in range(len(parts)):
            key = ""
            for end in range(start, len(parts)):
                if end > start and not adjoin(text, parts[end - 1], parts[end]):
                    break
                key += parts[end].text
                if len(key) > self._longest:
                    break
                window = parts[start : end + 1]
                known = key in self._written or key in self._guards
                # "L v R" is not the abbreviation LVR
                if known and not all(part.is_letter for part in window):
                    yield start, window, key

    def _mention(self, parts: list[Unit], key: str) -> Mention:
        forms = self._written[key]
        return Mention(
            parts[0].start,
            parts[-1].end,
            tuple(dict.fromkeys(form.entity for form in forms)),
            plural=all(form.plural for form in forms),
            adjective=all(form.adjective for form in forms),
        )

    def _named(self, key: str) -> list[Entity]:
        forms = self._labels.get(key, []) + self._written.get(key, [])
        return list(dict.fromkeys(form.entity for form in forms if not form.adjective))


@cache
def load_anatomy() -> Anatomy:
    """The structures that come with the package, read once."""
    return Anatomy(read_structures(), read_guards())


def _by(structures: Iterable[Structure], *, kinds: bool = False) -> dict[str, list[Structure]]:
    """The structures by what they are directly part of, or a kind of."""
    found: dict[str, list[Structure]] = {}
    for structure in structures:
        for key in structure.is_a if kinds else structure.part_of:
            found.setdefault(key, []).append(structure)
    return found


def _collect(index: dict[str, list[Form]], forms: Iterable[tuple[str, Form]]) -> None:
    for text, form in forms:
        key = key_of(text)
        known = index.get(key)
        if known is None:
            index[key] = [form]
        elif all(form.entity != other.entity for other in known):
            known.append(form)


def _coded(structure: Structure) -> Iterable[tuple[Entity, Code]]:
    if structure.code is not None:
        yield Entity(structure), structure.code
    for side, code in structure.sided_codes:
        yield Entity(structure, side), code


def _apart(parts: Iterable[Unit]) -> tuple[Side | None, str]:
    """The side that the words of a name say, if they say one, and the key of the other words."""
    sides: set[Side] = set()
    key = ""
    after_side = False
    for part in parts:
        side = _SIDE_UNITS.get(part.text)
        if side is not None:
            sides.add(side)
        elif not (after_side and part.text in _AFTER_SIDE):
            key += part.text
        after_side = side is not None
    return (sides.pop() if len(sides) == 1 else None), key


def _on_side(entities: Iterable[Entity], side: Side | None) -> list[Entity]:
    """The entities on a side; nothing where no side is said or it contradicts."""
    return [
        Entity(entity.structure, side)
        for entity in entities
        if side is not None and side in entity.structure.sides and entity.side in (None, side)
    ]


def _only(entities: Sequence[Entity]) -> Entity | None:
    return entities[0] if len(entities) == 1 else None
