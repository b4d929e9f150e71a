"""The table of wordings is complete: every link can be asked for in many ways, in both languages."""

from itertools import product
from pathlib import Path
from string import Formatter

import numpy as np
import pytest

from MultiRoundSegLib.anatomy import Language, load_relations
from MultiRoundSegLib.datasets.building.links import MEASURED, OWN_RELATIONS
from MultiRoundSegLib.datasets.building.wordings import Key, at_random, described, first, load_wordings

LANGUAGES: tuple[Language, ...] = ("en", "zh")
RELATIONS = [key for key, relation in load_relations().items() if relation.has_object]
RELATIONS += [key for key in OWN_RELATIONS if key not in ("named", "refused")]
NO_SLOT: set[str] = set()
SLOTS = {"request": {"what"}, "anchor": {"n"}, "described": {"phrase"}, "between": {"anchor", "anchor2"}}
SLOTS |= {kind: {"name"} for kind in ("named", "answer", "told", "refused", "restated")}
SLOTS |= {kind: {"what", "name"} for kind in ("answer_restated", "told_restated")}
SLOTS |= {kind: {"anchor"} for kind in ("same_side", "other_side")}
SLOTS |= dict.fromkeys(
    ("anchor_last", "anchor_drawn", "side_left", "side_right", "largest", "smallest", "word", "restated_described"),
    NO_SLOT,
)
FILLED = {"what": "WHAT", "phrase": "PHRASE", "name": "NAME", "n": 3, "anchor": "ANCHOR", "anchor2": "SECOND"}


def ends(relation: str, language: Language) -> set[str]:
    return {asks for asks in ("subject", "object") if load_wordings().can_ask(relation, asks, language)}


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_is_asked_for_in_at_least_fifty_ways(relation: str) -> None:
    assert ends(relation, "en") == ends(relation, "zh")
    assert "subject" in ends(relation, "en")
    if relation in MEASURED or relation in OWN_RELATIONS:
        assert ends(relation, "en") == {"subject"}
    for language in LANGUAGES:
        for asks in ends(relation, language):
            assert load_wordings().count(relation, asks, language) >= 50


def test_every_text_has_the_slots_of_its_kind() -> None:
    table = load_wordings()
    for (relation, _, language), texts in table.parts.items():
        for text in texts:
            slots = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
            words = {word: table.of("word", language, word)[-1] for word in slots - FILLED.keys()}
            slots -= words.keys()
            assert slots == SLOTS.get(relation, {"anchor"}), text
            written = text.format(**FILLED, **words)
            assert "{" not in written
            assert "}" not in written
            assert all(str(FILLED[slot]) in written for slot in slots)


def test_words_that_can_stand_for_each_other_are_all_said_and_the_first_come_first() -> None:
    table, rng = load_wordings(), np.random.default_rng(0)
    said = {table.text("behind", "en", at_random(rng), "subject", anchor="it") for _ in range(5000)}
    assert len(said) > 100
    for word in table.of("word", "en", "behind"):
        assert any(f"the nearest structure {word} it" == text for text in said)
    plain = table.text("behind", "en", first, "subject", anchor="it")
    assert plain == table.of("behind", "en", "subject")[0].format(anchor="it")


def test_texts_of_a_kind_are_distinct_and_of_its_language() -> None:
    for (relation, _, language), texts in load_wordings().parts.items():
        assert len(set(texts)) == len(texts), relation
        assert relation in {*SLOTS, *RELATIONS}
        if language == "en":
            assert all(text.isascii() for text in texts)


def test_answers_have_one_mask_and_told_answers_none() -> None:
    for language in LANGUAGES:
        assert {text.count("[SEG]") for text in load_wordings().of("answer", language)} == {1}
        assert {text.count("[SEG]") for text in load_wordings().of("told", language)} == {0}
        assert {text.count("[SEG]") for text in load_wordings().of("refused", language)} == {0}


def test_apart_shares_no_request_and_no_description() -> None:
    taught, unseen = load_wordings().apart()
    common: list[Key] = []
    for key, texts in load_wordings().parts.items():
        assert taught.parts[key]
        assert unseen.parts[key]
        assert set(taught.parts[key]) | set(unseen.parts[key]) == set(texts)
        if set(taught.parts[key]) & set(unseen.parts[key]):
            assert taught.parts[key] == unseen.parts[key] == texts
            common.append(key)
    asked = {"request", "described", *RELATIONS}
    assert not {relation for relation, _, _ in common} & asked
    assert {relation for relation, _, _ in common} == SLOTS.keys() - asked
    many = load_wordings().apart(0.5)
    assert len(many[0].of("request", "en")) == len(many[1].of("request", "en")) == 16


def test_what_ends_with_de_stands_before() -> None:
    assert described("供应它的血管", "患者左侧的") == "患者左侧的供应它的血管"
    assert described("the vessel that supplies it", ", on the patient's left") == (
        "the vessel that supplies it, on the patient's left"
    )
    for kind in ("side_left", "side_right", "same_side", "other_side"):
        assert all(text.endswith("的") for text in load_wordings().of(kind, "zh"))
        assert all(text[0] in ", " for text in load_wordings().of(kind, "en"))


def test_questions_begin_with_a_capital_and_the_last_round_has_words_of_its_own() -> None:
    words, choose = load_wordings(), at_random(np.random.default_rng(0))
    asked = [words.question("the liver", "en", choose) for _ in range(400)]
    assert len(set(asked)) == 32
    assert all(question[0].isupper() and "the liver" in question for question in asked)
    last = {text for language in LANGUAGES for text in words.of("anchor_last", language)}
    for language, is_last in product(LANGUAGES, (True, False)):
        found = {words.anchor(2, language, choose, is_last=is_last) for _ in range(300)}
        assert bool(found & last) == is_last
        assert all("2" in text for text in found - last)


def test_what_the_table_does_not_have_cannot_be_asked() -> None:
    assert load_wordings().of("xyzzy", "en") == ()
    assert not load_wordings().can_ask("mirrors", "object", "en")
    assert load_wordings().count("mirrors", "object", "zh") == 0


@pytest.mark.parametrize("row", ["request,,de,Zeige {what}.", "request,,en,"])
def test_a_row_without_language_or_text_is_told(tmp_path: Path, row: str) -> None:
    table = tmp_path / "wordings.csv"
    table.write_text(f"relation,asks,language,text\n{row}\n")
    with pytest.raises(ValueError, match="a row of 'request' has no language or no text"):
        load_wordings(table)
