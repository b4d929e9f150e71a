"""The words that statements and descriptions share: English stems and pairs of Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .lexicon import common_words
from .words import fold

_RUN = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")
_GRAMMAR = frozenset(
    """
    a an and any are as at be been being but by can could did do does for from had has have he her his i if in
    into is it its just me my no not of off on or our out over own she so some such than that the their them then
    there these they this those to up us very was we were what when where which while who whom whose will with
    would you your s t d ll re ve m am please show mark outline segment highlight draw give get find label contour
    also now here one ones
    """.split()  # noqa: SIM905
)
_CHINESE_GRAMMAR = re.compile(
    r"[的了是在把将与和及或之其这那哪个它们吗呢吧啊呀请也还就都被给让所]|标出|标注|标一下|标记|勾画|勾出|分割|圈出|显示|找出|一下"
)
_SPELLINGS = (
    (re.compile(r"(?<=[a-z])?(?:ae|oe)(?!ing)"), "e"),
    (re.compile(r"our$|our(?=s$)"), "or"),
    (re.compile(r"is(?=(?:e[ds]?|ing|ation)$)"), "iz"),
)
_LATIN_PLURAL = re.compile(r"(?<=[a-z]{3})ae$")
_CHINESE_WEIGHT = 0.6
"""A Chinese word gives more pairs than an English word has stems."""
_DIGITS_WEIGHT = 0.4
_EVERYDAY = ((300, 0.25), (1000, 0.5), (3000, 0.75))
"""Weights of English stems by rank: the 300 most used words count a quarter."""
_RARE = _EVERYDAY[-1][0]


def terms_of(text: str) -> list[str]:
    """The terms of a text, in order: "drains the kidneys" gives drain, kidney; "引流静脉" gives 引流, 流静, 静脉."""
    return next(terms_of_each((text.replace("\n", " "),)), [])


def terms_of_each(texts: Iterable[str]) -> Iterator[list[str]]:
    """The terms of each of several texts, none of which has line breaks; faster than one by one."""
    lines = _CHINESE_GRAMMAR.sub(" ", "\n".join(map(fold, texts))).split("\n")
    for line in lines:
        yield [term for run in _RUN.findall(line) for term in _terms(run)]


def weight_of(term: str) -> float:
    """How much a term counts beside others, apart from how few structures it is said of.

    Words of everyday language ("just", "long", "first") tell less than others; digits are mostly ages and sizes.
    """
    if not term.isascii():
        return _CHINESE_WEIGHT
    if term.isdigit():
        return _DIGITS_WEIGHT
    rank = _ranks().get(term, _RARE)
    return next((weight for limit, weight in _EVERYDAY if rank < limit), 1.0)


@cache
def _ranks() -> dict[str, int]:
    """The rank of each everyday stem among English words by how often they are used."""
    ranks: dict[str, int] = {}
    for rank, word in enumerate(common_words()[:_RARE]):
        ranks.setdefault(stem_of(word), rank)
    return ranks


@cache
def stem_of(word: str) -> str:
    """An English word in lower case without its ending, American: "tumours" and "tumor" are one."""
    word = _LATIN_PLURAL.sub("a", word)
    for pattern, american in _SPELLINGS:
        word = pattern.sub(american, word)
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ly", "er", "est"):
        if word.endswith(ending) and len(word) > len(ending) + 3 and not word.endswith(("fly", "ily")):
            word = word.removesuffix(ending)
            if word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _terms(run: str) -> Sequence[str]:
    if run[0].isascii():
        return () if run in _GRAMMAR else (stem_of(run),)
    return [run] if len(run) == 1 else [run[n : n + 2] for n in range(len(run) - 1)]
