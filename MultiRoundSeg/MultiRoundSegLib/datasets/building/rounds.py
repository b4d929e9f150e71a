"""Dialogues about a scene: each round asks for something new, by what earlier rounds have shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from MultiRoundSegLib.anatomy import Entity, Knowledge, Language

from .links import Link, family_of
from .scenes import Scene
from .settings import BuildSettings
from .wordings import Wordings, described

T = TypeVar("T")
_FIRST_BY_NAME = 0.7
"""How often the first round names what it asks for."""
_WITHOUT_REFERENCE = 0.4
"""How often a later round may also ask for something without an earlier one."""
_TOLD_BY = ("attribute", "function", "development", "nerve", "vessels", "disease")
"""Relations of statements in free words by which a structure is described."""


@dataclass(frozen=True)
class Asked:
    """One round.

    Attributes:
        question: in words.
        answer: in words, with `TARGET`.
        target: what is shown; None where it is not in the picture.
        about: number of the earlier round that the question refers to; None for none.
        relation: how it is asked for.
        drawn: the structure that the user drew, to which the question refers; None for none.
    """

    question: str
    answer: str
    target: Entity | None
    about: int | None
    relation: str
    drawn: Entity | None = None


@dataclass
class Storyteller:
    """Makes up dialogues about one scene.

    Attributes:
        scene: what they are about.
        links: all of the scene.
        knowledge: what is told of structures.
        wordings: the words.
        settings: how.
    """

    scene: Scene
    links: Sequence[Link]
    knowledge: Knowledge
    wordings: Wordings
    settings: BuildSettings
    _phrases: dict[tuple[Entity, Language], tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def tell(self, rounds: int, language: Language, rng: np.random.Generator) -> list[Asked]:
        """A dialogue of at most so many rounds; fewer where the scene shows too little."""
        told: list[Asked] = []
        shown: dict[Entity, int] = {}
        while len(told) < rounds:
            if rounds > 1 and rng.random() < self.settings.refusals:
                refused = self._refusal(told, language, rng)
                if refused:
                    told.append(refused)
                    continue
            link = self._by_drawn(shown, language, rng) if rng.random() < self.settings.drawn else None
            is_drawn = link is not None
            link = link or (self._next(shown, len(told), language, rng) if shown else self._first(language, rng))
            if link is None:
                break
            asked = self._worded(link, shown, len(told) + 1, language, rng, is_drawn=is_drawn)
            shown[link.target] = len(told) + 1
            told.append(asked)
        return told

    @property
    def _answer(self) -> str:
        """MTurn-Seg's answers are words alone."""
        return "answer" if self.settings.format == "mr-medseg" else "told"

    def _first(self, language: Language, rng: np.random.Generator) -> Link | None:
        free = self._unanchored(language)
        if free and rng.random() >= _FIRST_BY_NAME:
            return _one(free, rng)
        entities = list(self.scene.regions)
        return Link("named", "", _one(entities, rng)) if entities else None

    def _next(
        self, shown: Mapping[Entity, int], last: int, language: Language, rng: np.random.Generator
    ) -> Link | None:
        """A link to something new."""
        new = [
            link
            for link in self.links
            if link.anchor in shown
            and link.target not in shown
            and self.wordings.can_ask(link.relation, link.asks, language)
        ]
        far = [link for link in new if link.anchor and shown[link.anchor] != last]
        if far and rng.random() < self.settings.far:
            new = far
        if not new or rng.random() < _WITHOUT_REFERENCE:
            new += [link for link in self._unanchored(language) if link.target not in shown]
        if not new:
            left = [entity for entity in self.scene.regions if entity not in shown]
            return Link("named", "", _one(left, rng)) if left else None
        return _one_of_any_kind(new, rng)

    def _by_drawn(self, shown: Mapping[Entity, int], language: Language, rng: np.random.Generator) -> Link | None:
        """A link from a structure that the user draws to something new."""
        new = [
            link
            for link in self.links
            if link.anchor and link.target not in shown and self.wordings.can_ask(link.relation, link.asks, language)
        ]
        return _one_of_any_kind(new, rng) if new else None

    def _unanchored(self, language: Language) -> list[Link]:
        """Ways to ask for a structure without an earlier one: what is told of it, and its size."""
        by_words = [
            Link(relation, "", entity)
            for entity in self.scene.regions
            for relation in dict.fromkeys(relation for relation, _ in self._told_of(entity, language))
        ]
        return by_words + [link for link in self.links if link.anchor is None]

    def _told_of(self, entity: Entity, language: Language) -> tuple[tuple[str, str], ...]:
        """Phrases, each with its relation, that are told of this structure and of nothing else in the picture."""
        key = (entity, language)
        if key not in self._phrases:
            self._phrases[key] = tuple(self._tell_apart(entity, language))
        return self._phrases[key]

    def _tell_apart(self, entity: Entity, language: Language) -> Iterator[tuple[str, str]]:
        others = {e.structure for e in self.scene.regions if e.structure is not entity.structure}
        elsewhere = {p for s in others for said in self.knowledge.said_of(s) for p in said.phrases(language)}
        for said in self.knowledge.said_of(entity.structure):
            if said.objects or said.relation not in _TOLD_BY or said.subject.side not in (None, entity.side):
                continue
            yield from ((said.relation, phrase) for phrase in said.phrases(language) if phrase not in elsewhere)

    def _worded(
        self,
        link: Link,
        shown: Mapping[Entity, int],
        number: int,
        language: Language,
        rng: np.random.Generator,
        *,
        is_drawn: bool,
    ) -> Asked:
        about = shown[link.anchor] if link.anchor and not is_drawn else None
        name = link.target.name(language)
        if link.relation == "named":
            what = self.wordings.some("named", language, rng).format(name=name)
        elif link.relation in _TOLD_BY:
            phrases = [phrase for relation, phrase in self._told_of(link.target, language) if relation == link.relation]
            what = self.wordings.some("described", language, rng).format(phrase=_one(phrases, rng))
        else:
            slots = {"anchor": self._anchor(about, number, language, rng) if about else ""}
            if is_drawn:
                slots["anchor"] = self.wordings.some("anchor_drawn", language, rng)
            slots["anchor2"] = link.beside.name(language) if link.beside else ""
            what = self.wordings.some(link.relation, language, rng, link.asks).format(**slots)
        if (link.relation in _TOLD_BY or link.sided) and link.target.side:
            earlier = {} if is_drawn else shown  # a question refers to one mask
            addition, about = self._side(link.target, about, earlier, number, language, rng)
            what = described(what, addition)
        return Asked(
            self.wordings.question(what, language, rng),
            self.wordings.some(self._answer, language, rng).format(name=name),
            link.target,
            about,
            link.relation,
            link.anchor if is_drawn else None,
        )

    def _anchor(self, about: int, number: int, language: Language, rng: np.random.Generator) -> str:
        return self.wordings.anchor(about, language, rng, is_last=about == number - 1)

    def _side(
        self,
        target: Entity,
        about: int | None,
        shown: Mapping[Entity, int],
        number: int,
        language: Language,
        rng: np.random.Generator,
    ) -> tuple[str, int | None]:
        """On which side it is: the patient's, or that of an earlier result where nothing is referred to yet."""
        sided = [entity for entity in shown if entity.side and len(entity.structure.sides) == 2]
        if about is None and sided and rng.random() < 0.5:
            anchor = _one(sided, rng)
            kind = "same_side" if anchor.side == target.side else "other_side"
            words = self._anchor(shown[anchor], number, language, rng)
            return self.wordings.some(kind, language, rng).format(anchor=words), shown[anchor]
        return self.wordings.some(f"side_{target.side}", language, rng), about

    def _refusal(self, told: Sequence[Asked], language: Language, rng: np.random.Generator) -> Asked | None:
        """A question for a structure that is labelled in the scan and not to be seen in this picture."""
        parts = self.knowledge.anatomy.parts
        seen = {entity.structure for entity in self.scene.regions}
        asked = {round_.question for round_ in told}
        absent = [
            entity
            for entity in self.scene.absent
            if not parts(entity.structure.key) & seen
            and not any(entity.structure in parts(s.key) for s in seen)
            and not (entity.side is None and entity.structure in seen)
        ]
        if not absent:
            return None
        name = _one(absent, rng).name(language)
        question = self.wordings.question(self.wordings.some("named", language, rng).format(name=name), language, rng)
        answer = self.wordings.some("refused", language, rng).format(name=name)
        return None if question in asked else Asked(question, answer, None, None, "refused")


def _one_of_any_kind(links: Sequence[Link], rng: np.random.Generator) -> Link:
    """One of several: the kinds of relation are equally common, and so are those of a kind."""
    family = _one(sorted({family_of(link.relation) for link in links}), rng)
    relation = _one(sorted({link.relation for link in links if family_of(link.relation) == family}), rng)
    return _one([link for link in links if link.relation == relation], rng)


def _one(values: Sequence[T], rng: np.random.Generator) -> T:
    return values[int(rng.integers(len(values)))]
