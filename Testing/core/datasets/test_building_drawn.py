"""A region as a person might draw it stays near the true one."""

import numpy as np

from MultiRoundSegLib.datasets.building.drawn import by_hand


def drawings(region: np.ndarray) -> list[np.ndarray]:
    return [by_hand(region, np.random.default_rng(seed)) for seed in range(60)]


def test_a_drawing_is_the_region_a_little_too_large_too_small_or_aside() -> None:
    region = np.zeros((20, 24), bool)
    region[6:14, 5:15] = True
    found = drawings(region)
    assert {int(drawn.sum()) for drawn in found} == {6 * 8, 8 * 10, 8 * 10 + 2 * (8 + 10)}
    assert len({drawn.tobytes() for drawn in found}) > 9
    for drawn in found:
        assert (drawn & region).sum() / (drawn | region).sum() > 0.4
        rows, columns = np.nonzero(drawn)
        assert abs(rows.mean() - 9.5) <= 1
        assert abs(columns.mean() - 9.5) <= 1


def test_what_is_moved_over_an_edge_does_not_come_back_at_the_other() -> None:
    region = np.zeros((20, 24), bool)
    region[:6, 18:] = True
    assert not any(drawn[10:].any() or drawn[:, :10].any() for drawn in drawings(region))


def test_a_region_that_would_vanish_stays() -> None:
    region = np.zeros((20, 24), bool)
    region[4, 4] = True
    assert all(drawn.any() for drawn in drawings(region))
