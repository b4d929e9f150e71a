"""Published files become dialogues; what is broken is named by file, item and field; what is written is read again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core.datasets.samples import mr_medseg, mr_medseg_conversation, mturn_seg, mturn_seg_document, region

from MultiRoundSegLib.datasets import Dialogue, faults_of, read_dialogues
from MultiRoundSegLib.datasets.mr_medseg import write_mr_medseg
from MultiRoundSegLib.datasets.mturn_seg import shape_of, write_mturn_seg
from MultiRoundSegLib.datasets.sa_med2d import MaskName, PictureName, mask_name, modality_of, picture_name, read_index
from MultiRoundSegLib.errors import DatasetError


def content(dialogues: list[Dialogue]) -> list[Any]:
    """All that a dialogue says, with the pixels of its masks."""
    return [
        [
            (turn.question, turn.answer, turn.about, turn.label, turn.truth and turn.truth.read().tolist())
            for turn in dialogue.turns
        ]
        for dialogue in dialogues
    ]


def test_mr_medseg_is_read(tmp_path: Path) -> None:
    first, second = read_dialogues("mr-medseg", mr_medseg(tmp_path), tmp_path)
    assert (first.number, second.number) == (0, 1)
    assert first.image.is_file()
    assert first.modality == "ct"
    assert [turn.question for turn in first.turns] == [
        "Segment the liver.",
        "Segment what lies right of it.",
        "And the next one?",
    ]
    assert [turn.answer for turn in first.turns] == ["[SEG].", "It is [SEG].", "It is [SEG]."]
    assert [turn.about for turn in first.turns] == [(), (1,), (2,)]
    for number, turn in enumerate(first.turns):
        assert turn.truth
        assert np.array_equal(turn.truth.read(), region(number))


def test_a_bare_conversation_is_a_data_set_of_one(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(mr_medseg_conversation(tmp_path)))
    assert len(read_dialogues("mr-medseg", file, tmp_path)) == 1


Change = Callable[[dict[str, Any]], Any]


def turn(number: int, **change: Any) -> Change:
    return lambda data: data["conversations"][number].update(change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(task="vqa"), "item 0, task: is not segmentation"),
        (lambda data: data.update(conversations=[]), "item 0, conversations: are not pairs"),
        (lambda data: data["conversations"].pop(), "item 0, conversations: are not pairs"),
        (lambda data: data.pop("conversations"), "item 0, conversations: is no list"),
        (turn(0, value="Segment it."), r"conversations\[0\], value: the first question, and no other, names the pic"),
        (turn(0, **{"from": "gpt"}), r"conversations\[0\], from: is not human"),
        (turn(1, value="It is here."), r"conversations\[1\], value: has 0 masks to make"),
        (turn(1, value="[MASK-DECODE:a.png][MASK-DECODE:b.png]"), "has 2 masks to make"),
        (turn(2, ind=3), r"conversations\[2\], ind: is 3, but 1 masks were made before"),
        (turn(2, ind="0"), r"conversations\[2\], ind: is no whole number"),
        (turn(2, ind=None), "must come together"),
        (turn(4, ind=0), "whose mask is"),
        (turn(2, value="[MASK-ENCODE:a.png] Segment it."), "not one and the same"),
        (turn(2, value="[POINT-ENCODE:a.png] Segment it."), r"\[POINT-ENCODE:a.png\] is not known"),
        (turn(2, value=7), r"conversations\[2\], value: is no text"),
    ],
)
def test_a_broken_conversation_is_named(tmp_path: Path, change: Change, words: str) -> None:
    data, file = mr_medseg_conversation(tmp_path), tmp_path / "broken.json"
    change(data)
    file.write_text(json.dumps([data]))
    with pytest.raises(DatasetError, match=words) as fault:
        read_dialogues("mr-medseg", file, tmp_path)
    assert str(fault.value).startswith("broken.json, item 0")


@pytest.mark.parametrize(("text", "words"), [("{", "is no JSON"), ("[3]", "item 0: is no object")])
def test_other_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(DatasetError, match=words):
        read_dialogues("mr-medseg", file, tmp_path)
    with pytest.raises(DatasetError, match="cannot be read"):
        read_dialogues("mr-medseg", tmp_path / "nothing.json", tmp_path)


def test_all_faults_are_found_also_those_of_pictures_and_masks(tmp_path: Path) -> None:
    file = mr_medseg(tmp_path, conversations=5)
    conversations = json.loads(file.read_text())
    conversations[1]["task"] = "other"
    file.write_text(json.dumps(conversations))
    pictures, masks = sorted((tmp_path / "images").iterdir()), sorted((tmp_path / "masks").iterdir())
    pictures[2].write_bytes(b"no picture")
    masks[9].unlink()
    masks[10].write_bytes((tmp_path / "images" / pictures[0].name).read_bytes())
    faults = [str(fault) for fault in faults_of("mr-medseg", file, tmp_path)]
    assert len(faults) == 4
    assert "item 1, task" in faults[0]
    assert "item 2: the picture" in faults[1]
    assert "item 3, round 1: The mask" in faults[2]
    assert "item 3, round 2: the mask" in faults[3]
    assert "is empty" in faults[3]


def test_mr_medseg_is_written_as_it_is_read(tmp_path: Path) -> None:
    dialogues = read_dialogues("mr-medseg", mr_medseg(tmp_path / "given"), tmp_path / "given")
    write_mr_medseg(dialogues, tmp_path / "made" / "train.json")
    again = read_dialogues("mr-medseg", tmp_path / "made" / "train.json", tmp_path / "made")
    assert content(again) == content(dialogues)
    assert list(faults_of("mr-medseg", tmp_path / "made" / "train.json", tmp_path / "made")) == []


def test_mturn_seg_is_read(tmp_path: Path) -> None:
    (dialogue,) = read_dialogues("mturn-seg", mturn_seg(tmp_path), tmp_path)
    liver, words, spleen = dialogue.turns
    assert dialogue.modality == "mr_t2w"
    assert (liver.label, liver.answer, liver.about) == ("liver", "好的 [SEG]", ())
    assert (words.truth, words.answer) == (None, "解毒。")
    assert (spleen.label, spleen.answer, spleen.about) == ("spleen", "[SEG]", (1,))
    assert liver.truth
    assert spleen.truth
    assert np.array_equal(liver.truth.read(), region(0))
    assert np.array_equal(spleen.truth.read(), region(2))
    assert list(faults_of("mturn-seg", tmp_path / "MultiZH_CHAOS.json", tmp_path)) == []


def test_the_shape_in_a_name_may_have_spaces() -> None:
    assert shape_of("x___ABD_001_100.(13, 512, 512, 1).npz") == (13, 512, 512, 1)


def question(number: int, **change: Any) -> Change:
    return lambda data: data["dataset"][0]["questions"][number].update(change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(labels=["liver"]), "labels: is no object"),
        (lambda data: data.update(labels={"a": "liver"}), "labels: are not names by number"),
        (lambda data: data.update(dataset={}), "dataset: is no list"),
        (lambda data: data["dataset"][0].update(label="label/x.npz"), "does not end with its shape"),
        (lambda data: data["dataset"][0].update(questions=[]), "item 0, questions: are none"),
        (question(0, label="heart"), r"questions\[0\], label: 'heart' is not among the labels"),
        (question(2, **{"referring label": "kidney_right"}), "which no earlier question asked for"),
        (question(1, question=" "), r"questions\[1\], question: asks nothing"),
    ],
)
def test_a_broken_sample_is_named(tmp_path: Path, change: Change, words: str) -> None:
    data, file = mturn_seg_document(tmp_path), tmp_path / "broken.json"
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(DatasetError, match=words):
        read_dialogues("mturn-seg", file, tmp_path)


def test_a_label_file_that_is_not_what_its_name_says(tmp_path: Path) -> None:
    data, file = mturn_seg_document(tmp_path, "x.(4,12,20,1).npz"), tmp_path / "broken.json"
    file.write_text(json.dumps(data))
    (fault, *_) = faults_of("mturn-seg", file, tmp_path)
    assert "not what its name says" in str(fault)
    (tmp_path / "label" / "x.(4,12,20,1).npz").write_bytes(b"nothing")
    (fault, *_) = faults_of("mturn-seg", file, tmp_path)
    assert "cannot be read" in str(fault)


def test_mturn_seg_is_written_as_it_is_read(tmp_path: Path) -> None:
    dialogues = read_dialogues("mturn-seg", mturn_seg(tmp_path / "given"), tmp_path / "given")
    write_mturn_seg(dialogues, tmp_path / "made" / "MultiZH.json", name="CHAOS")
    again = read_dialogues("mturn-seg", tmp_path / "made" / "MultiZH.json", tmp_path / "made")
    assert content(again) == content(dialogues)
    written = json.loads((tmp_path / "made" / "MultiZH.json").read_text())["dataset"][0]["questions"][0]
    assert (written["area"], written["area center"]) == (12, [1.0, 3.5])


def test_names_of_sa_med2d_20m() -> None:
    name = picture_name("images/ct_00--AbdomenCT1K--Case_00011--x_0040.png")
    assert name == PictureName("ct_00", "AbdomenCT1K", "Case_00011", "x", 40)
    assert mask_name("masks/ct_00--AbdomenCT1K--Case_00011--x_0040--0003_001.png") == MaskName(name, 3, 1)
    assert modality_of("mr_t1--BraTS--a_b--z_1.png") == "mr"
    assert modality_of("sample_0001.png") == ""
    with pytest.raises(DatasetError, match="is no name of a mask"):
        mask_name("ct_00--A--B--x_1.png")


def test_the_index_of_sa_med2d_20m(tmp_path: Path) -> None:
    picture, mask = "images/ct_00--A--B--x_1.png", "masks/ct_00--A--B--x_1--0002_000.png"
    (tmp_path / "SAMed2D_v1.json").write_text(json.dumps({picture: [mask]}))
    (tmp_path / "SAMed2D_v1_class_mapping_id.json").write_text(json.dumps({"A": {"liver": 2}}))
    index = read_index(tmp_path)
    assert index.masks == {picture: [mask]}
    assert index.label(mask) == "liver"
    with pytest.raises(DatasetError, match="has no class 7"):
        index.label("masks/ct_00--A--B--x_1--0007_000.png")
