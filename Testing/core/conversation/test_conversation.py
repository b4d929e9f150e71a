from dataclasses import replace

import numpy as np
import pytest
from fakes import answer

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.errors import EmptyMaskError, GeometryMismatchError, ReferenceNotFoundError
from MultiRoundSegLib.images import Geometry, Mask

GRID = Geometry((4, 5, 6), np.eye(4))


def block(label: str, size: int = 2) -> Mask:
    voxels = np.zeros(GRID.shape, dtype=bool)
    voxels[:size, :2, :2] = True
    return Mask(voxels, GRID, label)


def asked(conversation: Conversation, *masks: Mask, used: tuple[Reference, ...] = ()) -> None:
    conversation.record(Question("?"), replace(answer("!", *masks), used=used))


def test_rounds_are_counted_from_one_and_masks_found_by_reference() -> None:
    conversation = Conversation(GRID, given=[block("atlas")])
    asked(conversation, block("liver"), block("spleen", 3))
    assert conversation.rounds[0].number == 1
    assert conversation.mask(Reference(1, 1)).label == "spleen"
    assert conversation.mask(Reference(0, 0)).label == "atlas"
    assert conversation.references() == (Reference(0, 0), Reference(1, 0), Reference(1, 1))


@pytest.mark.parametrize("reference", [Reference(2), Reference(1, 1), Reference(0), Reference(-1)])
def test_a_reference_to_nothing_is_refused(reference: Reference) -> None:
    conversation = Conversation(GRID)
    asked(conversation, block("liver"))
    with pytest.raises(ReferenceNotFoundError):
        conversation.mask(reference)


def test_a_mask_on_another_grid_is_refused() -> None:
    elsewhere = Geometry(GRID.shape, np.diag([1, 1, 2, 1]))
    with pytest.raises(GeometryMismatchError, match="another voxel grid"):
        asked(Conversation(GRID), Mask(np.ones(GRID.shape, dtype=bool), elsewhere, "liver"))


def test_the_next_round_sees_the_mask_corrected_by_hand() -> None:
    conversation = Conversation(GRID)
    asked(conversation, block("liver", 2))
    conversation.replace_mask(Reference(1), block("liver", 3))
    assert conversation.mask(Reference(1)).voxel_count == 12
    assert conversation.rounds[0].answer.masks[0].voxel_count == 8


def test_rounds_made_from_a_corrected_mask_are_stale_and_so_are_those_made_from_them() -> None:
    conversation = Conversation(GRID)
    asked(conversation, block("liver"))
    asked(conversation, block("portal vein"), used=(Reference(1),))
    asked(conversation, block("spleen"), used=(Reference(2),))
    asked(conversation, block("aorta"))
    assert conversation.stale_rounds() == ()
    conversation.replace_mask(Reference(1), block("liver", 3))
    assert conversation.stale_rounds() == (2, 3)
    conversation.replace_mask(Reference(1), block("renamed", 2))
    assert conversation.stale_rounds() == ()


def test_a_deleted_mask_is_reported_and_makes_its_followers_stale() -> None:
    conversation = Conversation(GRID)
    asked(conversation, block("liver"))
    asked(conversation, block("spleen"), used=(Reference(1),))
    conversation.remove_mask(Reference(1))
    with pytest.raises(ReferenceNotFoundError, match="was deleted"):
        conversation.mask(Reference(1))
    assert conversation.stale_rounds() == (2,)
    assert conversation.rounds[0].answer.masks[0].label == "liver"


def test_undo_drops_rounds_with_their_masks() -> None:
    conversation = Conversation(GRID, given=[block("atlas")])
    asked(conversation, block("liver"))
    asked(conversation, block("spleen"))
    dropped = conversation.truncate(2)
    assert [round_.number for round_ in dropped] == [2]
    assert conversation.references() == (Reference(0), Reference(1))
    asked(conversation, block("kidney"))
    assert conversation.mask(Reference(2)).label == "kidney"
    with pytest.raises(ReferenceNotFoundError):
        conversation.truncate(3)


def test_an_empty_mask_cannot_be_referred_to() -> None:
    conversation = Conversation(GRID)
    asked(conversation, block("liver"))
    conversation.replace_mask(Reference(1), Mask.empty(GRID, "liver"))
    with pytest.raises(EmptyMaskError, match=r"\[1\] liver is empty"):
        conversation.mask(Reference(1))


def test_full_names_tell_masks_of_one_name_apart() -> None:
    here, there, same = block("liver"), block("liver"), block("liver")
    here.source, there.source, same.source = "A", "B", "B"
    conversation = Conversation(GRID, given=[here, there, same])
    asked(conversation, block("liver"))
    asked(conversation, block("left kidney"), block("right kidney"))
    names = [conversation.name(reference) for reference in conversation.references()]
    assert names == [
        "liver (A)", "liver (B, 2)", "liver (B, 3)", "[1] liver", "[2.1] left kidney", "[2.2] right kidney",
    ]  # fmt: skip


def test_an_answer_without_masks_cannot_claim_to_have_answered() -> None:
    with pytest.raises(ValueError, match="answered"):
        replace(answer("!"), status="answered")
