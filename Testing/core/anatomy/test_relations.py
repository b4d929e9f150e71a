from pathlib import Path
from string import Formatter

import pytest

from MultiRoundSegLib.anatomy import load_knowledge, load_relations
from MultiRoundSegLib.anatomy.relations import FAMILIES

RELATIONS = load_relations()
HEADER = "relation,family,object,en,zh\n"


def placeholders(sentence: str) -> list[str]:
    return sorted(field for _, field, _, _ in Formatter().parse(sentence) if field)


def test_all_five_families_have_relations_and_statements() -> None:
    assert {relation.family for relation in RELATIONS.values()} == set(FAMILIES)
    assert {RELATIONS[statement.relation].family for statement in load_knowledge().statements} == set(FAMILIES)


def test_a_relation_between_structures_is_a_sentence_in_both_languages() -> None:
    related = [relation for relation in RELATIONS.values() if relation.has_object]
    assert len(related) > 20
    for relation in related:
        assert placeholders(relation.english) == ["object", "subject"], relation.key
        assert placeholders(relation.chinese) == ["object", "subject"], relation.key


def test_what_is_said_in_free_words_has_no_sentence() -> None:
    free = [relation for relation in RELATIONS.values() if not relation.has_object]
    assert {"attribute", "function", "disease"} <= {relation.key for relation in free}
    assert [relation.key for relation in free if relation.english or relation.chinese] == []


def test_no_two_relations_are_the_same_sentence() -> None:
    for language in ("en", "zh"):
        sentences = [r.sentence("a", "b", language) for r in RELATIONS.values() if r.has_object]
        assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize(
    ("key", "english", "chinese"),
    [
        ("above", "A lies above B", "A在B上方"),
        ("supplies", "A carries blood to B", "A供应B"),
        ("part_of", "A is part of B", "A是B的一部分"),
        ("found_in", "A is found in B", "A见于B"),
    ],
)
def test_a_relation_is_said_of_two_names(key: str, english: str, chinese: str) -> None:
    assert RELATIONS[key].sentence("A", "B", "en") == english
    assert RELATIONS[key].sentence("A", "B", "zh") == chinese


def test_a_row_of_no_known_family_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "relations.csv"
    table.write_text(
        HEADER + "above,spatial,yes,{subject} over {object},{subject}上{object}\nowns,legal,yes,,\n", "utf-8"
    )
    with pytest.raises(ValueError, match=r"relations.csv, row 'owns': there is no family 'legal'"):
        load_relations(table)
