"""Brain labels lie where the brain lies, however the image is stored; the network here is a simple rule."""

import numpy as np
import pytest
from numpy.typing import NDArray

from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid
from MultiRoundSegLib.engines.reasoner.segmenters.brain.labelling import label_volume
from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import (
    CLASSES,
    RIGHT,
    label_numbers,
    swap_sides,
)
from MultiRoundSegLib.images.geometry import Geometry
from MultiRoundSegLib.images.volume import Volume

BOX = (48, 48, 48)  # 72 mm
WHITE_MATTER = 1


def bright_is_white_matter(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """A network for these tests: bright voxels are white matter, on the right in the box's right half."""
    logits = np.zeros((1, CLASSES + 1, *image.shape[2:]), np.float32)
    logits[:, WHITE_MATTER] = 20 * (image[:, 0] - 0.5)
    logits[:, -1] = np.sign(np.arange(image.shape[-1]) - (image.shape[-1] - 1) / 2)
    return logits


def a_cube(matrix: NDArray[np.float64], *, shape: tuple[int, int, int] = (40, 40, 40)) -> Volume:
    """Dim tissue with a bright cube of 15 voxels in its middle."""
    voxels = np.full(shape, 10, np.float32)
    k, j, i = (n // 2 for n in shape)
    voxels[k - 7 : k + 8, j - 7 : j + 8, i - 7 : i + 8] = 100
    return Volume(voxels, Geometry(shape, matrix), "MR")


@pytest.mark.parametrize("spacing_mm", [(1, 1, 1), (-1, 1, 2), (1.5, -2, 1)])
def test_labels_lie_on_the_voxels_of_the_brain(spacing_mm) -> None:
    volume = a_cube(np.diag([*spacing_mm, 1.0]))
    labels = label_volume(volume, bright_is_white_matter, BOX).voxels
    assert labels.shape == volume.geometry.shape
    agreement = np.mean((labels > 0) == (volume.voxels > 50))
    assert agreement > 0.99


def test_right_is_right_in_an_image_stored_from_right_to_left() -> None:
    volume = a_cube(np.diag([-1.0, 1, 1, 1]))
    labels = label_volume(volume, bright_is_white_matter, BOX).voxels
    right = np.argwhere(labels == WHITE_MATTER + RIGHT)
    left = np.argwhere(labels == WHITE_MATTER)
    assert volume.geometry.ras(right.mean(axis=0))[0] > volume.geometry.ras(left.mean(axis=0))[0]


def test_an_oblique_image_is_labelled_as_it_lies() -> None:
    turn = np.deg2rad(30)
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    volume = a_cube(matrix)
    labels = label_volume(volume, bright_is_white_matter, BOX).voxels
    assert np.mean((labels > 0) == (volume.voxels > 50)) > 0.99


def test_a_brain_at_the_end_of_a_long_image_is_found() -> None:
    voxels = np.full((160, 30, 30), 10, np.float32)
    voxels[:100] = 40  # a neck brighter than the mean
    voxels[110:125, 8:23, 8:23] = 200
    volume = Volume(voxels, Geometry(voxels.shape, np.eye(4)), "MR")
    labels = label_volume(volume, bright_is_white_matter, (96, 48, 48)).voxels
    assert np.mean((labels > 0) == (voxels == 200)) > 0.99


def test_an_image_without_a_brain_has_no_labels() -> None:
    volume = Volume(np.zeros((8, 8, 8), np.float32), Geometry((8, 8, 8), np.eye(4)), "MR")
    assert not label_volume(volume, bright_is_white_matter, BOX).voxels.any()


def test_what_was_not_imaged_is_zero_on_the_networks_grid() -> None:
    source = Geometry((4, 4, 4), np.diag([3.0, 3, 3, 1]))
    target = grid.box(source.ras([1.5, 1.5, 1.5]), (16, 16, 16))
    image = grid.on_box(np.ones(source.shape), source, target)
    assert set(np.unique(image)) == {0, 1}
    assert image.sum() == 8**3  # 4 voxels of 3 mm are 8 of 1.5 mm


def test_normalised_intensities_span_zero_to_one_and_keep_what_was_not_imaged() -> None:
    image = np.linspace(0, 500, 16**3, dtype=np.float32).reshape(16, 16, 16)
    image[:4] = 0
    scaled = grid.normalise(image)
    assert scaled.min() == 0
    assert scaled.max() == 1
    assert not scaled[:4].any()


def test_swapping_sides_leaves_the_midline_alone() -> None:
    numbers = label_numbers()
    swapped = swap_sides(np.array(list(numbers), np.uint8))
    pairs = {numbers[label]: numbers[int(other)] for label, other in zip(numbers, swapped, strict=True)}
    assert pairs[10] == 49
    assert pairs[49] == 10
    assert pairs[16] == 16
