"""The small model: its sizes, its tokenizer, and its weights before they have learnt anything."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import sentencepiece
import torch

from MultiRoundSegLib.engines.mediround.checkpoint import save
from MultiRoundSegLib.engines.mediround.convolutional import PATCH
from MultiRoundSegLib.engines.mediround.model import build
from MultiRoundSegLib.engines.mediround.settings import ModelSettings, SamSettings
from MultiRoundSegLib.images.writers.atomic import write_whole

VOCABULARY = 2000
_WIDTH = 192


def small_settings(picture: int = 128) -> ModelSettings:
    """Sizes of the model: some 7 million weights.

    Args:
        picture: side of the square that the mask encoder sees, pixels.
    """
    return ModelSettings(
        language={
            "vocab_size": VOCABULARY,
            "hidden_size": _WIDTH,
            "intermediate_size": 2 * _WIDTH,
            "num_hidden_layers": 4,
            "num_attention_heads": 6,
            "num_key_value_heads": 6,
            "max_position_embeddings": 2048,
            "sliding_window": None,
        },
        vision={
            "hidden_size": 128,
            "intermediate_size": 256,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "image_size": 96,
            "patch_size": 16,
        },
        sam=SamSettings(encoder="convolutional", patch=PATCH, picture=picture, channels=128),
        has_correction=False,
    )


def write_tokenizer(texts: Iterable[str], path: Path) -> None:
    """A sentencepiece model that learns from texts; what it does not know it spells by bytes."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=model,
        model_type="bpe",
        vocab_size=VOCABULARY,
        character_coverage=1.0,
        byte_fallback=True,
        split_digits=True,
        minloglevel=2,
    )
    write_whole(path, model.getvalue())


def begin(folder: Path, tokenizer: Path, seed: int) -> None:
    """Write a model that has learnt nothing."""
    torch.manual_seed(seed)
    settings = small_settings()
    save(folder, settings, tokenizer, build(settings).state_dict())
