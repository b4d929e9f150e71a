"""Reads structures.csv and guards.csv: one row a structure, several values in a cell apart by semicolons."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

from MultiRoundSegLib.images import Code

from .colours import KIND_COLOURS
from .structure import SIDES, Side, Structure

HERE = Path(__file__).parent


def read_structures(path: Path = HERE / "structures.csv") -> tuple[Structure, ...]:
    """All structures, in the order of the file.

    Columns: key, kind, sides ("left right", one of them, or empty), part_of and is_a (keys), en, en_plural,
    en_adjective, zh, sct (code and meaning; before a code that says the side, that side),
    totalsegmentator, freesurfer. `Structure` tells what they mean.

    Raises:
        ValueError: a row cannot be used; the message names it.
    """
    with path.open(encoding="utf-8", newline="") as file:
        structures = tuple(_structure(row) for row in csv.DictReader(file))
    kinds = {key for structure in structures for key in structure.is_a}
    structures = tuple(replace(s, is_kind=s.key in kinds and bool(s.english_plurals)) for s in structures)
    rows = Counter(structure.key for structure in structures)
    for structure in structures:
        if rows[structure.key] > 1:
            raise ValueError(f"structures.csv has two rows {structure.key!r}")
        for whole in (*structure.part_of, *structure.is_a):
            if whole not in rows:
                raise ValueError(f"structures.csv, row {structure.key!r}: there is no structure {whole!r}")
    return structures


def read_guards(path: Path = HERE / "guards.csv") -> tuple[str, ...]:
    """Phrases that hold the name of a structure but do not mean it, for example "中心" (centre)."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(row["phrase"] for row in csv.DictReader(file))


def _structure(row: dict[str, str]) -> Structure:
    key = row["key"]
    if row["kind"] not in KIND_COLOURS:
        raise ValueError(f"structures.csv, row {key!r}: there is no kind {row['kind']!r}")
    sided_codes, code = _codes(key, row["sct"])
    return Structure(
        key=key,
        sides=tuple(_side(key, word) for word in row["sides"].split()),
        kind=row["kind"],
        part_of=_cell(row["part_of"]),
        is_a=_cell(row["is_a"]),
        english=_cell(row["en"]),
        english_plurals=_cell(row["en_plural"]),
        english_adjectives=_cell(row["en_adjective"]),
        chinese=_cell(row["zh"]),
        code=code,
        sided_codes=sided_codes,
        totalsegmentator=_cell(row["totalsegmentator"]),
        freesurfer=_cell(row["freesurfer"]),
    )


def _cell(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _side(key: str, word: str) -> Side:
    for side in SIDES:
        if word == side:
            return side
    raise ValueError(f"structures.csv, row {key!r}: a side is left or right, not {word!r}")


def _codes(key: str, text: str) -> tuple[tuple[tuple[Side, Code], ...], Code | None]:
    sided: list[tuple[Side, Code]] = []
    plain: Code | None = None
    for part in _cell(text):
        first, _, rest = part.partition(" ")
        if first.isdigit():
            plain = Code("SCT", first, rest)
        else:
            value, _, meaning = rest.partition(" ")
            sided.append((_side(key, first), Code("SCT", value, meaning)))
    return tuple(sided), plain
