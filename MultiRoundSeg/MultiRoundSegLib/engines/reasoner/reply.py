"""One round of the reasoner: from a question to a reply in words and masks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Anatomy, Language, language_of
from MultiRoundSegLib.conversation import (
    GIVEN,
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
from MultiRoundSegLib.images import Mask, Volume, union

from . import phrases, plain_words
from .inventory import Inventory
from .measuring import Measure, measured, measures_in
from .plan import Choice, Plan, Target
from .planner import Planner
from .segmenters import Candidate, Found, SegmenterInfo, SeveralFinders
from .sources import source_of
from .understand import Reading, understand


@dataclass(frozen=True)
class Reply:
    """What the reasoner has to say; the fields are those of `Answer` and `Origin`."""

    text: str
    status: Status
    masks: tuple[Mask, ...] = ()
    score: float | None = None
    used: tuple[Reference, ...] = ()
    choices: tuple[str, ...] = ()
    segmenters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replier:
    """Answers questions about one volume at one point of the dialogue.

    Attributes:
        volume: what is asked about.
        history: the dialogue so far.
        anatomy: the knowledge.
        finders: who find the structures in the volume.
        progress: is told each step.
    """

    volume: Volume
    history: Conversation
    anatomy: Anatomy
    finders: SeveralFinders
    progress: Progress

    def reply(self, question: Question) -> Reply:
        """Understand, plan, segment, and say it.

        Raises:
            CancelledError: `progress` said so.
        """
        text = _chosen(question.text, self.history)
        source, heard = source_of(text)
        if source is None:
            return self._reply(replace(question, text=text))
        finders = self.finders.only(source.name)
        if not finders.finders:
            return Reply(phrases.no_source(source, language_of(text)), "none")
        reply = replace(self, finders=finders)._reply(replace(question, text=heard))
        return replace(reply, choices=tuple(f"{choice} {source.words}" for choice in reply.choices))

    def _reply(self, question: Question) -> Reply:
        """Reply to a question that does not say who is to find the structures."""
        language = language_of(question.text)
        named = named_mentions(question.text, self.history)
        own_names = [m for m in named if not self._is_anatomy(question.text[m.start : m.end])]
        own_names = [self._without_copies(mention) for mention in own_names]
        doubtful = next((mention for mention in own_names if len(mention.references) > 1), None)
        if doubtful:
            return self._ask_which(doubtful, question.text, language)
        try:
            mentions = (*numbered_mentions(question.text, self.history), *own_names)
            _refuse_deleted(mentions)
            measures, words = measures_in(question.text)
            reading = understand(words, mentions, self.anatomy, self._unknown())
            if measures:
                return self._measure(measures, reading, question.references)
            if talk := self._talk(question, reading):
                return talk
            plan = self._planner().plan(reading, question.references)
            return self._carry_out(
                plan, reading, [phrases.renewed(mention, question.text, language) for mention in named]
            )
        except (ReferenceNotFoundError, EmptyMaskError) as error:
            return Reply(phrases.unusable_reference(error, language), "none")
        except OutsideDomainError as error:
            return Reply(phrases.outside_domain(error, language), "none")

    def _is_anatomy(self, words: str) -> bool:
        """Whether these words are understood as a structure's name; labels such as "kidney_left" are not."""
        return any((name.start, name.end) == (0, len(words)) for name in self.anatomy.mentions(words))

    def _unknown(self) -> list[Candidate]:
        """Candidates of names that neither anatomy nor the dialogue knows, such as an atlas's "my lesion"."""
        known = {name.casefold() for r in self.history.references() for name in self.history.names(r)}
        candidates = self.finders.candidates(self.history)
        return [c for c in candidates if c.entity is None and c.label.casefold() not in known]

    def _without_copies(self, mention: Mention) -> Mention:
        """Of masks with the same voxels, such as a given one and a round's copy of it, only the first."""
        if len(mention.references) < 2:
            return mention
        distinct = {self.history.latest(r).digest(): r for r in reversed(mention.references)}
        return replace(mention, references=tuple(sorted(distinct.values())))

    def _ask_which(self, mention: Mention, text: str, language: Language) -> Reply:
        """Several masks have the name that only their author knows."""
        options = [(self.history.name(r), self.history.latest(r).volume_ml) for r in mention.references]
        choices = rewordings(mention, text, self.history)
        return Reply(phrases.question_back(options, language), "clarify", choices=choices)

    def _planner(self) -> Planner:
        return Planner(Inventory(self.anatomy, self.finders.candidates(self.history)), self.history)

    def _carry_out(self, plan: Plan, reading: Reading, notes: Sequence[str]) -> Reply:
        language = reading.language
        if plan.choice:
            return self._ask_back(plan.choice, language)
        drawn = list(zip(plan.targets, self._draw(plan.targets, language), strict=True))
        there = [(target, found) for target, found in drawn if not found.mask.is_empty]
        lines = [phrases.answered(there, self.history, language)] if there else []
        lines += [phrases.empty(target, language) for target, found in drawn if found.mask.is_empty]
        lines += [phrases.disputed(found.mask, dispute, language) for _, found in there for dispute in found.disputes]
        lines += [phrases.refused(refusal, self.history, language) for refusal in plan.refusals]
        if not there:
            lines.append(self._what_there_is(language))
        text = " ".join(line for line in (*lines, *notes) if line)
        masks = tuple(found.mask for _, found in there)
        score = _least(found.score for _, found in there)
        segmenters = tuple(info.name for info in _unique(info for _, found in there for info in found.by))
        return Reply(text, "answered" if there else "none", masks, score, plan.used, segmenters=segmenters)

    def _talk(self, question: Question, reading: Reading) -> Reply | None:
        """An answer to thanks, or to a question for what there is; None where structures are named or meant."""
        if reading.items or reading.excludes or reading.taken or question.references:
            return None
        if plain_words.INVENTORY.search(question.text) and (there := self._what_there_is(reading.language)):
            return Reply(there, "text")
        if plain_words.THANKS.search(question.text):
            return Reply(phrases.welcome(reading.language), "text")
        return None

    def _measure(self, measures: tuple[Measure, ...], reading: Reading, picked: tuple[Reference, ...]) -> Reply:
        """Say what is measured of what the words name, of the clicked masks, or of the last result."""
        planner = self._planner()
        plan = planner.plan(reading, picked or (() if reading.items else planner.last_masks()))
        if plan.choice or not plan.targets:
            return self._carry_out(plan, reading, ())
        lines = []
        for target, found in zip(plan.targets, self._draw(plan.targets, reading.language), strict=True):
            if found.mask.is_empty:
                lines.append(phrases.empty(target, reading.language))
                continue
            name = self.history.name(target.copied) if target.copied else found.mask.label
            lines.append(measured(name, found.mask, self.volume, measures, reading.language))
        return Reply(" ".join(lines), "text", used=plan.used)

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
                found.append(Found(self._copied(target, target.copied, language)))
                continue
            parts = [
                self.finders.segment(candidate, self.history, progress=progress.next())
                for candidate in target.candidates
            ]
            code = (target.entity.code if target.entity else None) or parts[0].mask.code
            mask = union([part.mask for part in parts], phrases.name_of(target, language), code)
            by = _unique(info for part in parts for info in part.by)
            disputes = tuple(dispute for part in parts for dispute in part.disputes)
            found.append(Found(mask, _least(part.score for part in parts), by, disputes))
        return found

    def _copied(self, target: Target, reference: Reference, language: Language) -> Mask:
        """An earlier mask again; a given one under the name of its structure."""
        mask = self.history.mask(reference)
        if reference.round_number != GIVEN or target.entity is None:
            return mask
        return mask.renamed(phrases.name_of(target, language), target.entity.code or mask.code)

    def _what_there_is(self, language: Language) -> str:
        """What can be asked for: what is known to be in the volume, or else what could be."""
        certain = self.finders.ready().candidates(self.history)
        candidates = certain or self.finders.candidates(self.history)
        names = [c.entity.name(language) if c.entity else c.label for c in candidates]
        return phrases.what_there_is(names, language, certain=bool(certain))


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


