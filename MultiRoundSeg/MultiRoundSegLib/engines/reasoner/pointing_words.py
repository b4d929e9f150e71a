"""The wordings that point to earlier masks."""

from __future__ import annotations

import re

from .wording import any_of

EN = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)"
EN_FEW = r"(?:two|three|four|five|six|[2-6])"
ORDINAL = r"(?:first|second|third|fourth|fifth|sixth)"
ZH = r"(?:\d{1,2}|[一二三四五六七八九十])"
ZH_FEW = r"[两俩二三四五六仨2-6]"
CLASSIFIER = r"(?:个|根|块|条|段|样|叶|层|侧|瓣|支|者|处|次|轮|种|只|节|组|步|题|问|项|结构|器官|部分|(?=$|[\s，,。.]))"
ROUND = r"(?:answers?|rounds?|results?|masks?|steps?|items?|numbers?|nos?\.?|questions?|segments?|structures?)"
ZH_ROUND = r"(?:轮|步|题|问|项|次|回|个结果|个答案|个结构|个mask)"
NOT_ANATOMY = r"(?!\s*(?:个|节|根|块)?(?:肋|椎|腰|胸|颈|骶|掌|跖|趾|指|脑室))"
MASKS = r"(?:ones|masks|results|rounds|structures|segments|answers|labels|guys|things)"
TO = r"(?:to|-|–|~|through|thru|到|至)"
AND = r"(?:,|and|&|\+|plus|with|和|跟|与|、|，|加)"
ANATOMY = (
    r"(?:\w+ )?\w*(?:lobe|chamber|muscle|rib|nucle|vertebr|bone|vessel|arter|vein|valve|segment|branch|atri|ventric"
    r"|kidney|lung)"
)
RANGE = any_of(
    rf"""
    {ROUND} (?P<a1>{EN})\s*{TO}\s*(?:{ROUND} )?(?P<b1>{EN})
    """,
    rf"\[(?P<a2>\d+)\]\s*{TO}\s*\[(?P<b2>\d+)\] "
    rf"第?(?P<a3>{ZH})\s*{ZH_ROUND}?\s*(?:到|至|-|~)\s*第?(?P<b3>{ZH})\s*{ZH_ROUND}",
)
LIST = any_of(
    rf"{ROUND} (?P<l1>{EN}(?:\s*{AND}\s*(?:{ROUND} )?{EN})*)(?! {ANATOMY})",
    rf"""
    第(?P<l4>{ZH}(?:[、和跟与,，]第?{ZH})+)(?=合|并|一起|拼|叠|放|都|串|加)
    第(?P<l2>{ZH}(?:[、和跟与,，]第?{ZH})*){ZH_ROUND}
    (?<!倒数)第(?P<l3>{ZH}(?:[、和跟与,，]第?{ZH})*)[个条]{NOT_ANATOMY}
    """,
)
BARE_LIST = re.compile(
    rf"^\W*(?:\w+\s+)?(?P<l1>\d{{1,2}}(?:\s*{AND}\s*\d{{1,2}})+)(?!\d|\s*(?:肋|椎|cm|mm|%))", re.IGNORECASE
)
THOSE = r"(?:those|these|the same|same|the last|the previous|last|previous|all|any of the)(?: last)?"
ZH_THOSE = (
    r"(?<!剩下)(?<!其余)(?<!另外)(?:这|那|刚才(?:那|的)?|上面(?:那|的|这)?|上述|刚刚(?:那|的)?|最后(?:的|那)?|后面?(?:的|那)?"
    r"|以上|前述)"
)
LAST = any_of(
    rf"""
    {THOSE} (?P<n1>{EN_FEW})(?: (?:{MASKS}|of (?:them|these|those)))?(?! {ANATOMY})
    the (?P<n2>two|three) of (?:them|these|those)
    (?P<n3>both) of (?:them|these|those)
    (?:those|these|the|that)(?: last)? (?P<n4>pair|couple)(?= (?:together|in one|as one|combined|merged)|\W*$)
    """,
    rf"""
    {ZH_THOSE}(?P<n5>{ZH_FEW}){CLASSIFIER}
    (?:^|[把将这那是，,])(?P<n6>两)(?:样|个|者|块|根|条)(?=都|一起|合|并|拼|叠|\s*(?:merge|combine))
    (?:它们|这|他们|她们)(?P<n7>俩|仨)
    """,
)
FIRST = any_of(
    rf"the first (?P<n1>{EN_FEW})(?: {MASKS})?(?! {ANATOMY})",
    rf"(?<!腺)(?:最?前面?|头|开头)(?:的|那)?(?P<n2>{ZH_FEW}){CLASSIFIER}",
)
WHO = r"(?:i|we)(?:'d| had|'ve)?(?: \w+)?"
ASKED = (
    r"(?:typed|asked(?: you)?(?: for)?|wanted|had|said|started with|requested|segmented|showed|mentioned|named|did"
    r"|drew|got)"
)
ONE = r"(?:one|thing|structure|organ|mask|item|request|answer|result)"
ZH_ONE = r"(?:的|标的|画的|要的|说的|问的|那)?(?:那)?(?:一)?(?:个|块|根|条|叶|支|对|组|样)?"
VERY_FIRST = any_of(
    rf"""
    what {WHO} {ASKED}(?: \w+)? first
    (?:the )?(?:very )?first {ONE}?(?: that)? ?{WHO} {ASKED}(?: for)?
    the (?:very )?first {ONE}(?! (?:to|that|it|on|in|above|below))
    the (?:original|initial) (?:one|structure|mask|organ|\w+)(?=\W*$| again| back)
    (?:the one )?(?:we|i) (?:started|began|opened) with
    where (?:we|i) (?:started|began)
    the first(?=\W*$)
    (?:go |going )?back to (?:the )?(?:very )?first(?: one)?(?! \w*(?:rib|lumbar|thoracic|cervical|sacral))
    (?:go |going )?back to (?:the )?(?:very )?(?:start|beginning|square one|top)(?! \w*(?:rib|lumbar|thoracic))
    """,
    rf"""
    (?:最开始|一开始|最初|最早|开头|起初|最先|最前面?){ZH_ONE}
    第一(?:个|题|问|步|条|块|根|支){NOT_ANATOMY}
    """,
)
BEFORE_LAST = any_of(
    """
    the one before (?:that|last|it|this)
    two (?:rounds |steps |answers )?(?:ago|back|before)
    (?:the )?(?:second|next) to last(?: one)?
    (?:the )?penultimate(?: one)?
    """,
    "上上(?:个|轮|次|一?步) 前前(?:个|轮) 再(?:往)?前(?:面)?(?:的)?一?(?:个|轮|步) 倒数第[二2](?:个|轮|步|条|题)",
)
HAVE = r"(?:you(?:'ve| have)?|we(?:'ve| have)?|i(?:'ve| have)?|is|has been)"
DONE = r"(?:drawn|got|segmented|shown|marked|done|made|outlined|have|painted|asked|labell?ed|contoured|collected)"
EVERYTHING = any_of(
    rf"""
    (?:everything|all|whatever)(?: that)? {HAVE}(?: already)? {DONE}(?: (?:so far|up to now|until now))?
    (?:everything|all) {DONE} (?:so far|up to now|until now|above)
    (?:everything|all(?: of (?:it|them|these|those|the above))?) (?:so far|above|together|up to now)
    all(?: the)? (?:masks|results|above|rounds|structures|answers)(?: (?:so far|above|together|up to now))?
    (?:everything|all) (?:from|in|of) (?:this|the) (?:case|session|chat|list|dialogue)
    all of (?:them|these|those|the above|it)
    (?:the )?(?:whole|entire) (?:trip|lot|set|list|path|route|journey|letter|series|collection)(?: so far)?
    (?:the )?(?:whole|entire) (?:chain|circuit|tour)(?: so far)?
    """,
    """
    (?:目前|已经|之前|前面)?(?:标|画|勾|做)过的(?:这些|那些)?(?:里头|里面|里)?(?!.{0,2}(?:那|这)?(?:个|根|块|条|叶))
    (?:目前|到现在|到目前|至今|前面|上面|以上|之前|刚才|已经)(?:为止)?(?:的|标的|画的|标过的|画过的|勾的|这些)?(?:所有|全部)(?:结果|结构|的)?
    (?:所有|全部)(?:已经?)?(?:标|画|分割|做|勾)(?:过|好|出)?的
    (?:前面|上面|之前|刚才)(?:这|那)?(?:几|些)(?:个|轮|步|段|块|根|条|样|项)?
    以上(?:结果|各项|几个|这些|全部|所有)
    这几个(?=都|全|合|并|一起|拼)
    """,
)
IT = r"(?:it|them|that one|this one|this|that|those|these)"
WITH_IT = any_of(
    rf"""
    (?:and|plus|with|&) {IT}(?= (?:together|in one|as one|combined|merged|please|too|into one|in a single)|[\s.?!]*$)
    (?<!.){IT}(?= (?:and|plus|together with|with|&) (?!then|now|also|only|just)\S)
    """,
    """
    (?:和|跟|与|加上?|同)(?:它们?|这个|那个|前者|这块|那块|这根|那根)(?=拼|并|合|一起|叠|放|$|[，。])
    (?:^|把|将|^那)(?:它们?|这个|那个)(?=和|跟|与|加上)
    """,
)
IT_ALONE = re.compile(
    rf"\W*(?:(?:please|again|once more|show|display|see|mark|outline|give|get|back|go|to|me|us)\W+)*(?P<it>{IT})"
    r"(?:\W+(?:one|again|please|once more|back))*\W*"
    r"|\W*(?:请|把|再|看|一下|显示|标|画|给我|回到)*(?P<ta>它们?|这个|那个)(?:再)?(?:看|显示|标|画|给我)?(?:一下|一次|一遍|出来)?\W*",
    re.IGNORECASE,
)
"""Nothing but "it" is asked for."""
NTH_OF_A_KIND = any_of(
    rf"(?:the )?(?P<n1>{ORDINAL})(?= \w)",
    r"第(?P<n2>[一二三四五1-5])(?:个|块|根|条|只|支|段|侧)?(?=\s*\S)",
)
SAID = r"(?:said|called|described|mentioned|asked about|told you)"
ZH_SAID = r"(?:我|你)?(?:说|提|问|讲|提到|说到|问到|聊)(?:的|过|到)?(?:过)?(?:的)?"
DESCRIBED_BEFORE = any_of(
    rf"(?:the )?\w+(?: that| which)? (?:i|we|you) {SAID}(?: (?:was|were|is|as|to be|had|would be))? (?P<d1>[^,.;?!]+)",
    rf"(?:前面|刚才|之前|上面|一开始){ZH_SAID}(?P<d2>[^，,。；]{{2,12}}?)的?那(?:个|根|块|条|叶|节|支)",
)
OF_THEM = re.compile(r"(?:the )?\w+ of (?:them|these|those)", re.IGNORECASE)
BEFORE_A_KIND = re.compile(r"\s*(?:里面?|中)?的?\s*(?:那|这)?(?:一)?(?:个|根|块|条|支|只|段|片|层)?\s*")
OF = re.compile(r"(?:the\s+)?(?P<what>[\w ]{2,30}?)\s+(?:from|in|of|at|on)\s+$", re.IGNORECASE)
