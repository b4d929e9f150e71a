import pytest

from MultiRoundSegLib.anatomy import Place, Side, Statement, Structure, load_anatomy, load_knowledge, terms_of
from MultiRoundSegLib.anatomy.evidence import Evidence

ANATOMY = load_anatomy()
EVIDENCE = load_knowledge().evidence
LIVER, KIDNEY, SPLEEN = ANATOMY["liver"], ANATOMY["kidney"], ANATOMY["spleen"]


def said(structure: Structure, *phrases: str, side: Side | None = None) -> Statement:
    english = tuple(phrase for phrase in phrases if phrase.isascii())
    chinese = tuple(phrase for phrase in phrases if not phrase.isascii())
    return Statement(Place(structure, side), "attribute", (), english, chinese)


def strongest(text: str) -> Structure:
    heard = EVIDENCE.hear(terms_of(text))
    return max(heard.structures, key=heard.weight)


def test_a_term_counts_the_more_the_fewer_structures_it_is_said_of() -> None:
    evidence = Evidence([said(LIVER, "bile", "abdominal"), said(SPLEEN, "abdominal"), said(KIDNEY, "renin")])
    (bile,), (abdominal,), (renin,) = terms_of("bile"), terms_of("abdominal"), terms_of("renin")
    assert evidence.rarity[bile] == evidence.rarity[renin] > evidence.rarity[abdominal] > 0
    heard = evidence.hear([bile, abdominal])
    assert heard.weight(LIVER) > heard.weight(SPLEEN) > 0
    assert heard.weight(KIDNEY) == 0


def test_saying_a_thing_often_of_one_structure_does_not_make_it_frequent() -> None:
    once = Evidence([said(LIVER, "bile"), said(SPLEEN, "blood")])
    often = Evidence([said(LIVER, "bile"), said(LIVER, "bile acids"), said(SPLEEN, "blood")])
    assert often.rarity[terms_of("bile")[0]] == once.rarity[terms_of("bile")[0]]


def test_everyday_words_count_less_than_rare_ones() -> None:
    evidence = Evidence([said(LIVER, "first"), said(SPLEEN, "hilum")])
    assert evidence.rarity[terms_of("first")[0]] < evidence.rarity[terms_of("hilum")[0]]


def test_a_term_counts_the_more_of_its_phrase_is_there() -> None:
    evidence = Evidence([said(LIVER, "wedge shaped"), said(SPLEEN, "fist sized")])
    part, whole = evidence.hear(terms_of("wedge")), evidence.hear(terms_of("shaped like a wedge"))
    alone = evidence.hear(terms_of("shaped"))
    assert 0 < part.weight(LIVER) < whole.weight(LIVER)
    assert part.weight(LIVER) + alone.weight(LIVER) < whole.weight(LIVER)


def test_what_is_said_of_one_side_counts_for_that_side_only() -> None:
    evidence = Evidence([said(KIDNEY, "bean"), said(KIDNEY, "dromedary", side="left"), said(LIVER, "wedge")])
    heard = evidence.hear(terms_of("dromedary bean"))
    assert heard.weight(KIDNEY, "left") > heard.weight(KIDNEY, "right") == heard.weight(KIDNEY) > 0
    assert heard.structures == (KIDNEY,)
    sided = evidence.hear(terms_of("dromedary"))
    assert (sided.weight(KIDNEY), sided.best_phrase(KIDNEY)) == (0, "")
    assert sided.best_phrase(KIDNEY, "left") == "dromedary"


def test_the_best_phrase_is_the_one_of_which_most_is_there() -> None:
    evidence = Evidence([said(LIVER, "stores sugar", "makes bile acids", "分泌胆汁"), said(SPLEEN, "filters blood")])
    assert evidence.hear(terms_of("it makes acids and sugar")).best_phrase(LIVER) == "makes bile acids"
    assert evidence.hear(terms_of("分泌胆汁的器官")).best_phrase(LIVER) == "分泌胆汁"
    assert evidence.hear(terms_of("filters")).best_phrase(SPLEEN) == "filters blood"


@pytest.mark.parametrize("text", ["", "   ", "the of and", "xyzzy plugh", "的了是", "魑魅"])
def test_what_is_not_known_tells_nothing(text: str) -> None:
    heard = Evidence([said(LIVER, "makes bile", "分泌胆汁")]).hear(terms_of(text))
    assert heard.structures == ()
    assert heard.weight(LIVER) == 0
    assert heard.best_phrase(LIVER) == ""


def test_unknown_words_among_known_ones_change_nothing() -> None:
    known, mixed = EVIDENCE.hear(terms_of("makes bile")), EVIDENCE.hear(terms_of("xyzzy makes bile plugh"))
    assert mixed.weight(LIVER) == pytest.approx(known.weight(LIVER))
    assert mixed.best_phrase(LIVER) == known.best_phrase(LIVER)


def test_word_order_and_repetition_change_nothing() -> None:
    once = EVIDENCE.hear(terms_of("makes bile and clotting factors"))
    again = EVIDENCE.hear(terms_of("clotting factors, clotting factors and bile makes"))
    assert again.weight(LIVER) == pytest.approx(once.weight(LIVER))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("it makes bile and clotting factors", "liver"),
        ("concentrates and stores bile", "gallbladder"),
        ("butterfly shaped gland in front of the neck", "thyroid_gland"),
        ("filters blood and makes urine", "kidney"),
        ("relay station of the senses on the way to the cortex", "thalamus"),
        ("分泌胆汁、解毒的器官", "liver"),
        ("蝴蝶形的腺体，摄碘", "thyroid_gland"),
        ("感觉传导的中继站", "thalamus"),
    ],
)
def test_a_description_speaks_of_what_it_describes(text: str, key: str) -> None:
    assert strongest(text) == ANATOMY[key]


def test_a_side_is_told_by_what_is_true_of_that_side() -> None:
    heard = EVIDENCE.hear(terms_of("the one preferred by living donor surgeons for its longer vein"))
    assert heard.weight(KIDNEY, "left") > heard.weight(KIDNEY, "right")
    assert heard.best_phrase(KIDNEY, "left") == "preferred by living donor surgeons"