def _unique(infos: Iterable[SegmenterInfo]) -> tuple[SegmenterInfo, ...]:
    """Each segmenter once, in order."""
    return tuple({info.name: info for info in infos}.values())


def _least(scores: Iterable[float | None]) -> float | None:
    """The lowest of the scores there are."""
    return min((score for score in scores if score is not None), default=None)


def _chosen(text: str, history: Conversation) -> str:
    """The proposed answer that "the second one" or "2" means, after a question back; else the text itself."""
    choices = history.rounds[-1].answer.choices if history.rounds else ()
    match = _ORDINAL.fullmatch(text.strip())
    if not choices or match is None:
        return text
    number = int(str(match.lastgroup)[1:])
    return choices[number] if number < len(choices) else text


_ORDINALS = (r"1|first|第一个|前者", r"2|second|第二个|后者", r"3|third|第三个", r"4|fourth|第四个")
_ORDINAL = re.compile(
    r"(?:the\s+)?(?:" + "|".join(f"(?P<n{n}>{words})" for n, words in enumerate(_ORDINALS)) + r")(?:\s+one)?[.!。]?",
    re.IGNORECASE,
)


def _refuse_deleted(mentions: Sequence[Mention]) -> None:
    """Refuse words that point to a mask which was deleted.

    Raises:
        ReferenceNotFoundError: a mask of this name was deleted.
    """
    for mention in mentions:
        if not mention.references:
            raise ReferenceNotFoundError(mention.note)
