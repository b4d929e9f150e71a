from pathlib import Path

import pytest

from MultiRoundSegLib.anatomy import Category, load_anatomy, load_knowledge
from MultiRoundSegLib.anatomy.categories import read_categories

ANATOMY = load_anatomy()
CATEGORIES = load_knowledge().categories
WORDS = load_knowledge().category_words
HEADER = "category,en,zh,members\n"


def a_table(folder: Path, rows: str) -> Path:
    table = folder / "categories.csv"
    table.write_text(HEADER + rows, encoding="utf-8")
    return table


def test_every_category_has_words_in_both_languages() -> None:
    for category in CATEGORIES:
        for words in (category.english, category.chinese):
            assert words, category.name
            assert [word for word in words if not word or word != word.strip()] == [], category.name
        assert all(word.isascii() for word in category.english), category.name
        assert not any(word.isascii() for word in category.chinese), category.name


def test_only_words_for_anything_have_no_members() -> None:
    assert [category.name for category in CATEGORIES if not category.members] == ["anything"]
    named = {word for c in CATEGORIES if c.members for word in c.english + c.chinese}
    assert [word for word, category in WORDS.items() if not category.members and word in named] == []


@pytest.mark.parametrize(
    ("word", "member", "stranger"),
    [
        ("vessel", "aorta", "liver"),
        ("血管", "portal_and_splenic_vein", "liver"),
        ("vein", "renal_vein", "renal_artery"),
        ("动脉", "renal_artery", "renal_vein"),
        ("gland", "thyroid_gland", "spleen"),
        ("muscle", "psoas_major", "femur"),
        ("骨头", "femur", "psoas_major"),
        ("lobe", "upper_lobe_of_lung", "frontal_lobe"),
        ("脑叶", "frontal_lobe", "upper_lobe_of_lung"),
        ("核团", "thalamus", "cerebellum"),
        ("vertebra", "vertebra_l3", "rib_3"),
        ("病灶", "lung_nodule", "lung"),
    ],
)
def test_a_word_stands_for_its_members(word: str, member: str, stranger: str) -> None:
    assert ANATOMY[member].key in WORDS[word].members
    assert ANATOMY[stranger].key not in WORDS[word].members


def test_a_word_of_two_categories_stands_for_the_members_of_both() -> None:
    assert {"atrium", "lateral_ventricle"} <= WORDS["chamber"].members
    assert {"atrium", "lateral_ventricle"} <= WORDS["腔"].members
    assert "lateral_ventricle" not in WORDS["heart chamber"].members


def test_longer_words_come_first() -> None:
    sizes = [len(word) for word in WORDS]
    assert sizes == sorted(sizes, reverse=True)
    assert set(WORDS) == {word for category in CATEGORIES for word in category.english + category.chinese}


def test_a_row_names_structures_and_kinds(tmp_path: Path) -> None:
    structures = [ANATOMY[key] for key in ("liver", "aorta", "renal_artery", "renal_vein")]
    (category,) = read_categories(structures, a_table(tmp_path, "red,red thing;red one,红的,kind:artery;liver\n"))
    members = frozenset({"aorta", "renal_artery", "liver"})
    assert category == Category("red", ("red thing", "red one"), ("红的",), members)


@pytest.mark.parametrize("word", ["livr", "kind:soup"])
def test_a_member_that_is_neither_structure_nor_kind_is_refused(tmp_path: Path, word: str) -> None:
    table = a_table(tmp_path, f"red,red thing,红的,liver;{word}\n")
    with pytest.raises(ValueError, match=f"categories.csv: '{word}' is neither a structure nor a kind"):
        read_categories(ANATOMY.structures, table)
