"""Whether a question asks for words rather than for a mask: "do you think it is invaded?", "怎么治"."""

from __future__ import annotations

import re

from .sides import sides_in
from .wording import any_of

_REQUEST = any_of(
    """
    (?:mark|show|outline|segment|highlight|draw|delineate|contour|find|trace|pick|select|paint|colou?r|circle)
    (?:locate|display|grab|add|keep|drop|remove|pull up|point (?:to|out|at)|give me|i (?:want|need))
    label (?:it|the|that|this)
    seg(?:ment)?
    """,
    """
    单独 得出来 标(?!准|志|测) 勾 画 分割 圈 显示 给我 找出 找一下 框 描 涂 高亮 指出 看一下 来一[个根块条]
    也要 都要 只要 要(?=左|右|那|这)
    """,
)
_THINGS = (
    r"(?:organs?|vessels?|arter(?:y|ies)|veins?|bones?|muscles?|lobes?|glands?|chambers?|nucle(?:us|i)|structures?|"
    r"vertebrae?|ribs?|regions?|parts?|ventricles?|atri(?:um|a)|labels?|segments?|side|one|kidney|lung|adrenal|"
    r"viscus|"
    r"cavity|tube|airway|bowel)"
)
_KIND_ASKED = any_of(
    rf"(?:which|what)(?:'s| is| are| was)?(?: (?:the|other|single|one|two|pair of|of \w+))?(?: \w+){{0,2}}? {_THINGS}",
    "哪一?(?:两|几|些)?(?:个|块|根|条|叶|段|节|只|侧|支|对|边|里)? "
    "什么(?:器官|结构|腺体|肌肉|骨头|血管|动脉|静脉|核团|部位|腔) 何(?:器官|结构|处)",
)
_WORDS_ASKED = any_of(
    r"""
    why
    how (?:come|do|does|did|is|are|was|many|much|often|long|likely|common|would|should|can|could|to|bad|far|thick)
    how (?:soon|fast|late|early)
    when (?:do|does|is|should|would)
    (?:do|does|did) (?:you|we|i|he|she|they) (?:think|know|believe|see|agree|recommend|reckon|ever|need|have to)
    what (?:does|do|did)(?: \w+){1,4} (?:do|mean|cause|show|look like|secrete|produce|say)
    what(?:'s| is| are)?(?: the)? (?:normal|usual|typical|upper limit|cut-?off|function|role|point)
    what(?:'s| is| are)?(?: the)? (?:dose|constraint|difference)
    what(?:'s| is| are)?(?: the)? (?:prognosis|treatment|therapy|mortality|survival|meaning|stage|grade|risk|chance)
    what(?:'s| is| are)?(?: the)? (?:cause|incidence|score|weight|best sequence)
    what(?: \S+)? (?:ratio|size|diameter|value|cut-?off|threshold|score|grade) (?:counts?|means?|suggests?|is|would)
    (?:which|what)(?: one)? do (?:you|we|they|people) (?:prefer|like|use|recommend|favou?r)
    would (?:you|he|she|it|they|this|that) (?:call|say|consider|need|still|walk|survive|benefit|agree|operate|biopsy)
    what (?:causes|happens|would|should|else could|about the prognosis|kind of|sort of)
    what (?:percentage|fraction|dose|sequence)
    explain
    what(?: \w+){1,4} (?:do|does|would|should) (?:you|we|i|one|people) (?:aim|use|recommend|prefer|give|go|do|take)
    what(?: \w+){1,4} (?:do|does|would|should) (?:you|we|i|one|people) (?:expect|want|need|call|write|put|usually)
    i (?:guess|suppose|wonder|reckon|bet)
    (?:mortality|survival|prognosis|incidence|risk|chance|odds) (?:if|of|with|in|after)
    tell me (?:about|why|how|more)
    remind me
    define
    meaning of
    your opinion
    worried
    differential
    best (?:\w+ ){1,2}for
    (?!left|right)[a-z]+ or (?!left|right|so|both)\w+\s*\?
    who (?:even |first |actually )?(?:came|named|discovered|described|invented|says|decides|said)
    (?:can|could) (?:it|this|that|he|she|they|a|the|one|you (?:tell|explain|say|see|feel|live))
    """,
    """
    为什么 为啥 为何 怎么(?!标|画|勾|分割) 咋(?!标|画) 如何 怎样 多少 多大(?:算|才|年|的?(?:剂量|范围|概率))
    多大$ 多久 多长时间 多厚 多宽 多高 多重 (?:查|做|打|吃|用|看|干|有|练|注意)啥(?=$|[？?])
    哪(?:年|一年|个版本|版) 你.{2,12}吧[？?]$
    几(?:周|个?月|小时|分钟|次|成|分|级|厘米|毫米|年|期|种|型|天|岁|次) 是不是 是否 会不会
    能不能(?!.*(?:标|勾|分割|画|给我)) 要不要 该不该 有没有(?:可能|必要|关系|意义|转移|问题) 严重吗 正常值
    正常(?:范围|大小|吗) [什啥]么?(?:意思|原因|作用|功能|关系|症状|时候|药|治疗|表现|区别|检查|序列|分期|病)
    算(?:增生|异常|正常|增大|肿大|扩张) 有啥(?:用|区别|关系) 谁(?:更|先|大|小|多|准) 来着$ 还是先 难不难
    疼不疼 贵不贵 (?:先|该).{1,8}还是.{1,8}[？?]?$ 预后 可能性 鉴别 指征 你(?:觉得|认为|怎么看|看呢|说呢)
    (?:一般|通常|平时|首选|常规)(?:都|是)?(?:从|用|选|走|放)(?:哪|什么|啥) 建议 值得 好不好 行不行
    """,
)
_LEAD = r"^\W*(?:(?:and|so|but|ok|okay|hm+|well|wait|btw|by the way|also|quick question|question)\b[\s,:]*)*"
_YES_OR_NO = re.compile(
    _LEAD + r"(?:is|are|was|were|does|do|did|can|could|should|would|will|has|have|had|am|may|might)(?:n't)?\s+"
    r"(?!(?:i|we|you)\s+(?:have|get|please|do|show|also\s+(?:do|show))\b)[^?]*\?\s*$",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s*(?:right|yes|no|correct|true|isn'?t\s+it|doesn'?t\s+it|ok)\s*\?\s*$|(?:对吧|是吧|对不对|是不)[?？]?$",
    re.IGNORECASE,
)
_CHINESE_YES_OR_NO = re.compile(r"(?<!有)(?<!在)(?<!到)(?:吗|么|嘛)[?？!！。]*$")
_COURTESIES = any_of(
    """
    ok(?:ay)?
    (?:hi|hello|hey|bye|see you|cheers|ta|thx|tysm|ty|got it|wow|lol|ha(?:ha)+)
    thanks?
    thank you
    good (?:morning|evening|afternoon|job|work|night)
    (?:nice|neat|super|brilliant|fab|sorted|done|all good|enough|later|legend|star)
    (?:for (?:now|today|me)|bye bye|see (?:you|ya)|have a (?:good|nice) \\w+)
    nice(?: (?:work|one|job|save))?
    great(?: (?:job|work))?
    (?:perfect|cool|lovely|awesome|excellent|brilliant|well done|amazing|sweet|impressive|beautiful|helpful|super)
    that'?s (?:it|all|great|perfect|good)
    looks (?:good|great)
    so (?:much|fast)
    (?:a lot|for now|for today|for the help|very|much|mate|man|buddy|everyone|you|are|the|best|that|was)
    (?:fast|quick|works?)
    really
    """,
    """
    谢谢 多谢 感谢 辛苦 好嘞 好的 好 哈+ 儿 吧 到此为止 结束 收工 明天见? 再说 麻烦 给力 牛逼 绝了 nice ok
    thx thanks bye cool great perfect 不错 厉害 你好 您好 再见 拜拜 太棒 牛 可以 完美 漂亮 收到 了解 明白
    嗯+ 谢啦 谢了 老师 啦 了 您 你 医生 啊 呀 哦 真 很 太 快 赞 今天 先 到 这里 这 就 大家 早上 晚上 下午
    下班
    """,
)
_TOOL = any_of(
    r"""
    (?:what|which)\b[^.?!]*\b(?:can|could) (?:you|i|we|this)\b[^?]*\?
    (?:are|were) you (?:an?|able|human|sure|real|trained|chat)
    who (?:are|made|built|trained|wrote|coded|owns) you
    (?:which|what) (?:company|model|version|vendor) \\w+
    are you (?:chatgpt|gpt|claude|gemini|open source)
    how (?:accurate|reliable|good|fast|sure|confident)
    do you (?:do|have|cover|handle|know|support|speak|work|understand|learn|remember|store|save)
    """,
    """
    (?:你|这)(?:是)?(?:哪(?:家|个)(?:公司|厂|团队)|谁(?:做|开发|训练)的|什么(?:模型|版本|软件)|多少钱|收费)
    你(?:是谁|能做什么|会什么|能标什么|支持|准不准|是什么|会不会|能不能听懂|能分割(?:哪些|什么)) 准确率
    有多准
    """,
)
_FEW_WORDS = re.compile(r"\W*(?:[A-Za-z0-9-]+\W*){1,2}")
"""Too few to be a question about anything but what is to be shown ("CC?")."""
_GREETING = re.compile(
    r"\s*(?:hi|hello|hey|good\s+(?:morning|evening|afternoon)|你好|您好|大家好|早上好|嗨|哈喽)\b", re.IGNORECASE
)


