"""What people say when they meant something else, or say half of a name."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.conversation import Answer

HEART = ("heart_atrium_left", "heart_atrium_right", "heart_ventricle_left", "heart_ventricle_right", "heart_myocardium")
VEINS = ("superior_vena_cava", "inferior_vena_cava", "pulmonary_vein", "heart_atrium_right")
TRUNK = ("liver", "kidney_left", "kidney_right", "adrenal_gland_left", "adrenal_gland_right", "spleen")
RIBS = tuple(f"rib_{side}_{number}" for side in ("left", "right") for number in (4, 5, 6, 11, 12))
SPINE = tuple(f"vertebrae_C{number}" for number in range(1, 8))
Found = Callable[..., list[str]]


def named(*numbers: int) -> list[str]:
    return sorted(f"vertebra_c{number}" for number in numbers)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("superior vena cava", "the inferior one"), ["inferior_vena_cava"]),
        (("上腔静脉", "不是上，是下"), ["inferior_vena_cava"]),
        (("superior and inferior vena cava",), ["superior_vena_cava", "inferior_vena_cava"]),
        (("上、下腔静脉",), ["superior_vena_cava", "inferior_vena_cava"]),
    ],
)
def test_half_names_are_completed(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert found(VEINS, *texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("left kidney", "adrenal gland, other side"), ["right adrenal_gland"]),
        (("left kidney", "left adrenal", "the other side, those two"), ["right kidney", "right adrenal_gland"]),
        (("left kidney", "the side we haven't got yet"), ["right kidney"]),
        (("both kidneys", "skip the left one"), ["right kidney"]),
        (("左肾", "肝和左肾都要，但左肾除外"), ["liver"]),
    ],
)
def test_sides_and_what_is_left_out(found: Found, texts: tuple[str, ...], expected: list[str]) -> None:
    assert found(TRUNK, *texts) == expected


def test_what_is_named_is_not_guessed(ask: Callable[..., Answer]) -> None:
    assert ask(TRUNK, "liver", "the sciatic nerve, so they know what to miss").status == "none"
    assert ask(TRUNK, "liver", "the coronary sinus is near, draw that").status == "none"
    assert ask(VEINS, "vena cava, just one for the print").status == "clarify"
    assert ask(HEART, "what RV/LV ratio counts as strain?").status == "text"


def test_what_was_not_chosen_is_meant_after_all(found: Found) -> None:
    asked = ("give me a ventricle of the heart", "the high-pressure one")
    assert found(HEART, *asked) == ["left ventricle_of_heart"]
    assert found(HEART, *asked, "sorry, meant the low-pressure one") == ["right ventricle_of_heart"]


def test_ranges_with_their_ends_and_without(found: Found) -> None:
    assert found(SPINE, "C2", "C5", "[1]一直到[2]，连中间的") == named(2, 3, 4, 5)
    assert found(SPINE, "C2", "C5", "[1]和[2]之间的") == named(3, 4)


def test_a_pair_of_one_side(found: Found) -> None:
    assert found(RIBS, "ribs 11 and 12 on both sides", "right-hand pair only") == ["right rib_11", "right rib_12"]
    left = ("left ribs 4-6", "leave out the middle one", "the rib i just made you leave out, by itself")
    assert found(RIBS, *left) == ["left rib_5"]
