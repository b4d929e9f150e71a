"""The reasoner over a segmentation that is already there."""

import itertools
import re

import numpy as np
import pytest
from engine_contract import EngineContract, Told

from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.engines import Engine, create_engine
from MultiRoundSegLib.images import Geometry, Mask, Volume

GRID = Geometry((8, 10, 12), np.diag([10.0, 10.0, 10.0, 1.0]))
VOLUME = Volume(np.zeros(GRID.shape, dtype=np.int16), GRID, "CT", name="scan")


def labels(*names: str, source: str = "Atlas") -> list[Mask]:
    """Masks of 1, 2, 3 ... voxels, none touching another."""
    masks = []
    for size, name in enumerate(names, start=1):
        voxels = np.zeros(GRID.shape, dtype=bool)
        voxels.reshape(-1)[size * 20 : size * 20 + size] = True
        mask = Mask(voxels, GRID, name)
        mask.source = source
        masks.append(mask)
    return masks


TORSO = (
    "liver", "spleen", "kidney_left", "kidney_right", "stomach", "heart", "aorta", "lung_upper_lobe_left",
    "lung_lower_lobe_left", "lung_upper_lobe_right", "lung_middle_lobe_right", "lung_lower_lobe_right",
    "vertebrae_L1", "vertebrae_L2", "rib_left_1", "rib_right_1", "rib_left_2", "femur_left", "my odd thing",
)  # fmt: skip


class Dialogue:
    """Asks one question after another, each seeing the earlier ones."""

    def __init__(self, *names: str) -> None:
        self.history = Conversation(GRID, labels(*names))
        self._session = create_engine("reasoner").open(VOLUME)

    def ask(self, text: str, *references: Reference) -> Answer:
        question = Question(text, references=references)
        answer = self._session.answer(question, self.history, progress=Told())
        self.history.record(question, answer)
        return answer


def names(answer: Answer) -> list[str]:
    return [mask.label for mask in answer.masks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("segment the liver", ["liver"]),
        ("LIVER please!", ["liver"]),
        ("hepatic parenchyma: the liver", ["liver"]),
        ("请分割肝脏", ["肝"]),
        ("left kidney", ["left kidney"]),
        ("the kidney on the left", ["left kidney"]),
        ("kidney, right", ["right kidney"]),
        ("右侧肾脏", ["右肾"]),
        ("both kidneys", ["left kidney", "right kidney"]),
        ("the left and right kidney", ["left kidney", "right kidney"]),
        ("kidneys", ["left kidney", "right kidney"]),
        ("双肾", ["左肾", "右肾"]),
        ("两侧肾", ["左肾", "右肾"]),
        ("肾", ["左肾", "右肾"]),
        ("liver, spleen and the right kidney", ["liver", "spleen", "right kidney"]),
        ("the kidney on the left and the spleen", ["left kidney", "spleen"]),
        ("肝和脾", ["肝", "脾"]),
        ("L2", ["L2 vertebra"]),
        ("all vertebrae", ["L1 vertebra", "L2 vertebra"]),
        ("all ribs", ["left first rib", "right first rib", "left second rib"]),
        ("ribs on the left", ["left first rib", "left second rib"]),
        ("所有肋骨", ["左第1肋", "右第1肋", "左第2肋"]),
        ("the right lung", ["right lung"]),
        ("lungs", ["left lung", "right lung"]),
        ("the femur", ["left femur"]),
        ("帮我 segment 一下 right kidney", ["右肾"]),
        ("my odd thing", ["my odd thing"]),
        ("right now show the spleen", ["spleen"]),
        ("that's right, and the spleen", ["spleen"]),
        ("could you please outline the liver in this scan?", ["liver"]),
        ("R kidney", ["right kidney"]),
        ("Lt kidney", ["left kidney"]),
        ("L kidney and R kidney", ["left kidney", "right kidney"]),
        ("L/R kidney", ["left kidney", "right kidney"]),
        ("every rib on the left", ["left first rib", "left second rib"]),
        ("L1-L2", ["L1 vertebra", "L2 vertebra"]),
        ("lumbar vertebrae", ["lumbar spine"]),
        ("ribs 1 to 2 and the liver", ["left first rib", "right first rib", "left second rib", "liver"]),
        ("left ribs 1-2", ["left first rib", "left second rib"]),
        ("the liver but not the spleen", ["liver"]),
        ("the liver without the kidney", ["liver"]),
        ("liver, XQ, spleen", ["liver", "spleen"]),
        ("请把肝脏和脾脏分割出来", ["肝", "脾"]),
        ("右肾在哪里", ["右肾"]),
    ],
)
def test_structures_are_found_by_name_side_and_number(text: str, expected: list[str]) -> None:
    answer = Dialogue(*TORSO).ask(text)
    assert answer.status == "answered", answer.text
    assert names(answer) == expected


