"""Words for sides: left and right of the patient or of the picture, both, the same side, the other one.

Pictures are shown as radiologists look at them: what is left in the picture is right in the patient.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from MultiRoundSegLib.anatomy import Side

from .wording import any_of

Sides = tuple[Side, ...]
BOTH: Sides = ("left", "right")

SAME = any_of(
    "(?:on )?(?:the )?(?:same|that|this|its) side\n(?<=s) side\nipsilateral(?:ly)?\nsame hemisphere",
    "同侧 同一侧 同边 这一侧 这侧 该侧 患侧 病侧 同一边 这边(?=的|$) 那一侧",
)
_HEALTHY = r"(?:healthy|unaffected|good|normal|clean|sound|uninvolved|intact|spared|uninjured|unoperated)"
_THAT = r"(?:it|that|this|\[\d+\]|[\x00\x02]+)"
_NOT_YET = r"(?:we|you|i) (?:haven'?t|have not|didn'?t|don'?t)(?: \w+){1,2}(?: yet)?"
OTHER = any_of(
    rf"""
    (?:on )?(?:the )?(?:other|opposite|{_HEALTHY}|contralateral|far|reverse) side
    (?:the )?other hemisphere
    (?:the )?{_HEALTHY} one
    the (?:missing side|side (?:of {_THAT} )?(?:that )?{_NOT_YET})
    the {_HEALTHY}(?= \w+\W*(?:then|please|too|as well)?\W*$)
    contralateral(?:ly)?(?: one)?
    (?:its |the )?(?:opposite|counterpart|mirror image|twin|partner|fellow)(?: number)?(?! (?:of|to) the)
    mirror(?:ed)?(?: (?:it|that|this|them))?(?! image)
    (?:swap|switch|flip|change)(?: (?:it|that|this|them|the))? ?sides?
    flip(?:ped)?(?: (?:it|that|this|them|over))?
    (?:the )?other(?: (?:one|way round|way))?(?! (?:two|three|four|ones|\w+s))
    """,
    """
    对侧正常 健侧 健康侧 正常侧 好的那(?:一侧|边) 对侧 对面 另外?一?(?:侧|边|面) 另侧 另外那(?:一侧|边)
    翻到?(?:过来|过去|转)? 反过来 镜像 (?:弄|搞|标|画)?反了 换边 换一边 换个边 换侧
    """,
)
_OTHER_ONE = any_of("", "另外?一?(?:个|只|颗|根|块|条|支) 另外那(?:个|只|根|块|条)")
HEMISPHERE = any_of(
    "(?:the )?(?:same|that) hemisphere(?P<same1>)\n(?:the )?(?:other|opposite|contralateral) hemisphere",
    "同侧(?:大脑)?半球(?P<same2>) (?:对侧|另一侧|另一个|另一|另外一个)(?:大脑)?半球",
)
"""The other hemisphere, or the same: a side, not the structure."""
ANOTHER = re.compile(f"{OTHER.pattern}|{_OTHER_ONE.pattern}", re.IGNORECASE)
"""The other side, or simply the other one."""
PAIR = any_of(
    """
    both(?: sides)?
    [x×] ?2
    bilat(?:eral(?:ly)?)?\\.?
    b/l
    (?<!left\\x20)(?<!right\\x20)(?<!hand\\x20)pair(?:ed)?
    left and right
    (?:either|each) side
    on each side
    L ?(?:\\+|&|and|/) ?R
    R ?(?:\\+|&|and|/) ?L
    """,
    "双侧 双 两侧 两边 左右(?:两侧|两边|都)? 一对 成对 两旁",
)
_DISPLAY = r"(?:image|screen|picture|viewer|display|monitor|film)"
_SCREEN = any_of(
    rf"""
    {_DISPLAY}(?:'s)?[-\s]*(?P<s1>left|right)(?: side)?
    (?P<s2>left|right)(?:[- ]hand)?(?: (?:side|half|edge|part|border))? (?:of|on|in) (?:the |my |this |your )?{_DISPLAY}
    (?P<s3>left|right) as (?:i|we) (?:look|see)
    (?:viewer|observer|reader|radiologist)(?:'?s)? (?P<s6>left|right)
    my (?P<s7>left|right)(?! (?:kidney|lung|arm|leg|hand|eye|side of))
    """,
    r"""
    (?:图像|屏幕|画面|图片|片子|影像|显示器|图|视野|screen|image)\s*(?:上|的|里|中)?(?P<s4>左|右)(?:手|半)?(?:侧|边|面|半)?
    (?P<s5>左|右)(?:侧|边)?(?:屏幕|图像|画面)
    """,
)
_PATIENT = any_of(
    """
    (?P<p1>left|right)(?:[- ]?(?:sided?|hand side|hemisphere(?=\\W*$)))?
    (?P<p2>lt|rt|lh|rh|l|r)
    (?P<p3>dext(?:er|ra|rum|ri)|sinist(?:er|ra|rum|ri))
    """,
    "(?<!最)(?P<p4>左)(?!右)(?:侧|边|面|半球(?=$))?(?:的)? (?<!左)(?P<p5>右)(?:侧|边|面|半球(?=$))?(?:的)?",
)
NO_SIDE = any_of(
    r"""
    its (?:left|right) side
    (?:to the )?(?:left|right) of(?= (?:it|that|this|the midline))
    to the (?:left|right) of
    right (?:behind|above|below|beneath|under|next|beside|at|in|on|now|here|there|away|after|before|over|between)
    right (?:through|against|into|by|where|then|up|down)
    (?:that'?s|that is|all|alright) right
    left (?:in|over|out|behind|to do)
    (?:what'?s|what is|anything|nothing|only) left
    (?:upper|lower) (?:left|right) quadrant
    (?:left|right) (?:upper|lower) quadrant
    LUQ|RUQ|LLQ|RLQ
    (?:left|right)-to-(?:left|right)
    """,
    "左上腹 右上腹 左下腹 右下腹 左季肋 右季肋 左锁骨上 左向右分流 右向左分流",
)
"""Where left and right are no sides of what is wanted."""


def sides_in(text: str) -> Iterator[tuple[int, int, Sides]]:
    """The words for left and right in a text, and which side of the patient each is."""
    taken = [match.span() for match in NO_SIDE.finditer(text)]
    for pattern, mirrored in ((_SCREEN, True), (_PATIENT, False)):
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            taken.append((start, end))
            word = next(value for value in match.groupdict().values() if value).lower()
            is_left = word[0] in "ls左"
            yield start, end, ("left",) if is_left != mirrored else ("right",)
