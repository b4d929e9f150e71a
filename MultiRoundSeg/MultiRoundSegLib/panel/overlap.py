"""What happens where a new mask meets earlier segments of its segmentation: the user's choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from MultiRoundSegLib.images import Mask, without


class Overlap(str, Enum):
    """The three choices; only the last one changes earlier segments."""

    ALLOW = "allow"
    PROTECT = "protect"
    OVERWRITE = "overwrite"


@dataclass(frozen=True)
class Settled:
    """New masks and earlier segments after the choice was applied.

    Attributes:
        masks: the new masks, in order; some may have become empty.
        taken: by segment ID, the voxels that an earlier segment loses.
    """

    masks: tuple[Mask, ...]
    taken: dict[str, Mask]


def settle(masks: tuple[Mask, ...], earlier: Mapping[str, Mask], choice: Overlap) -> Settled:
    """Apply the choice to new masks and the earlier segments (by ID) they are written beside."""
    if choice is Overlap.ALLOW:
        return Settled(masks, {})
    if choice is Overlap.PROTECT:
        return Settled(tuple(without(mask, list(earlier.values())) for mask in masks), {})
    taken = {segment_id: _covered(segment, masks) for segment_id, segment in earlier.items()}
    return Settled(masks, {segment_id: mask for segment_id, mask in taken.items() if not mask.is_empty})


def _covered(segment: Mask, masks: tuple[Mask, ...]) -> Mask:
    left = without(segment, masks)
    return without(segment, [left])