def test_references_and_names_can_stand_side_by_side() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("right kidney")
    dialogue.ask("liver")
    assert names(dialogue.ask("[1] and the spleen")) == ["right kidney", "spleen"]
    assert names(dialogue.ask("rounds 1 and 2")) == ["right kidney", "liver"]
    assert names(dialogue.ask("第1、2轮")) == ["right kidney", "liver"]
    assert names(dialogue.ask("第一轮和脾")) == ["right kidney", "脾"]


def test_what_is_not_understood_in_a_list_is_said() -> None:
    answer = Dialogue(*TORSO).ask("liver, XQ, spleen")
    assert 'I did not understand "XQ"' in answer.text


def test_a_correction_by_hand_is_what_the_liver_of_a_round_means() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("kidney_right")
    corrected = labels("a", "b", "c", "d", "e", "f", "g", "h")[7].renamed("right kidney")
    dialogue.history.replace_mask(Reference(1), corrected)
    assert dialogue.ask("the kidney of [1]").masks[0].voxel_count == 8
    assert dialogue.ask("[1] right kidney").masks[0].voxel_count == 8


def test_a_result_whose_labels_are_gone_is_found_by_its_name() -> None:
    dialogue = Dialogue("liver")
    dialogue.ask("liver")
    kept = Conversation(GRID)
    kept.record(dialogue.history.rounds[0].question, dialogue.history.rounds[0].answer)
    dialogue.history = kept
    answer = dialogue.ask("the liver again")
    assert names(answer) == ["liver"]
    assert answer.used == (Reference(1),)


def test_a_segment_whose_name_holds_a_number_is_no_round() -> None:
    dialogue = Dialogue("tumour [2]", "liver")
    assert names(dialogue.ask("tumour [2]")) == ["tumour [2]"]
    dialogue.ask("liver")
    assert names(dialogue.ask("tumour [2]")) == ["tumour [2]"]


def test_a_whole_is_the_union_of_its_parts() -> None:
    answer = Dialogue(*TORSO).ask("right lung")
    assert answer.masks[0].voxel_count == 10 + 11 + 12


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (["right kidney", "the other one"], "left kidney"),
        (["right kidney", "the other side"], "left kidney"),
        (["right kidney", "contralateral"], "left kidney"),
        (["right kidney", "the other kidney"], "left kidney"),
        (["右肾", "对侧的那个"], "左肾"),
        (["右肾", "另一侧"], "左肾"),
        (["right kidney", "liver", "the opposite side of [1]"], "left kidney"),
        (["right kidney", "liver", "the other kidney"], "left kidney"),
        (["right kidney", "liver", "the other side of round 1"], "left kidney"),
        (["right kidney", "spleen", "第1轮的对侧"], "左肾"),
        (["right kidney", "left kidney", "上一个的对侧"], "右肾"),
        (["right kidney", "liver", "the left one of [1]"], "left kidney"),
        (["right kidney", "the left one"], "left kidney"),
        (["the kidney", "the left one"], "left kidney"),
        (["liver", "spleen", "show [1] again"], "liver"),
        (["liver", "spleen", "the previous one again"], "spleen"),
        (["liver", "spleen", "round one again"], "liver"),
        (["liver", "spleen", "the first result"], "liver"),
        (["liver", "spleen", "#1"], "liver"),
        (["right kidney", "另外那个"], "左肾"),
        (["right kidney", "另外一侧"], "左肾"),
        (["rib_left_1", "the kidney on the same side"], "left kidney"),
        (["rib_left_1", "同侧的肾"], "左肾"),
        (["rib_left_1", "对侧的肾"], "右肾"),
        (["right kidney", "the upper lobe on the same side"], "right upper lobe of lung"),
        (["right kidney", "liver", "the liver of [2]"], "liver"),
        (["the kidney", "the second one"], "right kidney"),
        (["the kidney", "2"], "right kidney"),
        (["肾是哪一个", "右边的"], "右肾"),
    ],
)
def test_later_rounds_refer_to_earlier_ones(questions: list[str], expected: str) -> None:
    dialogue = Dialogue(*TORSO)
    *_, last = [dialogue.ask(question) for question in questions]
    assert last.status == "answered", last.text
    assert names(last) == [expected]


def test_a_clicked_reference_is_what_the_other_one_is_of() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("right kidney")
    dialogue.ask("rib_left_1")
    answer = dialogue.ask("the other one", Reference(1))
    assert names(answer) == ["left kidney"]
    assert answer.used == (Reference(1),)
    assert "[1] right kidney" in answer.text


