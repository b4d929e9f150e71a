"""The segmenter `atlas`: carries the labels of another image over to this one."""

from __future__ import annotations

from collections.abc import Sequence

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.engines.reasoner.segmenters.segmenter import Candidate, Found, SegmenterInfo
from MultiRoundSegLib.errors import OutsideDomainError
from MultiRoundSegLib.images import Mask, Volume

from .atlas import Atlas
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

    def __init__(self, atlas: Atlas, anatomy: Anatomy) -> None:
        """Use this atlas; the names of its masks are understood by `anatomy`."""
        name = atlas.volume.name
        self.info = SegmenterInfo("atlas", f"atlas {name}", f"图谱{name}", seconds=_SECONDS)
        self._atlas = atlas
        self._anatomy = anatomy

    def open(self, volume: Volume) -> AtlasFinder:
        """Take in a volume; nothing is computed yet."""
        return AtlasFinder(volume, self._atlas, self._anatomy)


class AtlasFinder:
    """An atlas and a volume; they are registered once, when the first structure is wanted."""

    def __init__(self, volume: Volume, atlas: Atlas, anatomy: Anatomy) -> None:
        """Hold what registration needs."""
        self._volume, self._atlas, self._anatomy = volume, atlas, anatomy
        self._masks: Sequence[Mask] = ()
        self._registered: Registration | OutsideDomainError | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the atlas is registered."""
        return isinstance(self._registered, Registration)

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """One candidate per mask that the atlas has now.

        Raises:
            ValueError: a mask does not lie on the atlas's grid.
        """
        self._masks = self._atlas.masks()
        return tuple(self._candidate(mask, number) for number, mask in enumerate(self._masks))

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """The mask of the atlas on the volume's grid; empty where the volume does not show that place."""
        assert isinstance(candidate.key, int), "candidates of this segmenter are numbered"
        mask = self._masks[candidate.key]
        registration = self._register(part(progress, 0.0, _REGISTERED))
        near = neighbourhood(mask, registration.warp)
        carried = carry(mask, near, registration.warp, self._volume.geometry, progress=part(progress, _REGISTERED, 1.0))
        return Found(carried, None if carried.is_empty else registration.fit.within(near))

    def _candidate(self, mask: Mask, number: int) -> Candidate:
        atlas = self._atlas.volume
        if not mask.geometry.matches(atlas.geometry):
            raise ValueError(f"the mask {mask.label!r} does not lie on the grid of the atlas {atlas.name}")
        entity = self._anatomy.identify(mask.label, mask.code)
        return Candidate(entity, mask.label, f"{mask.label} ({mask.source or atlas.name})", number)

    def _register(self, progress: Progress) -> Registration:
        """Register at the first call; a fit that failed fails again at once."""
        if self._registered is None:
            try:
                self._registered = register(self._volume, self._atlas.volume, progress=progress)
            except OutsideDomainError as error:
                self._registered = error
        if isinstance(self._registered, OutsideDomainError):
            raise OutsideDomainError(str(self._registered))
        return self._registered
