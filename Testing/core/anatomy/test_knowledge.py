from itertools import pairwise

import pytest

from MultiRoundSegLib.anatomy import (
    Anatomy,
    Fact,
    Knowledge,
    Place,
    Side,
    Statement,
    Structure,
    load_anatomy,
    load_knowledge,
)

ANATOMY = load_anatomy()
KNOWLEDGE = load_knowledge()
LIVER, SPLEEN, STOMACH, KIDNEY, LUNG = (ANATOMY[key] for key in ("liver", "spleen", "stomach", "kidney", "lung"))
INVERSE = [
    ("above", "below"),
    ("behind", "in_front_of"),
    ("medial_to", "lateral_to"),
    ("inside", "surrounds"),
    ("beside", "beside"),
    ("connects", "connects"),
    ("articulates_with", "articulates_with"),
    ("accompanies", "accompanies"),
]


def a_fact(subject: str, relation: str, *objects: str, side: Side | None = None) -> Fact:
    return Fact(Place(ANATOMY[subject], side), relation, tuple(Place(ANATOMY[key]) for key in objects))


def all_facts() -> set[Fact]:
    return {fact for structure in ANATOMY.structures for fact in KNOWLEDGE.facts_of(structure)}


def structures_in(fact: Fact) -> set[Structure]:
    return {place.structure for place in (fact.subject, *fact.objects)}


def test_a_fact_is_a_sentence_in_both_languages() -> None:
    fact = a_fact("gallbladder", "below", "liver")
    assert fact.sentence("en") == "gallbladder lies below liver"
    assert fact.sentence("zh") == "胆囊在肝下方"


def test_a_fact_says_the_side_and_joins_two_objects() -> None:
    assert a_fact("kidney", "below", "spleen", side="left").sentence("en") == "left kidney lies below spleen"
    between = a_fact("stomach", "between", "liver", "spleen")
    assert between.sentence("en") == "stomach lies between liver and spleen"
    assert between.sentence("zh") == "胃在肝和脾之间"


def test_a_structure_is_called_in_a_sentence_as_it_is_called_here() -> None:
    fact = a_fact("stomach", "between", "liver", "spleen")
    assert fact.sentence("en", {"liver": "[2]", "stomach": "it"}) == "it lies between [2] and spleen"
    assert fact.sentence("zh", {"spleen": "“我的脾”"}) == "胃在肝和“我的脾”之间"
    assert fact.sentence("en", {"kidney": "[3]"}) == fact.sentence("en")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_fact_is_a_sentence_without_placeholders(language: str) -> None:
    sentences = [fact.sentence("en" if language == "en" else "zh") for fact in all_facts()]
    assert len(sentences) > 5000
    assert [s for s in sentences if "{" in s or "}" in s or "_" in s or s != s.strip()] == []


@pytest.mark.parametrize(("here", "there"), [*INVERSE, *((b, a) for a, b in INVERSE if a != b)])
def test_a_relation_holds_the_other_way_round(here: str, there: str) -> None:
    said = Statement(Place(KIDNEY, "left"), here, (Place(SPLEEN),), ("phrase",))
    knowledge = Knowledge(Anatomy((KIDNEY, SPLEEN)), (said,))
    facts = {
        Fact(Place(KIDNEY, "left"), here, (Place(SPLEEN),)),
        Fact(Place(SPLEEN), there, (Place(KIDNEY, "left"),)),
    }
    assert set(knowledge.facts_of(KIDNEY)) == set(knowledge.facts_of(SPLEEN)) == facts


def test_what_has_a_direction_is_not_turned_round() -> None:
    said = Statement(Place(SPLEEN), "supplies", (Place(LIVER),))
    knowledge = Knowledge(Anatomy((LIVER, SPLEEN)), (said,))
    assert knowledge.facts_of(LIVER) == knowledge.facts_of(SPLEEN) == (a_fact("spleen", "supplies", "liver"),)


