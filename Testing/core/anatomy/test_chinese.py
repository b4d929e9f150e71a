import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import load_anatomy, simplified
from MultiRoundSegLib.anatomy.chinese import sound_alike, sound_of

HAN = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
NAMES = [name for structure in load_anatomy().structures for name in structure.chinese]


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("左腎臟", "左肾脏"),
        ("膽囊", "胆囊"),
        ("脛骨與顱骨", "胫骨与颅骨"),
        ("請標出肝臟", "请标出肝脏"),
        ("腦幹", "脑干"),
        ("頸椎", "颈椎"),
        ("主動脈", "主动脉"),
        ("顳葉", "颞叶"),
        ("髖骨", "髋骨"),
        ("segment 脾臟 please", "segment 脾脏 please"),
    ],
)
def test_traditional_characters_become_simplified(traditional: str, simple: str) -> None:
    assert simplified(traditional) == simple


@pytest.mark.parametrize("text", ["", "left kidney", "ＬＩＶＥＲ", "肝脏在哪里？", "α–β"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert simplified(text) == text


def test_the_names_of_structures_are_simplified() -> None:
    assert [name for name in NAMES if simplified(name) != name] == []


@settings(deadline=None)
@given(st.text() | st.text(HAN))
def test_positions_stay_and_a_second_time_changes_nothing(text: str) -> None:
    once = simplified(text)
    assert len(once) == len(text)
    assert simplified(once) == once


def test_every_character_of_a_text_has_one_sound() -> None:
    assert sound_of("肝脏") == ("gan", "zang")
    assert sound_of("a肝?") == ("a", "gan", "?")
    assert sound_of("") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [("肝", "干"), ("肝", "甘"), ("腺", "线"), ("核", "和"), ("藏", "脏"), ("髂", "骼"), ("桡", "挠"), ("脾", "牌")],
)
def test_characters_that_sound_or_look_alike_are_known(one: str, other: str) -> None:
    assert sound_alike(one, other)
    assert sound_alike(other, one)


@pytest.mark.parametrize(("one", "other"), [("肝", "肾"), ("左", "右"), ("上", "下"), ("a", "肝"), ("髂", "牌")])
def test_other_characters_do_not_sound_alike(one: str, other: str) -> None:
    assert not sound_alike(one, other)
    assert not sound_alike(other, one)


@settings(deadline=None)
@given(HAN, HAN)
def test_sounding_alike_is_mutual(one: str, other: str) -> None:
    assert sound_alike(one, other) == sound_alike(other, one)


@settings(deadline=None)
@given(HAN, HAN)
def test_characters_of_one_sound_sound_alike(one: str, other: str) -> None:
    if sound_of(one) == sound_of(other) and sound_of(one)[0].isascii():
        assert sound_alike(one, other)
