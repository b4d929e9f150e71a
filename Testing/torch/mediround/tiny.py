"""The tiny model and its dialogues, as the published code saw them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from MultiRoundSegLib.engines.mediround.checkpoint import empty, load, save
from MultiRoundSegLib.engines.mediround.conversion import gathered, read_settings, read_tensors
from MultiRoundSegLib.engines.mediround.dialogue import Reference
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.official import translated
from MultiRoundSegLib.engines.mediround.pictures import box_of, crop_of
from MultiRoundSegLib.engines.mediround.settings import BOX, CROP, SEG, ModelSettings, SamSettings
from MultiRoundSegLib.engines.mediround.text import Tokenizer, Turn
from MultiRoundSegLib.training.mediround.settings import RunSettings

DATA = Path(__file__).parents[2] / "data" / "mediround_tiny"
NAMES = ("a", "b")
QUICK = RunSettings(steps=6, batch=1, accumulate=1, rate=1e-3, warmup=2, save_every=2, rank=4)
"""A run of training of a few seconds."""
SAM = SamSettings(width=32, depth=2, heads=2, global_blocks=(1,))


def published_folders(folder: Path) -> tuple[Path, Path]:
    """Folders as LLaVA-Med and CLIP have them, without weights."""
    llava, clip = folder / "llava", folder / "clip"
    for place, config in ((llava, "llava_config.json"), (clip, "clip_config.json")):
        place.mkdir(parents=True, exist_ok=True)
        (place / "config.json").write_bytes((DATA / "config" / config).read_bytes())
    (llava / "tokenizer.model").write_bytes((DATA / "config" / "tokenizer.model").read_bytes())
    return llava, clip


def make_checkpoint(folder: Path) -> Path:
    """The tiny stage-2 model in our folder format."""
    llava, clip = published_folders(folder)
    settings: ModelSettings = read_settings(llava, clip, sam=SAM, has_correction=True)
    trained = translated({name: tensor.float() for name, tensor in read_tensors(DATA / "weights").items()})
    wanted = empty(settings).state_dict()
    tensors = gathered(settings, language={}, vision={}, sam={}, trained=trained, wanted=wanted)
    save(folder / "tiny", settings, llava / "tokenizer.model", tensors)
    return folder / "tiny"


def lora_tensors() -> dict[str, torch.Tensor]:
    """The low-rank updates under their published names."""
    return {name: tensor.float() for name, tensor in read_tensors(DATA / "weights").items() if ".lora_" in name}


def load_tiny(folder: Path) -> tuple[MediRoundModel, Tokenizer]:
    return load(make_checkpoint(folder))


@dataclass(frozen=True)
class Published:
    """A dialogue of the fixture.

    Attributes:
        picture: (H, W, 3) RGB.
        turns: rounds in words.
        about: which earlier round each refers to.
        truth: (H, W) masks of the references, by round.
    """

    picture: np.ndarray
    turns: list[Turn]
    about: list[int | None]
    references: list[np.ndarray | None]

    def true_reference(self, round_number: int) -> list[Reference]:
        region = self.references[round_number]
        return [] if region is None else [(crop_of(self.picture, region), box_of(region))]

    def is_referred_to(self, round_number: int) -> bool:
        return round_number in self.about


@cache
def published(name: str) -> Published:
    conversation = json.loads((DATA / "conversations.json").read_text())[NAMES.index(name)]["conversations"]
    picture, turns, about, references = None, [], [], []
    for asked, answered in zip(conversation[::2], conversation[1::2], strict=True):
        words = asked["value"]
        shown = re.search(r"\[IMAGE256:(.*?)\]", words)
        if shown:
            picture = np.asarray(Image.open(DATA / "data" / shown[1]).convert("RGB"))
            words = words.replace(shown[0], "")
        region = re.search(r"\[MASK-ENCODE:(.*?)\]", words)
        references.append(np.asarray(Image.open(DATA / "data" / region[1])) > 0 if region else None)
        words = re.sub(r"\[BOX-ENCODE:.*?\]", BOX, re.sub(r"\[MASK-ENCODE:.*?\]", CROP, words))
        answer = re.sub(r"\[MASK-DECODE:.*?\]", SEG, re.sub(r"\[REF-DECODE:.*?\]", "", answered["value"]))
        turns.append(Turn(words, answer))
        about.append(asked.get("ind"))
    assert picture is not None
    return Published(picture, turns, about, references)


def expected(name: str) -> np.lib.npyio.NpzFile:
    return np.load(DATA / "expected" / f"{name}.npz")
