import numpy as np
import pytest

from MultiRoundSegLib.images import Geometry

OBLIQUE = np.array(
    [
        [0.6, -0.45, 0.77, -30.0],
        [0.36, 0.73, -0.5, 12.0],
        [0.0, 0.3, 2.3, -5.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
)


def test_positions_are_given_in_array_order() -> None:
    geometry = Geometry((4, 5, 6), np.diag([0.5, 2.0, 3.0, 1.0]))
    assert geometry.spacing == (0.5, 2.0, 3.0)
    assert geometry.ras((3, 2, 1)).tolist() == [0.5, 4.0, 9.0]
    assert geometry.kji((0.5, 4.0, 9.0)).tolist() == [3.0, 2.0, 1.0]
    assert geometry.voxel_volume_mm3 == pytest.approx(3.0)


def test_positions_of_an_oblique_grid_come_back_as_indices() -> None:
    geometry = Geometry((4, 5, 6), OBLIQUE)
    indices = np.array([[0, 0, 0], [3, 4, 5], [1.5, 2.25, 0.75]])
    np.testing.assert_allclose(geometry.kji(geometry.ras(indices)), indices, atol=1e-12)


def test_a_sheared_voxel_has_the_volume_of_its_parallelepiped() -> None:
    sheared = np.eye(4)
    sheared[1, 2] = 0.5
    geometry = Geometry((2, 2, 2), sheared)
    assert geometry.voxel_volume_mm3 == pytest.approx(1.0)
    assert geometry.spacing[2] == pytest.approx(np.hypot(1, 0.5))


def test_grids_match_when_no_voxel_is_farther_off_than_the_tolerance() -> None:
    geometry = Geometry((100, 100, 100), np.eye(4))
    turned = np.eye(4)
    turned[0, 1] = 1e-4
    assert geometry.matches(Geometry((100, 100, 100), np.eye(4)))
    assert not geometry.matches(Geometry((100, 100, 99), np.eye(4)))
    assert not geometry.matches(Geometry((100, 100, 100), turned))


@pytest.mark.parametrize(
    ("shape", "matrix"),
    [((0, 1, 1), np.eye(4)), ((1, 1), np.eye(4)), ((1, 1, 1), np.zeros((4, 4))), ((1, 1, 1), np.eye(3))],
)
def test_what_is_no_grid_is_refused(shape: tuple[int, ...], matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"geometry|matrix"):
        Geometry(shape, matrix)


def test_the_matrix_cannot_be_changed_from_outside() -> None:
    matrix = np.eye(4)
    geometry = Geometry((1, 1, 1), matrix)
    matrix[0, 3] = 7
    assert geometry.ijk_to_ras[0, 3] == 0
    with pytest.raises(ValueError, match="read-only"):
        geometry.ijk_to_ras[0, 3] = 7
