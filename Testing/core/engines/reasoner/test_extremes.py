"""Words for size and place, on masks at known places of the patient: the larger, the lowest, the foremost.

The same body lies on three grids: upright, with flipped axes, and cut as sagittal slices; what is meant is the same.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.conversation import Answer, Conversation, Reference
from MultiRoundSegLib.engines.reasoner.earlier import Earlier
from MultiRoundSegLib.engines.reasoner.extremes import Extremes, names_an_extreme
from MultiRoundSegLib.images import Geometry, Mask

KNOWLEDGE = load_knowledge()
Place = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
"""From and to, in mm, towards the right, the front and the top (R, A, S) of the patient."""
Found = Callable[..., list[str]]
Converse = Callable[..., Conversation]


def affine(*columns: tuple[float, float, float]) -> NDArray[np.float64]:
    """From (i, j, k) to RAS, mm: the steps along i, j and k, and the position of the first voxel."""
    return np.vstack([np.array(columns).T, (0.0, 0.0, 0.0, 1.0)])


GRIDS = {
    "upright": Geometry((40, 50, 80), affine((4, 0, 0), (0, 5, 0), (0, 0, 10), (-158, -123, -195))),
    "flipped": Geometry((40, 50, 80), affine((-4, 0, 0), (0, -5, 0), (0, 0, -10), (158, 122, 195))),
    "sagittal": Geometry((80, 40, 50), affine((0, 5, 0), (0, 0, -10), (-4, 0, 0), (158, -123, 195))),
}
FEMURS: dict[str, Place] = {
    "femur_left": ((-80, -40), (-60, 0), (-60, 60)),
    "femur_right": ((40, 72), (-40, 20), (-100, 0)),
}
"""The right one is smaller, lower and further in front."""
ABDOMEN: dict[str, Place] = {
    "liver": ((40, 80), (0, 60), (20, 80)),
    "spleen": ((-140, -60), (-60, 40), (0, 120)),
    "stomach": ((-40, 0), (20, 80), (20, 60)),
}
"""The spleen is larger than the liver, which is unusual; the stomach is smallest."""
SPINE: dict[str, Place] = {f"vertebrae_L{n}": ((-20, 20), (-80, -40), (70 - 40 * n, 100 - 40 * n)) for n in range(1, 6)}


def body(grid: str, places: dict[str, Place]) -> list[Mask]:
    """Boxes at these places of the patient, on one of the grids."""
    geometry = GRIDS[grid]
    position = geometry.ras(np.moveaxis(np.indices(geometry.shape), 0, -1))
    masks = []
    for name, bounds in places.items():
        low, high = np.transpose(bounds)
        masks.append(Mask(((position >= low) & (position < high)).all(axis=-1), geometry, name))
    return masks


def chosen(words: str, history: Conversation) -> list[str]:
    """What words choose among the masks of the last round."""
    earlier = Earlier(history, KNOWLEDGE.anatomy)
    targets = Extremes(KNOWLEDGE, earlier).chosen(words, [earlier.copy(r) for r in earlier.last_masks()])
    return [target.entity.name("en") for target in targets if target.entity]


@pytest.fixture(params=GRIDS)
def grid(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_grids_show_one_body() -> None:
    for places in (FEMURS, ABDOMEN, SPINE):
        bodies = [body(name, places) for name in GRIDS]
        for masks in zip(*bodies, strict=True):
            assert len({mask.voxel_count for mask in masks}) == 1
            assert len({tuple(mask.centroid_ras().round()) for mask in masks}) == 1
    assert len({masks[0].corner for masks in bodies}) == len(GRIDS)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("the larger one", "the smaller one"),
        ("the bigger of the two", "the littlest"),
        ("the bulkier one", "which is smaller"),
        ("the highest", "the lower one"),
        ("the uppermost one", "the lowest of them"),
        ("the most superior", "the most inferior"),
        ("the most posterior", "the most anterior"),
        ("the rearmost one", "the frontmost one"),
        ("更大的那个", "较小的那个"),
        ("大一点的", "小一点的"),
        ("更高的那个", "更低的那个"),
        ("最上面的", "最下面的"),
        ("最后面的那个", "最前面的"),
        ("靠后的那个", "靠前的那个"),
    ],
)
def test_of_two_masks_size_and_place_choose_one(converse: Converse, grid: str, left: str, right: str) -> None:
    history = converse(body(grid, FEMURS), "both femurs")
    assert chosen(left, history) == ["left femur"]
    assert chosen(right, history) == ["right femur"]


def test_the_order_of_the_labels_does_not_matter(converse: Converse, grid: str) -> None:
    history = converse(body(grid, dict(reversed(FEMURS.items()))), "both femurs")
    for words in ("the smaller one", "the lower one", "the more anterior one"):
        assert chosen(words, history) == ["right femur"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("the largest of them", "spleen"), ("最大的", "spleen"), ("the smallest", "stomach"), ("最小的那个", "stomach")],
)
def test_size_is_that_of_this_patient_and_not_the_usual(
    converse: Converse, grid: str, words: str, expected: str
) -> None:
    assert chosen(words, converse(body(grid, ABDOMEN), "liver, spleen and stomach")) == [expected]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the lowest", "4"), ("the topmost", "2"), ("the middle one", "3"), ("the two lowest", "3 4"),
        ("first and last of them", "2 4"), ("from L3 down", "3 4"), ("L3 and above", "2 3"), ("最下面那节", "4"),
        ("最上面的那个", "2"), ("中间那节", "3"), ("首尾", "2 4"), ("L3以下", "3 4"),
    ],
)  # fmt: skip
def test_vertebrae_are_ordered_from_the_top_down(converse: Converse, grid: str, words: str, expected: str) -> None:
    history = converse(body(grid, SPINE), "L2 to L4")
    assert chosen(words, history) == [f"L{n} vertebra" for n in expected.split()]


def test_of_two_that_are_alike_none_is_chosen(converse: Converse, grid: str) -> None:
    left = FEMURS["femur_left"]
    history = converse(body(grid, {"femur_left": left, "femur_right": ((40, 80), left[1], left[2])}), "both femurs")
    for words in ("the larger one", "更小的", "the lowest", "the most anterior"):
        assert chosen(words, history) == []


def test_one_mask_alone_or_other_words_choose_nothing(converse: Converse) -> None:
    assert chosen("the larger one", converse(body("flipped", FEMURS), "left femur")) == []
    assert chosen("the nicer one", converse(body("flipped", FEMURS), "both femurs")) == []


def test_a_mask_corrected_by_hand_is_measured_as_it_is_now(converse: Converse) -> None:
    history = converse(body("flipped", FEMURS), "both femurs")
    assert chosen("the larger one", history) == ["left femur"]
    (small,) = body("flipped", {"femur_left": ((-80, -60), (-60, -40), (-180, -160))})
    history.replace_mask(Reference(1, 0), small.renamed("left femur"))
    assert chosen("the larger one", history) == ["right femur"]
    assert chosen("the lower one", history) == ["left femur"]


@pytest.mark.parametrize(
    "text", ["the upper lobe", "the lower jaw", "the middle lobe", "中叶", "the top of it", "liver"]
)
def test_names_with_such_words_ask_for_no_extreme(text: str) -> None:
    assert not names_an_extreme(text)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("both femurs", "only the larger one"), "left"),
        (("both femurs", "drop the larger one"), "right"),
        (("both femurs", "keep the lower one"), "right"),
        (("both femurs", "the lowest one"), "right"),
        (("both femurs", "the frontmost one"), "right"),
        (("双侧股骨", "只要更大的那个"), "left"),
        (("双侧股骨", "去掉较小的那个"), "left"),
        (("双侧股骨", "其中大一点的"), "left"),
        (("双侧股骨", "更低的那个"), "right"),
        (("双侧股骨", "最靠前的那个"), "right"),
    ],
)
def test_a_dialogue_chooses_by_size_and_place(found: Found, grid: str, texts: tuple[str, ...], expected: str) -> None:
    assert found(body(grid, FEMURS), *texts) == [f"{expected} femur"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the lowest lumbar vertebra",), "5"), (("the uppermost lumbar vertebra",), "1"), (("最下面一节腰椎",), "5"),
        (("L2 to L4", "the lowest one"), "4"), (("L2 to L4", "only the lowest"), "4"),
        (("L2 to L4", "the two lowest"), "3 4"), (("L2到L4", "只要最下面的"), "4"),
    ],
)  # fmt: skip
def test_a_dialogue_finds_the_end_of_a_series(found: Found, grid: str, texts: tuple[str, ...], expected: str) -> None:
    assert found(body(grid, SPINE), *texts) == [f"vertebra_l{n}" for n in expected.split()]


@pytest.mark.parametrize("text", ["only the smaller one", "只要较小的那个"])
def test_the_words_choose_among_what_was_clicked(found: Found, grid: str, text: str) -> None:
    picked = (Reference(1), Reference(2))
    assert found(body(grid, ABDOMEN), "the spleen", "the liver", "the stomach", text, picked=picked) == ["liver"]


@pytest.mark.parametrize("text", ["only the larger one", "只要更大的"])
def test_a_draw_is_not_decided(ask: Callable[..., Answer], grid: str, text: str) -> None:
    left = FEMURS["femur_left"]
    masks = body(grid, {"femur_left": left, "femur_right": ((40, 80), left[1], left[2])})
    assert len(ask(masks, "both femurs", text).masks) != 1


@pytest.mark.parametrize(
    "text", ["the organ directly above [2]", "[2]正上方的器官", "the nearest organ to [2]", "离[2]最近的器官"]
)
def test_what_is_above_or_nearest_is_found(found: Found, grid: str, text: str) -> None:
    masks = body(grid, {**ABDOMEN, "kidney_right": ((40, 72), (-40, 20), (-100, 0))})
    assert found(masks, "the spleen", "the right kidney", text) == ["liver"]
