import importlib.util
import re
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import Mended, is_common, load_anatomy, mend, spelling

ANATOMY = load_anatomy()
ENGLISH = [
    word
    for structure in ANATOMY.structures
    for name in (*structure.english, *structure.english_plurals, *structure.english_adjectives)
    for word in re.findall("[a-z]{4,}", name.lower())
]
CHINESE = [re.sub("{.*?}", "", name) for structure in ANATOMY.structures for name in structure.chinese]
FIRST_OF_ALL = ("left", "right", "both", "show", "side", "other")
LETTERS = "aeinrst"


def without_rapidfuzz() -> ModuleType:
    """The module as it is where rapidfuzz is not installed."""
    specification = importlib.util.spec_from_file_location(spelling.__name__, spelling.__file__)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "rapidfuzz.distance.OSA", None)
        specification.loader.exec_module(module)
    return module


SLOW = without_rapidfuzz()


@pytest.fixture(scope="module", params=["with rapidfuzz", "without rapidfuzz"])
def a_speller(request: pytest.FixtureRequest) -> Any:
    if request.param == "without rapidfuzz":
        return SLOW.Spelling((FIRST_OF_ALL, ENGLISH), is_common, CHINESE)
    pytest.importorskip("rapidfuzz")
    return spelling.Spelling((FIRST_OF_ALL, ENGLISH), is_common, CHINESE)


def mended_english(a_speller: Any, text: str) -> str:
    return mend(text, a_speller.english(text))


def mended_chinese(a_speller: Any, text: str) -> str:
    taken = [(mention.start, mention.end) for mention in ANATOMY.mentions(text)]
    return mend(text, a_speller.chinese(text, taken))


@pytest.mark.parametrize(
    ("meant", "typed"),
    [
        ("kidney", "kidny kidneyy kidnye kindey kidnney"),
        ("liver", "livr livver lievr liverr"),
        ("spleen", "splen spleeen splene spleenn"),
        ("gallbladder", "gallblader galbladder gallbladdder gallbalder"),
        ("pancreas", "pancraes pancres pancreaz"),
        ("stomach", "stomch stomache stomcah stomack"),
        ("femur", "femurr feumr"),
        ("aorta", "aorat arota aortta"),
        ("hippocampus", "hipocampus hippocmapus hipppocampus"),
        ("thalamus", "thalmus thalasmus"),
        ("amygdala", "amygdela amigdala"),
        ("cerebellum", "cerebelum cerebellumm cerebelulm"),
        ("ventricle", "ventrcle ventriclee ventrilce"),
        ("bladder", "bladdre bladdr"),
        ("trachea", "trahcea tracheaa"),
        ("thyroid", "thyriod tyroid thyroyd"),
        ("pituitary", "pituitry"),
        ("duodenum", "duodenm"),
        ("scapula", "scapla scapual"),
        ("hepatic", "hepaic hepatc"),
        ("right", "rihgt rigth"),
        ("left", "lfet"),
        ("both", "boht"),
    ],
)
def test_a_word_typed_wrong_is_mended(a_speller: Any, meant: str, typed: str) -> None:
    assert {word: mended_english(a_speller, word) for word in typed.split()} == dict.fromkeys(typed.split(), meant)


def test_words_are_mended_where_they_stand_whatever_their_case(a_speller: Any) -> None:
    text = "Segment the Lfet kidny, please: splen2"
    found = [(slip.start, slip.end, slip.word) for slip in a_speller.english(text)]
    assert found == [(12, 16, "left"), (17, 22, "kidney"), (32, 37, "spleen")]
    assert mended_english(a_speller, text) == "Segment the left kidney, please: spleen2"


