"""An oblique grid with two touching blocks, so that any flip or swap of axes shows."""

import itertools

import numpy as np
import pytest

from MultiRoundSegLib.images import Geometry, Mask


def oblique_affine():
    """0.7 x 0.9 x 2.5 mm, turned by 30 degrees about S and then 20 degrees about R."""
    about_s, about_r = np.deg2rad((30, 20))
    turn_s = [[np.cos(about_s), -np.sin(about_s), 0], [np.sin(about_s), np.cos(about_s), 0], [0, 0, 1]]
    turn_r = [[1, 0, 0], [0, np.cos(about_r), -np.sin(about_r)], [0, np.sin(about_r), np.cos(about_r)]]
    affine = np.eye(4)
    affine[:3, :3] = np.array(turn_s) @ turn_r * (0.7, 0.9, 2.5)
    affine[:3, 3] = (-30, 12, -5)
    return affine


def two_blocks():
    voxels = np.zeros((16, 24, 20), np.uint8)
    voxels[3:6, 4:18, 5:8] = 1
    voxels[3:6, 4:8, 8:15] = 1
    return voxels


@pytest.fixture
def blocks():
    """210 voxels whose centre lies at RAS (-27.0345, 18.0636, 7.0134)."""
    return Mask(two_blocks(), Geometry((16, 24, 20), oblique_affine()), "two blocks")


SIGNED_PERMUTATIONS = [
    (axes, signs) for axes in itertools.permutations(range(3)) for signs in itertools.product((1, -1), repeat=3)
]


@pytest.fixture(params=SIGNED_PERMUTATIONS, ids=str)
def turned_blocks(request):
    """The same two blocks in space, their voxels stored along each of the 48 orders of axes."""
    axes, signs = request.param
    affine, voxels = oblique_affine(), two_blocks()
    columns, origin = affine[:3, :3], affine[:3, 3].copy()
    stored = voxels.T.transpose(axes)
    turned = np.eye(4)
    for new, (old, sign) in enumerate(zip(axes, signs, strict=True)):
        if sign < 0:
            origin += columns[:, old] * (voxels.T.shape[old] - 1)
            stored = np.flip(stored, new)
        turned[:3, new] = columns[:, old] * sign
    turned[:3, 3] = origin
    return Mask(stored.T, Geometry(stored.T.shape, turned), "two blocks")
