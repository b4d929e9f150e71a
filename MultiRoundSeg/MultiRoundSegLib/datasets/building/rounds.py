"""Dialogues about a scene: each round asks for something new, by what earlier rounds have shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from MultiRoundSegLib.anatomy import Entity, Knowledge, Language

from .links import Link, family_of
from .scenes import Scene
from .settings import BuildSettings
from .wordings import Choose, Wordings, at_random, capitalised, described, first, one_of

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


@dataclass(frozen=True)
class Meant:
    """What a round asks for, before it is put in words.

    Attributes:
        link: the structure, and how it is asked for.
        phrase: what is told of it in free words; "" where it is asked for otherwise.
        side: the kind of words that say on which side it is; "" for none.
        other: that structure which is shown on the same or the other side; None for none.
    """

    link: Link
    phrase: str
    side: str
    other: Entity | None

    @property
    def anchor(self) -> Entity | None:
        """What the question refers to; None for nothing."""
        return self.link.anchor or self.other


@dataclass
class Storyteller:
    """Makes up dialogues about one scene.

    Attributes:
        scene: what they are about.
        links: all of the scene.
        knowledge: what is told of structures.
        wordings: the words of questions, and of answers that do not restate.
        restating: the words, of which the first are taken, in which answers restate questions.
        settings: how.
    """

    scene: Scene
    links: Sequence[Link]
    knowledge: Knowledge
    wordings: Wordings
    restating: Wordings
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

    def _first(self, language: Language, rng: np.random.Generator) -> Link | None:
        free = self._unanchored(language)
        if free and rng.random() >= _FIRST_BY_NAME:
            return one_of(free, rng)
        entities = list(self.scene.regions)
        return Link("named", "", one_of(entities, rng)) if entities else None

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
            return Link("named", "", one_of(left, rng)) if left else None
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
        choose = at_random(rng)
        meant = self._meant(link, {} if is_drawn else shown, language, rng)

        def reference(entity: Entity) -> str:
            if is_drawn:
                return self.wordings.text("anchor_drawn", language, choose)
            return self.wordings.anchor(shown[entity], language, choose, is_last=shown[entity] == number - 1)

        what = self._described(self.wordings, meant, language, choose, reference)
        return Asked(
            self.wordings.question(what, language, choose),
            self._answered(meant, language, choose),
            link.target,
            shown[meant.anchor] if meant.anchor and not is_drawn else None,
            link.relation,
            link.anchor if is_drawn else None,
        )

    def _meant(self, link: Link, shown: Mapping[Entity, int], language: Language, rng: np.random.Generator) -> Meant:
        """What is said of a target: its side too, where it needs one; a question refers to one mask at most."""
        phrase = ""
        if link.relation in _TOLD_BY:
            told = self._told_of(link.target, language)
            phrase = one_of([phrase for relation, phrase in told if relation == link.relation], rng)
        side = link.target.side
        if not side or not (phrase or link.sided):
            return Meant(link, phrase, "", None)
        sided = [entity for entity in shown if entity.side and len(entity.structure.sides) == 2]
        if link.anchor is None and sided and rng.random() < 0.5:
            other = one_of(sided, rng)
            return Meant(link, phrase, "same_side" if other.side == side else "other_side", other)
        return Meant(link, phrase, f"side_{side}", None)

    def _described(
        self,
        words: Wordings,
        meant: Meant,
        language: Language,
        choose: Choose,
        reference: Callable[[Entity], str],
    ) -> str:
        """What is meant, in words; what it refers to is called by its reference."""
        link = meant.link
        if link.relation == "named":
            what = words.text("named", language, choose, name=link.target.name(language))
        elif meant.phrase:
            what = words.text("described", language, choose, phrase=meant.phrase)
        else:
            anchor = reference(link.anchor) if link.anchor else ""
            second = link.beside.name(language) if link.beside else ""
            what = words.text(link.relation, language, choose, link.asks, anchor=anchor, anchor2=second)
        if meant.side:
            other = reference(meant.other) if meant.other else ""
            what = described(what, words.text(meant.side, language, choose, anchor=other))
        return what

    def _answered(self, meant: Meant, language: Language, choose: Choose) -> str:
        """The answer; where answers restate, it says first what was meant by a reference."""
        name = meant.link.target.name(language)
        kind = "answer" if self.settings.format == "mr-medseg" else "told"  # MTurn-Seg's answers are words alone
        if self.settings.answers != "restating" or meant.anchor is None:
            return self.wordings.text(kind, language, choose, name=name)
        words = self.restating

        def reference(entity: Entity) -> str:
            return words.text("restated", language, first, name=entity.name(language))

        what = self._described(words, meant, language, first, reference)
        return capitalised(words.text(f"{kind}_restated", language, first, what=what, name=name))

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
        name = one_of(absent, rng).name(language)
        choose = at_random(rng)
        question = self.wordings.question(self.wordings.text("named", language, choose, name=name), language, choose)
        answer = self.wordings.text("refused", language, choose, name=name)
        return None if question in asked else Asked(question, answer, None, None, "refused")


def _one_of_any_kind(links: Sequence[Link], rng: np.random.Generator) -> Link:
    """One of several: the kinds of relation are equally common, and so are those of a kind."""
    family = one_of(sorted({family_of(link.relation) for link in links}), rng)
    relation = one_of(sorted({link.relation for link in links if family_of(link.relation) == family}), rng)
    return one_of([link for link in links if link.relation == relation], rng)
