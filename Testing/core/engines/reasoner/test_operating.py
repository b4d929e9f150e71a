"""Dialogues that keep, take away, add, swap and combine what was shown before."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.conversation import Answer, Reference

TORSO = ("liver", "spleen", "stomach", "kidney_left", "kidney_right", "vertebrae_L1", "vertebrae_L2")
LUNG = (
    "lung_upper_lobe_left", "lung_lower_lobe_left", "lung_upper_lobe_right", "lung_middle_lobe_right",
    "lung_lower_lobe_right", "heart",
)  # fmt: skip
UPPER, MIDDLE, LOWER = (f"right {name}_lobe_of_lung" for name in ("upper", "middle", "lower"))
Found = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("both kidneys", "without the left one"), ["right kidney"]),
        (("both kidneys", "remove the left one"), ["right kidney"]),
        (("both kidneys", "not the right one"), ["left kidney"]),
        (("双肾", "去掉左边的"), ["right kidney"]),
        (("双肾", "不要左边那个"), ["right kidney"]),
        (("双肾", "右边的不要了"), ["left kidney"]),
        (("liver, spleen and stomach", "everything except the spleen"), ["liver", "stomach"]),
        (("liver, spleen and stomach", "take out the spleen"), ["liver", "stomach"]),
        (("肝、脾和胃", "除了脾"), ["liver", "stomach"]),
        (("L1 and L2", "drop L2"), ["vertebra_l1"]),
        (("the kidneys but not the left",), ["right kidney"]),
        (("两个肾，不要左边的",), ["right kidney"]),
        (("liver and spleen", "both kidneys", "without the right one"), ["left kidney"]),
    ],
)
def test_taking_away_leaves_the_rest(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert found(TORSO, *texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("both kidneys", "only the right"), ["right kidney"]),
        (("both kidneys", "just the left one please"), ["left kidney"]),
        (("both kidneys", "keep only the left one"), ["left kidney"]),
        (("双肾", "只要右边的"), ["right kidney"]),
        (("双肾", "只保留左肾"), ["left kidney"]),
        (("liver, spleen and stomach", "only the liver and the stomach"), ["liver", "stomach"]),
        (("肝、脾和胃", "只留脾"), ["spleen"]),
    ],
)
def test_keeping_leaves_only_what_is_said(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert found(TORSO, *texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("liver", "add the spleen to it"), ["liver", "spleen"]),
        (("肝", "把脾也加进来"), ["liver", "spleen"]),
        (("liver and spleen", "swap the spleen for the stomach"), ["liver", "stomach"]),
        (("liver and left kidney", "replace the left kidney with the right kidney"), ["liver", "right kidney"]),
        (("肝和脾", "把脾换成胃"), ["liver", "stomach"]),
        (("liver", "spleen", "combine [1] and [2]"), ["liver", "spleen"]),
        (("肝", "脾", "把第1轮和第2轮合并"), ["liver", "spleen"]),
        (("liver", "spleen", "[1] plus the stomach"), ["liver", "stomach"]),
        (("liver", "left kidney", "stomach", "everything so far"), ["liver", "left kidney", "stomach"]),
        (("liver", "spleen", "stomach", "merge the first two"), ["liver", "spleen"]),
    ],
)
def test_adding_swapping_and_combining(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert found(TORSO, *texts) == expected


def test_what_is_added_is_among_what_is_shown(found: Found) -> None:
    assert "spleen" in found(TORSO, "liver", "add the spleen")
    assert "spleen" in found(TORSO, "肝", "再加上脾")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the right lung", "only the upper lobe"), [UPPER]),
        (("右肺", "只要上叶"), [UPPER]),
        (("the right lung", "take the middle lobe out of it"), [UPPER, LOWER]),
        (("右肺", "去掉中叶"), [UPPER, LOWER]),
        (("the right lung", "remove the middle lobe", "show me the one you removed"), [MIDDLE]),
        (("右肺", "去掉中叶", "刚才去掉的那个"), [MIDDLE]),
        (("右肺上叶", "右肺剩下的叶"), [MIDDLE, LOWER]),
        (("the right upper lobe", "the whole lung"), ["right lung"]),
        (("右肺上叶", "整个右肺"), ["right lung"]),
    ],
)
def test_a_whole_is_taken_apart_and_put_together(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert sorted(found(LUNG, *texts)) == sorted(expected)


def test_what_was_taken_out_can_be_put_back(ask: Callable[..., Answer]) -> None:
    whole = ask(LUNG, "the right lung").masks[0].voxel_count
    answer = ask(LUNG, "the right lung", "remove the middle lobe", "add the middle lobe back")
    assert sum(mask.voxel_count for mask in answer.masks) == whole


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the kidney", "the left one", "the other one"), ["right kidney"]),
        (("画一个肾", "左边的", "另一个"), ["right kidney"]),
        (("the kidney", "left", "and the other one"), ["right kidney"]),
    ],
)
def test_the_other_one_after_a_question_back_is_what_was_not_chosen(
    found: Found, texts: tuple[str, ...], expected: list[str]
) -> None:
    assert found(TORSO, *texts) == expected


def test_the_other_one_after_a_question_back_may_be_another_structure(ask: Callable[..., Answer]) -> None:
    setting = ("heart_ventricle_left", "Left-Lateral-Ventricle")
    first, second = ask(setting, "left ventricle").choices
    answer = ask(setting, "left ventricle", first, "the other one")
    assert [mask.label for mask in answer.masks] == [second]


@pytest.mark.parametrize(
    "texts",
    [
        ("the liver", "remove the liver"),
        ("the liver", "anything but the liver"),
        ("the liver", "without the spleen"),
        ("both kidneys", "drop the spleen"),
        ("肝", "去掉脾"),
        ("肝", "把肝去掉"),
        ("not the liver",),
        ("别画肝",),
        ("don't show the spleen",),
    ],
)
def test_what_would_leave_nothing_or_is_not_there_is_not_guessed(
    ask: Callable[..., Answer], texts: tuple[str, ...]
) -> None:
    answer = ask(TORSO, *texts)
    assert (answer.status, answer.masks) == ("none", ())


def test_an_operation_works_on_what_was_clicked(found: Found) -> None:
    kidneys = (Reference(1, 0), Reference(1, 1))
    texts = ("both kidneys", "the liver")
    assert found(TORSO, *texts, "without the left one", picked=kidneys) == ["right kidney"]
    assert found(TORSO, *texts, "只要左边的", picked=kidneys) == ["left kidney"]


def test_an_operation_tells_which_earlier_masks_it_used(ask: Callable[..., Answer]) -> None:
    assert ask(TORSO, "both kidneys", "without the left one").used == (Reference(1, 0), Reference(1, 1))
    assert ask(TORSO, "liver", "spleen", "combine [1] and [2]").used == (Reference(1), Reference(2))
