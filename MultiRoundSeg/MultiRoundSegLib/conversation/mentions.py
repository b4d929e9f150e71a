"""Finding in a question's text the earlier masks it refers to: by number, by position, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from MultiRoundSegLib.errors import AmbiguousReferenceError, ReferenceNotFoundError

from .conversation import Conversation
from .rounds import GIVEN, Reference

_ENGLISH = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_CHINESE = "一二三四五六七八九"
_NUMBER = rf"(?:\d+|{'|'.join(_ENGLISH)})"
_CHINESE_NUMBER = rf"(?:\d+|[{_CHINESE}]?十[{_CHINESE}]?|[{_CHINESE}两])"
_THING = r"(?:round|one|mask|segment|structure|result|answer)"
_ON_A_WAY = r"\s+(?:(?:that\s+)?(?:you|one)\s+)?(?:met|meets?|reach(?:ed|es)?|encounter(?:ed|s)?|hits?|comes?)\b"
"""What follows "the first structure" where it is the first on a way, and not of the dialogue."""

_NUMBERED = re.compile(
    rf"\[\s*(?P<bracket>\d+)(?:\.(?P<part>\d+))?\s*\]|#(?P<hash>\d+)\b"
    rf"|\brounds?\s*(?P<rounds>{_NUMBER}(?:\s*(?:,|and|&)\s*{_NUMBER})*)\b"
    rf"|\b(?:the\s+)?(?P<ordinal>{'|'.join(_ORDINALS)})\s+{_THING}\b(?!{_ON_A_WAY})"
    rf"|第\s*(?P<chinese>{_CHINESE_NUMBER}(?:\s*[、和,，]\s*第?{_CHINESE_NUMBER})*)\s*(?:轮|回|次)",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    rf"\b(?:the\s+)?(?:previous|preceding)(?:\s+{_THING})?\b|\bthe\s+(?:last|latest)\s+{_THING}\b"
    r"|上一(?:个|轮|次|回)|前一(?:个|轮|次)|刚才(?:的|那)(?:个)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Mention:
    """Words of a question that point to an earlier mask.

    Attributes:
        start: index of the first character in the text.
        end: index after the last character.
        references: what is meant; several for a round with several masks, or for a name that
            several masks have.
        note: what the person should know about it, for example that an older mask of this name
            was deleted; empty otherwise.
    """

    start: int
    end: int
    references: tuple[Reference, ...]
    note: str = ""


def numbered_mentions(text: str, history: Conversation) -> tuple[Mention, ...]:
    """Rounds named by number ("[2]", "[2.1]", "round 2", "第2轮") or as the previous one ("上一个").

    Also the full names that tell given masks apart ("liver (Atlas)"), as `Conversation.name` has them.

    Raises:
        ReferenceNotFoundError: there is no such round, or it has no mask (any more).
    """
    found = _occurrences(text, _full_names(history))
    taken = [*found, *_occurrences(text, _names_with_numbers(history))]
    for match in _NUMBERED.finditer(text):
        if _is_free(match.start(), match.end(), taken):
            found.append(_numbered(match, history))
    for match in _PREVIOUS.finditer(text):
        found.append(Mention(*match.span(), history.references_of(_last_answered(history))))
    return tuple(sorted(found, key=lambda mention: mention.start))


def named_mentions(text: str, history: Conversation) -> tuple[Mention, ...]:
    """Masks of the dialogue that the text calls by their present or former label; longest names first.

    A name of a deleted mask stands for the mask that has the name now, with a note saying so; it
    stands for nothing (no references, and a note) where none has. Full names are `numbered_mentions`.
    """
    full_names = _full_names(history)
    by_name: dict[str, tuple[Reference, ...]] = {}
    for reference in history.references():
        for name in history.names(reference):
            by_name[name.casefold()] = (*by_name.get(name.casefold(), ()), reference)
    found = _occurrences(text, by_name | full_names)
    short = [mention for mention in found if text[mention.start : mention.end].casefold() not in full_names]
    return tuple(_living(mention, text, history) for mention in short)


def spans_of(names: Iterable[str], text: str) -> list[tuple[int, int, str]]:
    """Where names stand in a text, as (start, end, name) in order.

    ASCII names are found as whole words, others anywhere, in any case; longest first, without overlap.
    """
    found: list[tuple[int, int, str]] = []
    for name in sorted(names, key=len, reverse=True):
        if not name.strip():
            continue
        before = r"(?<![A-Za-z0-9])" if name[0].isascii() else ""
        after = r"(?![A-Za-z0-9])" if name[-1].isascii() else ""
        for match in re.finditer(before + re.escape(name) + after, text, re.IGNORECASE):
            if all(match.end() <= start or end <= match.start() for start, end, _ in found):
                found.append((*match.span(), name))
    return sorted(found)


def the_one(mention: Mention, text: str, history: Conversation) -> Reference:
    """The single mask that a mention means.

    Raises:
        AmbiguousReferenceError: several masks fit; the choices are the question with each one's full name.
        ReferenceNotFoundError: it was deleted.
    """
    if not mention.references:
        raise ReferenceNotFoundError(mention.note)
    if len(mention.references) == 1:
        return mention.references[0]
    words = text[mention.start : mention.end]
    listed = "; ".join(f"{history.name(r)}: {history.latest(r).volume_ml:.2f} ml" for r in mention.references)
    raise AmbiguousReferenceError(
        f"{words!r} could be any of these, which one is meant? {listed}", rewordings(mention, text, history)
    )


def rewordings(mention: Mention, text: str, history: Conversation) -> tuple[str, ...]:
    """The question with the full name of each mask that the mention may mean, in its place."""
    before, after = text[: mention.start], text[mention.end :]
    return tuple(f"{before}{history.name(reference)}{after}" for reference in mention.references)


def _numbered(match: re.Match[str], history: Conversation) -> Mention:
    groups = match.groupdict()
    if groups["part"] is not None:
        reference = Reference(int(groups["bracket"]), int(groups["part"]) - 1)
        history.mask(reference)
        return Mention(*match.span(), (reference,))
    numbers = next(value for name, value in groups.items() if value is not None and name != "part")
    pattern = _CHINESE_NUMBER if groups["chinese"] else rf"\b(?:{_NUMBER}|{'|'.join(_ORDINALS)})\b"
    rounds = [_value(number) for number in re.findall(pattern, numbers, re.IGNORECASE)]
    references = tuple(reference for number in rounds for reference in history.references_of(number))
    return Mention(*match.span(), tuple(dict.fromkeys(references)))


def _value(number: str) -> int:
    """The value of digits, an English word, or a Chinese number up to 99."""
    if number.isdigit():
        return int(number)
    for words in (_ENGLISH, _ORDINALS):
        if number.casefold() in words:
            return words.index(number.casefold()) + 1
    if "十" in number:
        tens, ones = number.split("十")
        return 10 * (_CHINESE.index(tens) + 1 if tens else 1) + (_CHINESE.index(ones) + 1 if ones else 0)
    return 2 if number == "两" else _CHINESE.index(number) + 1


def _last_answered(history: Conversation) -> int:
    answered = [round_.number for round_ in history.rounds if round_.answer.masks]
    if not answered:
        raise ReferenceNotFoundError("There is no earlier mask to refer to yet.")
    return answered[-1]


def _names_with_numbers(history: Conversation) -> dict[str, tuple[Reference, ...]]:
    """Names that hold what would be read as a round, such as a segment called "tumour [2]"."""
    names = {name.casefold(): (r,) for r in history.references() for name in history.names(r)}
    return {name: references for name, references in names.items() if _NUMBERED.search(name)}


def _is_free(start: int, end: int, mentions: Iterable[Mention]) -> bool:
    return all(end <= mention.start or mention.end <= start for mention in mentions)


def _full_names(history: Conversation) -> dict[str, tuple[Reference, ...]]:
    """Names that tell given masks apart, "liver (atlas)", in lower case."""
    given = [reference for reference in history.references() if reference.round_number == GIVEN]
    names = {history.name(reference).casefold(): (reference,) for reference in given}
    return {name: references for name, references in names.items() if name.endswith(")")}


def _occurrences(text: str, names: Mapping[str, tuple[Reference, ...]]) -> list[Mention]:
    """Where names of masks stand in a text."""
    return [Mention(start, end, names[name]) for start, end, name in spans_of(names, text)]


def _living(mention: Mention, text: str, history: Conversation) -> Mention:
    living = tuple(r for r in mention.references if not history.is_removed(r))
    if len(living) == len(mention.references):
        return mention
    deleted = f"The earlier segment {text[mention.start : mention.end]!r} was deleted"
    then = "the one that has this name now is used." if living else "refer to another one."
    return Mention(mention.start, mention.end, living, f"{deleted}; {then}")
