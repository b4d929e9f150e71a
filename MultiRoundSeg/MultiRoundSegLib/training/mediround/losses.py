"""What MediRound is asked to minimise, as published: the words, the masks, and in stage 2 the judgment of masks.

Two things are not as published: the judgment's loss is computed in the model's precision instead of bfloat16, and no
mask loss is taken of the masks that stage 2 leaves as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.engines.mediround.model import MediRoundModel, full_size
from MultiRoundSegLib.engines.mediround.text import PICTURE

from .samples import Sample, Seen

BCE_WEIGHT, DICE_WEIGHT, QUALITY_WEIGHT = 2.0, 0.5, 2.0
_DICE_SCALE, _DICE_EPSILON = 1000.0, 1e-6  # as LISA has them (Lai et al., CVPR 2024)


@dataclass(frozen=True)
class Losses:
    """The weighted terms.

    Attributes:
        bce: cross-entropy of the pixels of all masks.
        dice: soft Dice of all masks.
        text: cross-entropy of the words; stage 1.
        quality: cross-entropy of the judgment; stage 2.
    """

    bce: Tensor
    dice: Tensor
    text: Tensor | None = None
    quality: Tensor | None = None

    @property
    def total(self) -> Tensor:
        """Their sum."""
        return self.bce + self.dice + sum(term for term in (self.text, self.quality) if term is not None)


def first_stage(model: MediRoundModel, samples: Sequence[Sample], *, words_only: bool = False) -> Losses:
    """Words and masks of a batch; words count alike, and so do masks, whatever dialogue they are of."""
    words, masks = [], []
    for sample, hidden in zip(samples, hidden_states(model, samples), strict=True):
        words.append(word_terms(model, sample, hidden))
        if not words_only:
            embeddings = mask_embeddings(model, sample, hidden)
            masks.append(mask_terms(mask_logits(model, sample, embeddings), sample.masks.to(hidden.device)))
    text = torch.cat(words).mean()
    bce, dice = torch.cat(masks, dim=1).mean(dim=1) if masks else text.new_zeros(2)
    return Losses(BCE_WEIGHT * bce, DICE_WEIGHT * dice, text=text)


def second_stage(model: MediRoundModel, samples: Sequence[Sample]) -> Losses:
    """Judgment and correction of a batch, from embeddings that do not learn."""
    judged, masks = [], []
    for sample in samples:
        with torch.no_grad():
            embeddings, iou = before_correction(model, sample)
            truth = sample.masks.to(embeddings.device)
        judged.append(F.binary_cross_entropy(model.quality(embeddings).float(), iou, reduction="none"))
        masks.append(mask_terms(mask_logits(model, sample, model.refined(embeddings)), truth))
    bce, dice = torch.cat(masks, dim=1).mean(dim=1)
    return Losses(BCE_WEIGHT * bce, DICE_WEIGHT * dice, quality=QUALITY_WEIGHT * torch.cat(judged).mean())


def before_correction(model: MediRoundModel, sample: Sample) -> tuple[Tensor, Tensor]:
    """Embeddings of the masks, and how good these are."""
    if sample.judged:
        return sample.judged.embeddings.to(model.device), sample.judged.ious.to(model.device)
    embeddings = mask_embeddings(model, sample, hidden_states(model, [sample])[0])
    return embeddings, iou_of(mask_logits(model, sample, embeddings), sample.masks.to(embeddings.device))


@torch.no_grad()
def see(model: MediRoundModel, sample: Sample) -> Seen:
    """What the encoders, which never learn, make of a sample's pixels."""
    picture, square = model.picture_embeddings(sample.picture), model.visual_model.encode(sample.square)
    return Seen(picture, see_crops(model, sample), square)


@torch.no_grad()
def see_crops(model: MediRoundModel, sample: Sample) -> Tensor:
    """(N, width) what they make of its crops."""
    if len(sample.crops):
        return model.crop_embeddings(sample.crops)
    return torch.zeros(0, model.settings.language["hidden_size"], device=model.device, dtype=model.dtype)


