"""What is mended in a question, and what is left as it was typed."""

from collections.abc import Callable

import pytest

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.conversation import Answer
from MultiRoundSegLib.engines.reasoner.hearing import Heard, hear

KNOWLEDGE = load_knowledge()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the kidny", "the kidney"),
        ("panceras please", "pancreas please"),
        ("gallblader", "gallbladder"),
        ("left hipocampus", "left hippocampus"),
        ("lft kidney", "left kidney"),
        ("the rihgt lung", "the right lung"),
        ("the contralatral kidney", "the contralateral kidney"),
        ("lumber spine", "lumbar spine"),
        ("prostrate", "prostate"),
        ("the portal vain", "the portal vein"),
        ("left humorous", "left humerus"),
        ("the thoraic vertebrae", "the thoracic vertebrae"),
        ("oesophgus", "oesophagus"),
        ("对策的肾", "对侧的肾"),
        ("脾藏", "脾脏"),
        ("胰线", "胰腺"),
    ],
)
def test_slips_are_mended(text: str, expected: str) -> None:
    heard = hear(text, KNOWLEDGE)
    assert heard.text == expected
    assert len(heard.mended) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("左側腎臟", "左侧肾脏"),
        ("請分割肝臟和膽囊", "请分割肝脏和胆囊"),
        ("對側的那個", "对侧的那个"),
        ("liver", "liver"),
        ("ribs 3-5", "third ribs & fourth ribs & fifth ribs"),
        ("第3到第4肋", "第3肋、第4肋"),
    ],
)
def test_traditional_characters_and_lists_of_numbers_are_no_slips(text: str, expected: str) -> None:
    assert hear(text, KNOWLEDGE) == Heard(expected)


@pytest.mark.parametrize(
    ("text", "expected"), [("liverrrrr", "liver"), ("the leeeeft kidney", "the left kidney"), ("spleeeeen", "spleen")]
)
def test_a_letter_held_down_is_one_slip(text: str, expected: str) -> None:
    assert hear(text, KNOWLEDGE).text == expected


def test_all_slips_are_told_in_the_order_of_the_text() -> None:
    heard = hear("the splen and the kidny on the lfet", KNOWLEDGE)
    assert heard.text == "the spleen and the kidney on the left"
    assert heard.mended == (("splen", "spleen"), ("kidny", "kidney"), ("lfet", "left"))


@pytest.mark.parametrize(
    "text",
    [
        "the wall of the stomach", "my coffee", "L1", "SMA and IVC", "the lower pole", "hello there",
        "the patient was prone and obese", "thanks for your help", "could you check it later", "Dr. Miller",
        "the window is wide", "the hepatic flexure", "musculus psoas major", "T2 weighted", "what about dinner",
        "the next one down", "帮我看看", "这个病人的情况", "左侧的肾", "对侧的那个", "再来一次", "谢谢医生",
    ],
)  # fmt: skip
def test_right_words_are_left_alone(text: str) -> None:
    assert hear(text, KNOWLEDGE) == Heard(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("the splen thing", "splen thing"),
        ("kidny_v2", "kidny_v2"),
        ("show Lesoin A", "Lesoin A"),
        ("the pancrea seed", "pancrea seed"),
        ("肾赃一号", "肾赃一号"),
    ],
)
def test_the_names_of_segments_are_right_as_they_are(text: str, own: str) -> None:
    assert hear(text, KNOWLEDGE).mended
    assert hear(text, KNOWLEDGE, [own]) == Heard(text)


def test_a_name_of_a_segment_does_not_keep_other_slips() -> None:
    assert hear("splen thing and the kidny", KNOWLEDGE, ["splen thing"]).mended == (("kidny", "kidney"),)


def test_numbers_alone_are_written_out_for_the_series_of_the_last_result() -> None:
    assert hear("4-5", KNOWLEDGE, series="L").text == "L4, L5"
    assert hear("4-5", KNOWLEDGE).text == "4-5"


@pytest.mark.parametrize(
    ("text", "typed", "meant"), [("the left kidny", "kidny", "left kidney"), ("脾藏", "脾藏", "脾")]
)
def test_the_answer_says_what_was_taken_for_what(ask: Callable[..., Answer], text: str, typed: str, meant: str) -> None:
    answer = ask(("kidney_left", "kidney_right", "spleen"), text)
    assert [mask.label for mask in answer.masks] == [meant]
    assert typed in answer.text
