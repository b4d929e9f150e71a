"""The segmenter `atlas`: carries the labels of another image over to this one."""

from __future__ import annotations

from collections.abc import Sequence

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.engines.reasoner.segmenters.segmenter import Candidate, Found, SegmenterInfo
from MultiRoundSegLib.errors import OutsideDomainError
from MultiRoundSegLib.images import Mask, Volume

from .itk import part
from .registration import Registration, register
from .warp import carry, neighbourhood

_SECONDS = 15.0
_REGISTERED = 0.9  # the share of a first round's time that registration takes


class AtlasSegmenter:
    """Registers an image with known masks, a template or a patient's earlier scan, to the volume.

    The score of a mask is the share, 0 to 1, of the atlas's contrast in and around it that the volume explains
    (see `Fit`): it judges the alignment there, not the atlas's own labels.
    """

    def __init__(self, atlas: Volume, masks: Sequence[Mask], anatomy: Anatomy) -> None:
        """Use these masks, which lie on the grid of `atlas` and may overlap; names are understood by `anatomy`.

        Raises:
            ValueError: a mask lies on another grid.
        """
        for mask in masks:
            if not mask.geometry.matches(atlas.geometry):
                raise ValueError(f"the mask {mask.label!r} does not lie on the grid of the atlas {atlas.name}")
        self.info = SegmenterInfo("atlas", f"Atlas: {atlas.name}", seconds=_SECONDS)
        self._atlas = atlas
        self._masks = tuple(masks)
        self._candidates = tuple(
            Candidate(
                entity=anatomy.identify(mask.label, mask.code),
                label=mask.label,
                title=f"{mask.label} ({atlas.name})",
                key=index,
            )
            for index, mask in enumerate(masks)
        )

    def open(self, volume: Volume) -> AtlasFinder:
        """Take in a volume; nothing is computed yet."""
        return AtlasFinder(volume, self._atlas, self._masks, self._candidates)


class AtlasFinder:
    """An atlas and a volume; they are registered once, when the first structure is wanted."""

    def __init__(self, volume: Volume, atlas: Volume, masks: Sequence[Mask], candidates: tuple[Candidate, ...]) -> None:
        """Hold what registration needs."""
        self._volume, self._atlas, self._masks, self._candidates = volume, atlas, masks, candidates
        self._registered: Registration | OutsideDomainError | None = None

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """One candidate per mask of the atlas."""
        return self._candidates

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """The mask of the atlas on the volume's grid; empty where the volume does not show that place."""
        assert isinstance(candidate.key, int), "candidates of this segmenter are numbered"
        mask = self._masks[candidate.key]
        registration = self._register(part(progress, 0.0, _REGISTERED))
        near = neighbourhood(mask, registration.warp)
        carried = carry(mask, near, registration.warp, self._volume.geometry, progress=part(progress, _REGISTERED, 1.0))
        return Found(carried, None if carried.is_empty else registration.fit.within(near))

    def _register(self, progress: Progress) -> Registration:
        """Register at the first call; a fit that failed fails again at once."""
        if self._registered is None:
            try:
                self._registered = register(self._volume, self._atlas, progress=progress)
            except OutsideDomainError as error:
                self._registered = error
        if isinstance(self._registered, OutsideDomainError):
            raise OutsideDomainError(str(self._registered))
        return self._registered
