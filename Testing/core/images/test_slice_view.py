import itertools

import numpy as np
import pytest

from MultiRoundSegLib.errors import GeometryMismatchError
from MultiRoundSegLib.images import Geometry, Mask, SliceView, Volume, Window, nearest_index, nearest_view
from MultiRoundSegLib.images.slice_view import PLANES, voxel_axes

GREY = Window(0, 255, "as stored")


def rotation(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def affine(directions: np.ndarray, spacing: tuple[float, float, float], origin: tuple[float, ...]) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = directions * spacing
    matrix[:3, 3] = origin
    return matrix


SIGNED_PERMUTATIONS = [
    np.eye(3)[:, list(order)] * signs
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1, -1), repeat=3)
]
OBLIQUE = rotation("z", 30) @ rotation("x", 20)


def test_an_axial_picture_shows_the_patients_right_on_the_left_and_anterior_on_top() -> None:
    voxels = np.zeros((3, 4, 5), dtype=np.uint8)
    right, anterior = 4, 3
    voxels[1, anterior, right] = 200
    volume = Volume(voxels, Geometry((3, 4, 5), np.eye(4)), "CR")
    picture = SliceView("axial", 1).pixels(volume)
    assert picture.shape == (4, 5, 3)
    assert picture[0, 0].tolist() == [200, 200, 200]
    assert picture.sum() == 600


def test_a_coronal_picture_shows_superior_on_top_and_a_sagittal_one_anterior_on_the_left() -> None:
    voxels = np.zeros((3, 4, 5), dtype=np.uint8)
    voxels[2, 3, 4] = 200
    volume = Volume(voxels, Geometry((3, 4, 5), np.eye(4)), "CR")
    assert SliceView("coronal", 3).pixels(volume)[0, 0, 0] == 200
    assert SliceView("sagittal", 4).pixels(volume)[0, 0, 0] == 200


def test_pixels_are_square_and_grey_values_are_never_mixed() -> None:
    voxels = np.array([[[10, 20]], [[30, 40]]], dtype=np.uint8)
    volume = Volume(voxels, Geometry((2, 1, 2), np.diag([1.0, 1.0, 2.5, 1.0])), "CR")
    picture = SliceView("coronal", 0).pixels(volume)[..., 0]
    assert picture.tolist() == [[40, 30], [40, 30], [20, 10], [20, 10], [20, 10]]


def test_colour_is_shown_as_it_is_in_rgb_order() -> None:
    voxels = np.zeros((1, 2, 2, 3), dtype=np.uint8)
    voxels[0, 1, 1] = (255, 0, 7)
    volume = Volume(voxels, Geometry((1, 2, 2), np.eye(4)), "XC")
    assert SliceView("axial", 0).pixels(volume)[0, 0].tolist() == [255, 0, 7]


def test_a_colour_image_with_a_window_is_shown_as_grey() -> None:
    voxels = np.zeros((1, 1, 3, 3), dtype=np.uint8)
    voxels[0, 0] = np.diag([255, 255, 255])
    volume = Volume(voxels, Geometry((1, 1, 3), np.diag([-1.0, -1.0, 1.0, 1.0])), "XC")
    assert SliceView("axial", 0, GREY).pixels(volume)[0, :, 0].tolist() == [76, 150, 29]


def test_the_stored_window_decides_the_grey_values() -> None:
    volume = Volume(np.array([[[-160, 40, 240]]], dtype=np.int16), Geometry((1, 1, 3), np.eye(4)), "CT")
    assert SliceView("axial", 0).pixels(volume)[0, :, 0].tolist() == [255, 128, 0]
    assert SliceView("axial", 0, Window(0, 100)).pixels(volume)[0, :, 0].tolist() == [255, 102, 0]


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("directions", SIGNED_PERMUTATIONS)
def test_lifting_a_region_gives_back_the_masks_slice_on_every_grid(plane: str, directions: np.ndarray) -> None:
    geometry = Geometry((5, 6, 7), affine(OBLIQUE @ directions, (0.7, 0.9, 2.5), (-30, 12, -5)))
    voxels = np.random.default_rng(0).random(geometry.shape) < 0.5
    volume = Volume(voxels.astype(np.int16), geometry, "MR")
    view = SliceView(plane, 3)
    lifted = view.lift(view.region(Mask(voxels, geometry, "a")), volume, "a")
    only_slice = np.zeros_like(voxels)
    box = [slice(None)] * 3
    box[voxel_axes(geometry)[plane]] = slice(3, 4)
    only_slice[tuple(box)] = voxels[tuple(box)]
    assert lifted == Mask(only_slice, geometry, "a")
    assert view.pixels(volume).shape[:2] == view.region(lifted).shape


