"""Captions of labelled pictures and conversations about them, with grounded phrases: the three stages of MedSeg-QA.

1. A language model writes a caption of a picture from its facts (`facts`), which are measured and looked up.
2. From caption and facts it writes questions and answers. What it writes is checked (`grounded`), asked for once more
   where it is unusable, and kept on disk, so that a run that was stopped goes on.
3. review.csv lists all texts; a physician fills in "decision": accept, reject, or edit and the text. Another pass
   applies the decisions and asks anew for what was rejected, with the physician's note; what nobody decided on stays.
   Of a question and its answer, both are asked for anew where one is rejected.

Only words are sent: no pictures, no masks, no names of files or patients.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from MultiRoundSegLib.anatomy import Knowledge
from MultiRoundSegLib.datasets.medseg_qa import Item, Pair, Spoken, write_medseg_qa
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_json
from MultiRoundSegLib.wire.chat import ChatEndpoint, NoAnswerError, UnusableAnswerError, object_in

from .author import Author
from .build import split
from .facts import Facts, facts_of
from .grounded import Grounded, grounded
from .review import REVIEW, Row, read_review, write_review
from .scenes import Scene
from .settings import BuildSettings
from .source import Source

T = TypeVar("T")
REPORT = "report.json"
_SPEAKERS = ("human", "gpt")
_COMMON = """You write about one slice of a medical image that you cannot see; all that is known of it is given as JSON:
its structures by mark, which of the scan's structures it does not show, and facts. Left and right are the patient's.
Write in the language that is asked for. Whenever you name a structure that is shown, write its name as
<p>name</p> and its mark right behind: <p>liver</p>{3}. Never name a structure that is not given, never say anything of
this picture that the facts do not say, no diagnosis. Answer with one JSON object and nothing else: """
_CAPTION = _COMMON + """{"caption": "two to four sentences in one line that describe what the slice shows"}"""
_PAIRS = (
    _COMMON
    + """{"conversation": [{"question": "...", "answer": "..."}]} with as many pairs as asked for, as a radiologist, a
