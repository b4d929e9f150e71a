"""One volume in the hands of the model: a dialogue for each slice that was asked about."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from MultiRoundSegLib.conversation import (
    Answer,
    Conversation,
    Origin,
    Question,
    Reference,
    Round,
    Status,
    numbered_mentions,
)
from MultiRoundSegLib.engines.engine import EngineInfo, Progress
from MultiRoundSegLib.errors import EngineError
from MultiRoundSegLib.images import SliceView, Volume
from MultiRoundSegLib.images.slice_view import voxel_axes

from .dialogue import Drawn, PictureDialogue, Said
from .dialogue import Reference as Crop
from .model import MediRoundModel, interruptible
from .settings import SEG
from .text import Tokenizer, Turn, asked, unnumbered
from .verification import evidence_in

_PHRASE = re.compile(r"<p>\s*(.*?)\s*</p>\s*" + re.escape(SEG), re.DOTALL)
_LONGEST_LABEL = 60
_READ = 0.1  # the share of a round's progress after which the answer begins


class Steps:
    """The progress of a round, which can also be told again while nothing new is to be said."""

    def __init__(self, progress: Progress) -> None:
        """Tell this progress."""
        self._progress, self._fraction, self._message = progress, 0.0, ""

    def __call__(self, fraction: float, message: str) -> None:
        """A new step."""
        self._fraction, self._message = fraction, message
        self.again()

    def again(self) -> None:
        """The same step; it gives the user a chance to stop the work."""
        self._progress(self._fraction, self._message)


Speak = Callable[[PictureDialogue, str, Sequence[Crop], Steps], Said]
"""Takes a dialogue, the question, the crops of its references; gives the answer that the model said or was told."""


@dataclass(frozen=True)
class Manner:
    """How the model is let to answer.

    Attributes:
        most_tokens: where an answer is cut off.
        most_references: masks that one question may refer to; published models are trained with one.
        wants_mask: an answer without a mask is made anew with one, as the published evaluation does.
        verifies: masks whose logits look like those of nothing are not shown; the answer says the evidence.
    """

    most_tokens: int = 128
    most_references: int = 1
    wants_mask: bool = False
    verifies: bool = False


@dataclass(frozen=True)
class _Past:
    """A round as the model has it in its memory."""

    question: str
    references: tuple[str, ...]
    answer: str
    tokens: tuple[int, ...]

    def is_of(self, question: str, references: Sequence[str], answer: str) -> bool:
        return (self.question, self.references, self.answer) == (question, tuple(references), answer)


@dataclass
class _OnSlice:
    """The dialogue about one slice."""

    dialogue: PictureDialogue
    past: list[_Past] = field(default_factory=list)


class MediRoundSession:
    """Asks the model about slices of one volume."""

    def __init__(
        self, info: EngineInfo, model: MediRoundModel, tokenizer: Tokenizer, manner: Manner, volume: Volume
    ) -> None:
        """Hold what a round needs; nothing is computed yet."""
        self._info, self._model, self._tokenizer, self._manner = info, model, tokenizer, manner
        self._volume = volume
        self._slices: dict[SliceView, _OnSlice] = {}

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """See `EngineSession.answer`; masks lie on the slice that was shown.

        Raises:
            EngineError: the question refers to more masks than the model was trained with.
        """
        return self._round(question, history, self._own_words, judge=True, progress=progress)

    def answer_in_words(
        self, question: Question, words: str, history: Conversation, *, judge: bool, progress: Progress
    ) -> Answer:
        """See `WordedSession.answer_in_words`."""

        def speak(dialogue: PictureDialogue, question: str, crops: Sequence[Crop], steps: Steps) -> Said:
            return dialogue.read(Turn(question, words), crops)

        return self._round(question, history, speak, judge=judge, progress=progress)

    def close(self) -> None:
        """Forget everything."""
        self._slices.clear()

    def _round(
        self, question: Question, history: Conversation, speak: Speak, *, judge: bool, progress: Progress
    ) -> Answer:
        started, steps = time.perf_counter(), Steps(progress)
        steps(0.0, "reading the question")
        with interruptible(self._model, steps.again):
            answer = self._answered(question, history, speak, steps, judge=judge)
        steps(1.0, answer.text)
        return replace(answer, seconds=time.perf_counter() - started)

    def _answered(
        self, question: Question, history: Conversation, speak: Speak, steps: Steps, *, judge: bool
    ) -> Answer:
        view = question.view or self._middle()
        words, references = self._references(question, history)
        if len(references) > self._manner.most_references:
            raise EngineError(
                f"This model understands {self._manner.most_references} reference in a question, not "
                f"{len(references)}; ask about one after the other."
            )
        on_slice = self._on(view)
        self._catch_up(on_slice, view, history)
        words = asked(words, len(references), is_first=len(on_slice.dialogue) == 0)
        crops = [on_slice.dialogue.reference(view.region(history.mask(r))) for r in references]
        said = speak(on_slice.dialogue, words, crops, steps)
        steps(0.8, "drawing")
        drawn = on_slice.dialogue.draw(said.embeddings, judge=judge)
        answer = self._told(question, on_slice.dialogue.text(said), drawn, view, references)
        on_slice.past.append(_Past(words, tuple(self._digests(references, history)), answer.text, said.tokens))
        return answer

    def _own_words(self, dialogue: PictureDialogue, question: str, crops: Sequence[Crop], steps: Steps) -> Said:
        """What the model says by itself."""
        most = self._manner.most_tokens
        said = dialogue.ask(
            question, crops, most_tokens=most, told=lambda tokens: steps(_READ + 0.6 * tokens / most, "answering")
        )
        if len(said.embeddings) or not self._manner.wants_mask:
            return said
        dialogue.undo(len(dialogue) - 1)
        return dialogue.read(Turn(question, f"{SEG}."), crops)

    def _on(self, view: SliceView) -> _OnSlice:
        if view not in self._slices:
            dialogue = PictureDialogue(self._model, self._tokenizer, view.pixels(self._volume))
            self._slices[view] = _OnSlice(dialogue)
        return self._slices[view]

    def _middle(self) -> SliceView:
        """The slice in the middle, where none is shown."""
        return SliceView("axial", self._volume.geometry.shape[voxel_axes(self._volume.geometry)["axial"]] // 2)

    def _references(self, question: Question, history: Conversation) -> tuple[str, tuple[Reference, ...]]:
        """The question as the model has learnt to be asked, and the masks it refers to."""
        named = (r for mention in numbered_mentions(question.text, history) for r in mention.references)
        references = tuple(dict.fromkeys((*question.references, *named)))
        for reference in references:
            history.mask(reference)
        return unnumbered(question.text), references

    def _digests(self, references: Sequence[Reference], history: Conversation) -> Iterator[str]:
        return (history.latest(reference).digest() for reference in references)

    def _catch_up(self, on_slice: _OnSlice, view: SliceView, history: Conversation) -> None:
        """Bring the model's memory of a slice to the dialogue as it is now.

        What was undone is forgotten; from a round on whose references have changed since, all is read anew.
        """
        rounds = [r for r in history.rounds if self._is_of(r, view)]
        known = 0
        for round_, past in zip(rounds, on_slice.past, strict=False):
            words, references = self._asked_in(round_, history, is_first=known == 0)
            if not past.is_of(words, list(self._digests(references, history)), round_.answer.text):
                break
            known += 1
        old, on_slice.past = on_slice.past, on_slice.past[:known]
        on_slice.dialogue.undo(known)
        for number, round_ in enumerate(rounds[known:], start=known):
            words, references = self._asked_in(round_, history, is_first=number == 0)
            same = number < len(old) and old[number].answer == round_.answer.text
            tokens = old[number].tokens if same else ()
            said = self._read_again(on_slice, view, round_, words, references, tokens, history)
            digests = tuple(self._digests(references, history))
            on_slice.past.append(_Past(words, digests, round_.answer.text, said.tokens))

    def _read_again(
        self,
        on_slice: _OnSlice,
        view: SliceView,
        round_: Round,
        words: str,
        references: Sequence[Reference],
        tokens: Sequence[int],
        history: Conversation,
    ) -> Said:
        answer = " ".join([round_.answer.text, *[SEG] * len(round_.answer.masks)])
        crops = [on_slice.dialogue.reference(view.region(history.latest(r))) for r in references]
        return on_slice.dialogue.read(Turn(words, answer), crops, tokens)

    def _asked_in(self, round_: Round, history: Conversation, *, is_first: bool) -> tuple[str, tuple[Reference, ...]]:
        """What a round of the history asked, and its references that are still there."""
        references = tuple(r for r in round_.answer.used if not history.is_removed(r))
        return asked(unnumbered(round_.question.text), len(references), is_first=is_first), references

    def _is_of(self, round_: Round, view: SliceView) -> bool:
        asked = round_.question.view or self._middle()
        return round_.answer.origin.engine == self._info.name and asked == view

    def _told(
        self,
        question: Question,
        text: str,
        drawn: Sequence[Drawn],
        view: SliceView,
        references: tuple[Reference, ...],
    ) -> Answer:
        phrases = _PHRASE.findall(text)
        labels = phrases if len(phrases) == len(drawn) else [question.text.strip()[:_LONGEST_LABEL]] * len(drawn)
        masks = [view.lift(one.region, self._volume, label) for one, label in zip(drawn, labels, strict=True)]
        seen = [evidence_in(one.logits) if self._manner.verifies else None for one in drawn]
        there = [
            (one, mask)
            for one, mask, evidence in zip(drawn, masks, seen, strict=True)
            if not mask.is_empty and not (evidence and evidence.is_absent)
        ]
        scores = [one.score for one, _ in there if one.score is not None]
        status: Status = "answered" if there else "none" if drawn else "text"
        words = [readable(text) or ("Here it is." if there else "It was not found on this slice.")]
        if drawn and not there:
            words = ["It was not found on this slice."]
        words += [f"(Evidence: {evidence}.)" for evidence in seen if evidence]
        return Answer(
            text=" ".join(words),
            origin=Origin(self._info.name, self._info.version, self._info.weights),
            status=status,
            masks=tuple(mask for _, mask in there),
            score=min(scores) if scores else None,
            used=references,
        )


def readable(text: str) -> str:
    """An answer without the words that only the model needs."""
    for word in (SEG, "</s>", "<p>", "</p>"):
        text = text.replace(word, "")
    text = re.sub(r"\s+([.,;:!?。，])", r"\1", " ".join(text.split())).strip()
    return "" if text in (".", "") else text
