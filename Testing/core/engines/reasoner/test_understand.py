"""What the words of one question say, as data, before the dialogue is looked at."""

from typing import Any

import pytest

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.conversation import Mention, Reference
from MultiRoundSegLib.engines.reasoner.description import Description
from MultiRoundSegLib.engines.reasoner.reading import Item, Pointed, Reading, Unclear, Wanted
from MultiRoundSegLib.engines.reasoner.understand import understand

KNOWLEDGE = load_knowledge()


def read(text: str, *pointers: Mention) -> Reading:
    return understand(text, pointers, KNOWLEDGE)


def point(text: str, *words: str) -> tuple[Mention, ...]:
    """Each of the words as a pointer to a round of its own."""
    starts = [(text.index(word), word) for word in words]
    return tuple(Mention(at, at + len(w), (Reference(n),)) for n, (at, w) in enumerate(starts, start=1))


def said(items: tuple[Item, ...]) -> list[Any]:
    """Wanted structures with their sides in one word each: "left kidney"; all else as it is."""
    return [" ".join((*i.sides, *(s.key for s in i.structures))) if isinstance(i, Wanted) else i for i in items]


def described(text: str, *pointers: Mention) -> Description:
    (item,) = read(text, *pointers).items
    assert isinstance(item, Description)
    return item


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("segment the liver", ["liver"]),
        ("liver, spleen and the left kidney", ["liver", "spleen", "left kidney"]),
        ("the left kidney, the right adrenal gland", ["left kidney", "right adrenal_gland"]),
        ("left and right kidney", ["left right kidney"]),
        ("the left one", ["left"]),
        ("both", ["left right"]),
        ("could you outline the pancreas for me please", ["pancreas"]),
        ("肝、脾和左肾", ["liver", "spleen", "left kidney"]),
        ("请帮我把右侧肾上腺标出来", ["right adrenal_gland"]),
        ("左边的", ["left"]),
        ("帮我 segment 一下 spleen", ["spleen"]),
        ("skip the liver. the spleen", ["spleen"]),
    ],
)
def test_each_clause_names_a_structure_with_its_side(text: str, expected: list[str]) -> None:
    reading = read(text)
    assert said(reading.items) == expected
    assert reading.action is None


@pytest.mark.parametrize(("text", "language"), [("the liver", "en"), ("肝脏", "zh"), ("segment 一下 liver", "zh")])
def test_the_language_is_that_of_the_words(text: str, language: str) -> None:
    assert read(text).language == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no, i meant the left", ["left"]),
        ("sorry, the right kidney", ["right kidney"]),
        ("wrong one, i wanted the spleen", ["spleen"]),
        ("oops, make that the left lung", ["left lung"]),
        ("actually, no, the right one", ["right"]),
        ("不对，我要的是左边", ["left"]),
        ("错了，应该是右肾", ["right kidney"]),
        ("不是这个，是脾", ["spleen"]),
    ],
)
def test_a_correction_mends_the_question_before(text: str, expected: list[str]) -> None:
    reading = read(text)
    assert reading.mends
    assert said(reading.items) == expected


@pytest.mark.parametrize("text", ["the left one", "now the spleen", "no spleen", "also the right kidney", "脾也要"])
def test_what_mends_nothing_is_no_correction(text: str) -> None:
    assert not read(text).mends


def test_words_that_nobody_knows_are_kept_as_they_are() -> None:
    first, unclear, last = read("liver, XQZT, spleen").items
    assert said((first, last)) == ["liver", "spleen"]
    assert unclear == Unclear("XQZT")


@pytest.mark.parametrize("text", ["my wristwatch", "the XQZT", "给我一辆单车"])
def test_a_question_of_nothing_but_strange_words_is_unclear(text: str) -> None:
    assert [type(item) for item in read(text).items] == [Unclear]


@pytest.mark.parametrize("text", ["", "   ", "please show me", "再来一次"])
def test_words_that_only_ask_say_nothing(text: str) -> None:
    assert read(text).items == ()


