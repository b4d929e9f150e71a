"""One exchange between a person and an engine: the question, its references, the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from MultiRoundSegLib.images import Mask, SliceView

Status = Literal["answered", "text", "none", "clarify", "error"]
"""What came of a question: masks; words that need no mask; the structure is not there or not
understood; a question back; or the engine failed."""

GIVEN = 0
"""The round number of masks that were there before the dialogue."""


@dataclass(frozen=True, order=True)
class Reference:
    """Points to one mask of the dialogue.

    Attributes:
        round_number: counted from 1, as people count; 0 for masks given before the dialogue.
        mask_index: which of the round's masks, from 0.
    """

    round_number: int
    mask_index: int = 0


@dataclass(frozen=True)
class Question:
    """What a person asks in one round.

    Attributes:
        text: as typed.
        view: the slice on the screen, where there is one.
        references: masks the person picked (clicked), besides those the text names.
        frame: the frame of a 4-D image that was shown, for example "3 of 20".
    """

    text: str
    view: SliceView | None = None
    references: tuple[Reference, ...] = ()
    frame: str | None = None


@dataclass(frozen=True)
class Origin:
    """Who answered; enough to repeat the answer.

    Attributes:
        engine: name for `create_engine`.
        version: of the engine.
        weights: SHA-256 of the weights that were used; None where there were none.
        segmenters: names of those who found the masks, where the engine has several.
    """

    engine: str
    version: str
    weights: str | None = None
    segmenters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What an engine answers in one round.

    Attributes:
        text: for the person, in the language of the question.
        origin: who answered.
        status: what came of the question.
        masks: on the volume's own grid, each with its own label; none unless `status` is "answered".
        score: the engine's own estimate of the masks' quality, 0 to 1.
        seconds: how long it took.
        used: the earlier masks this answer was made from.
        choices: for a question back, the answers that can be clicked.
    """

    text: str
    origin: Origin
    status: Status = "answered"
    masks: tuple[Mask, ...] = ()
    score: float | None = None
    seconds: float = 0.0
    used: tuple[Reference, ...] = ()
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep status and masks consistent: an absent structure is never a blank mask.

        Raises:
            ValueError: masks without "answered", or "answered" without masks, or an empty mask.
        """
        if (self.status == "answered") != bool(self.masks):
            raise ValueError(f"an answer of status {self.status!r} cannot have {len(self.masks)} masks")


@dataclass(frozen=True)
class Round:
    """One round of the dialogue.

    Attributes:
        number: from 1.
        question: what was asked.
        answer: what came back; its masks are as the engine made them.
        digests: SHA-256 of each used mask as the engine saw it.
    """

    number: int
    question: Question
    answer: Answer
    digests: Mapping[Reference, str] = field(default_factory=dict)
