"""The sentences of the reasoner, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from MultiRoundSegLib.anatomy import Knowledge, Language, Structure
from MultiRoundSegLib.conversation import Conversation, Mention
from MultiRoundSegLib.images import Mask

from .plan import Refusal, Target
from .segmenters import Dispute, Found
from .sources import Source

_SHOWN_AT_MOST = 12
_TOLD_AT_MOST = 6

_TROUBLES: dict[Language, dict[str, str]] = {
    "en": {
        "absent": "There is no {name} among the structures at hand.",
        "empty": "The {name} was not found in this image.",
        "unsided": "The segmentation does not say on which side its {whole} is; ask for it without a side.",
        "one_sided": "The {whole} has no other side.",
        "not_understood": "I did not understand which structure is meant.",
        "unclear": 'I did not understand "{words}".',
        "not_meant": "None of the structures at hand is what is asked for.",
        "excludes": "I do not understand what is to be left out of what; name what you want instead.",
        "no_labels": "There is no segmentation of this image to take structures from yet; "
        "load one, or choose another engine.",
    },
    "zh": {
        "absent": "可用的结构中没有{name}。",
        "empty": "这幅图像中没有找到{name}。",
        "unsided": "分割结果没有标明{whole}在哪一侧，无法确定{name}。",
        "one_sided": "{whole}没有对侧。",
        "not_understood": "没有听懂要分割哪个结构。",
        "unclear": "没有听懂“{words}”。",
        "not_meant": "可用的结构中没有所问的。",
        "excludes": "听不懂要从什么里去掉什么，请直接说出想要的结构。",
        "no_labels": "目前还没有这幅图像的分割结果可以取用，请先载入一个，或选择别的引擎。",
    },
}
_JOINTS: dict[Language, tuple[str, str]] = {"en": (", ", " and "), "zh": ("、", "和")}


def name_of(target: Target, language: Language) -> str:
    """What the mask of a target is called."""
    return target.entity.name(language) if target.entity else target.label


def answered(
    drawn: list[tuple[Target, Found]], history: Conversation, language: Language, used: Mapping[str, str]
) -> str:
    """What was segmented and why, with volumes and who found it.

    Args:
        drawn: the targets with their masks.
        history: the dialogue so far.
        language: of the question.
        used: how the earlier masks that the plan stands on are called, by the key of their structure.
    """
    listed = _listed([_described(found, language) for _, found in drawn], language)
    anchors = [history.name(t.opposite_of) for t, _ in drawn if t.opposite_of]
    if len(anchors) == len(drawn):
        of = _listed(anchors, language)
        return f"The other side of {of}: {listed}." if language == "en" else f"{of}的对侧：{listed}。"
    why = [explained(target, language, used, alone=len(drawn) == 1) for target, _ in drawn]
    told = ("; " if language == "en" else "；").join(dict.fromkeys(filter(None, why)))
    if language == "en":
        return f"Here {'is' if len(drawn) == 1 else 'are'} {listed}{f': {told}' if told else ''}."
    return f"已分割{listed}{f'：{told}' if told else ''}。"


def explained(target: Target, language: Language, used: Mapping[str, str], *, alone: bool) -> str:
    """Why a structure that was described is meant; nothing where it was named.

    Args:
        target: the structure with the reason.
        language: of the question.
        used: how earlier masks are called, by the key of their structure.
        alone: it is the only result, so that "it" can stand for it.
    """
    reason, entity = target.reason, target.entity
    if reason is None or entity is None:
        return ""
    it = {"en": "it", "zh": "它"}[language] if alone else entity.name(language)
    if reason.fact:
        return reason.fact.sentence(language, {**used, entity.structure.key: it})
    if not reason.phrase:
        return ""
    return f'{it} fits "{reason.phrase}"' if language == "en" else f"{it}符合“{reason.phrase}”"


def refused(refusal: Refusal, history: Conversation, language: Language) -> str:
    """Why something cannot be had."""
    entity = refusal.entity
    name = whole = entity.name(language) if entity else ""
    if entity and refusal.trouble in ("unsided", "one_sided"):
        whole = entity.structure.any_name(language)
    if not entity and refusal.reference:
        whole = history.name(refusal.reference)
    return _TROUBLES[language][refusal.trouble].format(name=name, whole=whole, words=refusal.words)


def welcome(language: Language) -> str:
    """An answer to thanks."""
    return "You are welcome." if language == "en" else "不客气。"


def told(knowledge: Knowledge, structures: Sequence[Structure], language: Language) -> str:
    """What is known of a structure, or that the question is none that can be answered here."""
    limits = (
        "I can show structures, compare them and measure them; other questions I cannot answer."
        if language == "en"
        else "我可以显示、比较和测量结构，其他问题无法回答。"
    )
    lines = []
    for structure in structures:
        said = [
            phrase
            for relation in ("function", "place", "attribute")
            for statement in knowledge.said_of(structure)
            if statement.relation == relation
            for phrase in statement.phrases(language)[:2]
        ][:_TOLD_AT_MOST]
        if said:
            name = structure.any_name(language)
            lines.append(f"{name}: {'; '.join(said)}." if language == "en" else f"{name}：{'；'.join(said)}。")
    return " ".join((*lines, limits))


def without_model(language: Language) -> str:
    """That the language model did not answer."""
    if language == "en":
        return "The language model gave no usable answer, so the built-in planner was used."
    return "语言模型没有给出可用的回答，已改用内置的规划。"


def mended(words: Sequence[tuple[str, str]], language: Language) -> str:
    """How typing errors were read; nothing where there were none."""
    if not words:
        return ""
    if language == "en":
        return "Read " + ", ".join(f'"{typed}" as "{meant}"' for typed, meant in words) + "."
    return "（" + "，".join(f"“{typed}”理解为“{meant}”" for typed, meant in words) + "）"


def disputed(mask: Mask, dispute: Dispute, language: Language) -> str:
    """That another segmenter found the same structure elsewhere."""
    other, overlap = dispute.other.title_in(language), f"{dispute.dice:.2f}"
    if language == "en":
        return f"Look closely: by the {other} the {mask.label} is elsewhere (Dice {overlap})."
    return f"请核对：{other}找到的{mask.label}在别处（Dice {overlap}）。"


def no_source(source: Source, language: Language) -> str:
    """That the segmenter which the words choose is not at hand."""
    if language == "en":
        return f'Nothing is there to work "{source.words.strip()}" with; load or choose one first.'
    return f"目前无法“{source.words.strip()}”，请先载入或选择。"


def empty(target: Target, language: Language) -> str:
    """A structure that the segmentation names but that has no voxel in this image."""
    return _TROUBLES[language]["empty"].format(name=name_of(target, language))


def unusable_reference(error: Exception, language: Language) -> str:
    """Why the earlier mask that the question refers to cannot be used."""
    if language == "en":
        return str(error)
    return "问题所指的那一轮结果不存在、已被删除或者是空的，请改指另一轮。"


def renewed(mention: Mention, text: str, language: Language) -> str:
    """That an older mask of this name was deleted and another one is used; nothing where none was."""
    if not mention.note or language == "en":
        return mention.note
    return f"先前的“{text[mention.start : mention.end]}”已被删除，这里用的是现在叫这个名字的那一个。"


def outside_domain(error: Exception, language: Language) -> str:
    """Why the segmenter cannot work on this image."""
    return str(error) if language == "en" else f"这幅图像不适合所用的分割方法。（{error}）"


def what_there_is(labels: list[str], language: Language, *, certain: bool) -> str:
    """A short list of what can be asked for; it is certain to be in the image, or may be."""
    if not labels:
        return ""
    joint = _JOINTS[language][0]
    more = len(labels) - _SHOWN_AT_MOST
    listed = joint.join(labels[:_SHOWN_AT_MOST])
    if language == "en":
        lead = "There are" if certain else "What can be looked for in this image"
        return f"{lead}: {listed}{f' and {more} more' if more > 0 else ''}."
    lead = "可以选择" if certain else "可以在图像中寻找"
    return f"{lead}：{listed}{f'等{len(labels)}个结构' if more > 0 else ''}。"


def question_back(options: list[tuple[str, float]], language: Language) -> str:
    """Which of several equally good readings is meant, with the volume of each in millilitres."""
    listed = [f"{label} ({millilitres(volume)})" for label, volume in options]
    if language == "en":
        return f"Which one is meant: {', '.join(listed[:-1])} or {listed[-1]}?"
    return f"指的是哪一个：{'、'.join(listed[:-1])}还是{listed[-1]}？"


def millilitres(volume: float) -> str:
    """A volume for people: three figures are enough."""
    return f"{volume:.0f} ml" if volume >= 100 else f"{volume:.3g} ml"


def _described(found: Found, language: Language) -> str:
    """Name, volume and who found it; of an earlier mask shown again only name and volume."""
    details = [millilitres(found.mask.volume_ml)]
    if found.by:
        details.append(_JOINTS[language][1].join(info.title_in(language) for info in found.by))
    if language == "en":
        return f"the {found.mask.label} ({', '.join(details)})"
    return f"{found.mask.label}（{'，'.join(details)}）"


def _listed(items: list[str], language: Language) -> str:
    comma, last = _JOINTS[language]
    return items[0] if len(items) == 1 else comma.join(items[:-1]) + last + items[-1]
