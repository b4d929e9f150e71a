"""Questions and answers of a built data set in other words, by a language model, reviewed by a person.

1. Every text is sent, with what it must keep; an answer is checked, asked for once more where it is unusable, and
   kept on disk, so that a run that was stopped goes on. What stays unusable keeps its own words.
2. review.csv lists old and new words; a physician fills in "decision": accept, reject, or edit and the text.
3. A second pass applies the decisions and asks anew for what was rejected, with the physician's note.

Only words are sent: no pictures, no masks, no names of files or patients.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from MultiRoundSegLib.anatomy import language_of
from MultiRoundSegLib.datasets.checking import read_json
from MultiRoundSegLib.datasets.mr_medseg import FILE
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_json, write_whole
from MultiRoundSegLib.wire.chat import ChatEndpoint, NoAnswerError, UnusableAnswerError, object_in

COLUMNS = ("id", "speaker", "before", "after", "decision", "text", "note")
DECISIONS = ("accept", "reject", "edit", "")
CACHE, REVIEW = "rewritten.jsonl", "review.csv"
_NUMBER = re.compile(r"\d+")
_LONGEST = 400
_INSTRUCTIONS = """You rewrite one sentence of a dialogue between a doctor and a program that outlines structures in a
medical image. Say the same in other words, as a radiologist, a resident or an anatomy teacher might type it, in the
language of the sentence. Keep every number and every [n] or {mask} as it is. Do not say which structure is meant if
the sentence does not name it; add no facts. Answer with one JSON object and nothing else: {"text": "..."}"""


@dataclass(frozen=True)
class Text:
    """One question or answer of a data set.

    Attributes:
        identity: dialogue and turn, from 0: "12-3".
        speaker: "human" or "gpt".
        words: without files; "{mask}" stands for a mask in an answer.
        files: what stands in brackets, in order.
    """

    identity: str
    speaker: str
    words: str
    files: tuple[str, ...]

    def value(self, words: str) -> str:
        """Other words with the files in their places: those of a question before it, those of an answer at its mask."""
        joined = "".join(self.files)
        if self.speaker == "gpt":
            return words.replace("{mask}", joined)
        return f"{joined} {words}" if joined else words


@dataclass
class Rewriter:
    """Asks a language model for other words, and keeps what it said.

    Attributes:
        endpoint: where it is asked.
        folder: gets the kept answers.
        temperature: how freely it words.
    """

    endpoint: ChatEndpoint
    folder: Path
    temperature: float = 0.7
    _kept: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what an earlier run kept; a line that was cut off is passed over."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / CACHE
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                entry = json.loads(line)
                self._kept[entry["key"]] = entry["text"]
            except (ValueError, KeyError, TypeError):
                continue

    def other_words(self, text: Text, rejected: str = "", note: str = "") -> str:
        """Other words for a text; its own where the model has no usable ones, and "" where it does not answer.

        Args:
            text: to say otherwise.
            rejected: words that a person rejected.
            note: why.
        """
        asked = {"sentence": text.words} | ({"rejected": rejected, "because": note} if rejected else {})
        key = hashlib.sha256(json.dumps([self.endpoint.model, asked], sort_keys=True).encode()).hexdigest()
        if key not in self._kept:
            messages = [
                {"role": "system", "content": _INSTRUCTIONS},
                {"role": "user", "content": json.dumps(asked, ensure_ascii=False)},
            ]
            try:
                words = self.endpoint.ask(messages, lambda answer: usable(answer, text), self.temperature)
            except NoAnswerError as error:
                logging.getLogger(__name__).warning("The language model did not answer: %s", error)
                return ""
            self._keep(key, words or text.words)
        return self._kept[key]

    def _keep(self, key: str, words: str) -> None:
        self._kept[key] = words
        with (self.folder / CACHE).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "text": words}, ensure_ascii=False) + "\n")


def usable(answer: str, text: Text) -> str:
    """The words in an answer.

    Raises:
        UnusableAnswerError: they are none, in another language, or have lost a number or the mask.
    """
    words = object_in(answer).get("text")
    if not isinstance(words, str) or not words.strip() or len(words) > _LONGEST or "\n" in words.strip():
        raise UnusableAnswerError(f'"text" is no line of at most {_LONGEST} characters.')
    words = words.strip()
    if language_of(words) != language_of(text.words):
        raise UnusableAnswerError("it is in another language.")
    if Counter(_NUMBER.findall(words)) != Counter(_NUMBER.findall(text.words)):
        raise UnusableAnswerError("its numbers are not those of the sentence.")
    if words.count("{mask}") != text.words.count("{mask}") or FILE.search(words):
        raise UnusableAnswerError("{mask} is not where it was.")
    return words


def rewrite(
    file: Path,
    folder: Path,
    endpoint: ChatEndpoint,
    review: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> dict[str, int]:
    """Write a data set in MR-MedSeg's format in other words, and what there is to review.

    Args:
        file: the data set; its pictures and masks stay where they are.
        folder: gets the rewritten file under the same name, the kept answers and review.csv.
        endpoint: of the language model.
        review: a filled-in review.csv of an earlier pass. What is filled in that of `folder` itself stays there, where
            old and new words are still the same.
        progress: is told the share that is done.

    Returns:
        How many texts are new, as they were, edited, without an answer.

    Raises:
        DatasetError: a file is damaged; the message says which line and what.
    """
    document = read_json(file)
    decided = read_review(review) if review else {}
    filled = read_review(folder / REVIEW) if (folder / REVIEW).exists() else {}
    rewriter = Rewriter(endpoint, folder)
    counts: Counter[str] = Counter()
    rows: list[tuple[str, ...]] = []
    turns = list(_turns(document))
    for number, (turn, text) in enumerate(turns, start=1):
        row = decided.get(text.identity, {})
        decision = row.get("decision", "")
        if decision == "edit":
            words = _edited(row, text)
        elif decision == "accept":
            words = row["after"]
        elif decision == "reject":
            words = rewriter.other_words(text, row["after"], row["note"])
        else:
            words = rewriter.other_words(text)
        counts[_kind(decision, words, text)] += 1
        words = words or text.words
        turn["value"] = text.value(words)
        settled = "accept" if decision in ("accept", "edit") else ""
        said = (text.identity, text.speaker, text.words, words)
        rows.append((*said, *(_filled_in(filled.get(text.identity), said) or (settled, "", ""))))
        progress(number / len(turns))
    write_json(folder / file.name, document)
    write_whole(folder / REVIEW, _table(rows).encode("utf-8-sig"))
    return dict(counts)


def _filled_in(row: dict[str, str] | None, said: tuple[str, ...]) -> tuple[str, ...]:
    """What a person filled in for the same words; nothing where these are others, or nothing is filled in."""
    if row is None or tuple(row[column] for column in COLUMNS[:4]) != said:
        return ()
    filled = tuple(row[column] for column in COLUMNS[4:])
    return filled if any(filled) else ()


def _kind(decision: str, words: str, text: Text) -> str:
    if decision == "edit":
        return "edited"
    return "unanswered" if not words else "same" if words == text.words else "new"


def read_review(path: Path) -> dict[str, dict[str, str]]:
    """The rows of a review by their identity.

    Raises:
        DatasetError: a decision is none that is known, or an edit has no text; the message says the line.
    """
    found: dict[str, dict[str, str]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise DatasetError(f"{path.name} has the columns {', '.join(COLUMNS)}.")
            for row in reader:
                row["decision"] = row["decision"].strip().lower()
                if row["decision"] not in DECISIONS:
                    raise DatasetError(
                        f"{path.name}, line {reader.line_num}: a decision is accept, reject or edit, or is left empty."
                    )
                if row["decision"] == "edit" and not row["text"].strip():
                    raise DatasetError(f"{path.name}, line {reader.line_num}: an edit needs its text.")
                found[row["id"]] = row
    except OSError as error:
        raise DatasetError(f"{path.name} cannot be read: {error.strerror}.") from error
    return found


def _edited(row: dict[str, str], text: Text) -> str:
    """A person's words, which must keep the mask."""
    words = row["text"].strip()
    if words.count("{mask}") != text.words.count("{mask}"):
        raise DatasetError(f"The edit of {text.identity} must keep {{mask}} where the mask belongs.")
    return words


def _turns(document: Any) -> Iterator[tuple[dict[str, Any], Text]]:
    """Every turn of a data set with its text."""
    conversations: Sequence[Any] = document if isinstance(document, list) else [document]
    for number, conversation in enumerate(conversations):
        try:
            said = conversation["conversations"]
            for place, turn in enumerate(said):
                files = tuple(match[0] for match in FILE.finditer(turn["value"]))
                mark = "{mask}" if turn["from"] == "gpt" else ""
                words = FILE.sub("\x00", turn["value"])
                words = re.sub(r"\x00+", mark, words).strip()
                yield turn, Text(f"{number}-{place}", turn["from"], words, files)
        except (KeyError, TypeError) as error:
            raise DatasetError(f"Item {number} is no conversation of MR-MedSeg.") from error


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return stream.getvalue()
