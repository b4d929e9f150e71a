"""Words of a question that say who is to find the structures: "by the atlas", "用脑部网络"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .tokens import blanked

_ENGLISH_WAY = r"\b(?:by|using|use|via|with|per)\s+(?:(?:the|an|a|my|its)\s+)?"
_CHINESE_WAY = r"(?:使用|利用|采用|通过|按照|根据|用|按)"
_SOURCES = {
    "labels": re.compile(
        rf"{_ENGLISH_WAY}(?:existing|given|loaded)\s+(?:segmentation|segments|labels)\b"
        rf"|{_CHINESE_WAY}(?:已有|现有|原有)的?(?:分割|标签)(?:结果)?",
        re.IGNORECASE,
    ),
    "brain": re.compile(
        rf"{_ENGLISH_WAY}(?:brain\s+)?(?:mr\s+)?(?:neural\s+)?network\b|{_CHINESE_WAY}(?:脑部?|大脑)?(?:神经)?网络",
        re.IGNORECASE,
    ),
    "atlas": re.compile(rf"{_ENGLISH_WAY}(?:atlas\b|registration\b)|{_CHINESE_WAY}(?:图谱|配准)", re.IGNORECASE),
}
"""The segmenters that words can choose, by name. "The atlas" alone is a vertebra."""


@dataclass(frozen=True)
class Source:
    """A segmenter that the words of a question choose.

    Attributes:
        name: of the segmenter.
        words: that say so.
    """

    name: str
    words: str


def source_of(text: str) -> tuple[Source | None, str]:
    """The segmenter that a question chooses, and the question without these words; positions stay."""
    for name, pattern in _SOURCES.items():
        match = pattern.search(text)
        if match:
            return Source(name, match[0]), blanked(text, *match.span())
    return None, text
