"""The command that shows and checks what is known, as a person runs it."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "anatomy.py"
HEADER = "structure,relation,object,en,zh\n"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_the_tables_that_come_with_the_package_are_in_order() -> None:
    done = run("check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 faults.\n", "")


def test_faults_of_other_tables_are_listed_and_counted(tmp_path: Path) -> None:
    (tmp_path / "chest.csv").write_text(HEADER + "liver,function,,makes bile,\nlivr,adores,,,\n", encoding="utf-8")
    done = run("check", "--folder", tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "chest.csv, line 3: there is no structure 'livr'",
        "chest.csv, line 3: there is no relation 'adores'",
        "2 faults.",
    ]


def test_other_tables_without_a_fault_are_in_order(tmp_path: Path) -> None:
    (tmp_path / "chest.csv").write_text(HEADER + "liver,function,,makes bile,分泌胆汁\n", encoding="utf-8")
    done = run("check", "--folder", tmp_path)
    assert (done.returncode, done.stdout) == (0, "0 faults.\n")


@pytest.mark.parametrize("name", [["kidney"], ["left kidney"], ["left", "kidney"], ["右肾"], ["kidney_left"]])
def test_a_structure_is_shown_by_any_of_its_names(name: list[str]) -> None:
    done = run("show", *name)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "kidney (organ)"
    assert lines[1].startswith("  names: kidney; ")
    assert lines[2] == "  code: SCT 64033007 Kidney"


def test_names_statements_and_relations_are_shown_with_their_sides() -> None:
    lines = run("show", "kidney").stdout.splitlines()
    assert any(line.startswith("  function: ") and "makes urine" in line for line in lines)
    assert any(line.startswith("  attribute (left): ") for line in lines)
    assert any("蚕豆形" in line for line in lines)
    assert "  left kidney lies above right kidney." in lines


def test_a_path_is_one_sentence_a_line() -> None:
    done = run("path", "spleen", "portal vein")
    assert (done.returncode, done.stdout) == (0, "spleen leads into portal vein and splenic vein.\n")
    longer = run("path", "二尖瓣", "aorta").stdout.splitlines()
    assert len(longer) > 1
    assert "mitral valve" in longer[0]
    assert "aorta" in longer[-1]


@pytest.mark.parametrize("arguments", [["show", "xyzzy"], ["path", "liver", "xyzzy"], ["path", "xyzzy", "liver"]])
def test_an_unknown_name_is_told_in_a_sentence(arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "There is no structure 'xyzzy'.\n")


def test_what_is_not_related_is_told_in_a_sentence() -> None:
    done = run("path", "plaque", "liver")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "No relation between plaque and liver is known.\n"


def test_without_a_command_its_use_is_shown() -> None:
    done = run()
    assert done.returncode == 2
    assert "usage: anatomy.py" in done.stderr


def test_help_names_what_can_be_done() -> None:
    assert all(command in run("--help").stdout for command in ("check", "show", "path"))
