"""What the brain network is asked to minimise."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

from MultiRoundSegLib.engines.reasoner.segmenters.brain.structures import PAIRED, RIGHT

SIDE_WEIGHT = 0.3


def label_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy and soft Dice of the kinds, and cross-entropy of the side.

    Args:
        logits: (B, classes + 1, K, J, I); the last channel is the logit of "right".
        labels: (B, K, J, I) uint8, a kind plus `RIGHT` on the right.
    """
    kinds = (labels & (RIGHT - 1)).long()
    log_probabilities = F.log_softmax(logits[:, :-1], dim=1)
    of_truth = log_probabilities.gather(1, kinds[:, None])[:, 0]
    side = F.binary_cross_entropy_with_logits(logits[:, -1], (labels >= RIGHT).float(), reduction="none")
    paired = torch.from_numpy(PAIRED).to(kinds.device)[kinds]
    side_loss = (side * paired).sum() / paired.sum().clamp(min=1)
    return dice_loss(log_probabilities.exp(), kinds, of_truth.exp()) - of_truth.mean() + SIDE_WEIGHT * side_loss


def dice_loss(probabilities: Tensor, kinds: Tensor, of_truth: Tensor) -> Tensor:
    """1 - soft Dice (Milletari et al., V-Net, 2016), averaged over the structures that are there.

    Args:
        probabilities: (B, classes, K, J, I).
        kinds: (B, K, J, I) indices of the truth.
        of_truth: (B, K, J, I) probability given to the truth.
    """
    classes = probabilities.shape[1]
    overlap = torch.zeros(classes, device=kinds.device).index_add(0, kinds.flatten(), of_truth.flatten())
    truth = torch.bincount(kinds.flatten(), minlength=classes)
    dice = (2 * overlap + 1) / (probabilities.sum(dim=(0, 2, 3, 4)) + truth + 1)
    there = truth[1:] > 0
    return 1 - (dice[1:] * there).sum() / there.sum().clamp(min=1)
