"""The wordings by which `describing` tells the parts of a description."""

from __future__ import annotations

import re
from typing import Literal

from .wording import any_of

BODY = (
    r"(?:arms?|legs?|hands?|limbs?|face|facial|body|hemi\w+|weakness|numbness|paralysis|plegia|paresis|extremit\w+|tremor|"
    r"sensory|homonymous|neglect|chorea|ballism\w*|clumsiness|foot|fingers?|half of (?:the|his|her) body)"
)
BODY_SIDE = any_of(
    rf"(?:left|right)[-\s]*(?:sided?\b)?[-\s]*(?:upper |lower )?{BODY}",
    "(?:左|右)侧?(?:的)?(?:肢体|上肢|下肢|半身|偏瘫|偏身|偏盲|手|腿|胳膊|脸|面部|身体|轻瘫|无力|麻木|震颤|上下肢|同向|舞蹈|投掷|忽视|半侧)",
)
PRONOUN = any_of(
    "(?:it|its|they|them|their|those|these|that|this|previous|same)(?! side)(?: (?:one|ones|two|three))?",
    "它们 它 其(?!他|它|余|中|实) 前者 后者 上述 刚才(?:那个|的)? 这(?:个|根|块|条|些|里|两个|两根) "
    "那(?:个|根|块|条|些)(?=的|上|下|旁|里|后|前) 此(?=腺|处|肌|骨|器官|血管|静脉|动脉)",
)
WHICH: dict[Literal["left", "right", "above", "below"], re.Pattern[str]] = {
    "left": any_of("(?:the )?left (?:one|of the two)", r"(?<![\w\]\x00])左(?:边|侧)?的?那(?:个|根|块|条)"),
    "right": any_of("(?:the )?right (?:one|of the two)", r"(?<![\w\]\x00])右(?:边|侧)?的?那(?:个|根|块|条)"),
    "above": any_of(
        "(?:the )?(?:upper|top|higher|superior) (?:one|of the two)",
        r"(?<![\w\]\x00])上(?:面|方|边)的?那(?:个|根|块|条)",
    ),
    "below": any_of(
        "(?:the )?(?:lower|bottom|inferior) (?:one|of the two)", r"(?<![\w\]\x00])下(?:面|方|边)的?那(?:个|根|块|条)"
    ),
}
REQUEST = any_of(
    """
    (?:mark|show|outline|segment|highlight|draw|delineate|contour|find|label|trace|give|get|pick|want|need|select)
    (?:paint|colou?r|circle|locate|identify|display|point (?:to|out)|pull up|grab|do|add)
    """
)
ASKED_BEFORE = re.compile(
    r"\b(?:which|what)(?:'s|\s+is|\s+are)?(?:\s+(?:the|other|single|one|pair\s+of))?\s+(?:\w+\s+){0,2}$"
    r"|哪(?:一|两|几)?(?:个|块|根|条|叶|段|节|只|种|侧|支|对|些)?$|什么$|何$",
    re.IGNORECASE,
)
OPENER = any_of(
    """
    (?<!one\\s)(?<!pair\\s)(?<!part\\s)of
    (?:in|at|to|from|with|by|into|onto|on|off|for|over|under|above|below|beneath|behind|beside|between|through)
    (?:alongside|opposite|amid|among|off|against|around|along|across|toward|towards|within|inside|outside|near|past|after|before|via|as|like|than)
    (?:that|which|where|whose|who|when|because|since|so|if|medial|lateral|anterior|posterior|superior|inferior|adjacent|next)
    (?:supplying|draining|feeding|covering|surrounding|containing|supplies|drains|feeds|contains|touching|hugging)
    (?:crossing|leaving|entering|joining|connecting|pierces|piercing|swallows|houses|its|their)
    """
)
CONTAINER = any_of(
    """
    (?:which|what) (?:label|structure|region|segment|mask)
    label (?:that|which|it|for|holding|containing|covering)
    belongs? to
    (?:parent|host) \\w+
    (?:contain|includ|swallow|hous|hold|cover)(?:s|ing|es)
    (?:hid|liv|sit|count)(?:es?|ing|s)?(?: \\w+)? (?:in(?:side)?|under|with|as part)
    lumped (?:in|into|with)
    """,
    "哪(?:个|一个)?(?:标签|label|结构|区域) 大?标签 属于 包含 归(?:到|在|入|属) 算(?:在|到|进|作) 打包 包在",
)
ASKS_FOR_IT = re.compile(
    r"(?:\b(?:only|just|mark|outline|segment|show|draw|highlight|find|contour|label|trace)\s+(?:me\s+)?(?:out\s+)?"
    r"(?:the|a|an|this|that|all|any|its)?\s*(?:\w+\s+)?|\bany\s+(?:\w+\s+)?"
    r"|(?:标|勾|画|圈|分割|只要|找|单独)(?:出|一下|注)?(?:那个|这个)?)$",
    re.IGNORECASE,
)
ASKED_FOR = re.compile(
    r"\s*(?:本身|单独|自己|也?(?:标|勾|画|圈)|itself|itselves|by itself|alone|only|on its own)", re.IGNORECASE
)
ASKS_WHAT = re.compile(
    r"\b(?:what|which|who)(?:'s|\s+(?:is|are))?\b(?!\s+(?:about|if|to|i\b|we\b|you\b))|(?<![做说指])什么|谁",
    re.IGNORECASE,
)
THEN_ASKED_FOR = re.compile(
    rf"[,;.]\s*(?:so |then |please |just |can you )*(?:{REQUEST.pattern})\s+(?:me )?(?:that|it|this)(?: one)?"
    r"(?: too| please| as well| then)*[\s.!?]*$"
    r"|[，,；。]\s*(?:请|把|就)?(?:它|那个|这个)?[标画勾圈](?:出|一下)?(?:它|那个|这个|来)[\s。！!]*$",
    re.IGNORECASE,
)
"""A request for what was named before."""
ARTICLE = re.compile(r"\s*(?:(?:and|so|then|also)\s+)*(?:the\s+|an?\s+)?|[那就]?", re.IGNORECASE)
"""What may stand before a name that begins a clause."""
THAT = re.compile(r"\b(?:that|this|said)\s+$|[那这该](?:个|根|块|条|节|支)$", re.IGNORECASE)
BESIDES = any_of(
    "other (?:two|three|four|ones|\\w+s)\nothers\nremaining (?:two|three|ones|one)",
    "另外[两三四几] 其他 其余 剩下(?:的)?[那这]?[两三几]",
)
QUADRANT = any_of(
    """
    (?:upper |lower )?(?:left|right) (?:upper |lower )?(?:quadrant|flank|loin|groin|iliac fossa)
    LUQ|RUQ|LLQ|RLQ|LIF|RIF
    """,
    "(?:左|右)(?:上腹|下腹|季肋|腰部?|腹股沟|髂窝)",
)
SIDE_ASKED = any_of("which side\nwhich (?:one )?of the two", "哪一?[侧边]")
CLAUSE_ENDS = re.compile(r"\s*(?:$|[,;.?!]|please\b|too\b|as\s+well\b|and\b|on\s+the\b)", re.IGNORECASE)
BREAK = re.compile(r"[,;:.?!\"“”\n，；：。？！]|\s-\s")
PATIENT_SIDE = any_of("left|right|L|R|same side|both", "左侧?|右侧?|同侧|双侧|两侧")
NEW_CLAUSE = re.compile(r"[,;.?!，。；？！]")
DEFINITE = re.compile(
    r"\b(?:the|that|this|those|these|said)\s+(?:\w+\s+)?$|[这该此那](?:个|根|块|条|些|两根|两个)?$|该$", re.IGNORECASE
)
ZH_GOVERNOR = re.compile(
    r"(?:在|从|到|沿|沿着|经|由|向|靠|靠近|接|跟|与|和|给|往|绕过|穿过|进入|紧贴|来自|属于|供应|引流|汇入|支配)$"
)
ZH_END = re.compile(
    r"(?:的?(?:左|右)侧?|上|里|内)?(?:是|在)?"
    r"\s*(?:$|[\x00,.，。、；;?？!！：:)）]|吗|呢|吧|了|都|也|标|勾|画|圈|给|一下|给我|找|显示|分|要|就行|即可|看看|有|哪)"
)
OF_THE = re.compile(r"\s+(?:of|in|from)\s+(?:the\s+)?", re.IGNORECASE)
"""What stands between a part and its whole."""
