import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import cue_words, cues, cues_in, load_relations

with (Path(cues.__file__).parent / "cues.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
PHRASES = [
    (phrase.replace("*", ""), row["relation"], row["asks"])
    for row in ROWS
    for phrase in (*row["en"].split(";"), *row["zh"].split(";"))
    if phrase
]


def read(text: str) -> list[tuple[str, str, str]]:
    return [(text[cue.start : cue.end], cue.relation, cue.asks) for cue in cues_in(text)]


def test_every_row_asks_for_a_relation_between_structures_in_both_languages() -> None:
    relations = load_relations()
    assert [row for row in ROWS if not relations[row["relation"]].has_object] == []
    assert [row["relation"] for row in ROWS if not row["en"] or not row["zh"]] == []


def test_every_phrase_of_the_table_is_read_as_what_it_asks() -> None:
    missed = [(phrase, read(phrase)) for phrase, *asked in PHRASES if (phrase, *asked) not in read(phrase)]
    assert missed == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what lies behind the liver", [("behind", "behind", "subject")]),
        ("the organ in front of it", [("in front of", "in_front_of", "subject")]),
        ("the vein that drains it", [("drains", "drains", "verb")]),
        ("the vein it drains into", [("drains into", "flows_into", "verb")]),
        ("what is supplied by it", [("supplied by", "supplies", "verb_back")]),
        ("its parent vessel", [("parent", "branch_of", "object")]),
        ("above the one between them", [("above", "above", "subject"), ("between", "between", "subject")]),
        ("在肝后面的器官", [("后面", "behind", "subject")]),
        ("汇入下腔静脉", [("汇入", "flows_into", "verb")]),
        ("正上方的那个", [("正上方", "above", "subject")]),
        ("包绕它的结构", [("包绕", "surrounds", "subject")]),
        ("the thing 前面 of it", [("前面", "in_front_of", "subject")]),
    ],
)
def test_words_for_relations_are_found_in_a_question(text: str, found: list[tuple[str, str, str]]) -> None:
    assert read(text) == found


@pytest.mark.parametrize("text", ["BEHIND", "Behind", "in  front of", "in\nfront\tOF"])
def test_case_and_spaces_do_not_matter(text: str) -> None:
    assert [words for words, *_ in read(f"what is {text} it?")] == [text]


@pytest.mark.parametrize(
    "text", ["", "segment the liver", "undercoverage", "behindhand", "the abovementioned", "标出左肾", "肝脏"]
)
def test_other_words_ask_for_no_relation(text: str) -> None:
    assert cues_in(text) == []


def test_words_that_ask_for_two_relations_are_read_as_both() -> None:
    assert set(read("起于它的肌肉")) == {("起于", "branch_of", "verb"), ("起于", "arises_from", "verb")}


def test_the_words_are_english_and_single() -> None:
    words = cue_words()
    assert {"behind", "above", "front", "between", "supplied"} <= words
    assert all(word.isascii() and word.isalpha() and len(word) >= 3 for word in words)


@settings(deadline=None)
@given(st.lists(st.sampled_from([phrase for phrase, *_ in PHRASES]), max_size=4).map(" it ".join))
def test_cues_are_in_order_within_the_text_and_no_longer_one_overlaps(text: str) -> None:
    found = cues_in(text)
    assert [cue.start for cue in found] == sorted(cue.start for cue in found)
    assert all(0 <= cue.start < cue.end <= len(text) for cue in found)
    overlapping = [(a, b) for a in found for b in found if a.start < b.end and b.start < a.end]
    assert all(a.end - a.start == b.end - b.start for a, b in overlapping)
