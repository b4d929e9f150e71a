"""Words that are typed wrong, and what was meant; a word that is right as it is, is never changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .chinese import sound_alike, sound_of
from .lexicon import common_words

try:
    from rapidfuzz.distance.OSA import distance as _distance
    from rapidfuzz.process import extract
except ImportError:  # Slicer does not ship it
    _distance = None  # type: ignore[assignment]

_ENGLISH = re.compile(r"[A-Za-z]+")
_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]{2,}")
_LONGEST_NAME = 8
_EVERYDAY = 1000
"""So many of the most used words are known with two letters swapped."""
_NEVER_MISTAKEN = frozenset(
    "第的一二三四五六七八九十是不在有了和与这那个它上下左右前后里中大小多少为什要把给看出来去从到用各两双其再只还就都也见及经被位身疑非失根块条个支节片颗只对"
)
"""Characters that stand for themselves wherever they are."""


@dataclass(frozen=True)
class Mended:
    """A word that was typed wrong.

    Attributes:
        start: position of its first character.
        end: position after its last character.
        word: what was meant.
    """

    start: int
    end: int
    word: str


class Spelling:
    """Knows the words that may be meant, and the words that are right though they look like those."""

    def __init__(
        self, ranked: Sequence[Iterable[str]], is_right: Callable[[str], bool], chinese_names: Iterable[str]
    ) -> None:
        """Take in the vocabulary.

        Args:
            ranked: English words in lower case that may be meant; of two that are equally near, the one in
                the earlier group counts.
            is_right: whether an English word is no typing error.
            chinese_names: names that may be meant.
        """
        self._rank: dict[str, int] = {}
        for rank, words in enumerate(ranked):
            for word in words:
                self._rank.setdefault(word, rank)
        self._words = sorted(self._rank)
        self._is_right = is_right
        self._swapped = {
            slip: word
            for word in (*reversed(common_words()[:_EVERYDAY]), *(w for w in self._rank if self._rank[w] == 0))
            for slip in _with_letters_swapped(word)
        }
        self._names: dict[str, list[str]] = {}
        self._by_sound: dict[tuple[str, ...], list[str]] = {}
        for name in dict.fromkeys(chinese_names):
            for n in range(len(name) if 2 <= len(name) <= _LONGEST_NAME else 0):
                self._names.setdefault(name[:n] + "*" + name[n + 1 :], []).append(name)
            if 3 <= len(name) <= _LONGEST_NAME:
                self._by_sound.setdefault(sound_of(name), []).append(name)

    def english(self, text: str) -> list[Mended]:
        """English words of a text that are one or two slips away from a word that may be meant."""
        found = []
        for match in _ENGLISH.finditer(text):
            word = match[0].lower()
            right = word in self._rank or match[0].isupper() or self._is_right(word)
            meant = None if right else self._meant(word)
            if meant:
                found.append(Mended(*match.span(), meant))
        return found

    def chinese(
        self, text: str, taken: Sequence[tuple[int, int]] = (), words: Sequence[tuple[int, int]] = ()
    ) -> list[Mended]:
        """Names of which one character was mistaken for another of the same sound.

        Args:
            text: to look at.
            taken: places of names that are written right.
            words: places of other words that are; a name may hold them.
        """
        found: list[Mended] = []
        for run in _CHINESE_RUN.finditer(text):
            for size in range(min(_LONGEST_NAME, len(run[0])), 1, -1):
                for start in range(run.start(), run.end() - size + 1):
                    end = start + size
                    if any(s < end and start < e and not _may_hold(start, end, s, e) for s, e in taken) or any(
                        m.start < end and start < m.end for m in found
                    ):
                        continue
                    if any(s < end and start < e and not (start <= s and e <= end and e - s < size) for s, e in words):
                        continue
                    name = self._heard(text[start:end])
                    if name:
                        found.append(Mended(start, end, name))
        return sorted(found, key=lambda mended: mended.start)

    def _heard(self, window: str) -> str | None:
        """The one name that sounds like the characters; of longer names two may be mistaken."""
        near = {name for n in range(len(window)) for name in self._names.get(window[:n] + "*" + window[n + 1 :], ())}
        if len(window) > 2 and not near:
            near = set(self._by_sound.get(sound_of(window), ()))
        meant = {name for name in near if self._is_mistaken_for(window, name)}
        return meant.pop() if len(meant) == 1 else None

    def _is_mistaken_for(self, window: str, name: str) -> bool:
        wrong = [(typed, meant) for typed, meant in zip(window, name, strict=True) if typed != meant]
        return 0 < len(wrong) <= 2 and all(
            typed not in _NEVER_MISTAKEN and sound_alike(typed, meant) for typed, meant in wrong
        )

    def _meant(self, word: str) -> str | None:
        """One slip away from a word that may be meant, two letters swapped, or two slips away."""
        return self._nearest(word, 1) or self._swapped.get(word) or (self._nearest(word, 2) if len(word) > 5 else None)

    def _nearest(self, word: str, slips: int) -> str | None:
        if len(word) < 3:
            return None
        near = [
            (distance, self._rank[other], other)
            for other, distance in distances(word, self._words, slips)
            if other[0] == word[0] or (distance == 1 and 3 < len(word) < 7)
        ]
        if len(word) == 3:
            near = [entry for entry in near if entry[1] == 0 and len(entry[2]) == 4]
        keys = {other: (len(other) <= len(word), -_shared(word, other)) for *_, other in near}
        ranked = sorted(((distance, rank, *keys[other]), other) for distance, rank, other in near)
        rivals = {other for key, other in ranked if key == ranked[0][0]}
        return ranked[0][1] if ranked and (len(rivals) == 1 or _same_word(rivals)) else None


def _shared(one: str, other: str) -> int:
    """How many letters two words have in common from the first on."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _may_hold(start: int, end: int, name_start: int, name_end: int) -> bool:
    """Whether a place may be that of a longer name which holds a shorter one written right."""
    if name_end - name_start == 1:
        return end - start > 2 or name_start in (start, start + 1)
    return start <= name_start and name_end <= end and name_end - name_start < end - start


