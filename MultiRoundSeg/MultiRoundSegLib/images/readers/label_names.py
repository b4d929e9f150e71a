"""Reads tables that say which label value is which structure."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from MultiRoundSegLib.errors import ImageReadError

# Slicer's and FreeSurfer's colour tables: 4 left_kidney 185 102 83 255
# ITK-SNAP's label descriptions: 4 185 102 83 1 1 1 "left kidney"
_COLOUR_TABLE = re.compile(r"(\d+)\s+(\S.*?)\s+\d+\s+\d+\s+\d+(?:\s+\d+)?")
_ITK_SNAP = re.compile(r'(\d+)(?:\s+[\d.]+){6}\s+"(.*)"')
_PLAIN = re.compile(r"(\d+)\s+(\S.*)")
_SEPARATED = {".csv": ",", ".tsv": "\t"}


def read_label_names(path: Path | str) -> dict[int, str]:
    """Names by label value; 0 is the background and left out.

    Understood are JSON ({"1": "liver"}, {"liver": 1}, or either under "labels" as in nnU-Net's
    dataset.json), CSV and TSV (value, name; a heading and further columns are allowed), colour tables
    of Slicer and FreeSurfer, ITK-SNAP's label descriptions, and text lines such as "1 liver" or "1,liver".

    Raises:
        ImageReadError: the table is missing, or a line of it is not understood.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ImageReadError(f"The names in {path.name} cannot be read; choose a text file.") from error
    names = _from_json(text, path.name) if path.suffix.lower() == ".json" else _from_lines(text, path)
    names.pop(0, None)
    if not names:
        raise ImageReadError(f"{path.name} names no structure; choose another table.")
    return names


def _from_json(text: str, name: str) -> dict[int, str]:
    try:
        table = json.loads(text)
        table = table.get("labels", table)
        return dict(_value_and_name(*pair) for pair in table.items())
    except (AttributeError, TypeError, ValueError) as error:
        raise ImageReadError(
            f'{name} is no table of names; it should look like {{"1": "liver"}} or {{"liver": 1}}.'
        ) from error


def _value_and_name(key: str, item: Any) -> tuple[int, str]:
    if isinstance(item, str) and not item.isdecimal():
        return int(key), item
    return int(item), key


def _from_lines(text: str, path: Path) -> dict[int, str]:
    names = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = _row(line.strip(), path.suffix.lower())
        if row is not None:
            names[row[0]] = row[1]
        elif names or line.lstrip()[0].isdigit():
            raise ImageReadError(f"Line {number} of {path.name} is not understood; write for example: 1 liver")
    return names


def _row(line: str, suffix: str) -> tuple[int, str] | None:
    if suffix == ".ctbl":
        match = _COLOUR_TABLE.fullmatch(line)
        return (int(match[1]), match[2].replace("_", " ")) if match else None
    separator = _SEPARATED.get(suffix) or ("," if re.match(r"\d+\s*,", line) else None)
    if separator:
        return _separated_row(next(csv.reader([line], delimiter=separator)))
    for pattern in (_ITK_SNAP, _COLOUR_TABLE, _PLAIN):
        if match := pattern.fullmatch(line):
            return int(match[1]), match[2]
    return None


def _separated_row(cells: Iterable[str]) -> tuple[int, str] | None:
    value, name, *_ = [*(cell.strip() for cell in cells), "", ""]
    return (int(value), name) if value.isdecimal() and name else None
