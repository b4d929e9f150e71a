"""The engine `mediround` and how it is made."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import torch

from MultiRoundSegLib import __version__
from MultiRoundSegLib.engines.engine import EngineInfo
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Volume

from .checkpoint import SETTINGS, UPDATES, WEIGHTS, load
from .model import MediRoundModel
from .official import CheckpointError
from .quantised import quantise
from .session import Manner, MediRoundSession
from .text import Tokenizer

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class MediRoundEngine:
    """A MediRound model."""

    def __init__(self, model: MediRoundModel, tokenizer: Tokenizer, manner: Manner, weights: str | None = None) -> None:
        """Answer by this model.

        Args:
            model: ready to answer.
            tokenizer: of its language model.
            manner: how it is let to answer.
            weights: SHA-256 of its files.
        """
        self.info = EngineInfo("mediround", __version__, "MediRound", weights)
        self._model, self._tokenizer, self._manner = model, tokenizer, manner

    def open(self, volume: Volume) -> MediRoundSession:
        """Take in a volume; a slice is encoded when it is first asked about."""
        return MediRoundSession(self.info, self._model, self._tokenizer, self._manner, volume)


def create(
    *,
    checkpoint: str,
    device: str = "",
    dtype: str = "",
    bits: str | int = "",
    correct_below: str | float = "",
    most_tokens: str | int = 128,
    most_references: str | int = 1,
    wants_mask: str | bool = False,
    verify: str | bool = False,
) -> MediRoundEngine:
    """The model of a folder that `scripts/convert_checkpoint.py` made.

    Args:
        checkpoint: the folder.
        device: such as "cuda", "mps", "cpu"; by default the best there is.
        dtype: "float32", "bfloat16" or "float16"; by default float32 on a processor, bfloat16 elsewhere.
        bits: "4" or "8" to keep the language model's weights in so many bits (bitsandbytes); by default those of dtype.
        correct_below: quality at or below which a mask is corrected, 0 to 1; by default the model's own.
        most_tokens: where an answer is cut off.
        most_references: masks that one question may refer to.
        wants_mask: "yes" to force a mask where the model gives none.
        verify: "yes" to hide masks whose logits look like those of something absent, and to say the evidence.

    Raises:
        EngineUnavailableError: a setting is none that is known, or the weights do not fit.
        WeightsMissingError: the folder holds no model.
    """
    folder, device = Path(checkpoint), device or _best_device()
    dtype = dtype or ("float32" if device == "cpu" else "bfloat16")
    if dtype not in _DTYPES:
        raise EngineUnavailableError(f"There is no dtype {dtype!r}; choose of: {', '.join(_DTYPES)}.")
    try:
        model, tokenizer = load(folder, "cpu" if bits else device, _DTYPES[dtype])
        if bits:
            model = quantise(model, int(bits)).to(device)
        if correct_below != "":
            model.settings = replace(model.settings, correct_below=float(correct_below))
        manner = Manner(int(most_tokens), int(most_references), _is_yes(wants_mask), _is_yes(verify))
    except ImportError as error:
        raise EngineUnavailableError(f"For {bits} bits the engine needs the package {error.name}.") from error
    except (CheckpointError, ValueError) as error:
        raise EngineUnavailableError(f"The MediRound model cannot be used: {error}.") from error
    return MediRoundEngine(model, tokenizer, manner, _digest(folder))


def _is_yes(value: str | bool) -> bool:
    return value in (True, "yes", "true", "1")


def _best_device() -> str:
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _digest(folder: Path) -> str:
    """SHA-256 over settings and weights."""
    sha = hashlib.sha256()
    files = [folder / SETTINGS, *sorted(folder.glob(WEIGHTS)), folder / UPDATES]
    for file in filter(Path.is_file, files):
        with file.open("rb") as stream:
            while piece := stream.read(2**22):
                sha.update(piece)
    return sha.hexdigest()
