"""Left and right of the patient or of the picture, both, the same side, the other one."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.engines.reasoner.sides import sides_in

TORSO = (
    "liver", "spleen", "stomach", "pancreas", "kidney_left", "kidney_right", "adrenal_gland_left",
    "adrenal_gland_right", "rib_left_7", "rib_right_7", "clavicula_left", "clavicula_right",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left kidney", "left"),
        ("the kidney on the right hand side", "right"),
        ("Lt kidney", "left"),
        ("R kidney", "right"),
        ("right-sided adrenal", "right"),
        ("the patient's left kidney", "left"),
        ("左肾", "left"),
        ("右侧的肾", "right"),
        ("病人左边的肾", "left"),
        ("the kidney on the left of the image", "right"),
        ("the kidney on the right side of the screen", "left"),
        ("image left kidney", "right"),
        ("the left half of the picture", "right"),
        ("the viewer's right", "left"),
        ("图像左侧的肾", "right"),
        ("屏幕右边的肾", "left"),
        ("片子上左边的肾", "right"),
        ("画面右侧", "left"),
    ],
)
def test_a_word_for_a_side_is_of_the_patient_or_of_the_picture(text: str, expected: str) -> None:
    assert [sides for *_, sides in sides_in(text)] == [(expected,)]


@pytest.mark.parametrize(
    "text",
    [
        "what is left", "is there anything left", "only this is left over", "it was left out", "that's right",
        "all right", "right now", "right behind the stomach", "right next to the liver", "right above it",
        "leftover", "bright spots", "the upper right quadrant", "右上腹", "左向右分流",
    ],
)  # fmt: skip
def test_words_that_hold_left_or_right_and_are_no_side(text: str) -> None:
    assert list(sides_in(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the kidney on the left of the image", ["right kidney"]),
        ("图像左边的肾", ["right kidney"]),
        ("屏幕右侧的肾", ["left kidney"]),
        ("the patient's left kidney", ["left kidney"]),
        ("the kidneys on both sides", ["left kidney", "right kidney"]),
        ("bilateral adrenals", ["left adrenal_gland", "right adrenal_gland"]),
        ("kidney L and R", ["left kidney", "right kidney"]),
        ("左右两侧的肾", ["left kidney", "right kidney"]),
        ("肾，左右都要", ["left kidney", "right kidney"]),
        ("双侧肾上腺", ["left adrenal_gland", "right adrenal_gland"]),
        ("right now i need the left kidney", ["left kidney"]),
        ("that's right, the left adrenal please", ["left adrenal_gland"]),
        ("the left adrenal and the right kidney", ["left adrenal_gland", "right kidney"]),
        ("左肾上腺和右肾", ["left adrenal_gland", "right kidney"]),
        ("左肾和肾上腺", ["left kidney", "left adrenal_gland"]),
        ("the left kidney and adrenal", ["left kidney", "left adrenal_gland"]),
        ("kidney and adrenal, right", ["right kidney", "right adrenal_gland"]),
    ],
)
def test_sides_belong_to_what_they_stand_with(found: Callable[..., list[str]], text: str, expected: list[str]) -> None:
    assert found(TORSO, text) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("right kidney", "the ipsilateral adrenal"), "right adrenal_gland"),
        (("left kidney", "the adrenal on the same side"), "left adrenal_gland"),
        (("left kidney", "the contralateral adrenal"), "right adrenal_gland"),
        (("left kidney", "the clavicle on the other side"), "right clavicle"),
        (("右肾", "同侧的肾上腺"), "right adrenal_gland"),
        (("右肾", "对侧肾上腺"), "left adrenal_gland"),
        (("左第7肋", "同一侧的锁骨"), "left clavicle"),
        (("left kidney", "the opposite one"), "right kidney"),
        (("left kidney", "mirror it"), "right kidney"),
        (("左肾", "换另一边"), "right kidney"),
        (("左肾", "对面那个"), "right kidney"),
        (("left kidney", "liver", "the ipsilateral adrenal"), "left adrenal_gland"),
        (("left kidney", "right adrenal", "the rib on the same side as [1]"), "left rib_7"),
        (("right kidney", "the one on the left of the image"), "right kidney"),
    ],
)
def test_the_same_and_the_other_side_are_those_of_what_was_shown(
    found: Callable[..., list[str]], texts: tuple[str, ...], expected: str
) -> None:
    assert found(TORSO, *texts) == [expected]
