"""Earlier masks that a text points to: by number, by order, as a group, as "it"."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.conversation import Conversation, Reference
from MultiRoundSegLib.engines.reasoner.thinking import Thinker
from MultiRoundSegLib.errors import ReferenceNotFoundError

SETTING = ("liver", "spleen", "kidney_left", "kidney_right", "vertebrae_L1", "rib_left_1")
ASKED = ("the liver", "the left kidney", "the spleen", "L1")
Converse = Callable[..., Conversation]


def pointed(history: Conversation, text: str, picked: tuple[Reference, ...] = ()) -> list[tuple[int, int]]:
    """Round and mask of everything that a text points to, in the order of the words."""
    mentions = Thinker(load_knowledge(), (), history).pointers(text, picked)
    return [(r.round_number, r.mask_index) for m in sorted(mentions, key=lambda m: m.start) for r in m.references]


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("[2]", [2]),
        ("#3", [3]),
        ("round 3 please", [3]),
        ("show me result 2", [2]),
        ("rounds 1 and 3", [1, 3]),
        ("results 2 and 3", [2, 3]),
        ("masks 1 to 3", [1, 2, 3]),
        ("[1] and [4]", [1, 4]),
        ("第3轮", [3]),
        ("第1、2轮", [1, 2]),
        ("第1到3轮", [1, 2, 3]),
        ("the first one", [1]),
        ("the second result", [2]),
        ("the third one again", [3]),
        ("the first structure", [1]),
        ("第一个", [1]),
        ("第二个结果", [2]),
        ("the previous one", [4]),
        ("the last result", [4]),
        ("上一个", [4]),
        ("刚才的", [4]),
        ("刚才那个", [4]),
        ("the one before that", [3]),
        ("the second to last one", [3]),
        ("上上个", [3]),
        ("what i asked for first", [1]),
        ("back to the beginning", [1]),
        ("最开始那个", [1]),
        ("the original one", [1]),
    ],
)
def test_rounds_are_counted_from_the_first_or_the_last(converse: Converse, text: str, rounds: list[int]) -> None:
    assert pointed(converse(SETTING, *ASKED), text) == [(number, 0) for number in rounds]


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("those two", [3, 4]),
        ("the last two", [3, 4]),
        ("these three together", [2, 3, 4]),
        ("the first two", [1, 2]),
        ("both of them", [3, 4]),
        ("那两个", [3, 4]),
        ("最后两个", [3, 4]),
        ("前两个", [1, 2]),
        ("前三个合并", [1, 2, 3]),
        ("everything so far", [1, 2, 3, 4]),
        ("all of them together", [1, 2, 3, 4]),
        ("all of the above", [1, 2, 3, 4]),
        ("everything you have segmented", [1, 2, 3, 4]),
        ("到目前为止所有的", [1, 2, 3, 4]),
        ("前面画过的全部", [1, 2, 3, 4]),
        ("以上所有", [1, 2, 3, 4]),
    ],
)
def test_groups_are_the_first_the_last_or_all(converse: Converse, text: str, rounds: list[int]) -> None:
    assert pointed(converse(SETTING, *ASKED), text) == [(number, 0) for number in rounds]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("the first bone", 4),
        ("第一块骨头", 4),
        ("the first organ", 1),
        ("the second organ", 2),
        ("the kidney of [2]", 2),
    ],
)
def test_the_first_of_a_kind_is_the_first_that_shows_one(converse: Converse, text: str, number: int) -> None:
    assert pointed(converse(SETTING, *ASKED), text) == [(number, 0)]


@pytest.mark.parametrize(
    "text",
    [
        "the liver", "the first rib", "the second lumbar vertebra", "the third ventricle", "第1腰椎", "左第2肋",
        "both lungs", "two kidneys", "the last rib", "两个肾", "the gland above it", "所有的肋骨", "L1 to L3",
    ],
)  # fmt: skip
def test_names_with_numbers_point_to_no_round(converse: Converse, text: str) -> None:
    assert pointed(converse(SETTING, *ASKED), text) == []


def test_a_round_of_two_masks_is_both_and_each_has_a_number_of_its_own(converse: Converse) -> None:
    history = converse(SETTING, "the liver", "both kidneys", "the spleen")
    assert pointed(history, "[2]") == [(2, 0), (2, 1)]
    assert pointed(history, "[2.2]") == [(2, 1)]
    assert pointed(history, "the one before that") == [(2, 0), (2, 1)]
    assert pointed(history, "the first two") == [(1, 0), (2, 0), (2, 1)]


def test_two_masks_of_the_last_round_are_those_two(converse: Converse) -> None:
    history = converse(SETTING, "the liver", "both kidneys")
    assert pointed(history, "those two") == [(2, 0), (2, 1)]
    assert pointed(history, "刚才那两个") == [(2, 0), (2, 1)]


def test_those_two_are_the_two_that_were_clicked(converse: Converse) -> None:
    history = converse(SETTING, *ASKED)
    picked = (Reference(1), Reference(3))
    assert pointed(history, "combine those two", picked) == [(1, 0), (3, 0)]
    assert pointed(history, "把这两个合并", picked) == [(1, 0), (3, 0)]


def test_it_beside_something_else_is_the_last_result_or_the_one_clicked(converse: Converse) -> None:
    history = converse(SETTING, *ASKED)
    assert pointed(history, "it and the liver") == [(4, 0)]
    assert pointed(history, "it and the liver", (Reference(2),)) == [(2, 0)]


def test_rounds_without_a_mask_are_not_counted_as_the_last(converse: Converse) -> None:
    history = converse(SETTING, "the liver", "the spleen", "my coffee")
    assert pointed(history, "the previous one") == [(2, 0)]
    assert pointed(history, "those two") == [(1, 0), (2, 0)]


def test_before_the_first_mask_there_is_nothing_to_point_to(converse: Converse) -> None:
    history = converse(SETTING)
    assert pointed(history, "those two") == []
    assert pointed(history, "everything so far") == []
    for text in ("[1]", "the previous one", "第1轮"):
        with pytest.raises(ReferenceNotFoundError):
            pointed(history, text)


def test_a_deleted_mask_is_left_out_of_groups_and_missed_by_its_number(converse: Converse) -> None:
    history = converse(SETTING, *ASKED)
    history.remove_mask(Reference(3))
    assert pointed(history, "everything so far") == [(1, 0), (2, 0), (4, 0)]
    assert pointed(history, "the last two") == [(2, 0), (4, 0)]
    with pytest.raises(ReferenceNotFoundError, match="deleted"):
        pointed(history, "[3]")


def test_a_number_that_is_too_high_is_missed(converse: Converse) -> None:
    with pytest.raises(ReferenceNotFoundError, match="no round 9"):
        pointed(converse(SETTING, *ASKED), "[9]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("show the last one again", ["spleen"]),
        ("再看一下刚才的", ["spleen"]),
        ("the first one once more", ["liver"]),
        ("those two", ["liver", "spleen"]),
        ("前两个合并", ["liver", "spleen"]),
        ("everything so far", ["liver", "spleen"]),
        ("it and the left kidney", ["spleen", "left kidney"]),
    ],
)
def test_what_is_pointed_to_is_shown(found: Callable[..., list[str]], text: str, expected: list[str]) -> None:
    assert sorted(found(SETTING, "the liver", "the spleen", text)) == sorted(expected)
