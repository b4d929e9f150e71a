import re
from collections import Counter
from pathlib import Path

import pytest

from MultiRoundSegLib.anatomy import (
    Language,
    Place,
    Statement,
    Structure,
    check_statements,
    load_anatomy,
    load_knowledge,
)
from MultiRoundSegLib.anatomy.statements import read_statements

ANATOMY = load_anatomy()
KNOWLEDGE = load_knowledge()
STRUCTURES = {structure.key: structure for structure in ANATOMY.structures}
LIVER, SPLEEN, STOMACH, KIDNEY = (ANATOMY[key] for key in ("liver", "spleen", "stomach", "kidney"))
HERE = Path(__file__).parent
HEADER = "structure,relation,object,en,zh\n"
GOOD = "liver,function,,makes bile,分泌胆汁\n"
# Labels of what is seen in an image rather than of a part of the brain.
NO_PARTS = ("vessel", "hypointensities")


def a_table(folder: Path, rows: str, name: str = "chest.csv") -> Path:
    (folder / name).write_text(HEADER + rows, encoding="utf-8")
    return folder


def phrases_of(structure: Structure, language: Language) -> set[str]:
    return {phrase for statement in KNOWLEDGE.said_of(structure) for phrase in statement.phrases(language)}


def labels_of_the_whole_body() -> list[str]:
    text = (HERE / "totalsegmentator_classes.txt").read_text(encoding="utf-8")
    return text.partition("# task total\n")[2].partition("#")[0].split()


def labels_of_the_deep_brain() -> list[str]:
    lines = (HERE / "freesurfer_labels.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(("Left-", "Right-")) and not line.endswith(NO_PARTS)]


def test_the_tables_that_come_with_the_package_have_no_fault() -> None:
    assert check_statements(STRUCTURES) == []
    assert len(KNOWLEDGE.statements) > 5000


def test_nothing_is_said_twice_and_nothing_is_related_to_itself() -> None:
    rows = Counter(KNOWLEDGE.statements)
    assert [statement for statement, times in rows.items() if times > 1] == []
    assert [s for s in KNOWLEDGE.statements if s.subject in s.objects or len(set(s.objects)) < len(s.objects)] == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("labels", [labels_of_the_whole_body(), labels_of_the_deep_brain()], ids=["body", "brain"])
def test_several_things_are_said_of_what_the_common_tools_segment(labels: list[str], language: Language) -> None:
    entities = {label: ANATOMY.identify(label) for label in labels}
    few = [label for label, e in entities.items() if e is None or len(phrases_of(e.structure, language)) < 2]
    assert len(labels) > 20
    assert few == []


def test_phrases_are_written_in_their_language() -> None:
    english = {phrase for statement in KNOWLEDGE.statements for phrase in statement.english}
    assert [phrase for phrase in english if re.search(r"[\u4e00-\u9fff]", phrase)] == []


def test_a_row_becomes_a_statement(tmp_path: Path) -> None:
    rows = "kidney:left,above,kidney:right,sits higher,位置较高\nstomach,between,liver spleen,,\n"
    assert read_statements(STRUCTURES, a_table(tmp_path, rows)) == (
        Statement(Place(KIDNEY, "left"), "above", (Place(KIDNEY, "right"),), ("sits higher",), ("位置较高",)),
        Statement(Place(STOMACH), "between", (Place(LIVER), Place(SPLEEN))),
    )


def test_phrases_are_apart_by_semicolons_of_both_widths(tmp_path: Path) -> None:
    rows = 'liver,function,,"makes bile; stores sugar, iron ;;",分泌胆汁；储存糖原;解毒；\n'
    (statement,) = read_statements(STRUCTURES, a_table(tmp_path, rows))
    assert statement.phrases("en") == ("makes bile", "stores sugar, iron")
    assert statement.phrases("zh") == ("分泌胆汁", "储存糖原", "解毒")


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("livr,function,,makes bile,", "there is no structure 'livr'"),
        (",function,,makes bile,", "there is no structure ''"),
        ("liver,above,kidny,,", "there is no structure 'kidny'"),
        ("liver:left,function,,makes bile,", "'liver' has no side 'left'"),
        ("kidney:middle,function,,makes urine,", "'kidney' has no side 'middle'"),
        ("liver,above,kidney:upper,,", "'kidney' has no side 'upper'"),
        ("liver,adores,spleen,,", "there is no relation 'adores'"),
        ("liver,function,spleen,makes bile,", "'function' takes no object"),
        ("liver,above,,on top,在上", "'above' takes one object"),
        ("liver,above,spleen stomach,,", "'above' takes one object"),
        ("stomach,between,liver,,", "'between' takes two objects"),
        ("stomach,between,liver spleen heart,,", "'between' takes two objects"),
        ("liver,function,,,", "it says nothing"),
        (
            "liver,function,,makes bile, stores sugar,",
            "a row has the cells structure, relation, object, en, zh; put quotes around a cell that holds a comma",
        ),
        (
            "liver,function,,makes bile",
            "a row has the cells structure, relation, object, en, zh; put quotes around a cell that holds a comma",
        ),
    ],
)
def test_a_fault_is_told_with_file_and_line(tmp_path: Path, row: str, fault: str) -> None:
    folder = a_table(tmp_path, GOOD + row + "\n")
    assert check_statements(STRUCTURES, folder) == [f"chest.csv, line 3: {fault}"]
    with pytest.raises(ValueError, match=f"^{re.escape(f'chest.csv, line 3: {fault}')}$"):
        read_statements(STRUCTURES, folder)


def test_every_fault_of_every_file_is_told(tmp_path: Path) -> None:
    a_table(tmp_path, GOOD + "livr,adores,spleen,,\n", "b.csv")
    a_table(tmp_path, "liver,function,,,\n" + GOOD, "a.csv")
    (tmp_path / "notes.txt").write_text("no table")
    assert check_statements(STRUCTURES, tmp_path) == [
        "a.csv, line 2: it says nothing",
        "b.csv, line 3: there is no structure 'livr'",
        "b.csv, line 3: there is no relation 'adores'",
    ]


def test_a_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chest.csv").write_text("structure,relation,en,zh\nliver,function,makes bile,分泌胆汁\n", "utf-8")
    (fault,) = check_statements(STRUCTURES, tmp_path)
    assert fault.startswith("chest.csv, line 2: a row has the cells structure, relation, object, en, zh")


def test_a_place_is_called_with_its_side_where_it_has_one() -> None:
    assert (Place(KIDNEY, "left").name("en"), Place(KIDNEY, "left").name("zh")) == ("left kidney", "左肾")
    assert (Place(KIDNEY).name("en"), Place(KIDNEY).name("zh")) == ("kidney", "肾")
