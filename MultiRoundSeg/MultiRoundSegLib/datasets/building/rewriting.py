"""Questions and answers of a built data set in other words, by a language model, reviewed by a person.

1. Every text is sent, with what it must keep; an answer is checked, asked for once more where it is unusable, and
   kept on disk, so that a run that was stopped goes on. What stays unusable keeps its own words.
2. review.csv lists old and new words; a physician fills in "decision": accept, reject, or edit and the text.
3. A second pass applies the decisions and asks anew for what was rejected, with the physician's note.

Only words are sent: no pictures, no masks, no names of files or patients.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from MultiRoundSegLib.anatomy import language_of
from MultiRoundSegLib.datasets.checking import read_json
from MultiRoundSegLib.datasets.mr_medseg import FILE
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_json
from MultiRoundSegLib.wire.chat import ChatEndpoint, NoAnswerError, UnusableAnswerError, object_in

from .author import Author
from .review import REVIEW, Row, read_review, write_review

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


def other_words(author: Author, text: Text, rejected: Row | None = None) -> str:
    """Other words for a text; its own where the model has no usable ones, and "" where it does not answer.

    Args:
        author: is asked.
        text: to say otherwise.
        rejected: words that a person rejected, and why.
    """
    asked = {"sentence": text.words} | ({"rejected": rejected.after, "because": rejected.note} if rejected else {})
    try:
        return author.answer(_INSTRUCTIONS, asked, lambda answer: usable(answer, text)) or text.words
    except NoAnswerError:
        return ""


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
    author = Author(endpoint, folder)
    counts: Counter[str] = Counter()
    rows: list[Row] = []
    turns = list(_turns(document))
    for number, (turn, text) in enumerate(turns, start=1):
        row = decided.get(text.identity)
        words = _words(author, text, row)
        counts[_kind(row, words, text)] += 1
        words = words or text.words
        turn["value"] = text.value(words)
        settled = "accept" if row and row.is_settled else ""
        rows.append(Row(text.identity, text.speaker, text.words, words, settled))
        progress(number / len(turns))
    write_json(folder / file.name, document)
    write_review(folder / REVIEW, rows)
    return dict(counts)


def _words(author: Author, text: Text, row: Row | None) -> str:
    """What a person decided on, or what the model writes."""
    if row is None or not row.decision:
        return other_words(author, text)
    if row.decision == "reject":
        return other_words(author, text, row)
    if row.words.count("{mask}") != text.words.count("{mask}"):
        raise DatasetError(f"The edit of {text.identity} must keep {{mask}} where the mask belongs.")
    return row.words


def _kind(row: Row | None, words: str, text: Text) -> str:
    if row and row.decision == "edit":
        return "edited"
    return "unanswered" if not words else "same" if words == text.words else "new"


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