def test_renaming_a_result_does_not_change_what_it_is() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("right kidney")
    dialogue.history.replace_mask(Reference(1), dialogue.history.mask(Reference(1)).renamed("mine"))
    assert names(dialogue.ask("the other side of mine")) == ["left kidney"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pancreas", "There is no pancreas"),
        ("胰腺", "没有胰腺"),
        ("the right femur", "There is no right femur"),
        ("segment my coffee", "did not understand"),
        ("jsdhfkjh", "did not understand"),
        ("给我一杯咖啡", "没有听懂"),
        ("the left liver", "has no other side"),
        ("the other one", "did not understand"),
        ("[4]", "no round 4"),
        ("第4轮的对侧", "不存在"),
        ("kidney stone", "no stone"),
        ("肾结石", "没有结石"),
        ("head of the femur", "There is no head of femur"),
        ("no liver", "left out"),
        ("not the liver", "left out"),
        ("never the kidneys except the left one", "left out"),
        ("do not segment the liver", "left out"),
        ("不要肝脏", "去掉"),
        ("除了肝脏以外的", "去掉"),
        ("the other organs", "did not understand"),
        ("the right lobe of the liver", "There is no right lobe of liver"),
    ],
)
def test_what_cannot_be_had_is_said_in_the_language_of_the_question(text: str, words: str) -> None:
    answer = Dialogue(*TORSO).ask(text)
    assert answer.status == "none"
    assert words in answer.text


def test_a_part_of_what_is_asked_for_is_given_and_the_rest_is_said() -> None:
    answer = Dialogue(*TORSO).ask("liver and pancreas")
    assert names(answer) == ["liver"]
    assert "There is no pancreas" in answer.text


def test_the_other_side_of_what_is_not_paired_is_refused() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("liver")
    answer = dialogue.ask("the other one")
    assert (answer.status, answer.text) == ("none", "The liver has no other side. " + answer.text.split(". ", 1)[1])


def test_without_labels_it_says_what_to_load() -> None:
    answer = Dialogue().ask("liver")
    assert answer.status == "none"
    assert "load one" in answer.text


def test_an_unsided_singular_with_two_sides_is_asked_back() -> None:
    dialogue = Dialogue(*TORSO)
    answer = dialogue.ask("outline the kidney")
    assert answer.status == "clarify"
    assert answer.choices == ("left kidney", "right kidney")
    assert "3 ml" in answer.text
    assert names(dialogue.ask(answer.choices[1])) == ["right kidney"]


def test_an_ambiguous_name_means_the_structure_that_is_there() -> None:
    assert names(Dialogue("heart_ventricle_left", "heart_atrium_left").ask("left ventricle")) == [
        "left ventricle of heart"
    ]
    answer = Dialogue("heart_ventricle_left", "Left-Lateral-Ventricle").ask("left ventricle")
    assert answer.status == "clarify"
    assert len(answer.choices) == 2


def test_two_labels_of_one_name_are_asked_back_with_their_segmentations() -> None:
    dialogue = Dialogue()
    dialogue.history = Conversation(GRID, [*labels("liver", source="A"), *labels("spleen", "liver", source="B")])
    answer = dialogue.ask("liver")
    assert answer.status == "clarify"
    assert answer.choices == ("liver (A)", "liver (B)")
    chosen = dialogue.ask(answer.choices[1])
    assert chosen.masks[0].voxel_count == 2


def test_a_label_without_voxels_is_not_there() -> None:
    dialogue = Dialogue()
    dialogue.history = Conversation(GRID, [Mask.empty(GRID, "spleen")])
    answer = dialogue.ask("spleen")
    assert (answer.status, answer.masks) == ("none", ())
    assert "not found in this image" in answer.text


def test_a_label_that_does_not_say_its_side_is_not_given_for_a_side() -> None:
    dialogue = Dialogue("kidney", "liver")
    assert "does not say on which side" in dialogue.ask("left kidney").text
    assert names(dialogue.ask("the kidney")) == ["kidney"]


def test_a_deleted_segment_is_not_silently_replaced() -> None:
    dialogue = Dialogue("liver")
    dialogue.ask("liver")
    dialogue.history.remove_mask(Reference(1))
    assert "was deleted" in dialogue.ask("[1]").text
    again = dialogue.ask("liver")
    assert again.status == "answered"
    assert "was deleted" in again.text


@pytest.mark.parametrize("order", list(itertools.permutations(("liver", "kidney_left", "kidney_right")))[::2])
def test_the_order_of_labels_does_not_matter(order: tuple[str, ...]) -> None:
    dialogue = Dialogue(*order)
    assert names(dialogue.ask("both kidneys")) == ["left kidney", "right kidney"]


