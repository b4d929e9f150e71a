"""One round of the reasoner: from a question to a reply in words and masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from MultiRoundSegLib.errors import EmptyMaskError, OutsideDomainError, ReferenceNotFoundError
from MultiRoundSegLib.images import Mask, union

from . import phrases
from .inventory import Inventory
from .plan import Choice, Plan, Target
from .planner import Planner
from .segmenters import Finder, Found
from .understand import Reading, language_of, understand


@dataclass(frozen=True)
class Reply:
    """What the reasoner has to say; the fields are those of `Answer`."""

    text: str
    status: Status
    masks: tuple[Mask, ...] = ()
    score: float | None = None
    used: tuple[Reference, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replier:
    """Answers questions about one volume at one point of the dialogue.

    Attributes:
        history: the dialogue so far.
        anatomy: the knowledge.
        finder: who finds the structures in the volume.
        progress: is told each step.
    """

    history: Conversation
    anatomy: Anatomy
    finder: Finder
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
            return self._carry_out(plan, reading, [mention.note for mention in named])
        except (ReferenceNotFoundError, EmptyMaskError) as error:
            return Reply(phrases.unusable_reference(error, language), "none")
        except OutsideDomainError as error:
            return Reply(phrases.outside_domain(error, language), "none")

    def _ask_which(self, mention: Mention, text: str, language: Language) -> Reply:
        """Several masks have the name that only their author knows."""
        options = [(self.history.name(r), self.history.latest(r).volume_ml) for r in mention.references]
        choices = rewordings(mention, text, self.history)
        return Reply(phrases.question_back(options, language), "clarify", choices=choices)

    def _planner(self) -> Planner:
        return Planner(Inventory(self.anatomy, self.finder.candidates(self.history)), self.history)

    def _carry_out(self, plan: Plan, reading: Reading, notes: Sequence[str]) -> Reply:
        language = reading.language
        if plan.choice:
            return self._ask_back(plan.choice, language)
        drawn = list(zip(plan.targets, self._draw(plan.targets, language), strict=True))
        there = [(target, found.mask) for target, found in drawn if not found.mask.is_empty]
        lines = [phrases.answered(there, self.history, language)] if there else []
        lines += [phrases.empty(target, language) for target, found in drawn if found.mask.is_empty]
        lines += [phrases.refused(refusal, self.history, language) for refusal in plan.refusals]
        if not there:
            lines.append(phrases.what_there_is(self._labels(language), language))
        text = " ".join(line for line in (*lines, *notes) if line)
        masks = tuple(mask for _, mask in there)
        score = _least(found.score for _, found in drawn if not found.mask.is_empty)
        return Reply(text, "answered" if there else "none", masks, score, plan.used)

    def _ask_back(self, choice: Choice, language: Language) -> Reply:
        names = [phrases.name_of(option, language) for option in choice.options]
        if len(set(names)) < len(names):
            names = [option.candidates[0].title for option in choice.options]
        volumes = [found.mask.volume_ml for found in self._draw(choice.options, language)]
        text = phrases.question_back(list(zip(names, volumes, strict=True)), language)
        return Reply(text, "clarify", choices=tuple(names))

    def _draw(self, targets: Sequence[Target], language: Language) -> list[Found]:
        """The masks of targets, named in the language of the question.

        Raises:
            OutsideDomainError: the volume is nothing that the segmenter can work on.
        """
        progress = Shares(self.progress, sum(len(target.candidates) for target in targets))
        found = []
        for target in targets:
            if target.copied:
                found.append(Found(self.history.mask(target.copied)))
                continue
            parts = [
                self.finder.segment(candidate, self.history, progress=progress.next())
                for candidate in target.candidates
            ]
            code = (target.entity.code if target.entity else None) or parts[0].mask.code
            mask = union([part.mask for part in parts], phrases.name_of(target, language), code)
            found.append(Found(mask, _least(part.score for part in parts)))
        return found

    def _labels(self, language: Language) -> list[str]:
        candidates = self.finder.candidates(self.history)
        return [c.entity.name(language) if c.entity else c.label for c in candidates]


class Shares:
    """Equal shares of one progress, for steps that each tell their own from 0 to 1."""

    def __init__(self, progress: Progress, steps: int) -> None:
        """Share `progress` among this many steps."""
        self._progress = progress
        self._steps = max(steps, 1)
        self._begun = 0

    def next(self) -> Progress:
        """The progress of the next step."""
        first = self._begun
        self._begun += 1
        return lambda fraction, message: self._progress((first + fraction) / self._steps, message)


def _least(scores: Iterable[float | None]) -> float | None:
    """The lowest of the scores there are."""
    return min((score for score in scores if score is not None), default=None)


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
