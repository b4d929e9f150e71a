"""The shipped brain network on a real brain: the MNI T1 average, at 3 mm so that a look takes two seconds."""

import hashlib

import numpy as np
import pytest
import sample_data
from engine_contract import Told
from scipy import ndimage

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import EngineSession, create_engine
from MultiRoundSegLib.engines.reasoner.segmenters.brain.segmenter import MODEL
from MultiRoundSegLib.images import Geometry, Volume
from MultiRoundSegLib.images.combine import dice
from MultiRoundSegLib.images.readers import read_volume

SPACING = 3


@pytest.fixture(scope="module")
def brain() -> Volume:
    volume = read_volume(sample_data.fetch("mr_brain"))
    matrix = volume.geometry.ijk_to_ras @ np.diag([SPACING, SPACING, SPACING, 1.0])
    voxels = np.ascontiguousarray(ndimage.gaussian_filter(volume.voxels.astype(np.float32), 1)[::3, ::3, ::3])
    return Volume(voxels, Geometry(voxels.shape, matrix), "MR", name="brain")


@pytest.fixture(scope="module")
def session(brain: Volume) -> EngineSession:
    return create_engine("reasoner").open(brain)


def ask(session: EngineSession, volume: Volume, text: str) -> Answer:
    return session.answer(Question(text), Conversation(volume.geometry), progress=Told())


VOLUMES_ML = {  # of the average brain, generously
    "left cerebral cortex": (200, 450),
    "right cerebral white matter": (150, 400),
    "left hippocampus": (2, 7),
    "right thalamus": (5, 12),
    "left putamen": (3, 9),
    "right caudate": (2, 7),
    "left amygdala": (0.8, 3),
    "brain stem": (15, 35),
    "fourth ventricle": (0.5, 4),
    "left lateral ventricle": (3, 20),
}


@pytest.mark.parametrize("name", VOLUMES_ML)
def test_a_structure_of_a_real_brain_has_the_size_it_should(session: EngineSession, brain: Volume, name: str) -> None:
    answer = ask(session, brain, name)
    (mask,) = answer.masks
    low, high = VOLUMES_ML[name]
    assert low < mask.volume_ml < high
    assert answer.score is not None
    assert answer.score > 0.5
    assert answer.origin.weights


def test_left_is_left_and_the_front_is_in_front(session: EngineSession, brain: Volume) -> None:
    left, right = (m.centroid_ras() for m in ask(session, brain, "both hippocampi").masks)
    assert left[0] < -10
    assert right[0] > 10
    (amygdala,) = ask(session, brain, "left amygdala").masks
    assert amygdala.centroid_ras()[1] > left[1]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("the left basal ganglia", ("left caudate", "left putamen", "left pallidum")),
        ("the left lentiform nucleus", ("left putamen", "left pallidum")),
        ("the cerebellum", ("left cerebellum cortex", "right cerebellum white matter")),
        ("左侧大脑半球", ("left cerebral cortex", "left cerebral white matter", "left putamen", "left hippocampus")),
    ],
)
def test_a_whole_is_the_union_of_its_parts(
    session: EngineSession, brain: Volume, text: str, parts: tuple[str, ...]
) -> None:
    (whole,) = ask(session, brain, text).masks
    for part in parts:
        (mask,) = ask(session, brain, part).masks
        assert not (mask.voxels & ~whole.voxels).any(), part


def test_the_ventricles_are_asked_for_together(session: EngineSession, brain: Volume) -> None:
    (together,) = ask(session, brain, "脑室").masks
    assert together.volume_ml > 8
    assert ask(session, brain, "the ventricles").status == "clarify"


def turned(volume: Volume, order: tuple[int, int, int], flips: tuple[bool, bool, bool]) -> Volume:
    """The same brain, stored with other axes."""
    voxels, matrix = volume.voxels.transpose(order), volume.geometry.ijk_to_ras.copy()
    matrix[:, :3] = matrix[:, [2 - order[2 - n] for n in range(3)]]
    for axis in np.flatnonzero(flips):
        voxels = np.flip(voxels, axis)
        matrix[:, 3] += matrix[:, 2 - axis] * (voxels.shape[axis] - 1)
        matrix[:, 2 - axis] *= -1
    return Volume(np.ascontiguousarray(voxels), Geometry(voxels.shape, matrix), "MR", name="turned")


@pytest.mark.parametrize(
    ("order", "flips"), [((1, 0, 2), (True, False, False)), ((2, 1, 0), (False, True, True)), ((0, 2, 1), (True,) * 3)]
)
def test_the_axes_of_the_file_do_not_matter(brain: Volume, session: EngineSession, order, flips) -> None:
    other = turned(brain, order, flips)
    (expected,) = ask(session, brain, "left putamen").masks
    (found,) = ask(create_engine("reasoner").open(other), other, "left putamen").masks
    assert np.allclose(found.centroid_ras(), expected.centroid_ras(), atol=1)
    assert found.volume_ml == pytest.approx(expected.volume_ml, rel=0.05)


def changed(volume: Volume, voxels: np.ndarray, modality: str = "MR") -> Volume:
    return Volume(voxels.astype(np.float32), volume.geometry, modality, name="changed")


def test_an_inverted_contrast_is_read_too(brain: Volume, session: EngineSession) -> None:
    inverted = changed(brain, np.where(brain.voxels > 0, brain.voxels.max() - brain.voxels, 0))
    (expected,) = ask(session, brain, "left thalamus").masks
    (found,) = ask(create_engine("reasoner").open(inverted), inverted, "left thalamus").masks
    assert dice(found, expected) > 0.6


def a_ball(shape: tuple[int, ...]) -> np.ndarray:
    grid = np.stack(np.meshgrid(*(np.linspace(-1, 1, n) for n in shape), indexing="ij"))
    return np.where((grid**2).sum(axis=0) < 0.8, 100.0, 0.0)


def stripes(shape: tuple[int, ...]) -> np.ndarray:
    return 50 + 50 * np.sin(np.arange(shape[0]))[:, None, None] * np.ones(shape)


def noise(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(1).uniform(0, 100, shape)


@pytest.mark.parametrize("make", [a_ball, stripes, noise, np.zeros, np.ones])
def test_what_shows_no_brain_is_refused(brain: Volume, make) -> None:
    volume = changed(brain, make(brain.geometry.shape))
    answer = ask(create_engine("reasoner").open(volume), volume, "left putamen")
    assert answer.status == "none"
    assert "does not look like an MR of a brain" in answer.text


def test_a_ct_is_not_looked_at(brain: Volume) -> None:
    scan = changed(brain, brain.voxels, "CT")
    assert ask(create_engine("reasoner").open(scan), scan, "left putamen").status == "none"


def test_the_network_is_the_one_of_the_model_card() -> None:
    card = MODEL.with_name("MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"`{hashlib.sha256(MODEL.read_bytes()).hexdigest()}`" in card
    assert MODEL.stat().st_size < 20e6
