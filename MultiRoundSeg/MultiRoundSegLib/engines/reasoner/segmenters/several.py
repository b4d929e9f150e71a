"""Several segmenters as one: for each structure the first that has it is asked, then the next."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress, no_progress
from MultiRoundSegLib.errors import EngineError
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.images.combine import dice

from .segmenter import Candidate, Dispute, Finder, Found, Segmenter, SegmenterInfo

LITTLE_OVERLAP = 0.5
"""Two masks of one structure with a lower Dice are not taken for the same place."""

_Way = tuple[int, Candidate]
"""A finder's number and its own candidate."""


@dataclass(frozen=True)
class SeveralFinders:
    """Finders over one volume.

    Attributes:
        finders: each with what its segmenter is; those that are asked first come first.
    """

    finders: Sequence[tuple[SegmenterInfo, Finder]]

    @classmethod
    def open(cls, segmenters: Sequence[Segmenter], volume: Volume) -> SeveralFinders:
        """Let segmenters take in a volume."""
        return cls([(segmenter.info, segmenter.open(volume)) for segmenter in segmenters])

    def only(self, name: str) -> SeveralFinders:
        """Those of one segmenter."""
        return SeveralFinders([(info, finder) for info, finder in self.finders if info.name == name])

    def ready(self) -> SeveralFinders:
        """Those that know what the volume shows."""
        return SeveralFinders([(info, finder) for info, finder in self.finders if finder.is_ready])

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """Everything that may be asked for, each structure as the first finder has it."""
        found: list[tuple[Candidate, list[_Way]]] = []
        of_entity: dict[Hashable, list[list[_Way]]] = {}
        for number, (_, finder) in enumerate(self.finders):
            earlier = dict(of_entity)
            for candidate in finder.candidates(history):
                if candidate.entity in earlier:
                    for ways in earlier[candidate.entity]:
                        ways.append((number, candidate))
                    continue
                ways = [(number, candidate)]
                found.append((candidate, ways))
                if candidate.entity:
                    of_entity.setdefault(candidate.entity, []).append(ways)
        return tuple(replace(candidate, key=tuple(ways)) for candidate, ways in found)

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """The mask of the first that finds the structure, and who of the others that are ready finds it elsewhere.

        Raises:
            EngineError: none of them can work on the volume; the first one's reason.
            CancelledError: `progress` said so.
        """
        ways = list(cast("tuple[_Way, ...]", candidate.key))
        refusals: list[EngineError] = []
        blank: Found | None = None
        while ways:
            number, own = ways.pop(0)
            info, finder = self.finders[number]
            try:
                found = replace(finder.segment(own, history, progress=progress), by=(info,))
            except EngineError as error:
                refusals.append(error)
                continue
            if info.sees_image or not found.mask.is_empty:
                return replace(found, disputes=tuple(self._disputes(found, ways, history)))
            blank = blank or found
        if blank:
            return blank
        raise refusals[0]

    def _disputes(self, found: Found, ways: Sequence[_Way], history: Conversation) -> Iterator[Dispute]:
        """Finders that are ready and have the structure in another place."""
        for number, own in ways:
            info, finder = self.finders[number]
            if found.mask.is_empty or not finder.is_ready:
                continue
            other = finder.segment(own, history, progress=no_progress).mask
            overlap = dice(found.mask, other)
            if not other.is_empty and overlap < LITTLE_OVERLAP:
                yield Dispute(info, overlap)
