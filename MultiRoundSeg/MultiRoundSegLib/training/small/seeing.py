"""What the seeing parts of a model are asked while they learn from slices with labels.

`Drawing`: the mask encoder tells all structures apart in each pixel, the decoder draws one that it is told by a vector.
`Naming`: the vision tower says which structures lie in each of its patches, and what a crop and its box show. The
layers that give these answers, and the vectors, are left behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.datasets.building.drawn import by_hand
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.pictures import clip_pixels, reference_of, sam_pixels
from MultiRoundSegLib.training.brain.losses import dice_loss
from MultiRoundSegLib.training.mediround.losses import BCE_WEIGHT, mask_terms

from .heads import Slices, structures

_DICE_WEIGHT, _CROP_WEIGHT, _LEAST_PIXELS = 1.0, 0.4, 20
_CLASSES = len(structures()) + 1


@dataclass(frozen=True)
class Asked:
    """How much is asked in a batch.

    Attributes:
        pictures: in which the decoder draws, at most.
        drawn: structures of each of these that it draws.
        crops: structures of each picture whose crops are shown.
    """

    pictures: int = 3
    drawn: int = 2
    crops: int = 4


class Seeing(nn.Module, ABC):
    """Parts of a model and what they are asked; its own parameters are theirs and those of the answers.

    Args:
        model: whose parts they are.
        asked: how much.
    """

    terms: tuple[str, ...]
    """Names of the losses."""

    def __init__(self, model: MediRoundModel, asked: Asked) -> None:
        super().__init__()
        self.asked, self.settings = asked, model.settings

    @abstractmethod
    def forward(self, slices: Slices, rng: np.random.Generator) -> Tensor:
        """(terms,) losses of a batch of slices; rng chooses what is asked."""

    def kernels(self) -> list[nn.Parameter]:
        """Weights that learn by Muon; all others by AdamW."""
        return []


class Drawing(Seeing):
    """The mask encoder and the decoder."""

    terms = ("pixels", "masks")

    def __init__(self, model: MediRoundModel, asked: Asked) -> None:
        super().__init__(model, asked)
        sam = model.settings.sam
        self.visual = model.visual_model
        self.every_pixel = nn.Conv2d(sam.channels, _CLASSES * sam.patch**2, 1)
        self.told = nn.Embedding(_CLASSES, sam.channels)

    def forward(self, slices: Slices, rng: np.random.Generator) -> Tensor:
        """See `Seeing`."""
        sam = self.settings.sam
        squares = torch.stack([sam_pixels(picture, sam.picture)[0] for picture in _coloured(slices)])
        encoded = self.visual.image_encoder(squares)
        logits = F.pixel_shuffle(self.every_pixel(encoded), sam.patch).float()
        return torch.stack([_pixel_loss(logits, _truth(slices)), self._of_masks(encoded, slices.labels, rng)])

    def kernels(self) -> list[nn.Parameter]:
        """Those inside the mask encoder."""
        return [weight for weight in self.visual.image_encoder.blocks.parameters() if weight.ndim > 1]

    def _of_masks(self, encoded: Tensor, labels: NDArray[np.uint8], rng: np.random.Generator) -> Tensor:
        """The loss of masks that the decoder draws in some pictures."""
        terms = []
        for one, truth in zip(encoded[: self.asked.pictures], labels, strict=False):
            shown = _shown(truth, rng, self.asked.drawn)
            if len(shown):
                logits = self.visual.decode(one[None], self.told(torch.from_numpy(shown)))
                terms.append(mask_terms(logits, torch.from_numpy(truth[None] == shown[:, None, None])))
        bce, dice = torch.cat(terms, dim=1).mean(dim=1)
        return BCE_WEIGHT * bce + _DICE_WEIGHT * dice


class Naming(Seeing):
    """The vision tower, the projector and the layer of boxes."""

    terms = ("patches", "crops")

    def __init__(self, model: MediRoundModel, asked: Asked) -> None:
        super().__init__(model, asked)
        width = model.settings.language["hidden_size"]
        self.tower, self.projector, self.boxes = model.vision_tower, model.mm_projector, model.bbox_encoder
        self._picture, self._crop, self._box = model.vision_states, model.crop_embeddings, model.box_embeddings
        self.in_patch = nn.Linear(width, _CLASSES)
        self.shown = nn.Sequential(nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, _CLASSES))

    def forward(self, slices: Slices, rng: np.random.Generator) -> Tensor:
        """See `Seeing`."""
        colour = _coloured(slices)
        small = torch.stack([clip_pixels(picture, self.settings.vision["image_size"]) for picture in colour])
        found = self.in_patch(self.projector(self._picture(small)[:, 1:]))
        wanted = _in_patches(_truth(slices), self.settings.picture_tokens)
        of_patches = F.binary_cross_entropy_with_logits(found, wanted)
        return torch.stack([of_patches, _CROP_WEIGHT * self._of_crops(colour, slices.labels, rng)])

    def _of_crops(
        self, colour: Sequence[NDArray[np.uint8]], labels: NDArray[np.uint8], rng: np.random.Generator
    ) -> Tensor:
        """The loss of naming what crops and boxes show, as a person might draw it."""
        crops, boxes, places = [], [], []
        for picture, truth in zip(colour, labels, strict=True):
            for place in _shown(truth, rng, self.asked.crops):
                crop, box = reference_of(picture, by_hand(truth == place, rng))
                crops.append(clip_pixels(crop, self.settings.vision["image_size"]))
                boxes.append(box)
                places.append(int(place))
        found = self.shown(self._crop(torch.stack(crops)) + self._box(torch.tensor(boxes)))
        return F.cross_entropy(found.float(), torch.tensor(places))


def _coloured(slices: Slices) -> list[NDArray[np.uint8]]:
    return [np.repeat(picture[..., None], 3, axis=-1) for picture in slices.pictures]


def _truth(slices: Slices) -> Tensor:
    """(B, side, side) places in `structures` as losses want them."""
    return torch.from_numpy(slices.labels.astype(np.int64))


def _pixel_loss(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy and Dice of logits (B, classes, H, W) and labels (B, H, W)."""
    known = F.log_softmax(logits, dim=1)
    of_truth = known.gather(1, truth[:, None])
    return dice_loss(known.exp()[:, :, None], truth[:, None], of_truth.exp()) - of_truth.mean()


def _in_patches(labels: Tensor, patches: int) -> Tensor:
    """(B, patches, classes) whether a structure has a pixel in a patch, row by row."""
    across = round(patches**0.5)
    shown = F.one_hot(labels, _CLASSES).permute(0, 3, 1, 2).float()
    return F.adaptive_max_pool2d(shown, across).flatten(2).transpose(1, 2)


def _shown(labels: NDArray[np.uint8], rng: np.random.Generator, most: int) -> NDArray[np.int64]:
    """Some of the structures that can be seen; small ones are as likely as large ones."""
    places, counts = np.unique(labels, return_counts=True)
    seen = places[(places > 0) & (counts >= _LEAST_PIXELS)].astype(np.int64)
    return rng.choice(seen, size=min(most, len(seen)), replace=False) if len(seen) else seen