def hidden_states(model: MediRoundModel, samples: Sequence[Sample]) -> list[Tensor]:
    """(L, width) states of the tokens of each sample; of the picture's many, the last.

    All are read at once; what a shorter one is filled up with comes after it, so that it does not see it.
    """
    pictures = [_seen_pictures(model, sample) for sample in samples]
    embedded = [
        model.embed(sample.tokens, picture, crops, model.box_embeddings(sample.boxes))
        for sample, (picture, crops) in zip(samples, pictures, strict=True)
    ]
    together = nn.utils.rnn.pad_sequence(embedded, batch_first=True)
    found = model.language.model(inputs_embeds=together, use_cache=False).last_hidden_state
    return [
        _of_tokens(hidden[: len(own)], sample, len(picture))
        for hidden, own, sample, (picture, _) in zip(found, embedded, samples, pictures, strict=True)
    ]


def _of_tokens(hidden: Tensor, sample: Sample, picture: int) -> Tensor:
    """States without those of the picture but for its last."""
    place = sample.tokens.index(PICTURE)
    return torch.cat([hidden[:place], hidden[place + picture - 1 :]])


@torch.no_grad()
def _seen_pictures(model: MediRoundModel, sample: Sample) -> tuple[Tensor, Tensor]:
    """Embeddings of the picture and of the crops; the vision tower and the projector never learn."""
    if sample.seen:
        return sample.seen.picture.to(model.device), sample.seen.crops.to(model.device)
    return model.picture_embeddings(sample.picture), see_crops(model, sample)


def word_terms(model: MediRoundModel, sample: Sample, hidden: Tensor) -> Tensor:
    """(W,) cross-entropy of each token that is asked for, from the states (L, width) of all."""
    targets = torch.tensor(sample.tokens, device=hidden.device)
    asked = sample.supervised.nonzero()[:, 0].to(hidden.device)
    return F.cross_entropy(model.language.lm_head(hidden[asked - 1]).float(), targets[asked], reduction="none")


def mask_terms(logits: Tensor, truth: Tensor) -> Tensor:
    """(2, M) unweighted cross-entropy and Dice loss of masks (M, H, W)."""
    target = truth.to(logits.dtype).flatten(1)
    bce = F.binary_cross_entropy_with_logits(logits.flatten(1), target, reduction="none").mean(dim=1)
    inside = logits.flatten(1).sigmoid() / _DICE_SCALE
    both, either = 2 * (inside * target).sum(dim=1), inside.sum(dim=1) + (target / _DICE_SCALE).sum(dim=1)
    return torch.stack([bce, 1 - (both + _DICE_EPSILON) / (either + _DICE_EPSILON)])


def iou_of(logits: Tensor, truth: Tensor) -> Tensor:
    """(M,) IoU of masks (M, H, W)."""
    found = logits > 0
    both, either = (found & truth).flatten(1).sum(dim=1), (found | truth).flatten(1).sum(dim=1)
    return both / (either + 1e-6)


def mask_embeddings(model: MediRoundModel, sample: Sample, hidden: Tensor) -> Tensor:
    """(M, channels) embeddings that direct the masks: of the state before each token that stands for one."""
    places = (torch.tensor(sample.tokens, device=hidden.device) == model.settings.seg_id).nonzero()[:, 0]
    return model.mask_embedding(hidden[places - 1])


def mask_logits(model: MediRoundModel, sample: Sample, embeddings: Tensor) -> Tensor:
    """(M, H, W) logits on the picture's own pixels."""
    if sample.seen:
        encoded = sample.seen.square.to(model.device, embeddings.dtype)
    else:
        with torch.no_grad():  # the mask encoder never learns
            encoded = model.visual_model.encode(sample.square)
    logits = model.visual_model.decode(encoded, embeddings)
    height, width = sample.masks.shape[1:]
    return full_size(logits, sample.resized, (height, width), model.settings.sam.picture)
