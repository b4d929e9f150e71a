"""The plan of a round is data: what is meant and why, what is refused and why, what is asked back."""

from collections.abc import Callable

import numpy as np
import pytest

from MultiRoundSegLib.anatomy import Entity, load_anatomy
from MultiRoundSegLib.conversation import Answer, Reference
from MultiRoundSegLib.engines.reasoner.plan import Plan, Refusal
from MultiRoundSegLib.images import Geometry, Mask

ANATOMY = load_anatomy()
TORSO = (
    "liver", "spleen", "gallbladder", "kidney_left", "kidney_right", "adrenal_gland_left", "adrenal_gland_right",
    "lung_upper_lobe_left", "lung_upper_lobe_right", "portal_vein_and_splenic_vein", "urinary_bladder", "my seed",
)  # fmt: skip
VENTRICLES = ("heart_ventricle_left", "Left-Lateral-Ventricle", "heart_atrium_left")
Planned = Callable[..., Plan]
Ask = Callable[..., Answer]


def entity(name: str) -> Entity:
    found = ANATOMY.identify(name)
    assert found is not None
    return found


def meant(plan: Plan) -> list[str]:
    return [t.entity.name("en") if t.entity else t.label for t in plan.targets]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the left kidney and the liver", ["left kidney", "liver"]),
        ("双肾和脾", ["left kidney", "right kidney", "spleen"]),
        ("liver, liver and the liver", ["liver"]),
    ],
)
def test_targets_are_what_is_meant_once_each_in_order(plan: Planned, text: str, expected: list[str]) -> None:
    planned = plan(TORSO, text)
    assert meant(planned) == expected
    assert (planned.refusals, planned.choice, planned.used, planned.in_words) == ((), None, (), False)
    assert all(target.reason is None for target in planned.targets)


def test_a_target_names_what_the_segmenter_is_asked_for(plan: Planned) -> None:
    (target,) = plan(("lung_upper_lobe_left", "lung_lower_lobe_left"), "the left lung").targets
    assert [candidate.label for candidate in target.candidates] == ["lung_upper_lobe_left", "lung_lower_lobe_left"]
    assert target.copied is None


@pytest.mark.parametrize(
    ("texts", "expected", "relation", "anchor"),
    [
        (("the gland on top of the right kidney",), "right adrenal gland", "above", "right kidney"),
        (("右肾上方的腺体",), "right adrenal gland", "above", "right kidney"),
        (("left kidney", "the gland above it"), "left adrenal gland", "above", "left kidney"),
        (("left kidney", "liver", "[1]上方的腺体"), "left adrenal gland", "above", "left kidney"),
    ],
)
def test_the_relation_that_was_used_is_the_reason(
    plan: Planned, texts: tuple[str, ...], expected: str, relation: str, anchor: str
) -> None:
    planned = plan(TORSO, *texts)
    assert meant(planned) == [expected]
    reason = planned.targets[0].reason
    assert reason is not None
    assert reason.fact is not None
    assert reason.fact.relation == relation
    assert reason.anchor == entity(anchor)


def test_words_of_what_is_known_are_a_reason_too(plan: Planned) -> None:
    planned = plan(TORSO, "the organ that stores urine")
    assert meant(planned) == ["urinary bladder"]
    reason = planned.targets[0].reason
    assert reason is not None
    assert "urine" in reason.phrase


@pytest.mark.parametrize(
    ("texts", "used"),
    [
        (("liver", "show [1] again"), [1]),
        (("left kidney", "liver", "the gland above [1]"), [1]),
        (("left kidney", "the gland above it"), [1]),
        (("left kidney", "liver", "the other side of [1]"), [1]),
        (("liver", "spleen", "combine [1] and [2]"), [1, 2]),
        (("liver", "the spleen"), []),
        (("left kidney", "the other one"), [1]),
        (("肝", "脾", "前两个"), [1, 2]),
    ],
)
def test_the_references_that_were_used_are_told(plan: Planned, texts: tuple[str, ...], used: list[int]) -> None:
    assert plan(TORSO, *texts).used == tuple(map(Reference, used))


def test_the_other_side_tells_of_what_it_is(plan: Planned) -> None:
    (target,) = plan(TORSO, "left kidney", "the other one").targets
    assert (target.entity, target.opposite_of) == (entity("right kidney"), Reference(1))
    (target,) = plan(TORSO, "liver", "show [1] again").targets
    assert (target.entity, target.copied) == (entity("liver"), Reference(1))


def test_what_was_taken_away_is_kept_in_the_plan(plan: Planned) -> None:
    planned = plan(TORSO, "both kidneys", "without the left one")
    assert meant(planned) == ["right kidney"]
    assert [target.entity for target in planned.dropped] == [entity("left kidney")]


