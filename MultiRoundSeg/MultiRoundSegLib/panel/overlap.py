"""What happens where a new mask meets earlier segments of its segmentation: the user's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from MultiRoundSegLib.anatomy import Language
from MultiRoundSegLib.conversation import Answer
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


def say_protected(answer: Answer, masks: Sequence[Mask], language: Language) -> Answer:
    """The answer with what is left of its masks, and in words what was left to protected earlier segments.

    Args:
        answer: as the engine gave it.
        masks: its masks after `settle`, in the same order.
        language: of the question.
    """
    lost_ml = sum(before.volume_ml - after.volume_ml for before, after in zip(answer.masks, masks, strict=True))
    gone = [mask.label for mask in masks if mask.is_empty]
    left = tuple(mask for mask in masks if not mask.is_empty)
    if lost_ml <= 0:
        return replace(answer, masks=tuple(masks))
    all_gone = _ALL_GONE[language].format(names=_AND[language].join(gone))
    if not left:
        return replace(answer, text=all_gone, masks=(), status="none", score=None)
    said = [answer.text, _LEFT_OUT[language].format(volume=_ml(lost_ml)), *([all_gone] if gone else [])]
    return replace(answer, text=" ".join(said), masks=left)


_AND: dict[Language, str] = {"en": " and the ", "zh": "、"}
_ALL_GONE: dict[Language, str] = {
    "en": "All of the {names} belongs to earlier segments, which are protected.",
    "zh": "{names}全部属于先前的分割，这些分割受保护。",
}
_LEFT_OUT: dict[Language, str] = {
    "en": "({volume} ml belong to earlier segments, which are protected.)",
    "zh": "（其中{volume} ml属于先前的分割，这些分割受保护。）",
}


def _ml(volume: float) -> str:
    """With one decimal; below 0.1 ml with as many as two digits need."""
    return f"{volume:.1f}" if volume >= 0.1 else f"{volume:.2g}"


def _covered(segment: Mask, masks: tuple[Mask, ...]) -> Mask:
    left = without(segment, masks)
    return without(segment, [left])
