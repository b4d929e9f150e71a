"""How a data set is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from MultiRoundSegLib.anatomy import Language
from MultiRoundSegLib.images.slice_view import PLANES, Plane

Format = Literal["mr-medseg", "mturn-seg"]
Answers = Literal["varied", "plain", "restating"]
PUBLISHED_ROUNDS = {1: 13.2, 2: 14.2, 3: 36.4, 4: 8.0, 5: 5.4, 6: 5.9, 7: 4.9, 8: 4.5, 9: 3.1, 10: 1.6}
"""Percent of dialogues by their number of rounds. Source: MTurn-Seg's project page; its 2.8 % longer ones left out."""
SPLITS = ("train", "val", "test")


@dataclass(frozen=True)
class BuildSettings:
    """All that a built data set depends on, besides the scans.

    Attributes:
        format: of the files.
        seed: of every choice.
        planes: of the slices.
        slices: of one scan along each plane, at most; of pictures, of one scan.
        dialogues: about one picture in each language.
        languages: of the dialogues.
        rounds: how common each number of rounds is; a picture that shows too little gives shorter ones.
        least_pixels: of a region that can be asked for.
        apart_mm: between two slices of one plane.
        far: how often a question refers to an earlier round than the last, where it can.
        refusals: share of the rounds that ask for what the picture does not show.
        drawn: share of the rounds that refer to what the user drew, roughly; MR-MedSeg only.
        shares: of the patients in train, val and test.
        unseen_wordings: val and test are worded in ways that train never is.
        answers: "varied" in many words; "plain" in the same words, the name before the mask, so that a small model need
            not guess which words come; "restating" the same, and where a question refers to something, the answer says
            first how it was understood: "The structure directly behind the left thalamus is ...".
    """

    format: Format = "mr-medseg"
    seed: int = 0
    planes: tuple[Plane, ...] = PLANES
    slices: int = 4
    dialogues: int = 1
    languages: tuple[Language, ...] = ("en", "zh")
    rounds: dict[int, float] = field(default_factory=lambda: dict(PUBLISHED_ROUNDS))
    least_pixels: int = 60
    apart_mm: float = 8.0
    far: float = 0.4
    refusals: float = 0.0
    drawn: float = 0.0
    shares: tuple[float, float, float] = (0.8, 0.1, 0.1)
    unseen_wordings: bool = False
    answers: Answers = "varied"

    def __post_init__(self) -> None:
        """Refuse what cannot be built.

        Raises:
            ValueError: the message says what.
        """
        if self.drawn and self.format == "mturn-seg":
            raise ValueError("MTurn-Seg has no masks that a user drew: build them as mr-medseg.")
        if not (self.rounds and all(number > 0 and share >= 0 for number, share in self.rounds.items())):
            raise ValueError("rounds say how common each number of rounds from 1 is.")
        if min(self.slices, self.dialogues, self.least_pixels) < 1 or self.apart_mm < 0 or not self.languages:
            raise ValueError("slices, dialogues and least pixels are at least 1, and there is a language.")
        if not (0 <= self.far <= 1 and 0 <= self.refusals < 1 and 0 <= self.drawn <= 1):
            raise ValueError("far, refusals and drawn are shares from 0 to 1.")
        if not any(self.rounds.values()) or min(self.shares) < 0 or not sum(self.shares):
            raise ValueError("shares are not negative, and one of them is positive.")
