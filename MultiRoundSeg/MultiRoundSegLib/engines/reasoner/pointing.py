"""Groups of earlier masks that a text points to: "those two", "everything so far", "前两个", "what I typed first"."""

from __future__ import annotations

import re

from MultiRoundSegLib.conversation import Conversation, Mention, Reference

from .wording import any_of

_NUMBERS = {
    **dict.fromkeys(("two", "2", "两", "俩", "二", "both"), 2),
    **dict.fromkeys(("three", "3", "三", "仨"), 3),
    **dict.fromkeys(("four", "4", "四"), 4),
    **dict.fromkeys(("five", "5", "五"), 5),
    **dict.fromkeys(("six", "6", "六"), 6),
}
_EN_NUMBER = r"(?P<en>two|three|four|five|six|[2-6])"
_ZH_NUMBER = r"(?P<zh>[两俩二三四五六仨2-6])"
_CLASSIFIER = r"(?:个|根|块|条|段|样|叶|支|者|处|次|轮|种|只|节|组|结构|器官|部分|$)"
_MASKS = r"(?:ones|masks|results|rounds|structures|segments)"
_ANATOMY = r"\w*(?:lobe|chamber|muscle|rib|nucle|vertebr|bone|vessel|arter|vein|valve|segment)"

_LAST = any_of(
    rf"""
    (?:those|these|the last|the previous|last|previous|all) {_EN_NUMBER}(?: (?:{_MASKS}|of (?:them|these|those)))?(?! {_ANATOMY})
    (?P<both>both) of (?:them|these|those)
    """,
    rf"(?:这|那|刚才(?:那|的)?|上面(?:那|的)?|刚刚(?:那|的)?|最后|后面?|以上){_ZH_NUMBER}{_CLASSIFIER} "
    rf"(?<![第这那哪前])(?P<kinds>两)样(?=都)?",
)
_FIRST = any_of(rf"(?:the )?first {_EN_NUMBER}(?: {_MASKS})?", rf"(?:最?前|头|开头){_ZH_NUMBER}{_CLASSIFIER}")
_VERY_FIRST = any_of(
    """
    what (?:i|we)(?: \\w+)? (?:typed|asked(?: for)?|wanted|had|said|started with|requested|segmented|showed)(?: \\w+)? first
    the (?:very )?first (?:one|thing|structure|organ|mask|item|request|answer)
    (?:the one )?(?:we|i) (?:started|began) with
    back to (?:the )?(?:first|start|beginning)
    """,
    "(?:最开始|一开始|最初|最早|开头|起初)(?:的|标的|画的|要的|说的|那)?(?:那)?(?:个|块|根|条|叶)? 第一(?:个|题|问|步|条|块|根)(?!肋|椎)",
)
_HAVE = r"(?:you(?:'ve| have)?|we(?:'ve| have)?|i(?:'ve| have)?|is|has been)"
_DONE = r"(?:drawn|got|segmented|shown|marked|done|made|outlined|have|painted|asked)"
_EVERYTHING = any_of(
    rf"""
    (?:everything|all|whatever)(?: that)? {_HAVE}(?: already)? {_DONE}(?: (?:so far|up to now))?
    (?:everything|all(?: of (?:it|them|these|those|the above))?|all(?: the)? (?:masks|results|above|rounds)) (?:so far|above|together|up to now)
    all of (?:them|these|those|the above)
    all (?:rounds|the above)
    """,
    "(?:目前|到现在|到目前|至今|前面|上面|以上|之前|刚才|已经)(?:为止)?(?:的|标的|画的|标过的|画过的|这些)?(?:所有|全部)(?:结果|结构|的)? "
    "(?:所有|全部)(?:已经?)?(?:标|画|分割|做|勾)(?:过|好|出)?的 以上(?:结果|各项)",
)


def group_mentions(text: str, history: Conversation) -> tuple[Mention, ...]:
    """The groups of earlier masks in a text; none where the dialogue has no masks yet."""
    made = history.made()
    if not made:
        return ()
    found: list[Mention] = []
    for pattern, members in ((_EVERYTHING, _everything), (_VERY_FIRST, _very_first), (_FIRST, _first), (_LAST, _last)):
        for match in pattern.finditer(text):
            references = members(match, made)
            free = all(match.end() <= other.start or other.end <= match.start() for other in found)
            if references and free:
                found.append(Mention(*match.span(), references))
    return tuple(sorted(found, key=lambda mention: mention.start))


def _everything(match: re.Match[str], made: tuple[Reference, ...]) -> tuple[Reference, ...]:
    return made


def _very_first(match: re.Match[str], made: tuple[Reference, ...]) -> tuple[Reference, ...]:
    return tuple(reference for reference in made if reference.round_number == made[0].round_number)


def _first(match: re.Match[str], made: tuple[Reference, ...]) -> tuple[Reference, ...]:
    number = _number(match)
    return made[:number] if number <= len(made) else ()


def _last(match: re.Match[str], made: tuple[Reference, ...]) -> tuple[Reference, ...]:
    number = _number(match)
    return made[-number:] if number <= len(made) else ()


def _number(match: re.Match[str]) -> int:
    word = next(value for value in match.groupdict().values() if value)
    return _NUMBERS[word.lower()]
