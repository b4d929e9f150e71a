"""What the published data sets have in common: dialogues about one picture, with the truth of every round."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Region = NDArray[np.bool_]

TARGET = "[SEG]"
"""Stands for the mask in the words of an answer, as the published models write it."""


class Truth(Protocol):
    """The true mask of a round, in a file."""

    @property
    def path(self) -> Path:
        """The file."""

    def read(self) -> Region:
        """(H, W) the pixels inside.

        Raises:
            DatasetError: the file is missing or damaged.
        """


@dataclass(frozen=True)
class Turn:
    """One round.

    Attributes:
        question: without words that only a model needs.
        answer: with `TARGET` where the mask belongs; plain words where the round has none.
        truth: the mask that is asked for; None where a question is answered in words.
        about: numbers, from 1, of the earlier rounds whose masks the question refers to.
        drawn: a mask that the user drew, to which the question refers after those; None for none.
        label: the structure, where the data set says it.
        relation: how it is asked for, where the data set says it.
    """

    question: str
    answer: str
    truth: Truth | None
    about: tuple[int, ...] = ()
    label: str = ""
    relation: str = ""
    drawn: Truth | None = None


@dataclass(frozen=True)
class Dialogue:
    """The rounds about one picture.

    Attributes:
        number: its place in the file, from 0.
        image: the picture's file.
        turns: the rounds in order.
        modality: of the picture, where the data set says it.
    """

    number: int
    image: Path
    turns: tuple[Turn, ...]
    modality: str = ""