def test_every_fact_is_known_at_each_of_its_ends() -> None:
    for fact in all_facts():
        for structure in structures_in(fact):
            assert fact in KNOWLEDGE.facts_of(structure)


def test_nothing_lies_on_both_sides_of_another_thing() -> None:
    facts = all_facts()
    one_way = [pair[0] for pair in INVERSE if pair[0] != pair[1]]
    both = [
        f.sentence("en")
        for f in facts
        if f.relation in one_way and Fact(f.objects[0], f.relation, (f.subject,)) in facts
    ]
    assert both == []


def test_a_part_is_part_of_its_whole_and_a_lesion_is_found_in_it() -> None:
    assert a_fact("upper_lobe_of_lung", "part_of", "lung") in KNOWLEDGE.facts_of(LUNG)
    assert a_fact("lung_nodule", "found_in", "lung") in KNOWLEDGE.facts_of(LUNG)
    facts = [fact for fact in all_facts() if fact.relation in ("part_of", "found_in")]
    mixed = [f.sentence("en") for f in facts if (f.relation == "found_in") != (f.subject.structure.kind == "lesion")]
    assert len(facts) > 500
    assert mixed == []


def test_statements_are_kept_by_their_subject_in_the_order_of_the_tables() -> None:
    said = KNOWLEDGE.said_of(KIDNEY)
    assert said == tuple(statement for statement in KNOWLEDGE.statements if statement.subject.structure is KIDNEY)
    assert {statement.subject.side for statement in said} == {None, "left", "right"}
    assert "makes urine" in {phrase for statement in said for phrase in statement.english}
    assert sum(len(KNOWLEDGE.said_of(structure)) for structure in ANATOMY.structures) == len(KNOWLEDGE.statements)


def test_of_what_is_not_spoken_of_nothing_is_said() -> None:
    silent = Knowledge(Anatomy((LIVER, SPLEEN)), ())
    assert silent.said_of(LIVER) == ()
    assert silent.facts_of(LIVER) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("mitral_valve", "aorta"),
        ("kidney", "heart"),
        ("femur", "skull"),
        ("liver", "lateral_ventricle"),
        ("thalamus", "spinal_cord"),
    ],
)
def test_a_path_is_a_chain_whose_neighbours_share_a_structure(one: str, other: str) -> None:
    chain = KNOWLEDGE.path(ANATOMY[one], ANATOMY[other])
    assert ANATOMY[one] in structures_in(chain[0])
    assert ANATOMY[other] in structures_in(chain[-1])
    assert all(structures_in(fact) & structures_in(after) for fact, after in pairwise(chain))
    assert all(ANATOMY[one] not in structures_in(fact) for fact in chain[1:])
    assert len(KNOWLEDGE.path(ANATOMY[other], ANATOMY[one])) == len(chain)


def test_a_path_is_the_shortest() -> None:
    said = (
        Statement(Place(LIVER), "above", (Place(KIDNEY),)),
        Statement(Place(KIDNEY), "below", (Place(SPLEEN),)),
        Statement(Place(SPLEEN), "behind", (Place(STOMACH),)),
        Statement(Place(STOMACH), "between", (Place(LIVER), Place(SPLEEN))),
    )
    knowledge = Knowledge(Anatomy((LIVER, SPLEEN, STOMACH, KIDNEY)), said)
    assert [fact.relation for fact in knowledge.path(LIVER, SPLEEN)] == ["between"]
    assert knowledge.path(KIDNEY, STOMACH)[0].sentence("en") in ("liver lies above kidney", "kidney lies below spleen")
    assert len(knowledge.path(KIDNEY, STOMACH)) == 2


def test_between_what_is_not_related_there_is_no_path() -> None:
    knowledge = Knowledge(Anatomy((LIVER, SPLEEN)), ())
    assert knowledge.path(LIVER, SPLEEN) == ()
    assert knowledge.path(LIVER, LIVER) == ()
