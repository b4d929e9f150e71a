"""From the words of a round to tokens, as the model was trained with them.

The published model uses the slow tokenizer in its old manner: the text is cut at the special words, and each
piece is encoded by itself, so that each begins with a token for the space before it. Newer tokenizers give other
tokens (measured), so sentencepiece is used itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .settings import BOX, CROP, IMAGE, SEG

PICTURE = -200
"""Stands in the tokens for the whole picture, whose embeddings come from the vision tower."""
_NUMBERED = re.compile(r"\[\d+(?:\.\d+)?\]")
_ADDED = (SEG, BOX, CROP)


class Tokenizer:
    """A sentencepiece model and the three words of ours."""

    def __init__(self, model: Path) -> None:
        """Read a tokenizer.model."""
        import sentencepiece

        self._pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
        self.bos, self.eos, self.unk = self._pieces.bos_id(), self._pieces.eos_id(), self._pieces.unk_id()
        self._ids = {word: self._pieces.get_piece_size() + n for n, word in enumerate(_ADDED)}
        self._ids |= {"<s>": self.bos, "</s>": self.eos, "<unk>": self.unk}
        self._words = re.compile("(" + "|".join(map(re.escape, self._ids)) + ")")

    def encode(self, text: str) -> list[int]:
        """Tokens of a text, without one for its beginning; `IMAGE` becomes `PICTURE`."""
        tokens: list[int] = []
        for number, part in enumerate(text.split(IMAGE)):
            if number:
                tokens.append(PICTURE)
            for piece in self._words.split(part):
                if piece in self._ids:
                    tokens.append(self._ids[piece])
                elif piece:
                    tokens += self._pieces.encode(piece)
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens; words of ours and of the model stay as they are written."""
        words = {token: word for word, token in self._ids.items()}
        parts: list[str] = []
        plain: list[int] = []
        for token in tokens:
            if token in words:
                parts += [self._pieces.decode(plain), words[token]]
                plain = []
            elif token != PICTURE:
                plain.append(int(token))
        return "".join([*parts, self._pieces.decode(plain)])


def unnumbered(words: str) -> str:
    """A question without the numbers of masks, such as "[2]", in place of which their crops and boxes stand."""
    return _NUMBERED.sub("this region", words)


def asked(words: str, references: int, *, is_first: bool) -> str:
    """A question as published data writes it: a space follows the picture and the references, where there are any."""
    return f"{(CROP + BOX) * references} {words}" if references or is_first else words


@dataclass(frozen=True)
class Turn:
    """What is said in one round.

    Attributes:
        question: with `CROP` and `BOX` for each mask it refers to.
        answer: with `SEG` for each mask; None where it is not said yet.
    """

    question: str
    answer: str | None = None

    def text(self, *, is_first: bool) -> str:
        """The round as the model reads it."""
        picture = f"{IMAGE}\n" if is_first else ""
        asked = f"[INST] {picture}{self.question} [/INST]"
        return asked if self.answer is None else f"{asked} {self.answer} </s>"
