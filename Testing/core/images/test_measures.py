"""Diameters and intensities of masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist

from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.images.measures import longest_diameter_mm, mean_intensity


def grid(*shape: int, spacing: tuple[float, float, float] = (0.8, 0.8, 1.5)) -> Geometry:
    return Geometry(shape, np.diag([*spacing, 1.0]))


def test_the_diagonal_of_a_block() -> None:
    voxels = np.zeros((20, 30, 20), bool)
    voxels[4:14, 5:25, 6:16] = True
    mask = Mask(voxels, grid(20, 30, 20), "block")
    assert mask.volume_ml == pytest.approx(1.92)
    assert longest_diameter_mm(mask) == pytest.approx(21.57, abs=0.005)


@given(arrays(bool, (5, 6, 7), elements=st.booleans()))
def test_it_is_the_longest_of_all_distances(voxels: np.ndarray) -> None:
    geometry = grid(5, 6, 7)
    places = geometry.ras(np.argwhere(voxels)[:, ::-1]) if voxels.any() else np.zeros((0, 3))
    wanted = pdist(places).max() if len(places) > 1 else 0.0
    assert longest_diameter_mm(Mask(voxels, geometry, "any")) == pytest.approx(wanted)


def test_a_flat_mask_has_a_diameter_too() -> None:
    rows, columns = np.mgrid[:400, :400]
    disc = (rows - 200) ** 2 + (columns - 200) ** 2 <= 150**2
    mask = Mask(disc[None], grid(1, 400, 400, spacing=(1, 1, 1)), "disc")
    assert longest_diameter_mm(mask) == pytest.approx(300, abs=0.5)


def test_a_ball_of_five_million_voxels() -> None:
    k, j, i = np.ogrid[-1:1:220j, -1:1:220j, -1:1:220j]
    mask = Mask(k**2 + j**2 + i**2 <= 1, grid(220, 220, 220), "ball")
    assert mask.voxel_count > 5e6
    assert longest_diameter_mm(mask) == pytest.approx(219 * 1.5, rel=0.01)


def test_the_mean_within_a_mask() -> None:
    voxels = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    inside = voxels % 5 == 0
    assert mean_intensity(Mask(inside, grid(2, 3, 4), "some"), Volume(voxels, grid(2, 3, 4), "CT")) == 10.0
