import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fakes import answer

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.conversation.record import load_record, save_record
from MultiRoundSegLib.errors import RecordError
from MultiRoundSegLib.images import Code, Geometry, Mask, SliceView, Window

OBLIQUE = np.array([[0.6, -0.45, 0.77, -30], [0.36, 0.73, -0.5, 12], [0.1, 0.3, 2.3, -5], [0, 0, 0, 1.0]])
GRID = Geometry((4, 5, 6), OBLIQUE)


def block(label: str, size: int = 2) -> Mask:
    voxels = np.zeros(GRID.shape, dtype=bool)
    voxels[:size, 1:3, 2:4] = True
    return Mask(voxels, GRID, label, Code("SCT", "10200004", "Liver"))


@pytest.fixture
def conversation() -> Conversation:
    """Three rounds: a view and a frame; nothing found; two masks made from a given one and from round 1."""
    made = Conversation(GRID, given=[block("atlas")])
    view = SliceView("coronal", 3, Window(-160, 240, "abdomen"))
    made.record(Question('肝 "liver"\n?', view, frame="3 of 20"), replace(answer("ok", block("肝")), score=0.75))
    made.record(Question("spleen"), replace(answer("not there"), choices=("a", "b")))
    used = (Reference(0), Reference(1))
    made.record(
        Question("both", references=(Reference(1),)), replace(answer("ok", block("a"), block("b", 3)), used=used)
    )
    return made


def test_a_dialogue_reads_back_equal(conversation: Conversation, tmp_path: Path) -> None:
    save_record(conversation, tmp_path)
    again = load_record(tmp_path, given=conversation.given)
    assert again == conversation
    assert again.stale_rounds() == ()
    assert again.rounds[0].answer.masks[0].code == Code("SCT", "10200004", "Liver")


def test_corrected_renamed_emptied_and_deleted_masks_read_back(conversation: Conversation, tmp_path: Path) -> None:
    conversation.replace_mask(Reference(1), block("hepar", 3))
    conversation.replace_mask(Reference(3, 0), Mask.empty(GRID, "erased"))
    conversation.remove_mask(Reference(3, 1))
    save_record(conversation, tmp_path)
    again = load_record(tmp_path, given=conversation.given)
    assert again == conversation
    assert again.mask(Reference(1)).label == "hepar"
    assert again.stale_rounds() == conversation.stale_rounds() == (3,)
    assert again.is_removed(Reference(3, 1))


def test_a_round_made_from_a_given_mask_that_is_gone_is_stale(conversation: Conversation, tmp_path: Path) -> None:
    save_record(conversation, tmp_path)
    assert load_record(tmp_path).stale_rounds() == (3,)


def test_the_files_are_named_by_round_and_number_and_say_what_is_in_them(
    conversation: Conversation, tmp_path: Path
) -> None:
    path = save_record(conversation, tmp_path)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["mask_1_1.nii.gz", "mask_3_1.nii.gz", "mask_3_2.nii.gz", "rounds.json"]
    first, second, third = json.loads(path.read_text(encoding="utf-8"))["rounds"]
    (segment,) = first["segments"]
    assert (segment["id"], segment["name"], segment["voxels"]) == ("Round_1_1", "肝", 8)
    assert segment["volume_ml"] == pytest.approx(8 * GRID.voxel_volume_mm3 / 1000, abs=1e-4)
    assert (second["number"], second["status"], second["segments"]) == (2, "none", [])
    assert third["references"] == [{"round": 1, "mask": 1}]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_text("{"), "not valid JSON"),
        (lambda path: path.write_text("[]"), "not a record"),
        (
            lambda path: path.write_text(path.read_text().replace('"version": 1,', '"version": 9,', 1)),
            "another version",
        ),
        (lambda path: path.write_text(path.read_text().replace('"status"', '"stat"')), "cannot be read"),
        (lambda path: path.write_text(path.read_text().replace('"shape_kji"', '"shape"')), "damaged"),
    ],
)
def test_a_damaged_record_is_refused_with_a_sentence(
    conversation: Conversation, tmp_path: Path, damage: object, words: str
) -> None:
    damage(save_record(conversation, tmp_path))  # type: ignore[operator]
    with pytest.raises(RecordError, match=words):
        load_record(tmp_path)


def test_a_record_reads_no_file_outside_its_folder(conversation: Conversation, tmp_path: Path) -> None:
    path = save_record(conversation, tmp_path / "record")
    (tmp_path / "mask_1_1.nii.gz").write_bytes((tmp_path / "record" / "mask_1_1.nii.gz").read_bytes())
    path.write_text(path.read_text().replace('"mask_1_1.nii.gz"', '"../mask_1_1.nii.gz"'))
    (tmp_path / "record" / "mask_1_1.nii.gz").unlink()
    with pytest.raises(Exception, match="no file mask_1_1"):
        load_record(tmp_path / "record")
