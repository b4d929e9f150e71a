"""Words that ask without naming anything; what is left of a question beside them and names was not understood."""

from __future__ import annotations

import re

ENGLISH = frozenset(
    """
    3d a about actually add after again ah ahead alright also am an anatomical anatomy are area as at be body boss
    buddy by can case change choose class combine combined complete contour contours could create ct d delineate did
    display do doc doctor does done draw dude else entire er everyone everything exam extract finally find fine
    folks for from full get gimme give go grab guys had hand handout has have hello here hey hi highlight hm hmm how
    i identify image images in individually instead into is it its just kindly label labels lastly lecture let lets
    like ll locate look m make mark mask masks mate may maybe me merge merged might more mr mri my need next nicely
    now of oh ok okay on once one ones only oops our out outline over paint pal parenchyma patient patients perhaps
    pick picture pictures please pls plz poster
    print printing printout project properly put quickly quiz re really region respectively result results s
    same scan scans see segment segmentation segmentations segmented segments select separate separately shall should
    show side sides simply slice slices slide slides so sorry still structure structures student students switch take
    teaching tell thank thanks thanx that the then there these this those thx to today together tomorrow too trace
    try tutorial tx ty um union up us ve view volume want was way we well were what where which who whole whoops
    will with would xray yes you your
    """.split()  # noqa: SIM905
)

_CHINESE = """
    请 帮我 帮忙 麻烦 劳驾 一下 一遍 分割 勾画 勾勒 描绘 标出 标注 标记 画出 画 显示 展示 找出 找到
    有哪些 有什么 哪些 什么 找一找 找 给我 给 看看 看 我要 我想 要 想 把 将 出来 出 来 在哪里 在哪儿 哪里 哪儿 在哪 哪
    带上 看下 标下 画下 勾下
    在 是 的 了 吗 呢 吧 啊 呀 这个 那个 这 那 个 一个 一只 只 颗 条 根 块 现在 然后 接着 接下来 再 也
    还有 还 都 图像 图片 图中 图里 图 中 里 扫描 影像 结构 整个 完整 它的 它 我们 我 你 可以 能不能
    换成 改成 改为 能否 能 需要 谢谢 好的 好 区域 轮廓 掩膜 结果 那边 这边 边 侧 面 单侧 一侧 哪个 请问 单独 分别 继续
    重新 又 标 勾 圈 框 描 取 弄 做 存 一份 并成一个 并成 合并成 合并 合在一起 拼在一起 拼一起 拼 合起来
    合成一个 合成 一起 加上 再加 加
    回到 回 还是 就行 就好 即可 也要 都要 要的 吧 先 帮 另外 最后 同样 一样 也来 来一个 来一根 整块 一整块 单个
    一套 mask 分 割 出个
    再来一次 再来一遍 再看一次 再显示一次 重来 也算 算上 算 同一根 同一个 同一块 同一序号 同一节 同名 支 段 叶
    片 层 节 从上到下 从左到右 全要 一次性 一并 给我做对照 做对照 对照 医生 老师 患者 病人 这次 而已 哦 嗯 噢 哈
    诶 呃 额 对 其实 应该 所在 具体 位置 部分 全貌
    """.split()  # noqa: SIM905

CHINESE = re.compile("|".join(sorted(map(re.escape, _CHINESE), key=len, reverse=True)))
"""Chinese has no spaces: phrases are taken out, longest first."""

SKIPPED = re.compile(
    r"(?:^|(?<=[.!?;。！？；]))\s*(?:skip|ignore|forget(?:\s+about)?|never\s+mind|disregard|跳过|忽略|别管|不管)[^.!?;。！？；]*[.!?;。！？；]",
    re.IGNORECASE,
)
"""A sentence about what is not wanted."""

