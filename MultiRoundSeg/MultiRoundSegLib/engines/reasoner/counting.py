"""Words for how many are meant: one whichever, one certain, two, all."""

from __future__ import annotations

import re

from .wording import any_of

_CLASSIFIER = "[个根只颗块条侧支节]"
ONE = any_of(
    """
    one (?!(?:of|more|on|in|that|side|with|which|by|at|it|he|she|we|i|you|above|below|behind) )[\\w\x00]+
    (?:just|any|only) one(?! (?:of|on|in|that|side|with|which))
    one of(?! (?:those|these|them|the (?:two|three|four|pair)))
    a single
    either(?! side)
    (?:i (?:want|need)|give me|get me|show me|mark) an? (?!(?:look|bit|quick|close|lot|break|second|minute))\\w+
    (?:segment|contour|outline|draw) an? (?!(?:look|bit|quick|close|lot|break|second|minute))\\w+
    """,
    f"""
    (?:一侧|单侧)(?!的|各)
    (?:标|勾|圈|画|取|挑|选|来|拿|随便|只要|要|给|给我|看|描|框)(?:出|上)?一?{_CLASSIFIER}(?=$|[\\s，,。.！!？?]|给|看|就|吧|即可|做|来|出来|示范|代表|\\w{{1,4}}(?:$|[，,。]|就|吧))
    (?:取|挑|选|来|拿|拎|捡|抽|弄|随便|标|勾|圈|画|要)(?:其中)?一{_CLASSIFIER}
    一{_CLASSIFIER}(?:就行|就好|就够|即可|就可以) ^一?{_CLASSIFIER}就(?:行|好|够)
    ^一[个根只颗块条](?=[\\w\x00]{{1,4}}$) 任意一?{_CLASSIFIER} 随便哪?一?{_CLASSIFIER} 哪{_CLASSIFIER}都(?:行|可以)
    """,
)
"""One is meant, and it is not said which."""
MANY = any_of("both\nall\nones\neach of\npairs?\nbilateral", "双 两侧 两边 左右 所有 全部 一对 都")
COUNTS = {
    2: any_of(
        r"""
        (?<!in\s)(?<!into\s)two
        both(?! sides)
        """,
        "两(?:个|根|块|条|支|者|叶|节|只|种|段|片|枚|颗)  (?<![它们这])俩 二者 2(?:个|块|根|条)",
    ),
    3: any_of("three", "三(?:个|块|根|条|支|者|大) 仨"),
    4: any_of("four", "四(?:个|块|根|条|支|段)"),
}
SINGLE = any_of("which(?: one)?\nthe one\nthe single", "[那这哪](?:一)?[个节块根条叶段支处]")
"""One certain structure is meant."""
VALUES = {
    **dict.fromkeys(("1", "one", "first", "一"), 1),
    **dict.fromkeys(("2", "two", "second", "二", "两", "俩", "both", "pair", "couple"), 2),
    **dict.fromkeys(("3", "three", "third", "三", "仨"), 3),
    **dict.fromkeys(("4", "four", "fourth", "四"), 4),
    **dict.fromkeys(("5", "five", "fifth", "五"), 5),
    **dict.fromkeys(("6", "six", "sixth", "六"), 6),
    **dict.fromkeys(("7", "seven", "seventh", "七"), 7),
    **dict.fromkeys(("8", "eight", "eighth", "八"), 8),
    **dict.fromkeys(("9", "nine", "ninth", "九"), 9),
    **dict.fromkeys(("10", "ten", "tenth", "十"), 10),
}
"""Words for numbers and for places in a row."""


def number_of(match: re.Match[str]) -> int:
    """The number that the one group of a match which is there names."""
    return VALUES[next(value for value in match.groupdict().values() if value).lower()]