resident or an anatomy teacher might ask about this slice: some about what is where, some about what a structure is or
does, so that an answer needs anatomical knowledge. A question has no marks. An answer is one or two sentences. At least
one answer names a structure with its mark. What the picture does not show may be asked for; the answer then says so."""
)


@dataclass(frozen=True)
class Written:
    """What came out.

    Attributes:
        counts: captions, pairs, and those that are missing: "unusable" and "unanswered".
        left_out: masks by label that is no structure's name.
        splits: pictures of each split.
    """

    counts: Mapping[str, int]
    left_out: Mapping[str, int]
    splits: Mapping[str, int]


def caption(
    source: Source,
    out: Path,
    knowledge: Knowledge,
    endpoint: ChatEndpoint,
    settings: BuildSettings,
    pairs: int = 3,
    review: Path | None = None,
    progress: Callable[[float, str], None] = lambda share, name: None,
) -> Written:
    """Write a data set of captions and conversations, and what there is to review.

    Args:
        source: of labelled pictures.
        out: the folder; it gets a JSON for each split with its pictures and masks (`medseg_qa`), the kept answers,
            review.csv and report.json.
        knowledge: of the body.
        endpoint: of the language model.
        settings: which slices, languages and shares of the splits.
        pairs: of question and answer about each picture in each language.
        review: a filled-in review.csv of an earlier pass. What is filled in that of `out` itself stays there, where the
            texts are still the same.
        progress: is told the share that is done, and of what.

    Raises:
        DatasetError: there is nothing to write about, or a review or an edit is unusable; the message says where.
        MultiRoundSegError: a scan cannot be read.
    """
    if not source.patients:
        raise DatasetError("There is no labelled scan to write about.")
    writer = _Writer(Author(endpoint, out), knowledge, settings, pairs, read_review(review) if review else {})
    splits: dict[str, int] = {}
    done = count()

    def items(patients: Sequence[str]) -> Iterator[Item]:
        for patient in patients:
            progress(next(done) / len(source.patients), patient)
            for scene in source.scenes(patient):
                if scene.regions:
                    yield from writer.items(scene)

    for name, patients in split(source.patients, settings).items():
        pictures = write_medseg_qa(items(patients), out / name / f"{name}.json")
        if pictures:
            splits[name] = pictures
    progress(1.0, "")
    written = Written(dict(writer.counts), dict(source.left_out), splits)
    write_review(out / REVIEW, writer.rows)
    write_json(out / REPORT, {"splits": splits, **written.counts, "left out": written.left_out})
    if not splits:
        raise DatasetError("There is no caption: no slice shows a structure that is known, or no answer was usable.")
    return written


@dataclass
class _Writer:
    """Makes the items of scenes, and gathers what there is to review.

    Attributes:
        author: is asked.
        knowledge: of the body.
        settings: the languages.
        pairs: about each picture.
        decided: rows of an earlier pass.
        rows: of this one.
        counts: of what came out.
    """

    author: Author
    knowledge: Knowledge
    settings: BuildSettings
    pairs: int
    decided: Mapping[str, Row]
    rows: list[Row] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def items(self, scene: Scene) -> Iterator[Item]:
        """What is said of a scene in each language; nothing where there is no caption."""
        for language in self.settings.languages:
            facts = facts_of(scene, self.knowledge, language)
            identity = f"{scene.name} {language}"
            said = self._caption(facts, identity)
            if said is None:
                continue
            self.counts["captions"] += 1
            pairs = [
                Pair(question, _spoken(answer, facts)) for question, answer in self._conversation(facts, said, identity)
            ]
            self.counts["pairs"] += len(pairs)
            yield Item(
                scene.name, scene.picture, scene.modality, language, scene.regions, _spoken(said, facts), tuple(pairs)
            )

    def _caption(self, facts: Facts, identity: str) -> Grounded | None:
        row = self.decided.get(f"{identity}-0")
        said = self._kept(row, facts) or self._asked(
            _CAPTION, {**facts.told, **_rejection(row)}, lambda answer: self._caption_in(answer, facts)
        )
        if said:
            names = ", ".join(f"{{{mark}}} {entity.name(facts.language)}" for mark, entity in facts.shown.items())
            self._note(f"{identity}-0", "caption", names, said.text, row)
        return said

    def _conversation(self, facts: Facts, said: Grounded, identity: str) -> Iterator[tuple[str, Grounded]]:
        """Pairs of question and answer, as a person left them or as they are written."""
        asked = {**facts.told, "caption": said.text, "pairs": self.pairs}
        names = [(f"{identity}-{2 * number + 1}", f"{identity}-{2 * number + 2}") for number in range(self.pairs)]
        rows = [tuple(self.decided.get(name) for name in pair) for pair in names]
        written: list[tuple[str, Grounded]] = []
        if any(row is None for pair in rows for row in pair):
            written = self._asked(_PAIRS, asked, lambda answer: self._pairs_in(answer, facts, self.pairs)) or []
        for number, (own_names, own_rows) in enumerate(zip(names, rows, strict=True)):
            pair = self._pair(own_rows, facts, asked) or (written[number] if written else None)
            if pair:
                is_new = any(row is None or row.decision == "reject" for row in own_rows)
                for name, speaker, text, row in zip(
                    own_names, _SPEAKERS, (pair[0], pair[1].text), own_rows, strict=True
                ):
                    self._note(name, speaker, "", text, None if is_new else row)
                yield pair

    def _pair(self, rows: Sequence[Row | None], facts: Facts, asked: Mapping[str, Any]) -> tuple[str, Grounded] | None:
        """A pair as a person left it, or another where it was rejected; None where there was none."""
        if any(row and row.decision == "reject" for row in rows):
            return self._anew(facts, asked, rows)
        question, answer = rows
        kept = self._kept(answer, facts)
        return (question.words, kept) if question and kept else None

    def _anew(
        self, facts: Facts, asked: Mapping[str, Any], rejected: Sequence[Row | None]
    ) -> tuple[str, Grounded] | None:
        """Another pair for one that a person rejected."""
        again = {**asked, "pairs": 1, **_rejection(*rejected)}
        found = self._asked(_PAIRS, again, lambda answer: self._pairs_in(answer, facts, 1))
        return found[0] if found else None

    def _kept(self, row: Row | None, facts: Facts) -> Grounded | None:
        """What an earlier pass has, unless it was rejected.

        Raises:
            DatasetError: it is unusable; the message says why.
        """
        if row is None or row.decision == "reject":
            return None
        try:
            return grounded(row.words, facts, self.knowledge.anatomy)
        except UnusableAnswerError as error:
            raise DatasetError(f"The text of {row.id} cannot be used: {error}") from error

    def _asked(self, instructions: str, asked: Mapping[str, Any], read: Callable[[str], T]) -> T | None:
        try:
            found = self.author.answer(instructions, asked, read)
        except NoAnswerError:
            self.counts["unanswered"] += 1
            return None
        if found is None:
            self.counts["unusable"] += 1
        return found

    def _note(self, identity: str, speaker: str, before: str, after: str, row: Row | None) -> None:
        settled = "accept" if row and row.is_settled else ""
        self.rows.append(Row(identity, speaker, before, after, settled))

    def _caption_in(self, answer: str, facts: Facts) -> Grounded:
        said = grounded(object_in(answer).get("caption"), facts, self.knowledge.anatomy)
        if not said.marks:
            raise UnusableAnswerError("the caption names no structure with its mark.")
        return said

    def _pairs_in(self, answer: str, facts: Facts, count: int) -> list[tuple[str, Grounded]]:
        said = object_in(answer).get("conversation")
        if not isinstance(said, list) or len(said) != count or not all(isinstance(pair, dict) for pair in said):
            raise UnusableAnswerError(f'"conversation" is no list of {count} pairs.')
        anatomy = self.knowledge.anatomy
        found = [(grounded(p.get("question"), facts, anatomy), grounded(p.get("answer"), facts, anatomy)) for p in said]
        if any(question.marks for question, _ in found):
            raise UnusableAnswerError("a question has a mark.")
        return [(question.text, answer) for question, answer in found]


def _rejection(*rows: Row | None) -> dict[str, Any]:
    """What the language model is told of what a person rejected."""
    rejected = [row for row in rows if row and row.decision == "reject"]
    if not rejected:
        return {}
    notes = " ".join(row.note for row in rejected if row.note)
    return {"rejected": [row.after for row in rows if row], "because": notes}


def _spoken(said: Grounded, facts: Facts) -> Spoken:
    return Spoken(said.written, tuple(facts.shown[mark] for mark in said.marks))
