"""References as the model will meet them: made from its own masks instead of the true ones.

In training every reference is true; in use it is what the model showed before, with its faults. A share of the
dialogues can be learnt from with crops and boxes of the masks that the model makes at that moment, in one pass from the
true references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.datasets.rgb import read_rgb
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.pictures import clip_pixels, reference_of

from .losses import hidden_states, mask_embeddings, mask_logits, see_crops
from .samples import Sample


@torch.no_grad()
def with_own_references(model: MediRoundModel, sample: Sample, dialogue: Dialogue) -> Sample:
    """A sample whose references are the model's own masks of the rounds that they are of.

    Args:
        model: as it is now.
        sample: of the dialogue, with true references.
        dialogue: whose questions say what they refer to; what a user drew stays as it is.
    """
    places = _places_of_references(dialogue)
    rows = [row for row, place in enumerate(places) if place is not None]
    if not rows:
        return sample
    was_learning = model.training
    model.eval()
    logits = mask_logits(model, sample, mask_embeddings(model, sample, hidden_states(model, [sample])[0]))
    regions = (logits > 0).cpu().numpy()
    picture = read_rgb(dialogue.image)
    made = [reference_of(picture, regions[place]) for place in places if place is not None]
    side = model.settings.vision["image_size"]
    crops = torch.stack([clip_pixels(crop, side) for crop, _ in made])
    boxes = torch.tensor(np.asarray([box for _, box in made], np.float32))
    own = replace(sample, boxes=_with_rows(sample.boxes, rows, boxes))
    if sample.seen:
        seen = _with_rows(sample.seen.crops, rows, see_crops(model, replace(sample, crops=crops)))
        own = replace(own, seen=replace(sample.seen, crops=seen))
    else:
        own = replace(own, crops=_with_rows(sample.crops, rows, crops))
    model.train(was_learning)
    return own


def _with_rows(tensor: Tensor, rows: Sequence[int], new: Tensor) -> Tensor:
    changed = tensor.clone()
    changed[list(rows)] = new.to(tensor.device, tensor.dtype)
    return changed


def _places_of_references(dialogue: Dialogue) -> Sequence[int | None]:
    """For each reference of a dialogue the place of its mask among those of the rounds that have one; None if drawn."""
    masks = [number for number, turn in enumerate(dialogue.turns, start=1) if turn.truth]
    places: list[int | None] = []
    for turn in dialogue.turns:
        places += [masks.index(number) for number in turn.about]
        places += [None] * (turn.drawn is not None)
    return places