@pytest.mark.parametrize(
    ("setting", "texts", "trouble"),
    [
        (TORSO, ("the pancreas",), "absent"),
        (TORSO, ("胰腺",), "absent"),
        (TORSO, ("the gland that makes insulin",), "absent"),
        (TORSO, ("the liver", "the left liver"), "one_sided"),
        (TORSO, ("the liver", "the other one"), "one_sided"),
        (("kidney", "liver"), ("the left kidney",), "unsided"),
        (TORSO, ("the other one",), "not_understood"),
        (TORSO, ("both",), "not_understood"),
        (TORSO, ("my coffee",), "unclear"),
        (TORSO, ("给我一杯咖啡",), "unclear"),
        (TORSO, ("not the liver",), "excludes"),
        (TORSO, ("liver", "drop the spleen"), "excludes"),
        ((), ("the liver",), "no_labels"),
        ((), ("肝",), "no_labels"),
    ],
)
def test_every_refusal_tells_its_trouble(
    plan: Planned, setting: tuple[str, ...], texts: tuple[str, ...], trouble: str
) -> None:
    planned = plan(setting, *texts)
    assert [refusal.trouble for refusal in planned.refusals] == [trouble]
    assert (planned.targets, planned.choice) == ((), None)


def test_what_is_absent_is_named_and_the_rest_is_found(plan: Planned) -> None:
    planned = plan(TORSO, "liver and pancreas")
    assert meant(planned) == ["liver"]
    assert planned.refusals == (Refusal("absent", entity("pancreas")),)
    assert plan(TORSO, "left femur").refusals == (Refusal("absent", entity("left femur")),)


def test_words_that_are_not_understood_are_told(plan: Planned) -> None:
    (refusal,) = plan(TORSO, "liver, XQZT, spleen").refusals
    assert refusal == Refusal("unclear", words="XQZT")


def test_absent_and_not_understood_are_said_in_different_words(ask: Ask) -> None:
    absent, strange, nothing = (ask(s, t).text for s, t in ((TORSO, "pancreas"), (TORSO, "my coffee"), ((), "liver")))
    assert "There is no pancreas" in absent
    assert "did not understand" in strange
    assert "load one" in nothing
    assert "not understand" not in absent + nothing


@pytest.mark.parametrize(
    ("setting", "texts", "options"),
    [
        (TORSO, ("the kidney",), ["left kidney", "right kidney"]),
        (TORSO, ("outline the adrenal",), ["left adrenal gland", "right adrenal gland"]),
        (TORSO, ("画一个肾",), ["left kidney", "right kidney"]),
        (TORSO, ("the upper lobe",), ["left upper lobe of lung", "right upper lobe of lung"]),
        (VENTRICLES, ("left ventricle",), ["left lateral ventricle", "left ventricle of heart"]),
        (TORSO, ("both kidneys", "the other one"), ["left kidney", "right kidney"]),
    ],
)
def test_two_readings_that_are_equally_good_are_asked_back(
    plan: Planned, setting: tuple[str, ...], texts: tuple[str, ...], options: list[str]
) -> None:
    planned = plan(setting, *texts)
    assert planned.choice is not None
    assert sorted(meant(Plan(planned.choice.options))) == sorted(options)
    assert (planned.targets, planned.refusals) == ((), ())


@pytest.mark.parametrize(
    ("text", "number"),
    [("the kidney", 0), ("the kidney", 1), ("the adrenal", 1), ("画一个肾", 0), ("the upper lobe", 1)],
)
def test_clicking_a_choice_answers_the_question_back(ask: Ask, text: str, number: int) -> None:
    asked = ask(TORSO, text)
    assert asked.status == "clarify"
    answer = ask(TORSO, text, asked.choices[number])
    assert [mask.label for mask in answer.masks] == [asked.choices[number]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the kidney", "left"), ["left kidney"]),
        (("the kidney", "the right one"), ["right kidney"]),
        (("the kidney", "the second one"), ["right kidney"]),
        (("the kidney", "1"), ["left kidney"]),
        (("the kidney", "both"), ["left kidney", "right kidney"]),
        (("the kidney", "both of them please"), ["left kidney", "right kidney"]),
        (("the kidney", "R"), ["right kidney"]),
        (("画一个肾", "左边的"), ["left kidney"]),
        (("画一个肾", "第二个"), ["right kidney"]),
        (("画一个肾", "右侧"), ["right kidney"]),
        (("the kidney", "the spleen"), ["spleen"]),
    ],
)
def test_typing_answers_the_question_back(
    found: Callable[..., list[str]], texts: tuple[str, ...], expected: list[str]
) -> None:
    assert found(TORSO, *texts) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the one above the left kidney", "left adrenal gland"), ("挨着肝的那个", "右肾上腺"), ("较大的那个", "右肾上腺")],
)
def test_a_description_of_one_of_the_choices_answers_the_question_back(ask: Ask, text: str, expected: str) -> None:
    answer = ask(TORSO, "the adrenal", text)
    assert [mask.label for mask in answer.masks] == [expected], answer.text


def test_segments_of_one_name_are_asked_back_with_their_segmentations(ask: Ask) -> None:
    masks = [Mask(np.ones((1, 1, 2)), Geometry((1, 1, 2), np.eye(4)), "liver") for _ in range(2)]
    for mask, source in zip(masks, ("first reader", "second reader"), strict=True):
        mask.source = source
    assert ask(masks, "liver").choices == ("liver (first reader)", "liver (second reader)")
    assert ask(masks, "liver", "liver (second reader)").status == "answered"


def test_a_name_that_only_its_author_knows_is_a_target_without_an_entity(plan: Planned) -> None:
    (target,) = plan(TORSO, "my seed").targets
    assert (target.entity, target.label) == (None, "my seed")
