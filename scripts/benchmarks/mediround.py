"""How much faster a session of the engine `mediround` is than the published schedule, on a processor.

Both hold the same dialogues with the same model (the tiny one of the tests) in one run and one process, by turns, and
must make the same masks. The published schedule, built from our own parts with Segment Anything's layers as the package
has them: for every round picture, crops and the whole dialogue are encoded anew, all masks are decoded and one is kept.
The session encodes the picture once, extends the language model's cache, and decodes one mask a round.
"""

from __future__ import annotations

import copy
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from segment_anything.modeling.image_encoder import Attention as PatchAttention
from segment_anything.modeling.transformer import Attention as TokenAttention

from MultiRoundSegLib.datasets import Dialogue, read_dialogues
from MultiRoundSegLib.datasets.rgb import read_rgb
from MultiRoundSegLib.engines.mediround.engine import MediRoundEngine
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.pictures import clip_pixels, reference_of
from MultiRoundSegLib.engines.mediround.session import Manner
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.evaluation.asking import Rules, hold
from MultiRoundSegLib.training.mediround.losses import hidden_states, mask_embeddings, mask_logits
from MultiRoundSegLib.training.mediround.samples import sample_of

from .process import verdict

TESTING = Path(__file__).parents[2] / "Testing"
LEAST = 8.0
REPETITIONS = 3


def run() -> bool:
    """Measure, print, and say whether the limit holds."""
    torch.set_num_threads(1)
    sys.path.append(str(TESTING / "torch"))
    from mediround.tiny import DATA, load_tiny

    with tempfile.TemporaryDirectory() as folder:
        model, tokenizer = load_tiny(Path(folder))
    plain = as_packaged(model)
    dialogues = read_dialogues("mr-medseg", DATA / "conversations.json", DATA / "data")
    ratios = []
    for _ in range(REPETITIONS):
        ours, found = timed(by_session, model, tokenizer, dialogues)
        theirs, wanted = timed(as_published, plain, tokenizer, dialogues)
        if not all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True)):
            raise RuntimeError("The two ways made different masks, so their times say nothing.")
        ratios.append(theirs / ours)
        print(f"    {len(found)} rounds: session {ours:.2f} s, published schedule {theirs:.2f} s")
    ratio = float(np.median(ratios))
    print(f"times faster  {ratio:.2f}  {verdict(ratio, LEAST, is_least=True)}")
    return ratio >= LEAST


def as_packaged(model: MediRoundModel) -> MediRoundModel:
    """The same model with the attention layers of the package segment-anything in place of ours."""
    plain = copy.deepcopy(model)
    for module in list(plain.visual_model.modules()):
        for name, layer in list(module.named_children()):
            kind = next((kind for kind in (TokenAttention, PatchAttention) if isinstance(layer, kind)), None)
            if kind is not None and type(layer) is not kind:
                packaged = copy.copy(layer)
                packaged.__class__ = kind
                setattr(module, name, packaged)
    return plain


def timed(way, model: MediRoundModel, tokenizer: Tokenizer, dialogues: list[Dialogue]):  # type: ignore[no-untyped-def]
    """Seconds of holding all dialogues in one way, and the masks of their rounds."""
    started = time.perf_counter()
    masks = [mask for dialogue in dialogues for mask in way(model, tokenizer, dialogue)]
    return time.perf_counter() - started, masks


def by_session(model: MediRoundModel, tokenizer: Tokenizer, dialogue: Dialogue) -> list[np.ndarray]:
    """As the product does it."""
    engine = MediRoundEngine(model, tokenizer, Manner())
    return [region for _, region in hold(engine, dialogue, Rules()) if region is not None]


@torch.inference_mode()
def as_published(model: MediRoundModel, tokenizer: Tokenizer, dialogue: Dialogue) -> list[np.ndarray]:
    """One forward pass over everything for each round; references become predictions as soon as there are any."""
    sample = sample_of(dialogue, tokenizer, model.settings)
    picture, places = read_rgb(dialogue.image), [number for turn in dialogue.turns for number in turn.about]
    crops, boxes, masks = sample.crops.clone(), sample.boxes.clone(), []
    for number in range(1, len(dialogue.turns) + 1):
        sample = replace(sample, crops=crops, boxes=boxes)
        embeddings = mask_embeddings(model, sample, hidden_states(model, [sample])[0])
        if number in places and model.quality(embeddings[number - 1]) <= model.settings.correct_below:
            embeddings[number - 1] = model.refined(embeddings[number - 1])
        region = (mask_logits(model, sample, embeddings)[number - 1] > 0).numpy()
        masks.append(region)
        crop, box = reference_of(picture, region)
        for place in [place for place, about in enumerate(places) if about == number]:
            crops[place] = clip_pixels(crop, model.settings.vision["image_size"])
            boxes[place] = torch.tensor(box)
    return masks
