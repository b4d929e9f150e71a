"""Which structures a description speaks of, by the words it shares with what is said of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .statements import Place, Statement
from .structure import Side, Structure
from .terms import terms_of_each, weight_of

_RAREST = 5.75
"""What a term counts that is said of one structure alone, however many structures there are."""
_WITHOUT_THE_PHRASE = 0.15
"""The share of a term's weight that counts however little of the phrase around it is there."""


class Hit(NamedTuple):
    """What a term tells of a structure: how much, and the phrase in which it stands."""

    credit: float
    phrase: str


@dataclass(frozen=True)
class Heard:
    """What a description tells.

    Attributes:
        hits: of each structure or, where something is said of one side only, of that side: the terms.
    """

    hits: Mapping[Place, Mapping[str, Hit]]

    @property
    def structures(self) -> tuple[Structure, ...]:
        """Those that it may speak of."""
        return tuple(dict.fromkeys(place.structure for place in self.hits))

    def weight(self, structure: Structure, side: Side | None = None) -> float:
        """How strongly it speaks of a structure; 5 is about one rare word."""
        return sum(hit.credit for hit in self._merged(structure, side).values())

    def best_phrase(self, structure: Structure, side: Side | None = None) -> str:
        """The phrase that tells most; empty where none does."""
        told: dict[str, float] = {}
        for hit in self._merged(structure, side).values():
            told[hit.phrase] = told.get(hit.phrase, 0.0) + hit.credit
        return max(told, key=lambda phrase: told[phrase], default="")

    def _merged(self, structure: Structure, side: Side | None) -> Mapping[str, Hit]:
        merged = dict(self.hits.get(Place(structure), {}))
        if side:
            for term, hit in self.hits.get(Place(structure, side), {}).items():
                merged[term] = max(merged.get(term, hit), hit)
        return merged


class Evidence:
    """An index of the phrases of statements by their terms.

    A term counts the more, the fewer structures it is said of, and the more of a phrase it stands in is
    there: "sella" alone says more than "gland", and "butterfly shaped" more than "shaped".
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        """Index the phrases in both languages."""
        said = [
            (statement.subject, phrase) for statement in statements for phrase in statement.english + statement.chinese
        ]
        self._said = said
        self._numbers: dict[str, list[int]] = {}
        terms = [dict.fromkeys(found) for found in terms_of_each(phrase for _, phrase in said)]
        for number, found in enumerate(terms):
            for term in found:
                self._numbers.setdefault(term, []).append(number)
        keys = [place.structure.key for place, _ in said]
        count = len(set(keys)) + 1
        owners = {term: len({keys[number] for number in numbers}) for term, numbers in self._numbers.items()}
        scale = _RAREST / math.log(count)
        self._rarity = {term: weight_of(term) * scale * math.log(count / number) for term, number in owners.items()}
        self._totals = [sum(map(self._rarity.__getitem__, found)) for found in terms]

    @property
    def rarity(self) -> Mapping[str, float]:
        """How much each term counts: the logarithm of how few structures it is said of."""
        return self._rarity

    def hear(self, terms: Iterable[str]) -> Heard:
        """What terms tell."""
        shared: dict[int, list[str]] = {}
        for term in dict.fromkeys(term for term in terms if term in self._rarity):
            for number in self._numbers[term]:
                shared.setdefault(number, []).append(term)
        hits: dict[Place, dict[str, Hit]] = {}
        for number, found in shared.items():
            place, text = self._said[number]
            covered = sum(self._rarity[term] for term in found) / max(self._totals[number], 1e-9)
            known = hits.setdefault(place, {})
            for term in found:
                hit = Hit((_WITHOUT_THE_PHRASE + (1 - _WITHOUT_THE_PHRASE) * covered) * self._rarity[term], text)
                known[term] = max(known.get(term, hit), hit)
        return Heard(hits)
