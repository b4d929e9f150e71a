import numpy as np
import pytest
from fakes import answer

from MultiRoundSegLib.conversation import (
    Conversation,
    Question,
    Reference,
    named_mentions,
    numbered_mentions,
    rewordings,
    the_one,
)
from MultiRoundSegLib.errors import AmbiguousReferenceError, ReferenceNotFoundError
from MultiRoundSegLib.images import Geometry, Mask

GRID = Geometry((4, 5, 6), np.eye(4))


def block(label: str, size: int = 2, source: str | None = None) -> Mask:
    voxels = np.zeros(GRID.shape, dtype=bool)
    voxels[:size, :2, :2] = True
    mask = Mask(voxels, GRID, label)
    mask.source = source
    return mask


@pytest.fixture
def dialogue() -> Conversation:
    """[1] liver, [2] left and right kidney, [3] nothing found."""
    conversation = Conversation(GRID, given=[block("肝", source="Atlas"), block("hepar 2", source="Atlas")])
    conversation.record(Question("liver"), answer("!", block("liver")))
    conversation.record(Question("kidneys"), answer("!", block("left kidney"), block("right kidney", 3)))
    conversation.record(Question("spleen"), answer("not there"))
    return conversation


BOTH_KIDNEYS = (Reference(2, 0), Reference(2, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the vein in [1]", (Reference(1),)),
        ("the other side of round 1", (Reference(1),)),
        ("ROUND 2 again", BOTH_KIDNEYS),
        ("[2.2] please", (Reference(2, 1),)),
        ("第1轮旁边的器官", (Reference(1),)),
        ("第二轮的对侧", BOTH_KIDNEYS),
        ("the previous one", BOTH_KIDNEYS),
        ("the last segment", BOTH_KIDNEYS),
        ("上一个的对侧", BOTH_KIDNEYS),
        ("刚才的那个", BOTH_KIDNEYS),
        ("hepar 2 (Atlas)", (Reference(0, 1),)),
    ],
)
def test_rounds_are_named_by_number_or_as_the_previous_one(
    text: str, expected: tuple[Reference, ...], dialogue: Conversation
) -> None:
    (mention,) = numbered_mentions(text, dialogue)
    assert mention.references == expected


@pytest.mark.parametrize(
    "text",
    [
        "L1 to L5",
        "the vertebra above T2",
        "round ligament",
        "segment the liver",
        "第5肋",
        "the first structure met on going laterally",
        "the second structure that you come to below the liver",
    ],
)
def test_other_numbers_are_no_rounds(text: str, dialogue: Conversation) -> None:
    assert numbered_mentions(text, dialogue) == ()


@pytest.mark.parametrize("text", ["[9]", "round 9", "第九轮", "[3]", "[0]", "[2.5]"])
def test_a_round_that_has_no_mask_is_refused(text: str, dialogue: Conversation) -> None:
    with pytest.raises(ReferenceNotFoundError):
        numbered_mentions(text, dialogue)


def test_the_previous_one_of_nothing_is_refused() -> None:
    with pytest.raises(ReferenceNotFoundError, match="no earlier mask"):
        numbered_mentions("the previous one", Conversation(GRID))


def test_names_are_whole_words_in_english_and_any_part_in_chinese(dialogue: Conversation) -> None:
    assert [m.references for m in named_mentions("the LIVER, and 肝脏", dialogue)] == [
        (Reference(1),),
        (Reference(0, 0),),
    ]
    assert named_mentions("delivery", dialogue) == ()


def test_a_renamed_mask_answers_to_both_names(dialogue: Conversation) -> None:
    dialogue.replace_mask(Reference(1), dialogue.mask(Reference(1)).renamed("hepar"))
    for text in ("inside the liver", "inside the hepar"):
        (mention,) = named_mentions(text, dialogue)
        assert the_one(mention, text, dialogue) == Reference(1)


def test_a_name_of_a_deleted_mask_means_the_one_that_has_it_now_and_says_so(dialogue: Conversation) -> None:
    dialogue.remove_mask(Reference(1))
    (mention,) = named_mentions("inside the liver", dialogue)
    with pytest.raises(ReferenceNotFoundError, match="deleted"):
        the_one(mention, "inside the liver", dialogue)
    dialogue.record(Question("again"), answer("!", block("liver", 3)))
    (mention,) = named_mentions("inside the liver", dialogue)
    assert the_one(mention, "inside the liver", dialogue) == Reference(4)
    assert "was deleted" in mention.note


def test_a_name_that_two_masks_have_is_asked_back_with_volumes(dialogue: Conversation) -> None:
    dialogue.record(Question("again"), answer("!", block("liver", 3)))
    (mention,) = named_mentions("inside the liver", dialogue)
    with pytest.raises(AmbiguousReferenceError, match=r"\[1\] liver: 0.01 ml; \[4\] liver: 0.01 ml") as caught:
        the_one(mention, "inside the liver", dialogue)
    assert caught.value.choices == ("inside the [1] liver", "inside the [4] liver")
    assert rewordings(mention, "inside the liver", dialogue) == caught.value.choices
