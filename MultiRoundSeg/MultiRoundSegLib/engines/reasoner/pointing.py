"""Earlier masks that a text points to otherwise than by one number: "those two", "the first vessel", "前两个"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from MultiRoundSegLib.anatomy import Knowledge, terms_of
from MultiRoundSegLib.conversation import Mention, Reference

from .counting import VALUES, number_of
from .earlier import Earlier
from .pointing_words import (
    BARE_LIST,
    BEFORE_A_KIND,
    BEFORE_LAST,
    DESCRIBED_BEFORE,
    EN,
    EVERYTHING,
    FIRST,
    IT,
    IT_ALONE,
    LAST,
    LIST,
    NTH_OF_A_KIND,
    OF,
    OF_THEM,
    RANGE,
    VERY_FIRST,
    WITH_IT,
    ZH,
)


@dataclass(frozen=True)
class Pointing:
    """Finds pointers in the texts of one dialogue.

    Attributes:
        knowledge: names and categories.
        earlier: the dialogue so far.
        picked: masks that the person clicked for this question.
    """

    knowledge: Knowledge
    earlier: Earlier
    picked: tuple[Reference, ...] = ()

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """The pointers in a text; none where the dialogue has no masks yet."""
        made = self.earlier.history.made()
        if not made:
            return ()
        found: list[Mention] = []
        for start, end, references in self._all(text):
            free = all(end <= other.start or other.end <= start for other in found)
            if references and free and not self._is_of_what_is_named(text, start, end):
                found.append(self.with_its_kind(Mention(start, end, references), text))
        return tuple(sorted(found, key=lambda mention: mention.start))

    def _is_of_what_is_named(self, text: str, start: int, end: int) -> bool:
        """Whether "them" stands for what the question itself names before ("great arteries, both of them")."""
        if not (OF_THEM.fullmatch(text[start:end]) and text[:start].rstrip().endswith(",")):
            return False
        return any(next(self._kinds_at(text, match.start()), None) for match in re.finditer(r"\b\w", text[:start]))

    def with_its_kind(self, mention: Mention, text: str) -> Mention:
        """A pointer with the word for what it points to ("the lobe from [2]", "第一题那个腺体")."""
        structures = {entity.structure.key for entity in self.earlier.entities_of(mention.references)}
        gap = BEFORE_A_KIND.match(text, mention.end)
        place = gap.end() if gap else mention.end
        for end, members in self._kinds_at(text, place):
            if structures and structures <= members and not re.match(r"\s*(?:of|in)\b", text[end:]):
                return Mention(mention.start, end, mention.references, mention.note)
        before = OF.search(text, 0, mention.start)
        if before:
            for start in (m.start() for m in re.finditer(r"\b\w", before["what"])):
                place = before.start("what") + start
                if any(
                    structures <= members and end == before.end("what") for end, members in self._kinds_at(text, place)
                ):
                    return Mention(place, mention.end, mention.references, mention.note)
        return mention

    def _all(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        finders: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Reference, ...]]], ...] = (
            (EVERYTHING, lambda _: self.earlier.history.made()),
            (RANGE, self._range),
            (LIST, self._list),
            (FIRST, lambda match: () if self._is_within_the_last(match) else self._first(number_of(match))),
            (LAST, lambda match: () if self._is_within_the_last(match) else self._last(number_of(match))),
            (BEFORE_LAST, lambda _: self._rounds_before_last(2)),
        )
        for pattern, resolve in finders:
            for match in pattern.finditer(text):
                yield (*match.span(), resolve(match))
        yield from self._of_a_kind(text)
        for match in VERY_FIRST.finditer(text):
            yield (*match.span(), self._first(1))
        yield from self._described_before(text)
        bare = BARE_LIST.search(text)
        if bare and not self.knowledge.anatomy.mentions(text):
            yield (*bare.span("l1"), self._list(bare))
        alone = IT_ALONE.fullmatch(text)
        if alone:
            yield *alone.span("it" if alone["it"] else "ta"), self.picked or self.earlier.last_masks()
        for match in WITH_IT.finditer(text):
            word = re.search(rf"{IT}|它们?|这个|那个|前者|[这那][块根]", match[0], re.IGNORECASE)
            if word:
                start, end = (match.start() + place for place in word.span())
                yield start, end, self.picked or self.earlier.last_masks()

    def _is_within_the_last(self, match: re.Match[str]) -> bool:
        """Whether so many of the last round's masks are meant, which belong to a series ("前两节")."""
        last = self.earlier.last_masks()
        return bool(self.earlier.series()) and match[0].endswith(("节", "根")) and len(last) > number_of(match)

    def _described_before(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Such as "the one i called obstructed": of the round whose question has the most words in common."""
        made = self.earlier.history.made()
        for match in DESCRIBED_BEFORE.finditer(text):
            said = set(terms_of(next(value for value in match.groupdict().values() if value)))
            shared = {
                round_.number: sum(
                    self.knowledge.evidence.rarity.get(t, 1.0) for t in said & set(terms_of(round_.question.text))
                )
                for round_ in self.earlier.history.rounds
            }
            best = max(shared, key=lambda number: shared[number])
            if shared[best]:
                yield (*match.span(), tuple(r for r in made if r.round_number == best))

    def _of_a_kind(self, text: str) -> Iterator[tuple[int, int, tuple[Reference, ...]]]:
        """Such as "the first vessel": of the earlier masks that show one."""
        names = self.knowledge.anatomy.mentions(text)
        for match in NTH_OF_A_KIND.finditer(text):
            if any(name.start < match.end() and match.start() < name.end for name in names):
                continue
            place = match.end() + len(re.match(r"\s*", text[match.end() :])[0])  # type: ignore[index]
            for end, members in self._kinds_at(text, place):
                alike = [
                    r for r in self.earlier.history.made() if (s := self.earlier.structure_of(r)) and s.key in members
                ]
                number = number_of(match)
                if number <= len(alike):
                    yield match.start(), end, (alike[number - 1],)
                    break

    def _kinds_at(self, text: str, place: int) -> Iterator[tuple[int, frozenset[str]]]:
        """Words for several structures, or names, that begin here: where each ends, and the keys it may stand for."""
        for name in self.knowledge.anatomy.mentions(text):
            if name.start == place:
                kinds = {k.key for s in name.structures for k in self.knowledge.anatomy.kinds(s.key)}
                yield name.end, frozenset({s.key for s in name.structures} | kinds)
        for word, category in self.knowledge.category_words.items():
            end = place + len(word)
            ends = not word.isascii() or not text[end : end + 2].rstrip("s").isalpha()
            if category.members and text[place:end].lower() == word.lower() and ends:
                yield end, category.members

    def _range(self, match: re.Match[str]) -> tuple[Reference, ...]:
        first, last = (VALUES.get(v.lower(), 0) for v in match.groupdict().values() if v)
        return self._of_rounds(range(first, last + 1))

    def _list(self, match: re.Match[str]) -> tuple[Reference, ...]:
        words = next(value for value in match.groupdict().values() if value)
        numbers = [VALUES.get(word.lower(), 0) for word in re.findall(rf"{EN}|{ZH}", words, re.IGNORECASE)]
        return self._of_rounds(numbers)

    def _of_rounds(self, numbers: Sequence[int]) -> tuple[Reference, ...]:
        """All masks of these rounds; none where one of them has none."""
        made = self.earlier.history.made()
        by_round = [[r for r in made if r.round_number == number] for number in numbers]
        return tuple(dict.fromkeys(r for found in by_round for r in found)) if all(by_round) else ()

    def _first(self, number: int) -> tuple[Reference, ...]:
        """The first so many masks, or the masks of the first so many rounds that have any."""
        return self._so_many(self._by_round(), number)

    def _last(self, number: int) -> tuple[Reference, ...]:
        """The last so many, or those that were clicked."""
        if len(self.picked) == number:
            return self.picked
        return tuple(sorted(self._so_many(self._by_round()[::-1], number)))

    def _so_many(self, rounds: Sequence[tuple[Reference, ...]], number: int) -> tuple[Reference, ...]:
        found: tuple[Reference, ...] = ()
        for masks in rounds:
            if len(found) >= number:
                break
            found += masks
        if len(found) == number or number == 1:
            return found
        return tuple(r for masks in rounds[:number] for r in masks) if number <= len(rounds) else ()

    def _rounds_before_last(self, number: int) -> tuple[Reference, ...]:
        rounds = self._by_round()
        return rounds[-number] if number <= len(rounds) else ()

    def _by_round(self) -> list[tuple[Reference, ...]]:
        by_round: dict[int, tuple[Reference, ...]] = {}
        for reference in self.earlier.history.made():
            by_round[reference.round_number] = (*by_round.get(reference.round_number, ()), reference)
        return list(by_round.values())