@pytest.mark.parametrize("directions", SIGNED_PERMUTATIONS)
def test_the_same_patient_gives_the_same_picture_however_it_is_stored(directions: np.ndarray) -> None:
    stored = np.random.default_rng(1).integers(0, 255, (4, 5, 6)).astype(np.uint8)
    standard = Volume(stored, Geometry((4, 5, 6), np.eye(4)), "CR")
    axes = [int(np.flatnonzero(directions[:, column])[0]) for column in range(3)]
    signs = [int(directions[axis, column]) for column, axis in enumerate(axes)]
    ijk_order = stored.transpose(2, 1, 0).transpose(axes)[tuple(slice(None, None, sign) for sign in signs)]
    origin = [0.0 if np.all(directions[axis] >= 0) else (5, 4, 3)[axis] for axis in range(3)]
    voxels = np.ascontiguousarray(ijk_order.transpose(2, 1, 0))
    turned = Volume(voxels, Geometry(voxels.shape, affine(directions, (1, 1, 1), tuple(origin))), "CR")
    for plane, index in (("axial", 2), ("coronal", 2), ("sagittal", 3)):
        position = SliceView(plane, index).centre_ras(standard.geometry)
        axis = voxel_axes(turned.geometry)[plane]
        view = SliceView(plane, nearest_index(turned.geometry.kji(position)[axis]))
        assert np.array_equal(view.pixels(turned), SliceView(plane, index).pixels(standard))


def test_a_region_of_another_size_is_refused() -> None:
    volume = Volume(np.zeros((2, 3, 4)), Geometry((2, 3, 4), np.eye(4)), "MR")
    with pytest.raises(GeometryMismatchError, match="does not fit a picture"):
        SliceView("axial", 0).lift(np.zeros((4, 3)), volume)


@pytest.mark.parametrize("index", [-1, 2, 64])
def test_a_slice_that_is_not_there_is_refused(index: int) -> None:
    volume = Volume(np.zeros((2, 3, 4)), Geometry((2, 3, 4), np.eye(4)), "MR")
    with pytest.raises(ValueError, match="has 2 axial slices"):
        SliceView("axial", index).pixels(volume)


SHAPE = (188, 40, 30)
STACK = Geometry(SHAPE, affine(np.eye(3), (0.8, 0.9, 1.2), (-12.0, -18.0, -100.3)))
VIEWERS = {  # columns: to the right of the screen, up, normal
    "axial": np.array([[-1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float),
    "coronal": np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=float),
    "sagittal": np.array([[0, 0, 1], [-1, 0, 0], [0, 1, 0]], dtype=float),
}


def viewer(plane: str, index: float) -> np.ndarray:
    """The slice-to-RAS matrix of a viewer at a continuous slice index."""
    kji = (np.array(SHAPE) - 1) / 2
    kji[voxel_axes(STACK)[plane]] = index
    matrix = np.eye(4)
    matrix[:3, :3] = VIEWERS[plane]
    matrix[:3, 3] = STACK.ras(kji)
    return matrix


@pytest.mark.parametrize(("plane", "count"), [("axial", 188), ("coronal", 40), ("sagittal", 30)])
def test_every_slice_is_found_from_where_the_viewer_shows_it(plane: str, count: int) -> None:
    for k in range(count):
        for offset, expected in ((0.0, k), (0.49, k), (-0.49, k), (0.51, k + 1), (0.5, k + 1)):
            view = nearest_view(STACK, viewer(plane, k + offset))
            assert view == (SliceView(plane, expected) if expected < count else None)


def test_an_oblique_viewer_shows_the_nearest_slice_of_the_most_parallel_plane() -> None:
    matrix = viewer("axial", 100.2)
    matrix[:3, :3] = rotation("x", 25) @ matrix[:3, :3]
    assert nearest_view(STACK, matrix) == SliceView("axial", 100)


def test_a_viewer_outside_the_volume_shows_nothing_of_it() -> None:
    matrix = viewer("axial", 100)
    matrix[2, 3] += 500
    assert nearest_view(STACK, matrix) is None


def test_halves_always_go_up() -> None:
    assert [nearest_index(x) for x in (0.5, 1.5, 2.5, 3.5, 2.4999999999)] == [1, 2, 3, 4, 3]
