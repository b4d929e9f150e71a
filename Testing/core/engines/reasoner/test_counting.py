"""How many are meant: one whichever, two, three, all."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.conversation import Answer
from MultiRoundSegLib.engines.reasoner.counting import COUNTS, MANY, ONE, SINGLE

KIDNEYS = ("liver", "kidney_left", "kidney_right", "adrenal_gland_left", "adrenal_gland_right")
HEART = ("heart_atrium_left", "heart_atrium_right", "heart_ventricle_left", "heart_ventricle_right", "aorta")
LUNG = (
    "lung_upper_lobe_left", "lung_lower_lobe_left", "lung_upper_lobe_right", "lung_middle_lobe_right",
    "lung_lower_lobe_right",
)  # fmt: skip
BONES = ("vertebrae_T12", "vertebrae_L1", "vertebrae_L2", "rib_left_1", "rib_left_2", "rib_right_1")


@pytest.mark.parametrize(
    "text",
    [
        "both kidneys", "two kidneys", "the two kidneys", "all kidneys", "a pair of kidneys", "each kidney",
        "kidneys, both please", "两个肾", "俩肾", "双肾", "两侧肾脏", "一对肾", "所有的肾", "肾，两个都要",
    ],
)  # fmt: skip
def test_two_of_what_is_paired_are_both(found: Callable[..., list[str]], text: str) -> None:
    assert found(KIDNEYS, text) == ["left kidney", "right kidney"]


@pytest.mark.parametrize("text", ["a kidney", "one kidney", "a single kidney", "画一个肾", "单侧肾", "任意一个肾"])
def test_one_of_what_is_paired_is_never_both(ask: Callable[..., Answer], text: str) -> None:
    answer = ask(KIDNEYS, text)
    assert len(answer.masks) == 1 or (answer.status == "clarify" and len(answer.choices) == 2)


@pytest.mark.parametrize(
    ("setting", "text", "expected"),
    [
        (HEART, "the two atria", ["left atrium", "right atrium"]),
        (HEART, "两个心房", ["left atrium", "right atrium"]),
        (HEART, "both ventricles", ["left ventricle_of_heart", "right ventricle_of_heart"]),
        (KIDNEYS, "the adrenal glands", ["left adrenal_gland", "right adrenal_gland"]),
        (BONES, "all vertebrae", ["vertebra_t12", "vertebra_l1", "vertebra_l2"]),
        (BONES, "所有椎骨", ["vertebra_t12", "vertebra_l1", "vertebra_l2"]),
        (BONES, "all the ribs on the left", ["left rib_1", "left rib_2"]),
        (BONES, "左边的肋骨全部要", ["left rib_1", "left rib_2"]),
    ],
)
def test_a_plural_or_a_number_means_every_one_that_there_is(
    found: Callable[..., list[str]], setting: tuple[str, ...], text: str, expected: list[str]
) -> None:
    assert sorted(found(setting, text)) == sorted(expected)


@pytest.mark.parametrize("text", ["all four chambers", "四个心腔", "心脏的四个腔"])
def test_four_chambers_are_all_of_them_and_nothing_else(found: Callable[..., list[str]], text: str) -> None:
    expected = ["left atrium", "left ventricle_of_heart", "right atrium", "right ventricle_of_heart"]
    assert sorted(found(HEART, text)) == expected


@pytest.mark.parametrize("text", ["右肺的三个叶", "the whole right lung", "右肺所有的叶"])
def test_three_lobes_are_those_of_the_right_lung(ask: Callable[..., Answer], text: str) -> None:
    answer = ask(LUNG, text)
    assert sum(mask.voxel_count for mask in answer.masks) == 3 + 4 + 5, answer.text


@pytest.mark.parametrize(
    "text", ["just one please", "any one will do", "one of", "either", "give me a bone", "随便哪个"]
)
def test_words_for_one_whichever(text: str) -> None:
    assert ONE.search(text)


@pytest.mark.parametrize(
    "text", ["one more please", "the one on the left", "one of those", "give me a look", "give me a second", "一侧的"]
)
def test_words_that_have_one_and_mean_no_number(text: str) -> None:
    assert not ONE.search(text)


def test_numbers_are_told_from_words_that_hold_them() -> None:
    assert COUNTS[2].search("the two of them")
    assert COUNTS[2].search("那两根")
    assert not COUNTS[2].search("it divides into two")
    assert not COUNTS[2].search("them twofold")
    assert COUNTS[3].search("三条血管")
    assert COUNTS[4].search("all four")
    assert MANY.search("each of these")
    assert not MANY.search("the wall")
    assert SINGLE.search("那节椎骨")
    assert not SINGLE.search("椎骨")
