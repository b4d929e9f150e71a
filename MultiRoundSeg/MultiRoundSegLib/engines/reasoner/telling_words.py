"""Words that tell a structure from the others of its kind; each group holds those that exclude each other."""

from __future__ import annotations

ENGLISH = (
    ("superior", "inferior", "middle"),
    ("upper", "lower", "middle"),
    ("anterior", "posterior", "middle"),
    ("internal", "external", "common"),
    ("medial", "lateral"),
    ("ascending", "transverse", "descending", "sigmoid"),
    ("maximus", "medius", "minimus"),
    ("major", "minor"),
    ("third", "fourth", "lateral"),
    ("frontal", "parietal", "temporal", "occipital"),
    ("cervical", "thoracic", "lumbar"),
)
WORDS = frozenset(word for group in ENGLISH for word in group)
CHINESE = ("上中下", "前中后", "内外总", "升横降", "大中小", "额顶颞枕")
"""Each character is such a word."""
