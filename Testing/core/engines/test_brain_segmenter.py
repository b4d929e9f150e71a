"""The brain segmenter as the reasoner uses it; the network here is a simple rule."""

from pathlib import Path

import numpy as np
import pytest
from engine_contract import EngineContract, Told
from numpy.typing import NDArray

from MultiRoundSegLib.anatomy import load_anatomy, load_knowledge
from MultiRoundSegLib.conversation import Conversation, Question
from MultiRoundSegLib.engines import Engine
from MultiRoundSegLib.engines.reasoner import ReasonerEngine
from MultiRoundSegLib.engines.reasoner.segmenters import LabelsSegmenter
from MultiRoundSegLib.engines.reasoner.segmenters.brain import BrainSegmenter
from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import CLASSES
from MultiRoundSegLib.errors import CancelledError, EngineUnavailableError, OutsideDomainError, WeightsMissingError
from MultiRoundSegLib.images import Geometry, Mask, Volume

ANATOMY = load_anatomy()
GRID = Geometry((40, 44, 48), np.diag([3.0, 3.0, 3.0, 1.0]))
THALAMUS, BRAIN_STEM = 7, 17


def middle_is_thalamus(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bright voxels are thalamus, darker ones brain stem; right in the right half of the box."""
    logits = np.zeros((1, CLASSES + 1, *image.shape[2:]), np.float32)
    logits[:, THALAMUS] = 60 * (image[:, 0] - 0.4)
    logits[:, BRAIN_STEM] = 30 * (image[:, 0] > 0.2)
    logits[:, -1] = np.sign(np.arange(image.shape[-1]) - (image.shape[-1] - 1) / 2)
    return logits


class CountingNetwork:
    def __init__(self) -> None:
        self.opened = 0

    def __call__(self, model: Path):
        self.opened += 1
        return middle_is_thalamus


def head(modality: str = "MR") -> Volume:
    """A dim block with a bright core, in air."""
    voxels = np.zeros(GRID.shape, np.float32)
    voxels[8:32, 8:36, 8:40] = 50
    voxels[15:25, 17:27, 19:29] = 100
    return Volume(voxels, GRID, modality, name="head")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "brain.onnx"
    path.write_bytes(b"weights")
    return path


def finder(model: Path, volume: Volume, run: CountingNetwork | None = None):
    return BrainSegmenter(ANATOMY, model, run or CountingNetwork()).open(volume)


def test_every_structure_of_the_network_is_known_to_the_anatomy(model: Path) -> None:
    candidates = finder(model, head()).candidates(Conversation(GRID))
    assert len(candidates) == 31
    assert len({candidate.entity for candidate in candidates}) == 31
    assert all(candidate.entity for candidate in candidates)


@pytest.mark.parametrize("modality", ["CT", "US", "CR", "PT"])
def test_it_offers_nothing_for_other_modalities(model: Path, modality: str) -> None:
    assert finder(model, head(modality)).candidates(Conversation(GRID)) == ()


def test_it_offers_nothing_for_pictures(model: Path) -> None:
    flat = Volume(np.zeros((1, 8, 8)), Geometry((1, 8, 8), np.eye(4)))
    colour = Volume(np.zeros((9, 8, 8, 3), np.uint8), Geometry((9, 8, 8), np.eye(4)))
    for volume in (flat, colour):
        assert finder(model, volume).candidates(Conversation(volume.geometry)) == ()


def test_a_volume_is_labelled_once_and_every_structure_is_then_at_hand(model: Path) -> None:
    network = CountingNetwork()
    found = finder(model, head(), network)
    by_name = {candidate.label: candidate for candidate in found.candidates(Conversation(GRID))}
    masks = {
        name: found.segment(by_name[name], Conversation(GRID), progress=Told())
        for name in ("left thalamus", "right thalamus", "brain stem", "left hippocampus")
    }
    assert network.opened == 1
    left, right = masks["left thalamus"].mask, masks["right thalamus"].mask
    assert left.centroid_ras()[0] < right.centroid_ras()[0]
    assert left.voxel_count + right.voxel_count == pytest.approx(1000, rel=0.15)
    assert 0.5 < masks["left thalamus"].score <= 1
    assert masks["left hippocampus"].mask.is_empty


@pytest.mark.parametrize(
    ("volume", "words"),
    [
        (Volume(np.zeros(GRID.shape), GRID, "MR", name="zero"), "does not look like an MR of a brain"),
        (Volume(np.ones((4, 44, 48)), Geometry((4, 44, 48), np.eye(4)), "MR", name="few"), "too few slices"),
    ],
)
def test_what_is_no_brain_is_refused_once_and_for_all(model: Path, volume: Volume, words: str) -> None:
    network = CountingNetwork()
    found = finder(model, volume, network)
    candidate = found.candidates(Conversation(volume.geometry))[0]
    for _ in range(2):
        with pytest.raises(OutsideDomainError, match=words):
            found.segment(candidate, Conversation(volume.geometry), progress=Told())
    assert network.opened <= 1


def spaced(spacing: float, cut: bool = False) -> Volume:
    """The head with another spacing in its header, perhaps only its upper part."""
    volume = head()
    voxels = volume.voxels[16:] if cut else volume.voxels
    return Volume(voxels, Geometry(voxels.shape, np.diag([spacing, spacing, spacing, 1.0])), "MR", name="head")


@pytest.mark.parametrize("spacing", [2.0, 5.0])
def test_a_whole_brain_of_an_impossible_size_is_refused(model: Path, spacing: float) -> None:
    found = finder(model, spaced(spacing))
    with pytest.raises(OutsideDomainError, match="check the voxel spacing"):
        found.segment(found.candidates(Conversation(GRID))[0], Conversation(GRID), progress=Told())


def test_a_brain_that_is_cut_off_may_be_small(model: Path) -> None:
    volume = spaced(2.0, cut=True)
    found, history = finder(model, volume), Conversation(volume.geometry)
    candidate = next(c for c in found.candidates(history) if c.label == "brain stem")
    assert not found.segment(candidate, history, progress=Told()).mask.is_empty


def test_voxels_that_are_no_numbers_are_not_looked_at(model: Path) -> None:
    volume = head()
    volume.voxels[0] = np.nan
    volume.voxels[20, 20, 20] = np.inf
    found, history = finder(model, volume), Conversation(GRID)
    candidate = next(c for c in found.candidates(history) if c.label == "left thalamus")
    assert found.segment(candidate, history, progress=Told()).mask.voxel_count > 300


def test_cancelling_while_labelling_leaves_nothing_half_done(model: Path) -> None:
    found = finder(model, head())
    candidate = next(c for c in found.candidates(Conversation(GRID)) if c.label == "brain stem")
    with pytest.raises(CancelledError):
        found.segment(candidate, Conversation(GRID), progress=Told(stop=True))
    assert not found.segment(candidate, Conversation(GRID), progress=Told()).mask.is_empty


def test_a_missing_network_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissingError, match="install the package again"):
        BrainSegmenter(ANATOMY, tmp_path / "nothing.onnx")


def test_a_missing_runtime_is_said_with_what_to_install(model: Path) -> None:
    def no_runtime(path: Path):
        raise EngineUnavailableError("needs onnxruntime")

    found = BrainSegmenter(ANATOMY, model, no_runtime).open(head())
    with pytest.raises(EngineUnavailableError, match="onnxruntime"):
        found.segment(found.candidates(Conversation(GRID))[0], Conversation(GRID), progress=Told())


def test_a_segmentation_that_is_there_is_asked_before_the_network(model: Path) -> None:
    engine = ReasonerEngine(
        load_knowledge(), [LabelsSegmenter(ANATOMY), BrainSegmenter(ANATOMY, model, CountingNetwork())]
    )
    voxels = np.zeros(GRID.shape)
    voxels[20, 20, 20] = 1
    history = Conversation(GRID, [Mask(voxels, GRID, "Left-Thalamus")])
    answer = engine.open(head()).answer(Question("both thalami"), history, progress=Told())
    left, right = answer.masks
    assert left.voxel_count == 1
    assert right.voxel_count > 100
    assert answer.score is not None


class TestContract(EngineContract):
    answerable = Question("the right thalamus")
    unanswerable = Question("the right hippocampus")

    @pytest.fixture
    def engine(self, model: Path) -> Engine:
        return ReasonerEngine(load_knowledge(), [BrainSegmenter(ANATOMY, model, CountingNetwork())])

    @pytest.fixture
    def volume(self) -> Volume:
        return head()

    @pytest.fixture
    def history(self) -> Conversation:
        return Conversation(GRID)
