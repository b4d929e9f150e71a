"""The segmenter `brain`: structures of a brain MR of any contrast, by a network that ships with the package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.anatomy import Anatomy
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.engines.reasoner.segmenters.segmenter import Candidate, Found, SegmenterInfo
from MultiRoundSegLib.errors import OutsideDomainError, WeightsMissingError
from MultiRoundSegLib.images import Mask, Volume

from .labelling import BrainLabels, Network, label_volume
from .runtime import open_network
from .structures import KINDS, RIGHT

MODEL = Path(__file__).parent / "brain.onnx"
_MODALITIES = ("MR", "OT")  # files other than DICOM do not say what they are
_LEAST_SLICES = 8
_LEAST_BRAIN_ML = 60.0
_LEAST_CERTAINTY = 0.69
"""Below these the image is taken for no brain MR; measured on brains, other MR, CT and noise (model card)."""
_WHOLE_BRAIN_ML = (450.0, 2300.0)
"""A whole brain of another size has a wrong spacing: adults have 900 to 1700 ml, a newborn about 400."""


class BrainSegmenter:
    """Labels a whole brain once; every structure after that is at hand."""

    def __init__(self, anatomy: Anatomy, model: Path = MODEL, run: Callable[[Path], Network] = open_network) -> None:
        """Use these names of structures and this network.

        Args:
            anatomy: names of structures.
            model: the file of the network.
            run: makes the network of a file ready to run.

        Raises:
            WeightsMissingError: the file of the network is not there.
        """
        if not model.is_file():
            raise WeightsMissingError(f"The brain network {model.name} is missing; install the package again.")
        self._anatomy = anatomy
        self._model = model
        self._run = run

    @cached_property
    def info(self) -> SegmenterInfo:
        """What it is good for."""
        weights = hashlib.sha256(self._model.read_bytes()).hexdigest()
        return SegmenterInfo("brain", "brain network", "脑部网络", ("MR",), "brain", 6.0, weights)

    def open(self, volume: Volume) -> BrainFinder:
        """Take in a volume; it is labelled when the first structure is asked for."""
        return BrainFinder(volume, self._anatomy, lambda: self._run(self._model))


class BrainFinder:
    """One volume and, once they were needed, its labels."""

    def __init__(self, volume: Volume, anatomy: Anatomy, network: Callable[[], Network]) -> None:
        """Hold what labelling needs."""
        self._volume = volume
        self._anatomy = anatomy
        self._network = network
        self._labels: BrainLabels | None = None
        self._refusal: OutsideDomainError | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the brain is labelled."""
        return self._labels is not None

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        """The structures of the network, if the volume can be a brain MR at all."""
        flat = self._volume.geometry.shape[0] == 1 or self._volume.is_colour
        return () if flat or self._volume.modality not in _MODALITIES else self._structures

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        """One structure; the first one labels the whole brain.

        Raises:
            OutsideDomainError: the image shows no brain.
            EngineUnavailableError: onnxruntime is not installed.
        """
        labels = self._labelled(progress)
        label = candidate.key
        mask = Mask(labels.voxels == label, self._volume.geometry, candidate.label)
        progress(1.0, candidate.label)
        assert isinstance(label, int), "candidates of this segmenter are label bytes"
        return Found(mask, labels.certainty.get(label, 0.0))

    @cached_property
    def _structures(self) -> tuple[Candidate, ...]:
        found = []
        for number, kind in enumerate(KINDS, start=1):
            names = {number: kind.name}
            if kind.right is not None:
                names = {number: f"left {kind.name}", number + RIGHT: f"right {kind.name}"}
            found += [Candidate(self._anatomy.identify(name), name, name, key) for key, name in names.items()]
        return tuple(found)

    def _labelled(self, progress: Progress) -> BrainLabels:
        """The labels, made once; a volume that shows no brain is refused once and for all."""
        if self._refusal:
            raise self._refusal
        if self._labels is None:
            try:
                self._labels = self._label(progress)
            except OutsideDomainError as error:
                self._refusal = error
                raise
        return self._labels

    def _label(self, progress: Progress) -> BrainLabels:
        if min(self._volume.geometry.shape) < _LEAST_SLICES:
            raise OutsideDomainError(
                f"{self._volume.name} has too few slices for the brain network; it needs {_LEAST_SLICES} at least."
            )
        labels = label_volume(self._volume, self._network(), progress=progress)
        brain = labels.voxels > 0
        brain_ml = np.count_nonzero(brain) * self._volume.geometry.voxel_volume_mm3 / 1000
        if brain_ml < _LEAST_BRAIN_ML or labels.overall < _LEAST_CERTAINTY:
            raise OutsideDomainError(
                f"{self._volume.name} does not look like an MR of a brain, so the brain network cannot label it; "
                "load a segmentation of it, or choose another image."
            )
        low, high = _WHOLE_BRAIN_ML
        if brain_ml > high or (brain_ml < low and not _is_cut(brain)):
            raise OutsideDomainError(
                f"The brain in {self._volume.name} would have {brain_ml:.0f} ml; check the voxel spacing of the image."
            )
        return labels


def _is_cut(brain: NDArray[np.bool_]) -> bool:
    """Whether a brain (K, J, I) reaches the edge of the image, so that a part of it is not shown."""
    faces = (np.take(brain, [0, -1], axis=axis) for axis in range(3))
    return any(bool(face.any()) for face in faces)
