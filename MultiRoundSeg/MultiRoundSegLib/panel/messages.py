"""The dialogue as rich text: questions to the right, answers to the left, segments and choices to click."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from slicer.i18n import tr as _

from MultiRoundSegLib.conversation import Conversation, Reference, Round

Colour = tuple[float, float, float]

SHOW = "show:"
"""Link to a mask: "show:2.1" is the first mask of round 2."""
CHOOSE = "choose:"
"""Link to a proposed answer: "choose:3.1" is the first choice of round 3."""

_STATUS_COLOURS = {
    "answered": "#2e7d32",
    "text": "#37474f",
    "none": "#b26a00",
    "clarify": "#1565c0",
    "error": "#b71c1c",
}


def dialogue_html(conversation: Conversation, colours: Mapping[Reference, Colour], notices: list[str]) -> str:
    """The whole dialogue.

    Args:
        conversation: the rounds, with the present names of their masks.
        colours: of each mask's segment, red, green and blue from 0 to 1.
        notices: sentences of the panel itself (such as an error), shown below the rounds.
    """
    stale = conversation.stale_rounds()
    parts = [_round_html(round_, conversation, colours, round_.number in stale) for round_ in conversation.rounds]
    parts += [f'<p style="color:{_STATUS_COLOURS["error"]}">{escape(notice)}</p>' for notice in notices]
    return "\n".join(parts)


def _round_html(round_: Round, conversation: Conversation, colours: Mapping[Reference, Colour], is_stale: bool) -> str:
    answer = round_.answer
    frame = f" <small>({escape(round_.question.frame)})</small>" if round_.question.frame else ""
    asked = f'<p align="right"><b>{_lines(round_.question.text)}</b>{frame}</p>'
    colour = _STATUS_COLOURS[answer.status]
    said = f'<p><font color="{colour}"><b>[{round_.number}]</b></font> {_lines(answer.text)}'
    if answer.score is not None:
        said += f" <small>({_('score')} {answer.score:.2f})</small>"
    said += "".join(
        f"<br>{_mask_html(Reference(round_.number, index), conversation, colours)}"
        for index in range(len(answer.masks))
    )
    said += "".join(
        f'<br>&#8227; <a href="{CHOOSE}{round_.number}.{n}">{escape(choice)}</a>'
        for n, choice in enumerate(answer.choices, start=1)
    )
    if is_stale:
        said += f"<br><i>{_('made from a segment that has changed since')}</i>"
    return f"{asked}{said}</p>"


def _mask_html(reference: Reference, conversation: Conversation, colours: Mapping[Reference, Colour]) -> str:
    label = escape(conversation.latest(reference).label)
    if conversation.is_removed(reference):
        return f"<s>{label}</s> <i>{_('deleted')}</i>"
    swatch = "#" + "".join(f"{round(255 * channel):02x}" for channel in colours.get(reference, (0.5, 0.5, 0.5)))
    link = f"{SHOW}{reference.round_number}.{reference.mask_index + 1}"
    return f'<font color="{swatch}">&#9632;</font> <a href="{link}">{label}</a>'


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def parse_link(link: str) -> tuple[str, int, int]:
    """The kind of a link, `SHOW` or `CHOOSE`, its round number, and its number in the round from 1.

    Raises:
        ValueError: it is none of ours.
    """
    kind, _, place = link.partition(":")
    number, _, item = place.partition(".")
    if f"{kind}:" not in (SHOW, CHOOSE):
        raise ValueError(f"{link!r} is no link of a dialogue")
    return f"{kind}:", int(number), int(item)
