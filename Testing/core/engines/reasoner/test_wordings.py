"""Dialogues of a few rounds, one for each way to say a thing: what the last round shows."""

from collections.abc import Callable

import numpy as np
import pytest

from MultiRoundSegLib.conversation import Answer
from MultiRoundSegLib.images import Geometry, Mask

SPINE = tuple(f"vertebrae_{name}" for name in ("T3", "T4", "T5", "T6", "T7", "L1", "L2", "L3", "L4", "L5"))
LOBES = tuple(f"lung_{name}" for name in (
    "upper_lobe_left", "lower_lobe_left", "upper_lobe_right", "middle_lobe_right", "lower_lobe_right",
))  # fmt: skip
RIBS = tuple(f"rib_{side}_{n}" for side in ("left", "right") for n in range(1, 6))
HEART = (
    "heart_atrium_left", "heart_atrium_right", "heart_ventricle_left", "heart_ventricle_right", "heart_myocardium",
    "aorta", "pulmonary_artery", "pulmonary_vein", "superior_vena_cava", "inferior_vena_cava",
)  # fmt: skip
ORGANS = ("liver", "spleen", "kidney_left", "kidney_right", "adrenal_gland_left", "adrenal_gland_right")
BRAIN = ("Left-Hippocampus", "Right-Hippocampus", "Left-Amygdala", "Right-Amygdala",
         "Left-Cerebral-White-Matter", "Right-Cerebral-White-Matter", "Left-Accumbens-area")  # fmt: skip
RIGHT_LOBES = {f"right {name}_lobe_of_lung" for name in ("upper", "middle", "lower")}
Found = Callable[..., list[str]]


def _vertebrae(*names: str) -> list[str]:
    return [f"vertebra_{name.lower()}" for name in names]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("第3、4腰椎",), ("L3", "L4")),
        (("第3至5腰椎",), ("L3", "L4", "L5")),
        (("third to fifth lumbar vertebrae",), ("L3", "L4", "L5")),
        (("lumbar vertebrae 3 to 5",), ("L3", "L4", "L5")),
        (("T4", "the next two down"), ("T5", "T6")),
        (("T4", "and two more after that, both of those"), ("T5", "T6")),
        (("L2", "下面两节"), ("L3", "L4")),
        (("L2", "往下数两节"), ("L4",)),
        (("T4", "从[1]到第6胸椎"), ("T4", "T5", "T6")),
        (("T4", "from [1] to T7"), ("T4", "T5", "T6", "T7")),
        (("L1 to L5", "去掉前两节，剩下的"), ("L3", "L4", "L5")),
        (("L1 to L5", "drop the first two, and keep the rest"), ("L3", "L4", "L5")),
    ],
)
def test_members_of_the_spine(found: Found, texts: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert found(SPINE, *texts) == _vertebrae(*expected)


@pytest.mark.parametrize(
    ("setting", "texts", "expected"),
    [
        (LOBES, ("all lobes of the right lung",), RIGHT_LOBES),
        (LOBES, ("the lobes of the left lung",), {f"left {name}_lobe_of_lung" for name in ("upper", "lower")}),
        (LOBES, ("the right lung", "remove the middle lobe", "put it back"), RIGHT_LOBES),
        (RIBS, ("left 2nd rib", "the two ribs below that, same side"), {"left rib_3", "left rib_4"}),
        (ORGANS, ("right adrenal", "gland from [1] plus the contralateral one"),
         {"right adrenal_gland", "left adrenal_gland"}),
        (ORGANS, ("left kidney", "the adrenal", "the one on the same side"), {"left adrenal_gland"}),
        (ORGANS, ("the liver", "show it again"), {"liver"}),
        (ORGANS, ("肝", "它"), {"liver"}),
        (BRAIN, ("WM of the R cerebrum",), {"right cerebral_white_matter"}),
        (BRAIN, ("RH hippo + amyg",), {"right hippocampus", "right amygdala"}),
        (BRAIN, ("左NAc",), {"left nucleus_accumbens"}),
        (HEART, ("all the veins you know, in one mask",),
         {"superior_vena_cava", "inferior_vena_cava", "pulmonary_vein"}),
        (HEART, ("both great arteries together",), {"aorta", "pulmonary_artery"}),
        (HEART, ("aorta", "the chamber it comes off"), {"left ventricle_of_heart"}),
        (HEART, ("心脏四腔里，把右边两个给我",), {"right atrium", "right ventricle_of_heart"}),
        (HEART, ("pulmonary veins", "sorry, wrong word, the artery"), {"pulmonary_artery"}),
        (HEART, ("the four heart chambers",),
         {f"{side} {name}" for side in ("left", "right") for name in ("atrium", "ventricle_of_heart")}),
    ],
)  # fmt: skip
def test_what_is_shown(found: Found, setting: tuple[str, ...], texts: tuple[str, ...], expected: set[str]) -> None:
    assert set(found(setting, *texts)) == expected


@pytest.mark.parametrize("text", ["一个肾", "画一个肾", "the kidney"])
def test_one_of_two_is_asked_back(ask: Callable[..., Answer], text: str) -> None:
    assert ask(ORGANS, text).choices in (("左肾", "右肾"), ("left kidney", "right kidney"))


GRID = Geometry((20, 20, 20), np.diag([-2.0, -2.0, 3.0, 1.0]))


def _box(name: str, low: int, high: int, size: int) -> Mask:
    voxels = np.zeros(GRID.shape, bool)
    voxels[low:high, 5 : 5 + size, 5 : 5 + size] = True
    return Mask(voxels, GRID, name)


KIDNEYS = (_box("kidney_left", 2, 8, 3), _box("kidney_right", 10, 18, 4))
"""The right one is larger and, in this patient, higher."""
OWN = (_box("my nodule A", 2, 4, 2), _box("my nodule B", 10, 16, 5))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("the larger one", "right"),
        ("the bigger of the two", "right"),
        ("the smaller one", "left"),
        ("更大的那个", "right"),
        ("较小的那个", "left"),
        ("only the lower one", "left"),
        ("the higher one", "right"),
        ("the uppermost one", "right"),
        ("位置低一点的那个", "left"),
        ("靠上的那个", "right"),
    ],
)
def test_of_two_results_the_masks_tell_and_not_what_is_usual(found: Found, text: str, side: str) -> None:
    assert found(KIDNEYS, "both kidneys", text) == [f"{side} kidney"]


@pytest.mark.parametrize(("text", "name"), [("only the larger one", "my nodule B"), ("the smaller one", "my nodule A")])
def test_masks_with_names_of_their_own_are_compared_too(found: Found, text: str, name: str) -> None:
    assert found(OWN, "my nodule A and my nodule B", text) == [name]
