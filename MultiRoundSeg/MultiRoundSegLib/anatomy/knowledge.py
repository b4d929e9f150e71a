"""All that is known: structures, what is said of them, and how they are related."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType

from .anatomy import Anatomy, load_anatomy
from .categories import Category, read_categories
from .evidence import Evidence
from .language import Language
from .relations import load_relations
from .statements import Place, Statement, read_statements
from .structure import Structure

_INVERSE = {
    "above": "below",
    "behind": "in_front_of",
    "medial_to": "lateral_to",
    "inside": "surrounds",
    "beside": "beside",
    "connects": "connects",
    "articulates_with": "articulates_with",
    "accompanies": "accompanies",
}
_INVERSE |= {there: here for here, there in _INVERSE.items()}


@dataclass(frozen=True)
class Fact:
    """One relation between structures.

    Attributes:
        subject: what it is said of.
        relation: a key of relations.csv.
        objects: what it is related to; two for "between".
    """

    subject: Place
    relation: str
    objects: tuple[Place, ...]

    def sentence(self, language: Language, called: Mapping[str, str] = MappingProxyType({})) -> str:
        """The fact in words, without a full stop.

        Args:
            language: of the words.
            called: how structures are called here, by key; the others have their names.
        """
        joint = " and " if language == "en" else "和"
        places = (self.subject, *self.objects)
        twice = len({place.structure for place in places}) < len(places)  # "the left one lies above the right one"
        subject, *objects = (
            place.name(language) if twice else called.get(place.structure.key) or place.name(language)
            for place in places
        )
        return load_relations()[self.relation].sentence(subject, joint.join(objects), language)


class Knowledge:
    """Structures, statements and relations together."""

    def __init__(self, anatomy: Anatomy, statements: tuple[Statement, ...]) -> None:
        """Take in what is known."""
        self.anatomy = anatomy
        self.statements = statements

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """Words for what several structures are."""
        return read_categories(self.anatomy.structures)

    @cached_property
    def category_words(self) -> dict[str, Category]:
        """Every word for a category, longest first; a word of several stands for the members of all."""
        found: dict[str, Category] = {}
        for category in self.categories:
            for word in (*category.english, *category.chinese):
                known = found.get(word)
                members = known.members | category.members if known else category.members
                found[word] = replace(category, members=members)
        return dict(sorted(found.items(), key=lambda entry: -len(entry[0])))

    @cached_property
    def evidence(self) -> Evidence:
        """The index of the statements' words."""
        return Evidence(self.statements)

    def said_of(self, structure: Structure) -> tuple[Statement, ...]:
        """The statements about a structure, in the order of the tables."""
        return self._by_subject.get(structure.key, ())

    def facts_of(self, structure: Structure) -> tuple[Fact, ...]:
        """Every relation that a structure is part of, at either end."""
        return self._facts.get(structure.key, ())

    def path(self, one: Structure, other: Structure) -> tuple[Fact, ...]:
        """The shortest chain of relations from one structure to another; none where there is none."""
        before: dict[str, Fact | None] = {one.key: None}
        came_from: dict[str, str] = {}
        border = [one]
        while border and other.key not in before:
            new: list[Structure] = []
            for structure in border:
                for fact in self.facts_of(structure):
                    for place in (fact.subject, *fact.objects):
                        if place.structure.key not in before:
                            before[place.structure.key] = fact
                            came_from[place.structure.key] = structure.key
                            new.append(place.structure)
            border = new
        chain: list[Fact] = []
        key = other.key
        while (step := before.get(key)) is not None:
            chain.append(step)
            key = came_from[key]
        return tuple(reversed(chain))

    @cached_property
    def _by_subject(self) -> dict[str, tuple[Statement, ...]]:
        found: dict[str, list[Statement]] = {}
        for statement in self.statements:
            found.setdefault(statement.subject.structure.key, []).append(statement)
        return {key: tuple(statements) for key, statements in found.items()}

    @cached_property
    def _facts(self) -> dict[str, tuple[Fact, ...]]:
        found: dict[str, dict[Fact, None]] = {}
        for fact in self._all_facts():
            for place in (fact.subject, *fact.objects):
                found.setdefault(place.structure.key, {})[fact] = None
        return {key: tuple(facts) for key, facts in found.items()}

    def _all_facts(self) -> Iterator[Fact]:
        for statement in self.statements:
            if statement.objects:
                yield Fact(statement.subject, statement.relation, statement.objects)
                inverse = _INVERSE.get(statement.relation)
                if inverse:
                    yield Fact(statement.objects[0], inverse, (statement.subject,))
        for structure in self.anatomy.structures:
            for whole in structure.part_of:
                relation = "found_in" if structure.kind == "lesion" else "part_of"
                yield Fact(Place(structure), relation, (Place(self.anatomy[whole]),))


@cache
def load_knowledge() -> Knowledge:
    """What comes with the package, read once."""
    anatomy = load_anatomy()
    structures = {structure.key: structure for structure in anatomy.structures}
    return Knowledge(anatomy, read_statements(structures))