_AFTER_NO = (
    r"(?:left|right|other|others|the|i|i'?m|its?|it'?s|not|no|wait|sorry|that|this|these|those|both|actually|make|go|"
    r"back|just|show|let'?s|opposite|next|above|below|upper|lower|higher|oops|my|we|you|give|mark|want)\b"
)
"""What follows a "no" that says that something was wrong; in "no liver" it tells what to leave out."""
_MISTAKEN = (
    r"(?:(?:ah?|oh|um+|er+|hmm?|hang\s+on|hold\s+on|wait|actually)\b[\s,.;:!-]*)?"
    rf"(?:(?:i'?m\s+)?(?:so\s+)?sorry|oops|whoops|no+(?!\s+(?!{_AFTER_NO})\w)|nope|wait|wrong(?:\s+(?:one|way|side|word))?|my\s+(?:bad|mistake|fault)|misread|mistyped?|mistake|typo"
    r"|scratch\s+that|strike\s+that|not\s+(?:this|that)(?:\s+one)?|(?:that(?:'s|\s+is)?|this\s+is)\s+(?:wrong|not\s+it|incorrect)"
    r"|i\s+(?:mis\w+|got\s+it\s+wrong|had\s+it\s+wrong))\b"
    r"|[啊哦噢哎诶呃嗯]*(?:不对|不是(?:这|那)?(?:个|根|块|边|侧)?|错了|(?:打|说|写|点|选|标|看)错了?|不好意思|等等|等一?下|抱歉|搞错了?|(?:啊|哦|噢)不|不)(?=[,，;；。、！!\s错])"
)
_MEANT = (
    r"(?:i\s+(?:really\s+)?(?:mean|meant|said|wanted|was\s+after)|it'?s|it\s+should\s+be|make\s+(?:that|it)|should\s+be|let'?s\s+say)\b"
    r"|我(?:是)?(?:说|要|想要|指|想|问)的?是|我是(?:说|指)|应该是|而是|要的是|改成(?=\S)"
)
CORRECTION = re.compile(rf"\s*(?:(?:{_MISTAKEN})[\s,.;:!，；。：！、-]*)*(?:(?:{_MEANT})[\s,:，：]*)?", re.IGNORECASE)
"""How a question begins that mends the one before: what follows is what is wanted."""

THANKS = re.compile(r"\b(?:thanks?|thank\s+you|thx|cheers)\b|谢谢|多谢|感谢|辛苦", re.IGNORECASE)
INVENTORY = re.compile(
    r"\b(?:what|which)\s+(?:(?:other|all|kind\s+of|different)\s+)?(?:structures|labels|organs|segments|masks|names)\b"
    r"(?=\W*$|.*\b(?:there|available|you|i|we|segmentation|image|scan|volume|have|here)\b)"
    r"|\bwhat\s+(?:can|could|do)\s+(?:you|i|we)\b[^?]*\b(?:segment|show|see|have|find|mark|label|choose|ask)\b"
    r"|\bwhat(?:'s|\s+is|\s+else\s+is)\s+(?:there|available|in\s+(?:here|the\s+(?:scan|image)))\b"
    r"|(?:有|能|可以)(?:看到|标|分割|找)?(?:哪些|什么)(?:结构|器官|标签|东西|$|[?？])|(?:哪些|什么)(?:结构|标签)(?:可以|能|可用|可选|$|[?？])",
    re.IGNORECASE,
)
"""Questions about what can be had."""

EXCLUSION = re.compile(
    r"\b(?:not|no|without|except(?:ing)?|excluding|exclude|but|minus|remove|delete|drop|omit|never|don'?t|doesn'?t)\b"
    r"|不(?!能)|除了|除去|除外|以外|之外|去掉|去除|删除|删掉|减去|别",
    re.IGNORECASE,
)
"""Words that take something away; one of them, if it is among those below, can be carried out."""

TAKING = re.compile(
    r"\b(?:all|everything)\s+but\b|\b(?:except(?:ing)?(?:\s+for)?|excluding|without|minus|but\s+not|not)\b"
    r"|不包括|不含|减去",
    re.IGNORECASE,
)
"""What stands behind them is taken from what stands before them, or from the last result."""

REMOVING = re.compile(r"\b(?:remove|drop|omit|delete|exclude)\b|去掉|去除|除去|删掉|删除|不要", re.IGNORECASE)
"""What stands behind them, or in Chinese before them, is taken from the last result or from what stands before."""
