import pytest

from MultiRoundSegLib.anatomy import load_anatomy
from MultiRoundSegLib.engines.reasoner.contrasts import named_in_full

ANATOMY = load_anatomy()


@pytest.mark.parametrize(
    ("last", "text", "meant"),
    [
        ("superior vena cava", "the inferior one", "inferior vena cava"),
        ("superior vena cava", "no, not the superior, the inferior", "inferior vena cava"),
        ("superior vena cava", "the lower one", "inferior vena cava"),
        ("right gluteus maximus", "the minimus please", "right gluteus minimus"),
        ("third ventricle", "now the fourth", "fourth ventricle"),
        ("left internal carotid artery", "external", "left external carotid artery"),
    ],
)
def test_the_telling_word_alone_makes_another_name(last: str, text: str, meant: str) -> None:
    full = named_in_full(text, ANATOMY.identify(last), ANATOMY)
    assert ANATOMY.identify(full) == ANATOMY.identify(meant) is not None


@pytest.mark.parametrize(
    ("last", "text", "meant"),
    [
        ("上腔静脉", "不是上，是下", "下腔静脉"),
        ("左肺上叶", "要下的", "左肺下叶"),
        ("上腔静脉", "不是 superior，换 inferior", "下腔静脉"),
    ],
)
def test_one_character_makes_another_name(last: str, text: str, meant: str) -> None:
    full = named_in_full(text, ANATOMY.identify(last), ANATOMY)
    (mention,) = ANATOMY.mentions(full)
    entity = ANATOMY.identify(meant)
    assert entity is not None
    assert entity.structure in mention.structures


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ("superior vena cava", "the inferior mesenteric vein"),
        ("liver", "the inferior one"),
        ("superior vena cava", "both, superior and inferior"),
        ("superior vena cava", "the superior one"),
        ("第一腰椎", "上面那个"),
        ("上腔静脉", "它下面是什么"),
    ],
)
def test_other_questions_stay_as_they_are(last: str, text: str) -> None:
    assert named_in_full(text, ANATOMY.identify(last), ANATOMY) == text


def test_without_one_last_structure_nothing_is_made_up() -> None:
    assert named_in_full("the inferior one", None, ANATOMY) == "the inferior one"
