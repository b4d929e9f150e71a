import pytest

from MultiRoundSegLib.anatomy import load_anatomy
from MultiRoundSegLib.engines.reasoner.shared_heads import written_apart

ANATOMY = load_anatomy()


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("superior and inferior vena cava", "superior vena cava and inferior vena cava"),
        ("show the superior, inferior vena cava", "show the superior vena cava and the inferior vena cava"),
        ("superior and inferior venae cavae please", "superior venae cavae and inferior venae cavae please"),
        ("gluteus maximus and medius on the right", "gluteus maximus and gluteus medius on the right"),
        ("right upper, middle and lower lobes", "right upper lobes and right middle lobe and right lower lobes"),
        ("third and fourth ventricle", "third ventricle and fourth ventricle"),
        ("上、下腔静脉一起", "上腔静脉、下腔静脉一起"),
        ("双侧臀大、中、小肌", "双侧臀大肌、臀中肌、臀小肌"),
        ("左肺上和下叶", "左肺上叶、左肺下叶"),
    ],
)
def test_each_name_is_written_in_full(text: str, apart: str) -> None:
    assert written_apart(text, ANATOMY).replace("venae cavae", "vena cava") == apart.replace("venae cavae", "vena cava")


@pytest.mark.parametrize(
    "text",
    [
        "left and right kidney",
        "the upper and lower poles",
        "superior and lateral walls of the orbit",
        "上、下游",
        "大和小",
        "liver and spleen",
    ],
)
def test_other_lists_stay_as_they_are(text: str) -> None:
    assert written_apart(text, ANATOMY) == text
