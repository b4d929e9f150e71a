"""One round of the reasoner: from a question to a reply in words and masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Anatomy, Language
from MultiRoundSegLib.conversation import (
    Conversation,
    Mention,
    Question,
    Reference,
    Status,
    named_mentions,
    numbered_mentions,
    rewordings,
)
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import EmptyMaskError, ReferenceNotFoundError
from MultiRoundSegLib.images import Mask, Volume, union

from . import phrases
from .inventory import Inventory
from .plan import Choice, Plan, Target
from .planner import Planner
from .segmenters import Segmenter
from .understand import Reading, language_of, understand


@dataclass(frozen=True)
class Reply:
    """What the reasoner has to say; the fields are those of `Answer`."""

    text: str
    status: Status
    masks: tuple[Mask, ...] = ()
    used: tuple[Reference, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replier:
    """Answers questions about one volume at one point of the dialogue.

    Attributes:
        volume: what is asked about.
        history: the dialogue so far.
        anatomy: the knowledge.
        segmenter: who finds the structures.
        progress: is told each step.
    """

    volume: Volume
    history: Conversation
    anatomy: Anatomy
    segmenter: Segmenter
    progress: Progress

    def reply(self, question: Question) -> Reply:
        """Understand, plan, segment, and say it.

        Raises:
            CancelledError: `progress` said so.
        """
        language = language_of(question.text)
        named = named_mentions(question.text, self.history)
        own_names = [m for m in named if not self.anatomy.identify(question.text[m.start : m.end])]
        doubtful = next((mention for mention in own_names if len(mention.references) > 1), None)
        if doubtful:
            return self._ask_which(doubtful, question.text, language)
        try:
            mentions = (*numbered_mentions(question.text, self.history), *own_names)
            references = _referenced(question, mentions)
            reading = understand(_blanked(question.text, mentions), self.anatomy, language)
            plan = self._planner().plan(reading, references)
        except (ReferenceNotFoundError, EmptyMaskError) as error:
            return Reply(phrases.unusable_reference(error, language), "none")
        return self._carry_out(plan, reading, [mention.note for mention in named])

    def _ask_which(self, mention: Mention, text: str, language: Language) -> Reply:
        """Several masks have the name that only their author knows."""
        options = [(self.history.name(r), self.history.latest(r).volume_ml) for r in mention.references]
        choices = rewordings(mention, text, self.history)
        return Reply(phrases.question_back(options, language), "clarify", choices=choices)

    def _planner(self) -> Planner:
        return Planner(Inventory(self.anatomy, self.segmenter.candidates(self.history)), self.history)

    def _carry_out(self, plan: Plan, reading: Reading, notes: Sequence[str]) -> Reply:
        language = reading.language
        if plan.choice:
            return self._ask_back(plan.choice, language)
        drawn = [(target, self._draw(target, language)) for target in plan.targets]
        there = [(target, mask) for target, mask in drawn if not mask.is_empty]
        lines = [phrases.answered(there, self.history, language)] if there else []
        lines += [phrases.empty(target, language) for target, mask in drawn if mask.is_empty]
        lines += [phrases.refused(refusal, self.history, language) for refusal in plan.refusals]
        if not there:
            lines.append(phrases.what_there_is(self._labels(language), language))
        text = " ".join(line for line in (*lines, *notes) if line)
        return Reply(text, "answered" if there else "none", tuple(mask for _, mask in there), plan.used)

    def _ask_back(self, choice: Choice, language: Language) -> Reply:
        names = [phrases.name_of(option, language) for option in choice.options]
        if len(set(names)) < len(names):
            names = [option.candidates[0].title for option in choice.options]
        volumes = [self._draw(option, language).volume_ml for option in choice.options]
        text = phrases.question_back(list(zip(names, volumes, strict=True)), language)
        return Reply(text, "clarify", choices=tuple(names))

    def _draw(self, target: Target, language: Language) -> Mask:
        """The mask of a target, named in the language of the question."""
        name = phrases.name_of(target, language)
        if target.copied:
            mask = self.history.mask(target.copied)
            return mask.renamed(mask.label, mask.code)
        parts = [
            self.segmenter.segment(candidate, self.volume, self.history, progress=self.progress)
            for candidate in target.candidates
        ]
        code = target.entity.code if target.entity else None
        return union(parts, name, code or parts[0].code)

    def _labels(self, language: Language) -> list[str]:
        candidates = self.segmenter.candidates(self.history)
        return [c.entity.name(language) if c.entity else c.label for c in candidates]


def _referenced(question: Question, mentions: Sequence[Mention]) -> tuple[Reference, ...]:
    """Every mask that clicks and words point to, once, in that order.

    Raises:
        ReferenceNotFoundError: a mask of this name was deleted.
    """
    for mention in mentions:
        if not mention.references:
            raise ReferenceNotFoundError(mention.note)
    in_words = [reference for mention in mentions for reference in mention.references]
    return tuple(dict.fromkeys((*question.references, *in_words)))


def _blanked(text: str, mentions: Sequence[Mention]) -> str:
    """The text with the references in it replaced by spaces, so that a name inside one is not read twice."""
    for mention in mentions:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text