@pytest.mark.parametrize(
    ("text", "head", "relation", "anchor"),
    [
        ("the gland on top of the left kidney", "adrenal_gland", "above", "left kidney"),
        ("左肾上方的腺体", "adrenal_gland", "above", "left kidney"),
        ("the artery that supplies the spleen", "splenic_artery", "supplies", "spleen"),
        ("供应脾脏的动脉", "splenic_artery", "supplies", "spleen"),
        ("the muscle behind the right kidney", "psoas_major", "behind", "right kidney"),
        ("右肾后面的肌肉", "psoas_major", "behind", "right kidney"),
        ("the organ below the liver", "gallbladder", "below", "liver"),
        ("the vein that drains the liver", "hepatic_vein", "drains", "liver"),
        ("the bone in front of the heart", "sternum", "in_front_of", "heart"),
        ("the vessel next to the aorta", "inferior_vena_cava", "beside", "aorta"),
    ],
)
def test_a_description_has_a_head_and_a_link_to_its_anchor(text: str, head: str, relation: str, anchor: str) -> None:
    description = described(text)
    (link,) = description.links
    assert head in description.heads
    assert (link.relation, link.asks) == (relation, "subject")
    assert [entity.name("en") for a in link.anchors for entity in a.entities] == [anchor]


def test_the_word_that_is_asked_for_is_no_anchor() -> None:
    description = described("the gland on top of the left kidney")
    assert "kidney" not in description.heads
    assert [e.structure.key for a in description.anchors for e in a.entities] == ["kidney"]
    assert description.sides_elsewhere == ()


@pytest.mark.parametrize("text", ["the gland above it", "它上方的腺体", "the vessel behind it", "它后面的血管"])
def test_it_is_an_anchor_without_a_name(text: str) -> None:
    (anchor,) = described(text).anchors
    assert anchor.pronoun
    assert not anchor.entities
    assert not anchor.references


@pytest.mark.parametrize("text", ["the gland above [1]", "[1]上方的腺体"])
def test_a_pointer_is_an_anchor(text: str) -> None:
    (link,) = described(text, *point(text, "[1]")).links
    assert link.relation == "above"
    assert [anchor.references for anchor in link.anchors] == [(Reference(1),)]


def test_what_lies_between_has_two_anchors() -> None:
    text = "the organ between [1] and [2]"
    (link,) = described(text, *point(text, "[1]", "[2]")).links
    assert link.relation == "between"
    assert [anchor.references for anchor in link.anchors] == [(Reference(1),), (Reference(2),)]


def test_the_side_of_a_description_is_its_own_or_that_of_an_anchor() -> None:
    assert described("the gland above it on the left").sides == ("left",)
    assert described("the gland above it on the same side").side_of == "same"
    assert described("对侧上方的腺体").side_of == "other"


def test_pointers_alone_are_earlier_masks() -> None:
    assert read("show [1] again", *point("show [1] again", "[1]")).items == (Pointed((Reference(1),), other=False),)
    text = "the other side of [1]"
    assert read(text, *point(text, "[1]")).items == (Pointed((Reference(1),), other=True),)
    assert read("the other one").items == (Pointed((), other=True),)


@pytest.mark.parametrize(
    ("text", "action", "base", "part"),
    [
        ("without the left one", "take", [], ["left"]),
        ("the kidneys without the left one", "take", ["kidney"], ["left"]),
        ("remove the spleen", "take", [], ["spleen"]),
        ("only the right", "keep", [], ["right"]),
        ("keep just the liver", "keep", [], ["liver"]),
        ("add the spleen to it", "add", [], ["spleen"]),
        ("swap the spleen for the liver", "swap", ["spleen"], ["liver"]),
        ("replace the left kidney with the right kidney", "swap", ["left kidney"], ["right kidney"]),
        ("双肾去掉左边的", "take", ["left right kidney"], ["left"]),
        ("把脾去掉", "take", [], ["spleen"]),
        ("只要右边的", "keep", [], ["right"]),
        ("把脾换成肝", "swap", ["spleen"], ["liver"]),
        ("加入脾", "add", [], ["spleen"]),
    ],
)
def test_an_operation_has_a_base_and_a_part(text: str, action: str, base: list[str], part: list[str]) -> None:
    reading = read(text)
    assert (reading.action, said(reading.items), said(reading.part)) == (action, base, part)


@pytest.mark.parametrize(
    ("text", "action", "steps"),
    [
        ("two levels down", "step", 2),
        ("one rib higher", "step", -1),
        ("下一节", "step", 1),
        ("往上数两节", "step", -2),
        ("the rest", "rest", 0),
        ("剩下的", "rest", 0),
        ("what comes next", "next", 0),
        ("the whole organ", "whole", 0),
    ],
)
def test_a_step_counts_downwards(text: str, action: str, steps: int) -> None:
    reading = read(text)
    assert (reading.action, reading.steps) == (action, steps)


@pytest.mark.parametrize("text", ["the spleen", "the liver and the spleen", "change it to the right", "keep going"])
def test_what_only_asks_is_no_operation(text: str) -> None:
    assert read(text).action not in ("keep", "take", "swap", "add")
