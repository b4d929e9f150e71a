"""A structure of the body, and a structure on a side: names, codes, labels of other tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from MultiRoundSegLib.images import Code

from .colours import Colour, colour_of
from .language import Language

Side = Literal["left", "right"]

SIDES: tuple[Side, Side] = ("left", "right")
SIDE_CODES: dict[Side, Code] = {
    "left": Code("SCT", "7771000", "Left"),
    "right": Code("SCT", "24028007", "Right"),
}
_SIDE_WORDS: dict[Language, dict[Side, tuple[str, ...]]] = {
    "en": {"left": ("left ",), "right": ("right ",)},
    "zh": {"left": ("左", "左侧"), "right": ("右", "右侧")},
}
_SIDE_LETTERS: dict[Language, dict[Side, str]] = {
    "en": {"left": "L", "right": "R"},
    "zh": {"left": "左", "right": "右"},
}


@dataclass(frozen=True, eq=False)
class Structure:
    """What the body has, whether on one side, on both or in the middle: one row of structures.csv.

    Names are patterns: `{side}` stands for "left" or "左"; `{S}` for "L" or "左", in names that are used with
    a side only ("{S}UL" is LUL and RUL). A name without either is put behind the side ("左肾").
    In labels of other tools `{side}` stands for "left", `{Side}` for "Left", `{s}` for "l".

    Attributes:
        key: our own identifier, in snake case.
        sides: where it exists; empty for what is not paired.
        kind: a key of `colours.KIND_COLOURS`.
        part_of: keys of the structures that contain it, or of a group it belongs to; for a lesion, where
            it lies.
        english: the preferred name first, then synonyms and abbreviations.
        english_plurals: plurals of the English names; empty where a plural makes no sense.
        english_adjectives: "renal" for the kidney.
        chinese: the preferred name first, then synonyms.
        code: SNOMED CT concept of the structure, whatever its side.
        sided_codes: concepts that say the side by themselves.
        totalsegmentator: class names in any TotalSegmentator task.
        freesurfer: names in FreeSurferColorLUT.txt.
        is_kind: other structures are of this kind, so that a mask of it shows several: "ribs".
    """

    key: str
    sides: tuple[Side, ...]
    kind: str
    part_of: tuple[str, ...]
    is_a: tuple[str, ...]
    english: tuple[str, ...]
    english_plurals: tuple[str, ...]
    english_adjectives: tuple[str, ...]
    chinese: tuple[str, ...]
    code: Code | None
    sided_codes: tuple[tuple[Side, Code], ...]
    totalsegmentator: tuple[str, ...]
    freesurfer: tuple[str, ...]
    is_kind: bool = False

    def names(self, language: Language) -> tuple[str, ...]:
        """Name patterns, the preferred one first."""
        return self.english if language == "en" else self.chinese

    def any_name(self, language: Language) -> str:
        """The preferred name without a side: "kidney", "middle lobe of lung"."""
        return next(name for pattern in self.names(language) for name in with_side(pattern, None, language))

    def entities(self) -> tuple[Entity, ...]:
        """The structure; where it is paired: on no side in particular, on the left, on the right."""
        return tuple(dict.fromkeys(Entity(self, side) for side in (None, *self.sides)))


@dataclass(frozen=True)
class Entity:
    """A structure on a side, as a segment holds it.

    Attributes:
        structure: what it is.
        side: the patient's side; None for what is not paired, and where the side is not said. What exists
            on one side only always has that side.
    """

    structure: Structure
    side: Side | None = None

    def __post_init__(self) -> None:
        """Set the only side; refuse a side that the structure does not have.

        Raises:
            ValueError: for example a left liver.
        """
        sides = self.structure.sides
        if self.side is None and len(sides) == 1:
            object.__setattr__(self, "side", sides[0])
        if self.side is not None and self.side not in sides:
            raise ValueError(f"{self.structure.key!r} does not exist on the {self.side} side")

    def name(self, language: Language) -> str:
        """The preferred name with the side: "left kidney", "左肾"; of a kind in the plural, "left ribs"."""
        plural = language == "en" and self.structure.is_kind
        patterns = self.structure.english_plurals if plural else self.structure.names(language)
        return next(name for pattern in patterns for name in with_side(pattern, self.side, language))

    @property
    def code(self) -> Code | None:
        """SNOMED CT concept; where none says the side by itself, `side_code` modifies it."""
        sided = (code for side, code in self.structure.sided_codes if side == self.side)
        return next(sided, self.structure.code)

    @property
    def side_code(self) -> Code | None:
        """SNOMED CT modifier "Left" or "Right"; None where there is no side or the code says it."""
        if self.side is None or self.side in dict(self.structure.sided_codes):
            return None
        return SIDE_CODES[self.side]

    @property
    def totalsegmentator(self) -> tuple[str, ...]:
        """TotalSegmentator class names of exactly this entity."""
        return tuple(labels(self.structure.totalsegmentator, self.side))

    @property
    def freesurfer(self) -> tuple[str, ...]:
        """FreeSurfer label names of exactly this entity."""
        return tuple(labels(self.structure.freesurfer, self.side))

    @property
    def colour(self) -> Colour:
        """Red, green, blue, 0 to 255; the same on both sides."""
        return colour_of(self.structure.kind, self.structure.key)

    def opposite(self) -> Entity | None:
        """The same structure on the other side; None where there is none."""
        other: Side = "right" if self.side == "left" else "left"
        if self.side is None or other not in self.structure.sides:
            return None
        return Entity(self.structure, other)


def with_side(pattern: str, side: Side | None, language: Language) -> Iterator[str]:
    """A name pattern written out for a side; the shortest way first.

    Args:
        pattern: a name as in structures.csv.
        side: None gives the name without a side, if the pattern can do without.
        language: of the pattern.
    """
    if "{" not in pattern:
        if side is None:
            yield pattern
        else:
            for word in _SIDE_WORDS[language][side]:
                yield word + pattern
    elif "{S}" in pattern:
        if side is not None:
            yield pattern.replace("{S}", _SIDE_LETTERS[language][side])
    else:
        for word in ("",) if side is None else _SIDE_WORDS[language][side]:
            yield pattern.replace("{side} ", word).replace("{side}", word)


def labels(patterns: tuple[str, ...], side: Side | None) -> Iterator[str]:
    """Label patterns written out for a side; without a side, only those that name none."""
    for pattern in patterns:
        if "{" not in pattern:
            if side is None:
                yield pattern
        elif side is not None:
            yield pattern.format(side=side, Side=side.capitalize(), s=side[0])