class TestContract(EngineContract):
    answerable = Question("the right kidney")
    unanswerable = Question("the pancreas")

    @pytest.fixture
    def engine(self) -> Engine:
        return create_engine("reasoner")

    @pytest.fixture
    def volume(self) -> Volume:
        return VOLUME

    @pytest.fixture
    def history(self) -> Conversation:
        return Conversation(GRID, labels(*TORSO))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["the kidneys but not the left one"], ["right kidney"]),
        (["both kidneys except for the right kidney"], ["left kidney"]),
        (["the right lung without the middle lobe"], ["right upper lobe of lung", "right lower lobe of lung"]),
        (["右肺去掉中叶"], ["右肺上叶", "右肺下叶"]),
        (["双肾减去左肾"], ["右肾"]),
        (["liver, spleen and both kidneys", "drop the left kidney"], ["liver", "spleen", "right kidney"]),
        (["liver, spleen and stomach", "everything but the spleen"], ["liver", "stomach"]),
        (["肝和脾", "把肝去掉"], ["脾"]),
        (["肝和脾", "不要肝"], ["脾"]),
        (["the left lung", "remove the lower lobe"], ["left upper lobe of lung"]),
    ],
)
def test_what_is_taken_away_is_taken_from_what_is_named_or_from_the_last_result(
    texts: list[str], expected: list[str]
) -> None:
    dialogue = Dialogue(*TORSO)
    assert names([dialogue.ask(text) for text in texts][-1]) == expected


@pytest.mark.parametrize(
    "text", ["remove the liver", "drop both kidneys", "everything but the heart", "not the spleen"]
)
def test_what_is_not_in_the_last_result_cannot_be_taken_from_it(text: str) -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("the spleen")
    answer = dialogue.ask(text)
    assert (answer.status, answer.masks) == ("none", ())
    assert "left out" in answer.text


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["the spleen", "how large is it?"], "[1] spleen: 2 ml."),
        (["the spleen", "the liver", "how big is [1]?"], "[1] spleen: 2 ml."),
        (["what is the volume of the liver?"], "liver: 1 ml."),
        (["脾", "它多大？"], "[1] 脾：体积 2 ml。"),
        (["肝的体积"], "肝：体积 1 ml。"),
    ],
)
def test_questions_of_size_are_answered_in_words(texts: list[str], expected: str) -> None:
    dialogue = Dialogue(*TORSO)
    answer = [dialogue.ask(text) for text in texts][-1]
    assert (answer.status, answer.masks) == ("text", ())
    assert answer.text == expected


def test_diameter_and_intensity_are_measured_too() -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("the stomach")
    answer = dialogue.ask("what is the longest diameter and the mean intensity of [1]?")
    assert answer.status == "text"
    assert re.fullmatch(r"\[1\] stomach: longest diameter [\d.]+ mm, mean intensity [-\d.]+( HU)?\.", answer.text)
    assert answer.used == (Reference(1),)


@pytest.mark.parametrize("text", ["how large is it?", "how big is the coffee?", "how large is the kidney?"])
def test_what_cannot_be_measured_is_said(text: str) -> None:
    answer = Dialogue(*TORSO).ask(text)
    assert answer.status == ("clarify" if "kidney" in text else "none")
    assert not answer.masks


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["right kidney", "no, left"], ["left kidney"]),
        (["right kidney", "sorry, I meant the spleen"], ["spleen"]),
        (["right kidney", "no, the other one"], ["left kidney"]),
        (["right kidney", "I mean the left one"], ["left kidney"]),
        (["右肾", "不对，左边"], ["左肾"]),
        (["右肾", "不是这个，是脾"], ["脾"]),
        (["右肾", "脾", "[1]换成左边"], ["左肾"]),
    ],
)
def test_a_correction_says_what_is_wanted_instead(texts: list[str], expected: list[str]) -> None:
    dialogue = Dialogue(*TORSO)
    assert names([dialogue.ask(text) for text in texts][-1]) == expected


@pytest.mark.parametrize("text", ["no, don't", "no", "不", "no spleen", "not that"])
def test_a_correction_without_what_is_wanted_is_not_guessed(text: str) -> None:
    dialogue = Dialogue(*TORSO)
    dialogue.ask("the spleen")
    assert dialogue.ask(text).status == "none"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("thanks!", "You are welcome."),
        ("谢谢", "不客气。"),
        ("what can you segment?", "There are: liver, spleen"),
        ("which structures are there?", "There are: liver, spleen"),
        ("有哪些结构？", "可以选择：肝、脾"),
    ],
)
def test_words_that_ask_for_no_mask_are_answered_in_words(text: str, words: str) -> None:
    answer = Dialogue(*TORSO).ask(text)
    assert answer.status == "text"
    assert answer.text.startswith(words)


def test_thanks_with_a_wish_are_a_wish() -> None:
    assert names(Dialogue(*TORSO).ask("thanks, now the spleen")) == ["spleen"]
