"""Dice counts sides apart, and every changed image still has its truth."""

import numpy as np
import pytest

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import RIGHT
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.volume import Volume
from MultiRoundSegLib.training.brain import measure

THALAMUS = 7


def a_labelled_volume() -> tuple[Volume, measure.Labels]:
    """An image whose intensity is its label plus one, so that labels can be read off it."""
    rng = np.random.default_rng(0)
    labels = rng.choice(np.array([0, 1, 1 + RIGHT, THALAMUS], np.uint8), (10, 15, 20))
    matrix = np.array([[-1.0, 0, 0, 9], [0, 0, 1, -4], [0, -1, 0, 7], [0, 0, 0, 1]])
    return Volume(labels.astype(np.float32) + 1, Geometry(labels.shape, matrix), "MR"), labels


def test_dice_is_the_mean_of_both_sides() -> None:
    truth = np.array([THALAMUS, THALAMUS, THALAMUS + RIGHT, THALAMUS + RIGHT], np.uint8)
    found = np.array([THALAMUS, THALAMUS, 0, THALAMUS + RIGHT], np.uint8)
    score = measure.compare(found, truth)
    assert score.dice["thalamus"] == pytest.approx((1 + 2 / 3) / 2)
    assert np.isnan(score.dice["caudate"])


def test_a_label_on_the_wrong_side_counts_as_swapped() -> None:
    truth = np.array([THALAMUS, THALAMUS, 1, 1], np.uint8)
    found = np.array([THALAMUS, THALAMUS + RIGHT, 1, 2], np.uint8)
    assert measure.compare(found, truth).swapped == pytest.approx(1 / 3)


def test_cortical_areas_and_the_corpus_callosum_count_as_cortex_and_white_matter() -> None:
    numbers = np.array([[[2, 251, 41, 1015, 12107, 31, 4, 24]]])
    assert measure.truth_from_freesurfer(numbers).ravel().tolist()[0] == 1
    labels = measure.truth_from_freesurfer(numbers).ravel().tolist()
    assert labels[1] in (1, 1 + RIGHT)
    assert labels[3:] == [2, 2 + RIGHT, 3, 3, 0]


def test_all_orientations_show_the_same_labels_at_the_same_places() -> None:
    volume, labels = a_labelled_volume()
    turned = list(measure.orientations(volume))
    assert len({name for name, _, _ in turned}) == 48
    corner = np.array([2, 3, 4])
    for _, other, back in turned:
        assert np.array_equal(back((other.voxels - 1).astype(np.uint8)), labels)
        kji = np.rint(other.geometry.kji(volume.geometry.ras(corner))).astype(int)
        assert other.voxels[tuple(kji)] == volume.voxels[tuple(corner)]


def test_thick_slices_average_their_neighbours_and_lie_between_them() -> None:
    volume, _ = a_labelled_volume()
    thick, spread = measure.thick_slices(volume, axis=1, thickness=5)
    assert thick.voxels.shape == (10, 3, 20)
    assert np.allclose(thick.voxels[:, 0], volume.voxels[:, :5].mean(axis=1))
    assert np.allclose(thick.geometry.ras([0, 0, 0]), volume.geometry.ras([0, 2, 0]))
    assert spread(thick.voxels).shape == volume.voxels.shape


def test_a_part_of_a_volume_stays_where_it_was() -> None:
    volume, _ = a_labelled_volume()
    part = measure.crop(volume, (slice(2, None), slice(0, 9), slice(5, 12)))
    assert part.voxels.shape == (8, 9, 7)
    assert np.allclose(part.geometry.ras([0, 0, 0]), volume.geometry.ras([2, 0, 5]))
