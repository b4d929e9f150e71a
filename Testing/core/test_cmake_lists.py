"""The extension installs what there is: a file that is not listed works from source and fails when installed."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "MultiRoundSeg"
LEFT_OUT = ("training", "evaluation", "datasets")
"""Rooms of MultiRoundSegLib that Slicer does not get."""


def listed(variable: str) -> list[str]:
    """The files that the module's CMakeLists.txt names in a variable."""
    found = re.search(rf"^set\({variable}\n(.*?)^\)", (MODULE / "CMakeLists.txt").read_text(), re.M | re.S)
    assert found, f"CMakeLists.txt sets no {variable}"
    return found[1].split()


def on_disk(folder: str) -> set[str]:
    """The files below a folder of the module, without those left out and without what Python and systems leave."""
    files = (path.relative_to(MODULE) for path in (MODULE / folder).rglob("*") if path.is_file())
    return {
        file.as_posix()
        for file in files
        if "__pycache__" not in file.parts and not file.name.startswith(".") and file.parts[1] not in LEFT_OUT
    }


def python_files() -> set[str]:
    return {"MultiRoundSeg.py"} | {file for file in on_disk("MultiRoundSegLib") if file.endswith(".py")}


def data_files() -> set[str]:
    return (on_disk("Resources") | on_disk("MultiRoundSegLib")) - python_files()


def test_every_python_file_is_listed() -> None:
    assert python_files() - set(listed("MODULE_PYTHON_SCRIPTS")) == set()


def test_every_listed_python_file_is_there() -> None:
    assert set(listed("MODULE_PYTHON_SCRIPTS")) - python_files() == set()


def test_every_data_file_is_listed() -> None:
    assert data_files() - set(listed("MODULE_PYTHON_RESOURCES")) == set()


def test_every_listed_data_file_is_there() -> None:
    assert set(listed("MODULE_PYTHON_RESOURCES")) - data_files() == set()


@pytest.mark.parametrize("variable", ["MODULE_PYTHON_SCRIPTS", "MODULE_PYTHON_RESOURCES"])
def test_no_file_is_listed_twice(variable: str) -> None:
    assert len(listed(variable)) == len(set(listed(variable)))


def test_nothing_installed_asks_for_what_is_left_out() -> None:
    mention = re.compile(rf"MultiRoundSegLib(?:\.| import )(?:{'|'.join(LEFT_OUT)})\b")

    assert [file for file in python_files() if mention.search((MODULE / file).read_text("utf-8"))] == []


@pytest.mark.parametrize("icon", [MODULE / "Resources/Icons/MultiRoundSeg.png", ROOT / "Resources/MultiRoundSeg.png"])
def test_the_icons_have_the_size_that_slicer_asks_for(icon: Path) -> None:
    assert struct.unpack(">II", icon.read_bytes()[16:24]) == (128, 128)
