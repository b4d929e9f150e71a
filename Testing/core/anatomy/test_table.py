from collections import Counter, defaultdict
from pathlib import Path

import pytest

from MultiRoundSegLib.anatomy import Structure, load_anatomy
from MultiRoundSegLib.anatomy.names import label_forms, written_forms
from MultiRoundSegLib.anatomy.table import read_guards, read_structures
from MultiRoundSegLib.anatomy.words import key_of

STRUCTURES = read_structures()

# Names that mean several structures: only the image or the question can tell which.
AMBIGUOUS = {
    "ventricle": {"ventricle_of_heart", "ventricular_system", "lateral_ventricle"},
    "ventricles": {"ventricle_of_heart", "ventricular_system", "lateral_ventricle"},
    "left ventricle": {"ventricle_of_heart", "lateral_ventricle"},
    "LV": {"ventricle_of_heart", "lateral_ventricle"},
    "PV": {"pulmonary_vein", "portal_and_splenic_vein"},
    "PVs": {"pulmonary_vein", "portal_and_splenic_vein"},
    "carotid": {"common_carotid_artery", "internal_carotid_artery"},
    "carotids": {"common_carotid_artery", "internal_carotid_artery"},
    "carotid artery": {"common_carotid_artery", "internal_carotid_artery"},
    "carotid arteries": {"common_carotid_artery", "internal_carotid_artery"},
    "颈动脉": {"common_carotid_artery", "internal_carotid_artery"},
    "erector spinae": {"deep_back_muscles", "erector_spinae"},
    "竖脊肌": {"deep_back_muscles", "erector_spinae"},
}

HEADER = "key,kind,sides,part_of,is_a,en,en_plural,en_adjective,zh,sct,totalsegmentator,freesurfer\n"


def verhoeff_holds(digits: str) -> bool:
    """The check of SNOMED CT identifiers, as the product of a number's digits in the dihedral group D5."""

    def times(a: int, b: int) -> int:
        rotated = (a + b if a < 5 else a - b) % 5
        return rotated if (a < 5) == (b < 5) else rotated + 5

    def permuted(digit: int, rounds: int) -> int:
        for _ in range(rounds):
            digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
        return digit

    product = 0
    for place, digit in enumerate(reversed(digits)):
        product = times(product, permuted(int(digit), place % 8))
    return product == 0


def test_every_key_is_snake_case_and_there_once() -> None:
    keys = [structure.key for structure in STRUCTURES]
    assert len(set(keys)) == len(keys)
    assert all(key.isascii() and key.isidentifier() and key == key.lower() for key in keys)


def test_every_structure_has_names_in_both_languages() -> None:
    for structure in STRUCTURES:
        assert structure.english, structure.key
        assert structure.chinese, structure.key
        assert structure.english[0].isascii(), structure.key
        assert all(not name.isascii() for name in structure.chinese), structure.key


def test_no_name_is_given_twice_to_one_structure() -> None:
    for structure in STRUCTURES:
        for names in (structure.english, structure.english_plurals, structure.chinese):
            again = [key for key, times in Counter(map(key_of, names)).items() if times > 1]
            assert not again, (structure.key, again)


def test_a_name_means_one_structure_unless_declared_ambiguous() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    for structure in STRUCTURES:
        for name, form in written_forms(structure):
            if form.entity.side is None or form.entity.side == structure.sides[0]:
                meanings[key_of(name)].add(structure.key)
    declared = {key_of(name): keys for name, keys in AMBIGUOUS.items()}
    unsided = {key: keys for key, keys in meanings.items() if len(keys) > 1 and key in declared}
    undeclared = {
        key: keys
        for key, keys in meanings.items()
        if len(keys) > 1 and key not in declared and key.removeprefix("left").lstrip("左侧") not in declared
    }
    assert unsided == declared
    assert not undeclared


def test_a_label_of_another_tool_means_one_structure() -> None:
    meanings = {(key_of(label), form.entity) for structure in STRUCTURES for label, form in label_forms(structure)}
    assert [label for label, times in Counter(label for label, _ in meanings).items() if times > 1] == []


def test_names_of_what_is_not_paired_hold_no_placeholder() -> None:
    for structure in STRUCTURES:
        if not structure.sides:
            texts = (
                *structure.english,
                *structure.chinese,
                *structure.totalsegmentator,
                *structure.freesurfer,
            )
            assert not [text for text in texts if "{" in text], structure.key


def test_codes_are_valid_snomed_identifiers_of_one_structure() -> None:
    codes = [
        code
        for structure in STRUCTURES
        for code in (structure.code, *(code for _, code in structure.sided_codes))
        if code is not None
    ]
    assert len(codes) > 250
    assert [code for code in codes if not (code.meaning and verhoeff_holds(code.value))] == []
    # The last but two and three digits "00" mark a concept of the international release.
    assert [code for code in codes if code.value[-3:-1] != "00"] == []
    assert [value for value, times in Counter(code.value for code in codes).items() if times > 1] == []


@pytest.mark.parametrize("wrong", ["10200005", "10200040", "12000004"])
def test_the_check_digit_catches_typos(wrong: str) -> None:
    assert verhoeff_holds("10200004")
    assert not verhoeff_holds(wrong)


def test_no_structure_is_part_or_kind_of_itself() -> None:
    anatomy = load_anatomy()

    def wholes(structure: Structure) -> set[str]:
        above = {*structure.part_of, *structure.is_a}
        return above.union(*(wholes(anatomy[key]) for key in above))

    assert [structure.key for structure in STRUCTURES if structure.key in wholes(structure)] == []


def test_a_guard_is_no_name_but_holds_one() -> None:
    names = {key_of(name) for structure in STRUCTURES for name, _ in written_forms(structure)}
    for guard in read_guards():
        key = key_of(guard)
        assert key not in names, guard
        assert any(name in key for name in names), guard


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("liver,organ,,,,liver,,,肝,10200004 Liver,,\nliver,organ,,,,liver,,,肝,,,", "two rows 'liver'"),
        ("liver,soup,,,,liver,,,肝,,,", "row 'liver': there is no kind 'soup'"),
        ("lobe,organ,,lung,,lobe,,,叶,,,", "row 'lobe': there is no structure 'lung'"),
        ("lung,organ,both,,,lung,,,肺,,,", "row 'lung': a side is left or right, not 'both'"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: str, complaint: str) -> None:
    table = tmp_path / "structures.csv"
    table.write_text(HEADER + row + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        read_structures(table)