def _with_letters_swapped(word: str) -> Iterator[str]:
    """The word as a hurried hand types it: "adn", "rigth"."""
    for n in range(len(word) - 1 if len(word) > 2 else 0):
        if word[n] != word[n + 1]:
            yield word[:n] + word[n + 1] + word[n] + word[n + 2 :]


def distances(word: str, others: Sequence[str], slips: int) -> list[tuple[str, int]]:
    """The words that are at most this many slips away: letters left out, put in, mistaken or swapped.

    rapidfuzz does it where it is installed; the result is the same without.
    """
    if _distance is not None:
        near = extract(word, others, scorer=_distance, score_cutoff=slips, limit=None)
        return [(other, int(distance)) for other, distance, _ in near]
    letters = set(word)
    return [
        (other, distance)
        for other in others
        if abs(len(other) - len(word)) <= slips
        and len(letters.symmetric_difference(other)) <= 2 * slips
        and (distance := _slips(word, other)) <= slips
    ]


def mend(text: str, mended: Sequence[Mended]) -> str:
    """The text with the words that were meant."""
    for slip in reversed(mended):
        text = text[: slip.start] + slip.word + text[slip.end :]
    return text


def _same_word(words: set[str]) -> bool:
    """Whether words differ by an ending only, so that any of them will do."""
    shortest = min(words, key=len)
    return all(word.startswith(shortest[:-1]) and len(word) - len(shortest) <= 2 for word in words)


def _slips(one: str, other: str) -> int:
    """Optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        new = [n]
        for m, target in enumerate(other, 1):
            cost = min(row[m] + 1, new[m - 1] + 1, row[m - 1] + (letter != target))
            if n > 1 and m > 1 and letter == other[m - 2] and one[n - 2] == target:
                cost = min(cost, before[m - 2] + 1)
            new.append(cost)
        before, row = row, new
    return row[-1]