@pytest.mark.parametrize(
    "text",
    [
        "liver",
        "the left KIDNEY and both adrenal glands",
        "coffee",
        "lover river lever sliver",
        "kidding plane stomp order feature patience",
        "nothing paper shoulder",
        "colour centre oesophagus",
        "ab xq",
        "LVR",
        "qwrtzp",
        "",
    ],
)
def test_right_words_and_words_like_no_other_are_left_alone(a_speller: Any, text: str) -> None:
    assert a_speller.english(text) == []


def test_no_name_is_mended(a_speller: Any) -> None:
    assert a_speller.english(" ".join(ENGLISH)) == []


def test_of_equally_near_words_the_earlier_group_counts() -> None:
    speller = spelling.Spelling((["cart"], ["card"]), lambda word: False, ())
    assert speller.english("carx") == [Mended(0, 4, "cart")]
    turned = spelling.Spelling((["card"], ["cart"]), lambda word: False, ())
    assert turned.english("carx") == [Mended(0, 4, "card")]


def test_of_two_words_equally_near_none_is_guessed() -> None:
    assert spelling.Spelling((["cart", "mart"],), lambda word: False, ()).english("bart") == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("甘脏", "肝脏"),
        ("肾赃", "肾脏"),
        ("脾藏", "脾脏"),
        ("胆馕", "胆囊"),
        ("胆襄", "胆囊"),
        ("膀光", "膀胱"),
        ("胰线", "胰腺"),
        ("前列线", "前列腺"),
        ("十二纸肠", "十二指肠"),
        ("十二指长", "十二指肠"),
        ("甲状线", "甲状腺"),
        ("海吗体", "海马体"),
        ("壳合", "壳核"),
        ("杏仁合", "杏仁核"),
        ("主动卖", "主动脉"),
        ("古骨", "股骨"),
        ("左新房", "左心房"),
        ("小闹", "小脑"),
        ("脑杆", "脑干"),
        ("脊随", "脊髓"),
        ("左肺上页", "左肺上叶"),
        ("请把胆馕标出来", "请把胆囊标出来"),
        ("甘脏和肾赃", "肝脏和肾脏"),
    ],
)
def test_a_chinese_name_typed_by_its_sound_is_mended(a_speller: Any, typed: str, meant: str) -> None:
    assert mended_chinese(a_speller, typed) == meant


@pytest.mark.parametrize("text", ["肝脏", "请把肝脏标出来", "咖啡在哪里", "今天天气很好", "你好", "心", "liver", ""])
def test_chinese_that_is_right_or_like_no_name_is_left_alone(a_speller: Any, text: str) -> None:
    assert mended_chinese(a_speller, text) == text


def test_a_place_that_is_taken_is_not_mended(a_speller: Any) -> None:
    assert mend("甘脏", a_speller.chinese("甘脏")) == "肝脏"
    assert a_speller.chinese("甘脏", taken=[(0, 2)]) == []
    assert a_speller.chinese("甘脏", words=[(0, 2)]) == []


def test_both_ways_to_count_slips_are_used() -> None:
    pytest.importorskip("rapidfuzz")
    assert vars(spelling)["_distance"] is not None
    assert vars(SLOW)["_distance"] is None


@settings(deadline=None)
@given(st.text(LETTERS, min_size=1, max_size=9), st.lists(st.text(LETTERS, min_size=1, max_size=9)), st.integers(1, 2))
def test_slips_are_counted_alike_with_and_without_rapidfuzz(word: str, others: list[str], slips: int) -> None:
    assert sorted(spelling.distances(word, others, slips)) == sorted(SLOW.distances(word, others, slips))


@pytest.mark.parametrize(
    ("word", "slips"), [("vertebra", 0), ("vertebr", 1), ("vertbera", 1), ("vetrebar", 2), ("vrtbra", 2)]
)
def test_a_letter_left_out_put_in_mistaken_or_swapped_is_one_slip(word: str, slips: int) -> None:
    for distances in (spelling.distances, SLOW.distances):
        assert distances(word, ["vertebra", "zygoma"], 2) == [("vertebra", slips)]
