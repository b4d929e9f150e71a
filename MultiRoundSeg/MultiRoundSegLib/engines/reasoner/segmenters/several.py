"""Several segmenters as one: for each structure the first that has it is asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress

from .segmenter import Candidate, Finder, Found


@dataclass(frozen=True)
class SeveralFinders:
    """Finders over one volume.

    Attributes:
        finders: those that are asked first come first.
    """

    finders: Sequence[Finder]

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """Everything that may be asked for; a structure that an earlier finder has is left to it."""
        return tuple(self._candidates(history))

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """Let the finder whose candidate it is find it."""
        number, key = cast(tuple[int, Hashable], candidate.key)
        return self.finders[number].segment(replace(candidate, key=key), history, progress=progress)

    def _candidates(self, history: Conversation) -> Iterator[Candidate]:
        taken = set()
        for number, finder in enumerate(self.finders):
            own = [c for c in finder.candidates(history) if c.entity is None or c.entity not in taken]
            yield from (replace(candidate, key=(number, candidate.key)) for candidate in own)
            taken |= {candidate.entity for candidate in own}
