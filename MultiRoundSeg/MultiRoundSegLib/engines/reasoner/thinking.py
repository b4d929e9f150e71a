"""One question understood and planned, in a dialogue: the part of the reasoner that needs no image."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Knowledge, cues_in
from MultiRoundSegLib.conversation import (
    Conversation,
    Mention,
    Question,
    Reference,
    named_mentions,
    numbered_mentions,
)
from MultiRoundSegLib.errors import MultiRoundSegError, ReferenceNotFoundError

from .earlier import Earlier
from .inventory import Inventory
from .plan import Plan
from .planner import Planner
from .pointing import Pointing
from .reading import Reading
from .segmenters import Candidate
from .understand import own_places, understand
from .wording import any_of

_AGAIN = any_of(
    "(?:and |once more |one more time )?again[.!]?\nonce more[.!]?\n(?:and )?one more[.!]?\nrepeat[.!]?",
    "再来一?(?:次|个|步|遍)?[。！!]? 再一次 同样再来",
)
"""The same is asked of the new last result."""


@dataclass(frozen=True)
class Thinker:
    """Understands and plans questions of one dialogue.

    Attributes:
        knowledge: what is known of the body.
        candidates: what the segmenters can find in the volume.
        history: the dialogue so far.
    """

    knowledge: Knowledge
    candidates: tuple[Candidate, ...]
    history: Conversation

    @property
    def planner(self) -> Planner:
        """Plans readings."""
        inventory = Inventory(self.knowledge.anatomy, self.candidates)
        return Planner(self.knowledge, inventory, self.history, self._plan_again)

    def plan(self, question: Question) -> Plan:
        """Understand and plan a question.

        Raises:
            ReferenceNotFoundError: a reference points to nothing.
            EmptyMaskError: a reference points to an empty mask.
        """
        if _AGAIN.fullmatch(question.text.strip()) and self.history.rounds:
            question = replace(question, text=self.history.rounds[-1].question.text)
        return self.planner.plan(self.read(question.text, picked=question.references), question.references)

    def read(self, text: str, words: str | None = None, picked: tuple[Reference, ...] = ()) -> Reading:
        """Understand a question.

        Args:
            text: as asked.
            words: the same with what needs no understanding blanked out.
            picked: earlier masks that the person clicked.

        Raises:
            ReferenceNotFoundError: a reference in the text points to nothing.
        """
        return understand(words or text, self.pointers(text, picked), self.knowledge, self.unknown())

    def pointers(self, text: str, picked: tuple[Reference, ...] = ()) -> tuple[Mention, ...]:
        """The earlier masks that a text points to: by number, as a group, by a name that only its author knows.

        Raises:
            ReferenceNotFoundError: there is no such mask, or it was deleted.
        """
        pointing = Pointing(self.knowledge, Earlier(self.history, self.knowledge.anatomy), picked)
        own = self.own_names(text)
        names = [(mention.start, mention.end) for mention in own] + own_places(text, self.unknown())
        groups = [m for m in pointing.mentions(text) if not any(start <= m.start < end for start, end in names)]
        for mention in own:
            if not mention.references:
                raise ReferenceNotFoundError(mention.note)
        taken = [*groups, *own]
        numbered = [
            pointing.with_its_kind(mention, text)
            for mention in numbered_mentions(text, self.history)
            if all(mention.end <= other.start or other.end <= mention.start for other in taken)
        ]
        return (*numbered, *taken)

    def names_anything(self, text: str) -> bool:
        """Whether a text names, points to or asks for a structure or a relation of one."""
        categories = (word for word, category in self.knowledge.category_words.items() if category.members)
        return bool(
            self.pointers(text)
            or self.knowledge.anatomy.mentions(text)
            or cues_in(text)
            or any(
                re.search(rf"\b{re.escape(w)}s?\b" if w.isascii() else re.escape(w), text, re.IGNORECASE)
                for w in categories
            )
        )

    def own_names(self, text: str) -> list[Mention]:
        """Masks that a text calls by a name which is no structure's; of equal masks only the first."""
        named = named_mentions(text, self.history)
        return [self._without_copies(m) for m in named if not self._is_anatomy(text[m.start : m.end])]

    def unknown(self) -> list[Candidate]:
        """Candidates of names that neither anatomy nor the dialogue knows, such as an atlas's "my lesion"."""
        known = {name.casefold() for r in self.history.references() for name in self.history.names(r)}
        return [c for c in self.candidates if c.entity is None and c.label.casefold() not in known]

    def _is_anatomy(self, words: str) -> bool:
        """Whether these words are understood as a structure's name; labels such as "kidney_left" are not."""
        return any((name.start, name.end) == (0, len(words)) for name in self.knowledge.anatomy.mentions(words))

    def _without_copies(self, mention: Mention) -> Mention:
        """Of masks with the same voxels, such as a given one and a round's copy of it, only the first."""
        if len(mention.references) < 2:
            return mention
        distinct = {self.history.latest(r).digest(): r for r in reversed(mention.references)}
        return replace(mention, references=tuple(sorted(distinct.values())))

    def _plan_again(self, number: int) -> Plan:
        """The plan of an earlier round, from the dialogue as it was then."""
        before = Conversation(self.history.geometry, self.history.given)
        for round_ in self.history.rounds[: number - 1]:
            before.restore(round_)
        try:
            return replace(self, history=before).plan(self.history.rounds[number - 1].question)
        except MultiRoundSegError:
            return Plan()
