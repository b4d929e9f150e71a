"""The slices of a volume that show the most become scenes."""

from collections.abc import Iterable

import numpy as np
import pytest

from MultiRoundSegLib.anatomy import load_anatomy
from MultiRoundSegLib.datasets.building.scenes import Scene, Sight, scenes_of, unknown_labels
from MultiRoundSegLib.images import Code, Geometry, Mask, Volume
from MultiRoundSegLib.images.slice_view import Plane

Box = tuple[slice, slice, slice]


def scenes(
    boxes: Iterable[tuple[str, Box]], plane: Plane = "axial", slices: int = 2, apart_mm: float = 0.5, step: float = 1
) -> list[Scene]:
    grid = Geometry((40, 32, 32), np.diag([-1.0, -1, step, 1]))
    masks = []
    for label, box in boxes:
        voxels = np.zeros(grid.shape, bool)
        voxels[box] = True
        masks.append(Mask(voxels, grid, label))
    volume = Volume(np.zeros(grid.shape, np.int16), grid, "CT")
    return list(scenes_of("P1", "P1", volume, masks, load_anatomy(), Sight((plane,), slices, 60, apart_mm)))


def box(k: slice, j: int, i: int, size: int = 8) -> Box:
    return k, slice(j, j + size), slice(i, i + size)


def names(scene: Scene) -> list[str]:
    return [entity.name("en") for entity in scene.regions]


def test_slices_that_show_something_new_come_first() -> None:
    boxes = [("liver", box(slice(0, 40), 0, 0))]
    for part in (slice(0, 10), slice(30, 40)):
        boxes += [("spleen", box(part, 10, 0)), ("heart", box(part, 20, 0))]
    first, second = scenes([*boxes, ("pancreas", box(slice(20, 23), 20, 20))])
    assert (first.name, second.name) == ("P1_axial_0000", "P1_axial_0020")
    assert set(names(first)) == {"liver", "spleen", "heart"}
    assert [entity.name("en") for entity in second.absent] == ["spleen", "heart"]


@pytest.mark.parametrize(("apart_mm", "step"), [(8, 1), (8, 2), (9, 4)])
def test_slices_are_apart(apart_mm: float, step: float) -> None:
    found = scenes([("liver", box(slice(None), 0, 0)), ("heart", box(slice(None), 20, 20))], "axial", 5, apart_mm, step)
    places = [int(scene.name[-4:]) * step for scene in found]
    assert len(places) == 5
    assert min(np.diff(places)) >= apart_mm


def test_small_and_unknown_regions_are_left_out_and_masks_of_one_structure_are_one() -> None:
    boxes = [
        ("kidney_left", box(slice(5), 0, 20)),
        ("Left kidney", box(slice(5), 8, 20)),
        ("liver", box(slice(5), 0, 0)),
    ]
    found = scenes([*boxes, ("spleen", box(slice(5), 20, 20, 7)), ("xyzzy", box(slice(5), 20, 0))], slices=1)
    (scene,) = found
    assert (names(scene), scene.absent) == (["left kidney", "liver"], ())
    assert [int(region.sum()) for region in scene.regions.values()] == [128, 64]


def test_labels_are_unknown_where_neither_name_nor_code_tells() -> None:
    grid = Geometry((1, 1, 1), np.eye(4))
    coded = Mask.empty(grid, "Segment_1", Code("SCT", "10200004", "Liver"))
    masks = [coded, *(Mask.empty(grid, label) for label in ("liver", "xyzzy", "kidney_left"))]
    assert unknown_labels(masks, load_anatomy()) == ["xyzzy"]


@pytest.mark.parametrize("plane", ["axial", "coronal"])
def test_the_patients_left_is_on_the_right(plane: Plane) -> None:
    k, j = slice(20, 30), 4
    (scene,) = scenes([("kidney_left", box(k, j, 20)), ("kidney_right", box(k, j, 2))], plane, slices=1)
    middles = {e.side: np.argwhere(region).mean(axis=0) for e, region in scene.regions.items()}
    assert middles["left"][1] > 16 > middles["right"][1]
    assert middles["left"][0] < 16
    assert (scene.plane, scene.modality, scene.picture.dtype) == (plane, "CT", np.uint8)
    assert scene.picture.shape[:2] == next(iter(scene.regions.values())).shape
