"""Which weights of a model learn in a stage, and what one batch of them is asked to minimise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from peft import LoraConfig, inject_adapter_in_model
from torch import Tensor, nn

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines.mediround.model import MLP, MediRoundModel
from MultiRoundSegLib.engines.mediround.official import DOWN, LORA_SCALE, UP
from MultiRoundSegLib.engines.mediround.text import Tokenizer

from .losses import Losses, first_stage, second_stage
from .samples import Sample
from .settings import RunSettings
from .validation import scores_of

LOW_RANK = ("q_proj", "v_proj")
"""Layers of the language model that learn by low-rank updates."""
WHOLE = (
    "language.model.embed_tokens.",
    "language.lm_head.",
    "bbox_encoder.",
)
"""What learns in full in stage 1."""
SHOWING = ("visual_model.mask_decoder.", "text_hidden_fcs.")
"""The same, but for those that learn words only."""
CORRECTION = ("mask_quality_MLP.", "refine_MLP.")
"""What learns in stage 2."""
_DOWN, _UP, _BASE = ".lora_A.default.weight", ".lora_B.default.weight", ".base_layer."


class Learner(nn.Module):
    """A model in one stage of training.

    Args:
        model: as it was loaded; it gets low-rank updates in stage 1, and its judgment in stage 2 if it has none.
        settings: of the run.
    """

    def __init__(self, model: MediRoundModel, settings: RunSettings) -> None:
        super().__init__()
        torch.manual_seed(settings.seed)
        if settings.stage == 1 and not settings.whole_language:
            scale = LoraConfig(
                r=settings.rank,
                lora_alpha=int(LORA_SCALE * settings.rank),
                lora_dropout=settings.dropout,
                target_modules=list(LOW_RANK),
            )
            inject_adapter_in_model(scale, model.language)
        elif settings.stage == 2 and not hasattr(model, "refine_MLP"):
            channels = model.settings.sam.channels
            model.mask_quality_MLP, model.refine_MLP = MLP(channels, 1), MLP(channels, channels)
            if settings.adds_correction:
                nn.init.zeros_(model.refine_MLP.fc3.weight)
                nn.init.zeros_(model.refine_MLP.fc3.bias)
        wanted = learning_parts(settings)
        for name, weight in model.named_parameters():
            weight.requires_grad_(any(part in name for part in wanted))
        if settings.gradient_checkpointing and settings.stage == 1:
            model.language.gradient_checkpointing_enable({"use_reentrant": False})
        self.model = model
        self.stage, self._words_only = settings.stage, settings.words_only

    def train(self, mode: bool = True) -> Learner:
        """In stage 2 the model does not learn, so nothing of it is dropped."""
        super().train(mode and self.stage == 1)
        return self

    def forward(self, samples: Sequence[Sample], words: int, masks: int) -> tuple[Tensor, Tensor]:
        """The share of a batch in the loss of a step, and its terms (words, BCE, Dice, quality).

        Args:
            samples: the batch.
            words: that are asked for in the whole step, by all processes.
            masks: the same of masks.
        """
        losses = self._losses(samples)
        of_words = sum(words_in(sample) for sample in samples) / max(1, words)
        of_masks = sum(len(sample.masks) for sample in samples) / max(1, masks)
        nothing = losses.bce.new_zeros(())
        text = nothing if losses.text is None else losses.text * of_words
        quality = nothing if losses.quality is None else losses.quality * of_masks
        terms = torch.stack([text, losses.bce * of_masks, losses.dice * of_masks, quality])
        return terms.sum(), terms.detach()

    def scores(self, tokenizer: Tokenizer, dialogues: Sequence[Dialogue]) -> dict[str, float]:
        """Of dialogues that it holds by itself; see `validation.scores_of`."""
        return scores_of(self.model, tokenizer, dialogues)

    def _losses(self, samples: Sequence[Sample]) -> Losses:
        if self.stage == 2:
            return second_stage(self.model, samples)
        return first_stage(self.model, samples, words_only=self._words_only)


def learning_parts(settings: RunSettings) -> tuple[str, ...]:
    """Parts of the names of the weights that learn."""
    if settings.stage == 2:
        return CORRECTION
    language = "language.model." if settings.whole_language else ".lora_"
    return (*WHOLE, language, *(() if settings.words_only else SHOWING))


TERMS = ("text", "bce", "dice", "quality")
"""What `Learner` gives the parts of."""


def words_in(sample: Sample) -> int:
    """How many tokens of a dialogue are asked for."""
    return int(sample.supervised.sum())


def trained_weights(learner: Learner) -> dict[str, Tensor]:
    """The weights that learn, by name."""
    return {name: weight for name, weight in learner.named_parameters() if weight.requires_grad}


def plain_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """All weights of a model under our own names, without low-rank updates."""
    return {name.replace(_BASE, "."): tensor for name, tensor in weights.items() if ".lora_" not in name}


def updates_of(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The low-rank updates among them as a checkpoint holds them: `LAYER.lora_A` (down), `LAYER.lora_B` (up)."""
    return {name.replace(_DOWN, DOWN).replace(_UP, UP): tensor for name, tensor in weights.items() if ".lora_" in name}
