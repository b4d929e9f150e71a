"""Synthetic brain images: sides stay sides, a seed is a sample, a removed skull is zero."""

import numpy as np
import pytest

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import RIGHT
from MultiRoundSegLib.training.brain.contrast import strip_skull, tissue_means
from MultiRoundSegLib.training.brain.label_maps import TISSUES, LabelMap, label_map
from MultiRoundSegLib.training.brain.synthesis import synthesise

SHAPE = (32, 32, 32)


def a_head() -> LabelMap:
    """Skin around white matter, whose left half (2) is one thalamus (10) fuller than its right half (41)."""
    numbers = np.full((60, 60, 60), 516, np.int64)
    numbers[10:50, 10:50, 10:30] = 2
    numbers[10:50, 10:50, 30:50] = 41
    numbers[20:40, 20:40, 12:28] = 10
    return label_map(numbers)


def test_sides_are_kept_whichever_way_the_head_is_flipped() -> None:
    for seed in range(6):
        labels = synthesise(a_head(), np.random.default_rng(seed), shape=SHAPE).labels
        left, right = np.argwhere(labels == 1), np.argwhere(labels == 1 + RIGHT)
        assert left[:, 2].mean() < right[:, 2].mean()


def test_a_flipped_head_shows_its_left_thalamus_on_the_right() -> None:
    shown = [synthesise(a_head(), np.random.default_rng(seed), shape=SHAPE).labels for seed in range(8)]
    sides = {int(label) for labels in shown for label in np.unique(labels[labels % RIGHT == 7])}
    assert sides == {7, 7 + RIGHT}


def test_a_seed_is_a_sample() -> None:
    first, again = (synthesise(a_head(), np.random.default_rng(3), shape=SHAPE) for _ in range(2))
    assert np.array_equal(first.image, again.image)
    assert np.array_equal(first.labels, again.labels)


def test_an_image_is_finite_and_between_zero_and_one() -> None:
    for seed in range(6):
        image = synthesise(a_head(), np.random.default_rng(seed), shape=SHAPE).image
        assert image.dtype == np.float32
        assert image.min() >= 0
        assert image.max() <= 1


def test_of_a_part_of_a_brain_nothing_is_shown_or_labelled_beyond_it() -> None:
    for seed in range(8):
        part = synthesise(a_head(), np.random.default_rng(seed), partial=1.0, shape=SHAPE, spacing_mm=6.0)
        black = [(part.image == 0).all(axis=axes) for axes in ((1, 2), (0, 2), (0, 1))]
        assert any(planes[0] or planes[-1] for planes in black)
        assert part.image.any()
        assert not part.labels[black[0]].any()
        assert not part.labels[:, black[1]].any()
        assert not part.labels[:, :, black[2]].any()


def test_removing_the_skull_blackens_what_is_not_brain() -> None:
    rng = np.random.default_rng(0)
    stripped = strip_skull(rng, tissue_means(rng, strength=1) + 0.01)
    assert stripped[TISSUES.index(516)] == 0
    assert stripped[TISSUES.index(10)] > 0


def test_an_unknown_number_in_a_label_map_is_refused() -> None:
    with pytest.raises(ValueError, match="999"):
        label_map(np.full((4, 4, 4), 999, np.int64))


def test_a_label_map_is_read_back_as_it_was_saved(tmp_path) -> None:
    head = a_head()
    head.save(tmp_path / "head.npz")
    again = LabelMap.load(tmp_path / "head.npz")
    assert np.array_equal(again.tissues, head.tissues)
    assert np.array_equal(again.labels, head.labels)
    assert np.array_equal(again.brain_centre, head.brain_centre)
