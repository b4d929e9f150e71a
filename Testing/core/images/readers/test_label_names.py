"""Tables of names in every common form give the same names."""

import pytest

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_label_names

NAMES = {1: "liver", 5: "left kidney"}


@pytest.mark.parametrize(
    ("file_name", "text"),
    [
        ("names.csv", "1,liver\n5,left kidney\n"),
        ("names.csv", "LabelValue,Name,Color_R\n0,background,0\n1,liver,221\n5,left kidney,185\n"),
        ("names.csv", '1,"liver"\n5,"left kidney"\n'),
        ("names.tsv", "index\tname\n1\tliver\n5\tleft kidney\n"),
        ("names.txt", "# made by hand\n\n1 liver\n5 left kidney\n"),
        ("names.txt", "1, liver\n5, left kidney\n"),
        ("names.txt", "\ufeff1\tliver\r\n5\tleft kidney\r\n"),
        ("names.ctbl", "# Color table\n0 background 0 0 0 0\n1 liver 221 130 101 255\n5 left_kidney 185 102 83 255\n"),
        ("lut.txt", "#No. Name R G B A\n0 Unknown 0 0 0 0\n1 liver 221 130 101 0\n5 left kidney 185 102 83 0\n"),
        (
            "snap.txt",
            '0     0    0    0        0  0  0    "Clear Label"\n'
            '1   255    0    0        1  1  1    "liver"\n'
            '5     0  255    0      0.5  1  0    "left kidney"\n',
        ),
        ("names.json", '{"1": "liver", "5": "left kidney"}'),
        ("names.json", '{"background": 0, "liver": 1, "left kidney": 5}'),
        ("dataset.json", '{"channel_names": {"0": "CT"}, "labels": {"background": 0, "liver": 1, "left kidney": 5}}'),
        ("dataset.json", '{"labels": {"0": "background", "1": "liver", "5": "left kidney"}}'),
    ],
)
def test_names_are_read(tmp_path, file_name, text):
    (tmp_path / file_name).write_text(text, encoding="utf-8", newline="")
    assert read_label_names(tmp_path / file_name) == NAMES


def test_names_may_be_chinese(tmp_path):
    (tmp_path / "names.txt").write_text("1 肝脏\n", encoding="utf-8")
    assert read_label_names(tmp_path / "names.txt") == {1: "肝脏"}


@pytest.mark.parametrize(
    ("file_name", "text", "cause"),
    [
        ("names.txt", "1 liver\nkidney\n", "Line 2 of names.txt is not understood"),
        ("names.txt", "1\n", "Line 1 of names.txt is not understood"),
        ("names.ctbl", "1 liver red\n", "Line 1 of names.ctbl is not understood"),
        ("names.csv", "1,liver\n,\n", "Line 2 of names.csv is not understood"),
        ("names.json", "{", "names.json is no table of names"),
        ("names.json", '{"whole tumour": [1, 2]}', "names.json is no table of names"),
        ("names.txt", "\n", "names.txt names no structure"),
    ],
)
def test_what_is_not_understood_is_told(tmp_path, file_name, text, cause):
    (tmp_path / file_name).write_text(text)
    with pytest.raises(ImageReadError, match=cause):
        read_label_names(tmp_path / file_name)


def test_a_missing_table_is_told(tmp_path):
    with pytest.raises(ImageReadError, match=r"names in gone\.txt cannot be read"):
        read_label_names(tmp_path / "gone.txt")
