"""Dice, gIoU and cIoU by their definitions, at their edges too."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from MultiRoundSegLib.evaluation.metrics import Overlap, overlap, summary

masks = arrays(bool, (4, 5))


@given(masks, masks)
def test_counts_are_those_of_the_pixels(predicted: np.ndarray, truth: np.ndarray) -> None:
    found = overlap(predicted, truth)
    assert found.intersection == (predicted & truth).sum()
    assert found.union == (predicted | truth).sum()
    assert 0 <= found.iou <= found.dice <= 1
    assert (found.dice == 1) == bool((predicted == truth).all())


@given(st.lists(st.tuples(masks, masks), min_size=1, max_size=5))
def test_ciou_is_that_of_all_pixels_together(pairs: list[tuple[np.ndarray, np.ndarray]]) -> None:
    together = overlap(np.stack([one for one, _ in pairs]), np.stack([other for _, other in pairs]))
    figures = summary(overlap(one, other) for one, other in pairs)
    assert figures["ciou"] == pytest.approx(together.iou)
    assert figures["count"] == len(pairs)


def test_figures_of_two_masks() -> None:
    figures = summary([Overlap(5, 10, 10), Overlap(0, 5, 0)])
    assert figures == pytest.approx({"dice": 0.25, "giou": 1 / 6, "ciou": 5 / 20, "count": 2})


def test_nothing_found_where_nothing_was_is_right() -> None:
    assert summary([Overlap(0, 0, 0)]) == {"dice": 1.0, "giou": 1.0, "ciou": 1.0, "count": 1}
    assert summary([]) == {"count": 0}


def test_masks_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        overlap(np.zeros((2, 3), bool), np.zeros((3, 2), bool))
