"""The wordings that ask for operations."""

from __future__ import annotations

import re

from .wording import any_of

OTHERS = re.compile(r"(?<=[,，;；])\s*(?:前面|上面|之前|以上)")
CLAUSE_BREAK = re.compile(r"[,，;；。]|\.\s")
CLAUSE = re.compile(r"[^,，;；。.]+")
COURTESY = any_of("please\ntoo\nas well\nfor now\nthen\nagain", "掉 吧 了 的 就行 即可 就好 就够了? 哦 啊 呢 又")
REFUSES = any_of("not\ndon'?t\nwithout", "不要 不需要")
TAKEN = (
    r"(?:dropped|excluded|removed|left out|took out|taken out|threw out|thrown out|discarded|subtracted|omitted|"
    r"deleted|cut|stripped|binned|hidden|trimmed|dumped|ditched|kicked out|skipped|carved out)"
)
WHO = r"(?:you|we|i|that was|that were|which was|was|were|got|what got|what was|just|we've|you've|i've)"
EARLIER = r"(?: (?:earlier|before|just now|a moment ago|previously))?"
ZH_TAKEN = r"(?:扣掉|扣除|去掉|去除|排除|删掉|删除|剔除|减掉|减去|不要|舍掉|丢掉|拿掉|挖掉|摘掉|扔掉)"
ZH_ONE = r"(?:那|这)?(?:一)?(?:个|叶|块|根|条|段|部分)?"
DROPPED = any_of(
    rf"""
    {WHO}(?: (?:just|already|had|have))? {TAKEN}{EARLIER}
    i(?: just)? (?:made|asked|told|had) you (?:to )?(?:leave out|drop|remove|take out|exclude|skip|delete|throw out)
    {TAKEN}(?= (?:one|lobe|organ|bone|muscle|vessel|part|kidney|rib|structure|chamber|nucle))
    """,
    rf"""
    (?:^|\x00|\x02){ZH_TAKEN}的(?=那|这){ZH_ONE}
    (?:刚才|刚刚|之前|前面|先前|方才|上面|被|你|我)(?:你|我|被|已经)?{ZH_TAKEN}(?:了)?的{ZH_ONE}
    (?:刚才|刚刚|之前|前面)\\s*(?:drop|remove|exclude|delete|skip)\\w*\\s*(?:掉|了)?\\s*的{ZH_ONE}
    """,
)
KEEP = any_of(
    r"""
    (?:only|just) (?:keep|leave|show|want|need|retain|use|do)
    (?:keep|leave|retain)(?: me)? (?:only|just)
    keep(?! going)
    (?:narrow|restrict|limit)(?: (?:it|that|this))?(?: down)? to
    (?:actually )?(?:only|just)(?= (?:the|its|left|right|one(?! (?:for|to|as|is|will|please|then)|\W*$)))
    only(?=(?: (?:now|please|then|thanks|this time))*\W*$)
    """,
    """
    [里中]面?[，,]\\s*(?:把|就|挑|选|拿|取) 只要(?!一?[个根块条只](?:就|[，,。！!]|$)) 只留下?
    只保留 只看 仅要 仅保留 仅留 留下 只需要? 只标 保留 只想要 光要 单要 只取 只挑 就要
    (?<=[，,])剩(?!下的|的) 留(?=[^，,。]{1,8}(?:就够|就行|即可|就好)) (?<!.)(?:那|就)?留
    """,
)
TAKE_FROM = any_of(
    r"""
    (?<!.)(?:no|never)
    (?:all|everything|everyone|anything) (?:but|except(?: for)?|apart from|other than|besides|minus)
    except(?:ing)?(?: for)?
    excluding
    without
    minus
    but not
    apart from
    other than
    leaving out
    less the
    not including
    not(?= (?:the )?\w+\W*$)
    """,
    """
    [,;]\\s*(?:and\\s+|but\\s+)?not\\b ^\\s*not\\b \\bbut\\s+not\\b (?<=[,，])\\s*不是 而不是 不包括 不包含 不含
    不带 减去 刨去 扣去 里(?:面)?(?:扣掉|扣除|去掉|去除|除去|删掉|剔除|减掉|刨掉|挖掉|拿掉) 除了 除去
    """,
)
TAKE = any_of(
    r"""
    remove
    drop
    omit
    delete
    exclude
    lose
    scrap
    ditch
    discard
    skip
    subtract
    scratch
    erase
    bin
    strip(?: (?:off|out|away))?
    nix
    axe
    trim(?: (?:off|away))?
    peel(?: (?:off|away))?
    hide
    turn off
    cut
    get rid of
    leave out
    forget
    (?:kick|throw) out
    (?:do not|don'?t) (?:need|want|include|segment|show|mark|label|draw|outline|highlight|colou?r|count|select)
    take (?:away|off|out)
    (?<!come\x20)(?<!comes\x20)(?<!coming\x20)(?<!branch\x20)(?<!branches\x20)(?:out|off)(?: again| now| then)?(?=\W*$)
    """,
    """
    去掉 去除 除去 删掉 删除 不要了? 扔掉 扔了 丢了 丢掉 撇掉 撇开 别带 别要 别算 别画 别标 别勾 拿走 踢掉 扣了
    除外 除掉 免了 扣掉 扣除 剔除 排除 减掉 拿掉 挖掉 摘掉 不算 不需要 撤掉 撤了 撤走 刨掉 抠掉 擦掉 丢掉 去了
    """,
)
TAKE_OUT = any_of(
    "(?:take|leave|cut|kick|throw) (?P<part>[^,.;]+?) (?:out|off|away)(?: of (?:it|that|this|them|there))?"
)
ADD = any_of(
    """
    back in
    (?:put|bring|get|want|need)\\b[^,.]*\\bback
    (?:also )?add(?=[^.]*\\b(?:back|in|(?:on)?to (?:it|that|this|them|those|the (?:set|mask|list|last|lot|mix)))\\b)
    (?:also )?add(?= (?:one|another|two) )
    (?<!.)(?:(?:and|now|ok|then) )?plus(?= \\w)
    (?:throw|toss|chuck) in
    """,
    "(?<!.)(?:跟|和|与|同)(?=[^，,。]{1,12}(?:并|合|拼)成) "
    "加回来? 补回来? 放回来? 加进[来去] 并进[来去] 加入 并入 放进[来去] 加上(?=[，,。]?(?:凑|合|并|拼|组|构)成) 恢复",
)
REST = any_of(
    """
    (?:the )?(?:remaining|leftover)(?: (?:one|ones))?
    the rest(?: of)?
    the others
    (?:now )?the other (?:two|three|four|ones)(?=[\\s.?!]*$)
    (?:all )?the other(?= (?:organs|structures|bones|muscles|vessels|ribs|lobes|chambers|vertebrae)[\\s.?!]*$)
    what(?:'s| is|ever is)? (?:left|remains|remaining)(?! (?:is|side|kidney|lung|one|heart))
    that(?:'s| is) left
    still (?:missing|left|there)
    left over
    the (?:only )?one (?:he|she|they|we|that)(?:'s| still| is still)? (?:got|has|have|left|remains|there)
    the (?:surviving|missing)
    """,
    """
    ^另外[两三四]?个?(?=[。！!呢]*$) 还剩(?:的|下)? 剩下?的? 剩余的? 其余的? 余下的? 还差 仅存 残存
    没(?:点|标|画|提|问|说|圈|勾|轮|要)(?:到|过)?(?:的)? 还缺 缺的
    """,
)
TAKEN_AND_LEFT = re.compile(
    rf"(?:{TAKE.pattern}).+?(?P<left>[,，;；]\s*(?:剩下的?|其余的?|余下的?"
    r"|(?:and )?(?:keep |show )?(?:the rest|what'?s left))\W*)$",
    re.IGNORECASE,
)
"""What is taken away, and that the rest is wanted: this goes without saying."""
NEXT = any_of(
    r"""
    (?<!.)(?:(?:and|ok|so) )?(?:next|then|and then|after that|onwards?|keep going|go on)(?=\s*[?.!,:]|\s*$)
    (?<!.)(?:(?:and|ok|so) )?(?:continue|downstream|what'?s next|what comes next|one further)(?=\s*[?.!,:]|\s*$)
    (?<!.)(?:(?:and|ok|so) )?(?:further on)(?=\s*[?.!,:]|\s*$)
    next (?:chamber|stop|vessel|station|structure|segment|part|step|one|ventricle)
    (?:and )?finally out
    """,
    r"""
    (?<!.)(?:那)?(?:然后|接着|接下来|再然后|继续|往下|之后)(?:呢)?(?=[?？。!！]*$) 下一(?:站|个|步|段|腔|级)
    再往(?:下|后|前) 再下一(?:站|个|步)
    """,
)
SWAP = any_of(
    """
    (?:swap|replace|exchange|substitute)(?: out)? (?P<old1>[^,.;]+?) (?:for|with|by) (?P<new1>[^,.;]+)
    change (?P<old2>[^,.;]+?) (?:to|into) (?P<new2>[^,.;]+)
    """,
    "(?:把|将)?(?P<old3>[^，,。；]+?)(?:换成|改成|替换成|换为|改为|替换为)(?P<new3>[^，,。；]+)",
)
BACK = any_of(
    """
    (?:one )?(?:step |station |stop )?(?:further )?(?:back(?:wards?)?|upstream)(?=[\\s.?!]*$)
    (?:what|which one) (?:comes|is|was) before(?: (?:that|it))?(?=\\W*$)
    """,
    r"(?<!.)(?:再)?(?:往回|往上游|逆流|往前)(?:一站|一个|走)?(?=[?？。!！呢]*$) (?:上|前)一站",
)
WHOLE = any_of(
    """
    (?:whole|entire|complete|full) (?:organ|thing|structure|bone|muscle|vessel|gland|lot|one)
    organ (?:it|that|this) belongs to
    parent organ
    """,
    """
    整(?:颗|块|根|条|只|个)(?=[。！!吧要都]*$) 整个(?:器官|脏器|结构|骨|东西)
    (?:所属|属于)的?(?:整个)?(?:器官|脏器|结构) 所在的整个
    """,
)
UP = ("above", "up", "higher", "上")
LEVEL = r"(?:levels?|vertebrae?|ribs?|segments?|bodies|body|steps?|ones?)"
STEP = any_of(
    rf"""
    (?:(?:the )?next|the|another) (?P<m1>two|three|four|[2-4])(?: {LEVEL})? (?:further )?(?P<up7>above|below|up|down)
    (?P<m2>two|three|four|[2-4]) more(?: {LEVEL})? (?P<up8>above|below|up|down|after|further)
    (?P<n1>one|two|three|four|[1-9])(?: more)?(?: {LEVEL})?(?: further)? (?P<up1>above|below|up|down|higher|lower)
    next(?: {LEVEL})? (?P<up2>above|below|up|down|higher|lower)
    {LEVEL} (?:immediately |directly |just )?(?P<up3>above|below)
    (?:go |move )(?P<up4>up|down)(?: (?P<n4>one|two|three|four|[1-9]))?(?: {LEVEL})?
    """,
    "(?:往|向|再往|再向|再)(?P<up5>上|下)(?:数|移|走|找)?(?:第)?(?P<n5>[一两二三四1-9])(?:个|节|根|块|椎|级) "
    "(?<!靠)(?<!最)(?<!偏)(?P<up9>上|下)(?:面|方|边)(?:的)?(?:那)?(?P<m3>[两二三四2-4])(?:节|根|个椎) "
    "(?<!靠)(?<!最)(?<!偏)(?P<up6>上|下)(?:面|方|边)?(?:的)?(?:那)?(?P<n6>[一两二三四1-9])?(?:节|根|椎)(?!.*骨头)",
)
