"""Dialogues about a scene: always something new, by what was shown, in words of both languages."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from MultiRoundSegLib.anatomy import Entity, Language, load_anatomy, load_knowledge
from MultiRoundSegLib.datasets.building import BuildSettings
from MultiRoundSegLib.datasets.building.links import family_of, links_of
from MultiRoundSegLib.datasets.building.rounds import Asked, Storyteller
from MultiRoundSegLib.datasets.building.scenes import Scene, visible
from MultiRoundSegLib.datasets.building.settings import Format
from MultiRoundSegLib.datasets.building.wordings import first, load_wordings

LANGUAGES: tuple[Language, ...] = ("en", "zh")
ABDOMEN = {
    "liver": (30, 5, 50, 45),
    "stomach": (25, 70, 25, 25),
    "spleen": (55, 95, 20, 14),
    "pancreas": (56, 52, 8, 30),
    "aorta": (76, 62, 8, 8),
    "inferior vena cava": (76, 52, 7, 8),
    "right kidney": (84, 22, 18, 16),
    "left kidney": (84, 84, 18, 16),
    "gallbladder": (20, 30, 8, 9),
    "portal vein": (68, 56, 5, 6),
}


def entity(name: str) -> Entity:
    found = load_anatomy().identify(name)
    assert found, name
    return found


def teller(
    boxes: dict[str, tuple[int, int, int, int]], absent: tuple[str, ...] = (), settings: BuildSettings | None = None
) -> Storyteller:
    regions = {}
    for name, (top, left, height, width) in boxes.items():
        region = np.zeros((120, 120), bool)
        region[top : top + height, left : left + width] = True
        regions[entity(name)] = region
    picture = np.zeros((120, 120, 3), np.uint8)
    scene = Scene("P1", "P1_0", picture, visible(regions, 1), tuple(map(entity, absent)), "CT", "axial")
    knowledge = load_knowledge()
    words = load_wordings()
    settings = settings or BuildSettings()
    return Storyteller(scene, links_of(scene, knowledge), knowledge, words, words.for_restating(), settings)


def dialogues(one: Storyteller, language: Language, rounds: int = 6, count: int = 60) -> list[list[Asked]]:
    return [one.tell(rounds, language, np.random.default_rng(seed)) for seed in range(count)]


@pytest.fixture(scope="module")
def abdomen() -> dict[Language, list[list[Asked]]]:
    one = teller(ABDOMEN)
    return {language: dialogues(one, language) for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_round_is_new_and_about_an_earlier_one(
    abdomen: dict[Language, list[list[Asked]]], language: Language
) -> None:
    for told in abdomen[language]:
        targets = [asked.target for asked in told]
        assert len(set(targets)) == len(told) == 6
        assert None not in targets
        for number, asked in enumerate(told, start=1):
            assert asked.about is None or 1 <= asked.about < number
        assert told[0].about is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_whole(abdomen: dict[Language, list[list[Asked]]], language: Language) -> None:
    last = load_wordings().of("anchor_last", language)
    for told in abdomen[language]:
        for number, asked in enumerate(told, start=1):
            assert asked.target
            assert not re.search(r"[{}]|  | [.?,]|''|\"\"|“”", asked.question)
            assert not re.search(r"[{}]|  ", asked.answer)
            assert asked.answer.count("[SEG]") == 1
            assert asked.target.name(language) in asked.answer
            if asked.about is None:
                assert "[" not in asked.question
            elif str(asked.about) not in asked.question:
                assert asked.about == number - 1
                assert any(words in asked.question for words in last)
            assert bool(re.search("[\u4e00-\u9fff]", asked.question)) == (language == "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_kinds_of_question_and_of_reference_happen(
    abdomen: dict[Language, list[list[Asked]]], language: Language
) -> None:
    asked = [(number, one) for told in abdomen[language] for number, one in enumerate(told, start=1)]
    families = Counter(family_of(one.relation) for _, one in asked)
    assert {"named", "attribute", "inference", "spatial"} <= set(families)
    places = Counter(number - one.about for number, one in asked if one.about)
    assert places[1] > 30
    assert sum(count for place, count in places.items() if place > 1) > 30
    assert sum(told[0].relation == "named" for told in abdomen[language]) > 30


def test_what_is_near_is_meant_where_far_is_never_wanted() -> None:
    def share(far: float) -> float:
        told = [one for d in dialogues(teller(ABDOMEN, settings=BuildSettings(far=far)), "en") for one in enumerate(d)]
        about = [number - asked.about for number, asked in told if asked.about]
        return float(np.mean(np.asarray(about) > 0))

    assert share(1.0) > share(0.0)


def test_each_question_names_its_target_only_where_it_asks_by_name(abdomen: dict[Language, list[list[Asked]]]) -> None:
    for language in LANGUAGES:
        for asked in (asked for told in abdomen[language] for asked in told if asked.target):
            if asked.relation == "named":
                assert asked.target.name(language) in asked.question


def test_a_seed_gives_the_same_dialogue_and_another_gives_another() -> None:
    one, again = dialogues(teller(ABDOMEN), "en", count=8), dialogues(teller(ABDOMEN), "en", count=8)
    assert one == again
    assert len({tuple(asked.question for asked in told) for told in one}) == 8


def test_where_little_is_seen_there_are_fewer_rounds() -> None:
    two = teller({name: ABDOMEN[name] for name in ("liver", "spleen")})
    for language in LANGUAGES:
        assert {len(told) for told in dialogues(two, language, 10)} == {2}
    assert teller({}).tell(4, "en", np.random.default_rng(0)) == []
    assert {len(told) for told in dialogues(teller(ABDOMEN), "en", 30, 5)} == {len(ABDOMEN)}


def test_the_side_is_said_where_both_sides_are_seen() -> None:
    kidneys = {name: ABDOMEN[name] for name in ("left kidney", "right kidney", "aorta")}
    one, sides = teller(kidneys), set()
    words = {kind: load_wordings().of(kind, "en") for kind in ("side_left", "side_right", "same_side", "other_side")}
    patterns = {kind: [re.escape(text).replace(r"\{anchor\}", ".+") for text in texts] for kind, texts in words.items()}
    for told in dialogues(one, "en", 3, 100):
        for number, asked in enumerate(told):
            assert asked.target
            if asked.target.side is None or asked.relation in ("named", "mirrors"):
                continue
            said = [k for k, texts in patterns.items() if any(re.search(text, asked.question) for text in texts)]
            if family_of(asked.relation) == "attribute":
                assert said
            for kind in said:
                sides.add(kind)
                if kind.startswith("side_"):
                    assert kind == f"side_{asked.target.side}"
                else:
                    assert asked.about
                    before = told[asked.about - 1].target
                    assert before
                    assert asked.about <= number
                    assert (before.side == asked.target.side) == (kind == "same_side")
    assert {"side_left", "side_right", "other_side"} <= sides


REFUSING = replace(BuildSettings(), format="mturn-seg", refusals=0.8)


def test_refusals_ask_for_what_is_elsewhere_in_the_scan() -> None:
    boxes = {"left upper lobe of lung": (5, 60, 30, 30), "heart": (40, 50, 30, 30), "right kidney": (90, 10, 16, 16)}
    absent = ("left lung", "left atrium", "spleen", "left kidney")
    one = teller(boxes, absent, REFUSING)
    refused: set[str] = set()
    for language in LANGUAGES:
        names = {entity(name).name(language) for name in ("spleen", "left kidney")}
        for told in dialogues(one, language, 6, 40):
            assert len({asked.question for asked in told}) == len(told)
            for asked in told:
                assert (asked.target is None) == (asked.relation == "refused")
                assert "[SEG]" not in asked.answer
                if asked.target is None:
                    assert asked.about is None
                    assert any(name in asked.question and name in asked.answer for name in names)
                    refused |= {name for name in names if name in asked.answer}
    assert refused == {entity(name).name(language) for name in ("spleen", "left kidney") for language in LANGUAGES}


def test_a_question_may_refer_to_what_the_user_drew() -> None:
    one = teller(ABDOMEN, (), replace(BuildSettings(), drawn=0.6))
    for language, words in (("en", ("region", "area", "contour", "I ")), ("zh", ("区域", "我"))):
        told = [asked for told in dialogues(one, language, 5, 30) for asked in told]
        drawn = [asked for asked in told if asked.drawn]
        assert 0.3 < len(drawn) / len(told) < 0.8
        for asked in drawn:
            assert asked.about is None
            assert asked.drawn != asked.target
            assert any(word in asked.question for word in words)
            assert any(link.anchor == asked.drawn and link.target == asked.target for link in one.links)


def test_later_rounds_count_the_refused_ones() -> None:
    told = [t for t in dialogues(teller(ABDOMEN, ("prostate",), REFUSING), "en", 8) if t[0].target and not t[1].target]
    assert told
    for asked in (asked for one in told for asked in one if asked.about):
        assert asked.about != 2


def test_nothing_is_refused_where_everything_is_seen() -> None:
    told = dialogues(teller(ABDOMEN, (), REFUSING), "zh", 5)
    assert all(asked.target for one in told for asked in one)


@pytest.mark.parametrize("kind", ["mr-medseg", "mturn-seg"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_restating_answers_name_what_a_question_refers_to(kind: Format, language: Language) -> None:
    drawn = 0.4 if kind == "mr-medseg" else 0.0
    words = load_wordings().with_plain_answers()
    one = replace(teller(ABDOMEN, (), BuildSettings(kind, drawn=drawn, answers="restating")), wordings=words)
    mask = ": [SEG]" if language == "en" else "：[SEG]"
    end = (mask if kind == "mr-medseg" else "") + ("." if language == "en" else "。")
    referring = 0
    for told in dialogues(one, language, count=20):
        for asked in told:
            assert asked.target
            meant = asked.drawn or (told[asked.about - 1].target if asked.about else None)
            name = asked.target.name(language)
            if meant is None:
                plain = "answer" if kind == "mr-medseg" else "told"
                assert asked.answer == words.text(plain, language, first, name=name)
                continue
            referring += 1
            said, is_, told_name = asked.answer.removesuffix(end).rpartition({"en": " is the ", "zh": "是"}[language])
            assert is_
            assert told_name == name
            assert meant.name(language) in said
            assert said[0] == said[0].upper()
            assert not re.search(r"[\[{}]", said)
    assert referring > 30
