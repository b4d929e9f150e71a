"""One round of the reasoner: from a question to a reply in words and masks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from MultiRoundSegLib.anatomy import Knowledge, Language, cues_in, language_of
from MultiRoundSegLib.conversation import (
    GIVEN,
    Conversation,
    Mention,
    Question,
    Reference,
    Status,
    named_mentions,
    rewordings,
)
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.errors import EmptyMaskError, OutsideDomainError, ReferenceNotFoundError
from MultiRoundSegLib.images import Mask, Volume, union

from . import phrases, plain_words
from .earlier import Earlier
from .hearing import hear
from .intent import asks_for_words, is_small_talk
from .language_model import LanguageModel
from .measuring import Measure, measured, measures_in
from .plan import Choice, Plan, Target
from .reading import Reading
from .segmenters import Found, SegmenterInfo, SeveralFinders
from .sources import source_of
from .thinking import Thinker


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
        knowledge: what is known of the body.
        finders: who find the structures in the volume.
        progress: is told each step.
        language_model: plans instead of the built-in planner, where it answers.
    """

    volume: Volume
    history: Conversation
    knowledge: Knowledge
    finders: SeveralFinders
    progress: Progress
    language_model: LanguageModel | None = None

    def reply(self, question: Question) -> Reply:
        """Understand, plan, segment, and say it.

        Raises:
            CancelledError: `progress` said so.
        """
        earlier = Earlier(self.history, self.knowledge.anatomy)
        shown = earlier.entities_of(question.references or earlier.last_masks())
        last = shown[0] if len(shown) == 1 else None
        words = _chosen(question.text, self.history)
        heard = hear(words, self.knowledge, self._own_names(), earlier.series(), last)
        reply = self._from(replace(question, text=heard.text))
        note = phrases.mended(heard.mended, language_of(heard.text))
        return replace(reply, text=f"{reply.text} {note}") if note else reply

    def _own_names(self) -> list[str]:
        """How the masks of the dialogue and what can be found are called."""
        names = [name for reference in self.history.references() for name in self.history.names(reference)]
        return [*names, *(candidate.label for candidate in self.finders.candidates(self.history))]

    def _from(self, question: Question) -> Reply:
        """Reply with what the segmenter finds that the words choose."""
        text = question.text
        source, heard = source_of(text)
        if source is None:
            return self._reply(question)
        finders = self.finders.only(source.name)
        if not finders.finders:
            return Reply(phrases.no_source(source, language_of(text)), "none")
        reply = replace(self, finders=finders)._reply(replace(question, text=heard))
        return replace(reply, choices=tuple(f"{choice} {source.words}" for choice in reply.choices))

    def _reply(self, question: Question) -> Reply:
        """Reply to a question that does not say who is to find the structures."""
        language = language_of(question.text)
        thinker = self._thinker()
        doubtful = next((m for m in thinker.own_names(question.text) if len(m.references) > 1), None)
        if doubtful:
            return self._ask_which(doubtful, question.text, language)
        notes: list[str] = []
        try:
            reply = self._planned(question, thinker, language, notes)
        except (ReferenceNotFoundError, EmptyMaskError) as error:
            reply = Reply(phrases.unusable_reference(error, language), "none")
        except OutsideDomainError as error:
            reply = Reply(phrases.outside_domain(error, language), "none")
        return replace(reply, text=" ".join(line for line in (reply.text, *notes) if line))

    def _planned(self, question: Question, thinker: Thinker, language: Language, notes: list[str]) -> Reply:
        """Understand, plan and carry out; what the person should know besides is added to the notes."""
        measures, words = measures_in(question.text)
        if measures:
            return self._measure(measures, thinker.read(question.text, words), question.references)
        notes += [phrases.renewed(m, question.text, language) for m in named_mentions(question.text, self.history)]
        if self.language_model:
            plan = self.language_model.plan(question, self.history, self.finders.candidates(self.history))
            if plan:
                return self._talk(question) if plan.in_words else self._carry_out(plan, language)
            notes.append(phrases.without_model(language))
        if self._wants_words(question, thinker):
            return self._talk(question)
        return self._carry_out(thinker.plan(question), language)

    def _wants_words(self, question: Question, thinker: Thinker) -> bool:
        """Whether an answer in words is wanted, and no mask."""
        text = question.text
        if question.references:
            return False
        if asks_for_words(text) or self._asks_what_there_is(text):
            return True
        return is_small_talk(text) and not thinker.names_anything(text)

    def _thinker(self) -> Thinker:
        return Thinker(self.knowledge, self.finders.candidates(self.history), self.history)

    def _ask_which(self, mention: Mention, text: str, language: Language) -> Reply:
        """Several masks have the name that only their author knows."""
        options = [(self.history.name(r), self.history.latest(r).volume_ml) for r in mention.references]
        choices = rewordings(mention, text, self.history)
        return Reply(phrases.question_back(options, language), "clarify", choices=choices)

    def _carry_out(self, plan: Plan, language: Language) -> Reply:
        if plan.choice:
            return self._ask_back(plan.choice, language)
        drawn = list(zip(plan.targets, self._draw(plan.targets, language), strict=True))
        there = [(target, found) for target, found in drawn if not found.mask.is_empty]
        lines = [phrases.answered(there, self.history, language, self._used(plan))] if there else []
        lines += [phrases.empty(target, language) for target, found in drawn if found.mask.is_empty]
        lines += [phrases.disputed(found.mask, dispute, language) for _, found in there for dispute in found.disputes]
        lines += [phrases.refused(refusal, self.history, language) for refusal in plan.refusals]
        if not there:
            lines.append(self._what_there_is(language))
        text = " ".join(line for line in lines if line)
        masks = tuple(found.mask for _, found in there)
        score = _least(found.score for _, found in there)
        segmenters = tuple(info.name for info in _unique(info for _, found in there for info in found.by))
        return Reply(text, "answered" if there else "none", masks, score, plan.used, segmenters=segmenters)

    def _used(self, plan: Plan) -> dict[str, str]:
        """How the earlier masks that a plan stands on are called, by the key of their structure."""
        earlier = Earlier(self.history, self.knowledge.anatomy)
        entities = ((earlier.entity_of(reference), reference) for reference in plan.used)
        return {entity.structure.key: self.history.name(reference) for entity, reference in entities if entity}

    def _asks_what_there_is(self, text: str) -> bool:
        names = self.knowledge.anatomy.mentions(text)
        return bool(plain_words.INVENTORY.search(text)) and not names and not cues_in(text)

    def _talk(self, question: Question) -> Reply:
        """An answer in words: to thanks, to a question for what there is, or with what is known of a structure."""
        language = language_of(question.text)
        if plain_words.INVENTORY.search(question.text) and (there := self._what_there_is(language)):
            return Reply(there, "text")
        if plain_words.THANKS.search(question.text):
            return Reply(phrases.welcome(language), "text")
        named = [s for mention in self.knowledge.anatomy.mentions(question.text) for s in mention.structures]
        earlier = Earlier(self.history, self.knowledge.anatomy)
        structures = named or [entity.structure for entity in earlier.entities_of(earlier.last_masks())]
        return Reply(phrases.told(self.knowledge, structures[:1], language), "text")

    def _measure(self, measures: tuple[Measure, ...], reading: Reading, picked: tuple[Reference, ...]) -> Reply:
        """Say what is measured of what the words name, of the clicked masks, or of the last result."""
        planner = self._thinker().planner
        plan = planner.plan(reading, picked or (() if reading.items else planner.earlier.last_masks()))
        if plan.choice or not plan.targets:
            return self._carry_out(plan, reading.language)
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
