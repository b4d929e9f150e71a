import gc
import itertools
import tracemalloc
import weakref

import numpy as np
import pytest

from MultiRoundSegLib.images import Code, Geometry, Mask, union, without
from MultiRoundSegLib.images.packing import pack, unpack

GRID = Geometry((6, 7, 8), np.diag([1.0, 2.0, 3.0, 1.0]))
LIVER = Code("SCT", "10200004", "Liver")


def random_mask(seed: int, density: float = 0.02, label: str = "liver") -> Mask:
    voxels = np.random.default_rng(seed).random(GRID.shape) < density
    return Mask(voxels, GRID, label, LIVER)


def test_only_the_box_is_kept_and_the_whole_grid_is_given() -> None:
    voxels = np.zeros(GRID.shape, dtype=np.uint8)
    voxels[1:3, 2:6, 5] = 255
    mask = Mask(voxels, GRID, "liver", LIVER)
    assert mask.bounding_box() == (slice(1, 3), slice(2, 6), slice(5, 6))
    assert mask.crop.shape == (2, 4, 1)
    assert mask.voxels.dtype == bool
    assert np.array_equal(mask.voxels, voxels != 0)
    assert mask.voxel_count == 8
    assert mask.volume_ml == pytest.approx(8 * 6 / 1000)
    assert mask.centroid_ras().tolist() == [5.0, 7.0, 4.5]


def test_changing_the_array_afterwards_does_not_change_the_mask() -> None:
    voxels = np.ones(GRID.shape, dtype=bool)
    mask = Mask(voxels, GRID, "liver")
    voxels[:] = False
    assert mask.voxel_count == voxels.size
    with pytest.raises(ValueError, match="read-only"):
        mask.crop[0, 0, 0] = False


def test_an_empty_mask_says_so() -> None:
    mask = Mask(np.zeros(GRID.shape, dtype=bool), GRID, "nothing")
    assert mask.is_empty
    assert mask == Mask.empty(GRID, "nothing")
    assert mask.volume_ml == 0
    assert not mask.voxels.any()
    with pytest.raises(ValueError, match="has no centre"):
        mask.centroid_ras()


def test_a_part_of_the_grid_makes_the_same_mask_as_the_whole() -> None:
    whole = random_mask(1)
    part = Mask.from_crop(whole.voxels[2:5, 1:, :6], (2, 1, 0), GRID, "liver", LIVER)
    expected = np.zeros(GRID.shape, dtype=bool)
    expected[2:5, 1:, :6] = whole.voxels[2:5, 1:, :6]
    assert np.array_equal(part.voxels, expected)
    with pytest.raises(ValueError, match="leaves a grid"):
        Mask.from_crop(np.ones((2, 2, 2)), (5, 0, 0), GRID, "liver")


def test_a_deferred_mask_is_read_once_and_only_when_asked() -> None:
    reads = []

    def read() -> Mask:
        reads.append(1)
        return random_mask(2)

    mask = Mask.deferred(read, GRID, "spleen")
    assert (mask.label, mask.geometry) == ("spleen", GRID)
    assert not reads
    assert mask.voxel_count == random_mask(2).voxel_count
    assert not mask.is_empty
    assert len(reads) == 1


def test_masks_are_equal_when_voxels_label_and_code_are() -> None:
    assert random_mask(3) == random_mask(3)
    assert random_mask(3) != random_mask(4)
    assert random_mask(3) != random_mask(3).renamed("spleen")
    assert random_mask(3).renamed("spleen").digest() == random_mask(3).digest()


def test_the_digest_tells_a_shifted_mask_from_the_original() -> None:
    voxels = np.zeros(GRID.shape, dtype=bool)
    voxels[1, 1, 1] = True
    shifted = np.roll(voxels, 1, axis=2)
    assert Mask(voxels, GRID, "a").digest() != Mask(shifted, GRID, "a").digest()


@pytest.mark.parametrize("seeds", list(itertools.combinations(range(4), 3)))
def test_unions_and_differences_are_those_of_the_whole_grids(seeds: tuple[int, int, int]) -> None:
    masks = [random_mask(seed, 0.01) for seed in seeds]
    a, b, c = (mask.voxels for mask in masks)
    assert np.array_equal(union(masks, "all").voxels, a | b | c)
    assert np.array_equal(without(masks[0], masks[1:]).voxels, a & ~b & ~c)


def test_differences_of_masks_that_do_not_touch_change_nothing() -> None:
    low, high = np.zeros((2, *GRID.shape), dtype=bool)
    low[:2, :2, :2] = True
    high[4:, 4:, 4:] = True
    assert without(Mask(low, GRID, "a"), [Mask(high, GRID, "b")]) == Mask(low, GRID, "a")
    assert without(Mask(low, GRID, "a"), [Mask.empty(GRID)]) == Mask(low, GRID, "a")
    assert without(Mask.empty(GRID), [Mask(low, GRID, "a")]).is_empty
    assert union([Mask.empty(GRID, "x")], "nothing") == Mask.empty(GRID, "nothing")


@pytest.mark.parametrize("mask", [random_mask(5), random_mask(6, 1.0), Mask.empty(GRID, "liver", LIVER)])
def test_packing_and_unpacking_changes_nothing(mask: Mask) -> None:
    assert unpack(pack(mask), GRID, mask.label).renamed(mask.label, mask.code) == mask


@pytest.mark.parametrize(
    "damage",
    [
        {"bits": "!!"},
        {"bits": "eJwDAAAAAAE="},
        {"shape": [9, 9, 9]},
        {"corner": [5, 5, 5]},
        {"shape": [1, 1, 1]},
    ],
)
def test_damaged_packed_masks_are_refused(damage: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"packed mask|leaves a grid"):
        unpack(pack(random_mask(7, 0.5)) | damage, GRID, "liver")


def test_a_mask_that_nobody_holds_is_gone_at_once() -> None:
    gc.disable()
    try:
        masks = [random_mask(8), Mask.from_crop(np.ones((1, 1, 1)), (0, 0, 0), GRID, "a"), random_mask(9).renamed("b")]
        watched = [weakref.ref(mask) for mask in masks]
        del masks
        assert [reference() for reference in watched] == [None, None, None]
    finally:
        gc.enable()


def test_a_mask_of_a_large_image_takes_little_beside_it() -> None:
    """A thing at one end and another at the other, so that the box is nearly all of the image."""
    voxels = np.zeros((150, 200, 200), np.uint8)
    voxels[0, 0, 0] = voxels[-1, -1, -2] = 1
    grid = Geometry(voxels.shape, np.eye(4))
    tracemalloc.start()
    try:
        assert Mask(voxels, grid, "two ends").bounding_box()[0] == slice(0, 150)
        assert tracemalloc.get_traced_memory()[1] < 2.2 * voxels.nbytes
    finally:
        tracemalloc.stop()