def is_small_talk(text: str) -> bool:
    """Whether a text that names nothing is a greeting, or a question that shows nothing."""
    return bool(_GREETING.match(text)) or (
        text.strip().endswith(("?", "？"))
        and not (_REQUEST.search(text) or _KIND_ASKED.search(text))
        and not (_FEW_WORDS.fullmatch(text) or any(sides_in(text)))
    )


_WORDS_WILL_DO = any_of(
    """
    just (?:tell|say|answer)
    no (?:mask|contour|segmentation|outline|drawing)s? needed
    (?:don'?t|no need to) (?:draw|mark|segment|outline) (?:it|anything)
    """,
    "不用(?:标|画|勾|分割)(?=[，,。！!]|$) 别(?:标|画|勾)(?=[，,。！!]|$) "
    "告诉我(?:就行|就好|即可) 说(?:一下|说)就行 只要告诉我",
)


def asks_for_words(text: str) -> bool:
    """Whether a question wants an answer in words: small talk, an opinion, knowledge; no mask."""
    text = text.strip()
    if _is_only_courtesy(text) or _TOOL.search(text) or _WORDS_WILL_DO.search(text):
        return True
    if _TAG.search(text) and len(text.split()) > 3:
        return True
    if _REQUEST.search(text):
        return False
    if _WORDS_ASKED.search(text):
        return not re.search(r"哪[侧根块个]", text)
    if _KIND_ASKED.search(text):
        return False
    return bool(_YES_OR_NO.search(text) or _CHINESE_YES_OR_NO.search(text))


def _is_only_courtesy(text: str) -> bool:
    return bool(re.search(r"\w", text)) and not re.search(r"\w", _COURTESIES.sub("", text))
