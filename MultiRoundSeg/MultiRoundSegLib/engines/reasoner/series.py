"""Several members of a series named at once, each written out: "ribs 3-5", "左边第9到第11肋", "L1/2/3"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ENGLISH = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"]
_ENGLISH.append("twelfth")
_CHINESE = "零一二三四五六七八九"
_EN_NUMBER = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(_ENGLISH)})"
_ZH_NUMBER = r"第?(?:\d{1,2}|十[一二]?|[一二三四五六七八九])(?:根|个|节|块|对)?"
_TO = r"(?:-|–|—|~|～|\bto\b|\bthrough\b|\bthru\b|到|至)"
_AND = r"(?:,\s*and\b|,|/|&|\+|\band\b|、|，|和|跟|及)"
_BETWEEN = rf"\s*(?:{_TO}|{_AND})\s*"
_EN_LIST = rf"{_EN_NUMBER}(?:{_BETWEEN}{_EN_NUMBER})+"
_ZH_LIST = rf"{_ZH_NUMBER}(?:{_BETWEEN}{_ZH_NUMBER})+"
_EN_SIDE = r"(?:left|right|both|bilateral|L|R)"
_BEHIND = rf"(?:(?:\s+(?:on|of|from)\s+(?:the\s+)?|\s*[,，]\s*)(?P<behind>{_EN_SIDE}(?!\s+\w+\s+rib))(?:\s+sides?)?\b)?"

_RIBS = re.compile(
    rf"(?P<side>\b{_EN_SIDE}\s+|[左右双](?:侧|边)?(?:的)?\s*)?\b(?:ribs?\s+(?:numbers?\s+|nos?\.?\s+)?(?P<n1>{_EN_LIST})|(?P<n2>{_EN_LIST})\s+ribs?)\b{_BEHIND}",
    re.IGNORECASE,
)
_ZH_RIBS = re.compile(
    rf"(?P<side>[左右双]|\b(?:left|right|both)\b)?(?:侧|边)?(?:的)?\s*(?P<n1>{_ZH_LIST})\s*(?:号)?(?:肋骨?|\s*ribs?\b)",
    re.IGNORECASE,
)
_VERTEBRAE = re.compile(
    rf"\b(?P<letter>[CTL])(?P<n1>\d{{1,2}}(?:{_BETWEEN}\d{{1,2}})+)(?![\d/])(?!\s*(?:disc|disk|space|interspace|椎间|间))",
    re.IGNORECASE,
)
_ZH_VERTEBRAE = re.compile(rf"(?P<letter>[颈胸腰])(?:椎)?(?P<n1>{_ZH_LIST})(?:椎体?)?")
_LETTERS = {"cervical": "C", "thoracic": "T", "dorsal": "T", "lumbar": "L", "颈": "颈", "胸": "胸", "腰": "腰"}
_EN_VERTEBRAE = re.compile(
    rf"(?P<n1>{_EN_LIST})\s+(?P<l1>cervical|thoracic|dorsal|lumbar)(?:\s+vertebra[es]?)?\b"
    rf"|\b(?P<l2>cervical|thoracic|dorsal|lumbar)(?:\s+vertebra[es]?)?\s+(?P<n2>{_EN_LIST})\b(?!\s*(?:cm|mm|disc|disk))",
    re.IGNORECASE,
)
_ZH_NUMBERED_VERTEBRAE = re.compile(rf"(?P<n1>{_ZH_LIST})\s*(?P<l1>[颈胸腰])椎(?!间)体?")
_BARE = re.compile(
    rf"(?P<side>\b{_EN_SIDE}\s+)?(?<![A-Za-z\d])(?P<n1>{_EN_LIST})\b{_BEHIND}|(?<![A-Za-z\d])(?P<zh>[左右双])?(?:侧|边)?(?P<n2>{_ZH_LIST})",
    re.IGNORECASE,
)


def written_out(text: str, last: str = "") -> str:
    """The text with every member of a series named by itself.

    Args:
        text: as typed, in simplified characters.
        last: the series that the last result belongs to, "rib" or one of "CTL"; numbers alone are of this.
    """
    text = _RIBS.sub(_english_ribs, text)
    text = _ZH_RIBS.sub(_chinese_ribs, text)
    text = _VERTEBRAE.sub(_vertebrae, text)
    text = _EN_VERTEBRAE.sub(lambda match: _named_vertebrae(match, ", "), text)
    text = _ZH_NUMBERED_VERTEBRAE.sub(lambda match: _named_vertebrae(match, "、"), text)
    text = _ZH_VERTEBRAE.sub(lambda match: "、".join(f"{match['letter']}{n}" for n in _numbers(match["n1"])), text)
    if not last or re.search(r"\[|#|\b(?:rounds?|answers?|results?|steps?)\b|轮|步|题", text, re.IGNORECASE):
        return text
    return _BARE.sub(lambda match: _of_the_last(match, last), text)


def _vertebrae(match: re.Match[str]) -> str:
    if re.fullmatch(r"\d+\s*/\s*\d+", match["n1"]):
        return match[0]  # "L4/5" is the disc between them
    return ", ".join(f"{match['letter'].upper()}{n}" for n in _numbers(match["n1"]))


def _named_vertebrae(match: re.Match[str], comma: str) -> str:
    """Such as "third to fifth lumbar vertebrae", "第3、4腰椎"."""
    groups = match.groupdict()
    letter = _LETTERS[(groups["l1"] or groups["l2"]).lower()]
    return comma.join(f"{letter}{n}" for n in _numbers(groups["n1"] or groups["n2"]))


def _english_ribs(match: re.Match[str]) -> str:
    groups = match.groupdict()
    numbers = _numbers(groups["n1"] or groups.get("n2") or "")
    side = _in_english(groups["side"] or groups.get("behind") or "")
    return " & ".join(f"{side} {_ENGLISH[n - 1]} ribs".strip() for n in numbers if n <= len(_ENGLISH))


def _in_english(side: str) -> str:
    side = side.strip()
    return {"左": "left", "右": "right", "双": "both"}.get(side[:1], side)


def _chinese_ribs(match: re.Match[str]) -> str:
    side = {"left": "左", "right": "右", "both": "双"}.get((match["side"] or "").lower(), match["side"] or "")
    return "、".join(f"{side}第{n}肋" for n in _numbers(match["n1"]) if n <= len(_ENGLISH))


def _of_the_last(match: re.Match[str], last: str) -> str:
    groups = match.groupdict()
    if last != "rib":
        return ", ".join(f"{last}{n}" for n in _numbers(groups["n1"] or groups["n2"] or ""))
    side = (groups["side"] or groups["behind"] or "").strip() or {"左": "left", "右": "right", "双": "both"}.get(
        groups["zh"] or "", ""
    )
    numbers = _numbers(groups["n1"] or groups["n2"] or "")
    return ", ".join(f"{side} {_ENGLISH[n - 1]} ribs".strip() for n in numbers if n <= len(_ENGLISH))


def _numbers(words: str) -> Sequence[int]:
    """The numbers of a list, with all between the ends of each range."""
    found: list[int] = []
    parts = re.findall(rf"{_EN_NUMBER}|(?:\d{{1,2}}|十[一二]?|[一二三四五六七八九])|{_TO}", words, re.IGNORECASE)
    reaches = False
    for part in parts:
        if re.fullmatch(_TO, part, re.IGNORECASE):
            reaches = True
            continue
        value = _value(part)
        first = found[-1] + 1 if reaches and found and found[-1] < value < found[-1] + 24 else value
        found += range(first, value + 1)
        reaches = False
    return list(dict.fromkeys(found))


def _value(word: str) -> int:
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits[0])
    if word.lower() in _ENGLISH:
        return _ENGLISH.index(word.lower()) + 1
    return 10 + _CHINESE.index(word[1:] or "零") if word.startswith("十") else _CHINESE.index(word)
