"""Several members of a series named at once, and steps along it."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.conversation import Answer
from MultiRoundSegLib.engines.reasoner.series import written_out

SPINE = tuple(f"vertebrae_{part}{n}" for part, many in (("C", 7), ("T", 12), ("L", 5)) for n in range(1, many + 1))
RIBS = tuple(f"rib_{side}_{n}" for n in range(1, 13) for side in ("left", "right"))


def vertebrae(words: str) -> list[str]:
    return [f"vertebra_{name.lower()}" for name in words.split()]


def ribs(words: str, *sides: str) -> list[str]:
    return [f"{side} rib_{n}" for n in words.split() for side in sides]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L1 to L5", "L1 L2 L3 L4 L5"),
        ("L1-5", "L1 L2 L3 L4 L5"),
        ("L1–L3", "L1 L2 L3"),
        ("vertebrae L2 through L4", "L2 L3 L4"),
        ("T11 to L2", "T11 T12 L1 L2"),
        ("C3, C4 and C6", "C3 C4 C6"),
        ("L1/2/3", "L1 L2 L3"),
        ("from L3 up to L1", "L1 L2 L3"),
        ("腰1到腰3", "L1 L2 L3"),
        ("L2至L4", "L2 L3 L4"),
        ("胸10-12", "T10 T11 T12"),
        ("胸3到胸5", "T3 T4 T5"),
        ("颈3、5、7", "C3 C5 C7"),
        ("胸11椎体到腰2椎体", "T11 T12 L1 L2"),
    ],
)
def test_a_range_of_vertebrae_has_all_its_members(found: Callable[..., list[str]], text: str, expected: str) -> None:
    assert sorted(found(SPINE, text)) == sorted(vertebrae(expected))


@pytest.mark.parametrize(
    ("text", "numbers", "sides"),
    [
        ("ribs 3-5", "3 4 5", ("left", "right")),
        ("left ribs 3-5", "3 4 5", ("left",)),
        ("right 4th to 6th ribs", "4 5 6", ("right",)),
        ("ribs 10 through 12 on the right", "10 11 12", ("right",)),
        ("ribs 4 and 6, left", "4 6", ("left",)),
        ("left 7th, 8th and 9th ribs", "7 8 9", ("left",)),
        ("the first to third ribs on both sides", "1 2 3", ("left", "right")),
        ("左5、6、7肋", "5 6 7", ("left",)),
        ("右侧第3到第5肋", "3 4 5", ("right",)),
        ("第9-11肋骨", "9 10 11", ("left", "right")),
        ("双侧第1、2肋", "1 2", ("left", "right")),
        ("左侧第十到十二肋", "10 11 12", ("left",)),
        ("左边第2和第4根肋骨", "2 4", ("left",)),
    ],
)
def test_ribs_by_their_numbers_are_on_the_sides_that_are_said(
    found: Callable[..., list[str]], text: str, numbers: str, sides: tuple[str, ...]
) -> None:
    assert sorted(found(RIBS, text)) == sorted(ribs(numbers, *sides))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("L2", "the next one down"), "L3"),
        (("L2", "the next one up"), "L1"),
        (("T12", "the next level down"), "L1"),
        (("L1", "one up"), "T12"),
        (("L3", "two levels above"), "L1"),
        (("C5", "go down two levels"), "C7"),
        (("L2", "the vertebra above"), "L1"),
        (("L4", "the vertebra below it"), "L5"),
        (("腰2", "下一节"), "L3"),
        (("腰2", "上一节"), "L1"),
        (("胸12", "再往下数两节"), "L2"),
        (("L2", "L5", "one level above [1]"), "L1"),
    ],
)
def test_a_step_goes_along_the_series_of_the_last_result(
    found: Callable[..., list[str]], texts: tuple[str, ...], expected: str
) -> None:
    assert found(SPINE, *texts) == vertebrae(expected)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the left 5th rib", "the next one down"), "left rib_6"),
        (("the right 4th rib", "one rib higher"), "right rib_3"),
        (("左第5肋", "下一根"), "left rib_6"),
        (("右第5肋", "往上数两根"), "right rib_3"),
    ],
)
def test_a_step_along_the_ribs_stays_on_its_side(
    found: Callable[..., list[str]], texts: tuple[str, ...], expected: str
) -> None:
    assert found(RIBS, *texts) == [expected]


@pytest.mark.parametrize(
    "texts",
    [("the liver", "the next one down"), ("L5", "the next one down"), ("C1", "one level up"), ("肝", "下一节")],
)
def test_without_a_series_or_beyond_its_end_no_step_is_taken(
    ask: Callable[..., Answer], texts: tuple[str, ...]
) -> None:
    assert ask((*SPINE, "liver", "spleen"), *texts).status == "none"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("L1 to L3", "and 4-5"), "L4 L5"),
        (("T5", "now 7 to 9"), "T7 T8 T9"),
        (("腰1到腰3", "再来4、5"), "L4 L5"),
    ],
)
def test_numbers_alone_are_of_the_series_of_the_last_result(
    found: Callable[..., list[str]], texts: tuple[str, ...], expected: str
) -> None:
    assert found(SPINE, *texts) == vertebrae(expected)


@pytest.mark.parametrize("text", ["L4/5", "the L4/L5 disc", "C5-6 disc", "L4/5椎间盘", "2 kidneys", "rounds 1 and 2"])
def test_discs_and_other_numbers_are_not_written_out(text: str) -> None:
    assert written_out(text) == text


def test_a_disc_is_not_taken_for_the_vertebrae_beside_it(ask: Callable[..., Answer]) -> None:
    assert ask(SPINE, "the disc between L4 and L5").status == "none"
    assert ask(SPINE, "L4/5椎间盘").status == "none"


def test_numbers_alone_mean_nothing_where_there_is_no_series(ask: Callable[..., Answer]) -> None:
    assert written_out("3-5") == "3-5"
    assert written_out("3-5", "L") == "L3, L4, L5"
    assert written_out("results 3-5", "L") == "results 3-5"
    assert ask(SPINE, "6-8").status == "none"
