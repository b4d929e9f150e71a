"""Questions about the size or brightness of a structure, which are answered in words."""

from __future__ import annotations

import re
from typing import Literal

from MultiRoundSegLib.anatomy import Language
from MultiRoundSegLib.images import Mask, Volume
from MultiRoundSegLib.images.measures import longest_diameter_mm, mean_intensity

from .phrases import millilitres

Measure = Literal["volume", "diameter", "intensity"]

_ASKED: dict[Measure, re.Pattern[str]] = {
    "volume": re.compile(
        r"\bhow\s+(?:large|big)\b|\b(?:volume|size)\s+of\b"
        r"|\bwhat(?:'s| is| are)?\s+(?:its|their|the)\s+(?:volume|size)s?\b"
        r"|体积(?!缩小|增大|变|减小|正常)(?:是多少|有多大|多大)?|有?多大",
        re.IGNORECASE,
    ),
    "diameter": re.compile(
        r"\bhow\s+(?:long|wide)\b|\b(?:longest\s+|largest\s+|maximum\s+)?diameters?(?:\s+of)?\b|(?:最大|最长)?直径(?:是多少)?|有?多长",
        re.IGNORECASE,
    ),
    "intensity": re.compile(
        r"\b(?:mean|average)\s+(?:intensity|density|signal|value|HU)(?:\s+of)?\b|平均(?:密度|信号|强度|CT值|值)(?:是多少)?",
        re.IGNORECASE,
    ),
}


def measures_in(text: str) -> tuple[tuple[Measure, ...], str]:
    """The measures that a question asks for, and the question with blanks in the place of their words."""
    asked: list[Measure] = []
    for measure, pattern in _ASKED.items():
        if pattern.search(text):
            asked.append(measure)
            text = pattern.sub(lambda match: " " * len(match[0]), text)
    return tuple(asked), text


def measured(name: str, mask: Mask, volume: Volume, measures: tuple[Measure, ...], language: Language) -> str:
    """One sentence with the measures of a mask."""
    values = [_value(measure, mask, volume, language) for measure in measures]
    return f"{name}: {', '.join(values)}." if language == "en" else f"{name}：{'，'.join(values)}。"


def _value(measure: Measure, mask: Mask, volume: Volume, language: Language) -> str:
    if measure == "volume":
        volume_ml = millilitres(mask.volume_ml)
        return volume_ml if language == "en" else f"体积 {volume_ml}"
    if measure == "diameter":
        diameter = longest_diameter_mm(mask)
        return f"longest diameter {diameter:.1f} mm" if language == "en" else f"最大直径 {diameter:.1f} mm"
    mean, unit = mean_intensity(mask, volume), " HU" if volume.modality == "CT" else ""
    intensity = f"{mean:.0f}{unit}" if abs(mean) >= 1000 else f"{mean:.4g}{unit}"
    return f"mean intensity {intensity}" if language == "en" else f"平均值 {intensity}"
