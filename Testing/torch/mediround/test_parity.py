"""Number by number what the published code computes: tokens, pixels, embeddings, logits, masks, scores, words."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from mediround.tiny import DATA, NAMES, expected, published
from MultiRoundSegLib.engines.mediround.dialogue import PictureDialogue
from MultiRoundSegLib.engines.mediround.model import MediRoundModel, full_size
from MultiRoundSegLib.engines.mediround.pictures import box_of, clip_pixels, crop_of, sam_pixels
from MultiRoundSegLib.engines.mediround.text import Tokenizer, Turn

Tiny = tuple[MediRoundModel, Tokenizer]


def close(ours: torch.Tensor, theirs: np.ndarray, relative: float) -> bool:
    return bool(np.abs(ours.detach().numpy() - theirs).max() <= relative * np.abs(theirs).max())


def prompt(name: str) -> str:
    return "".join(turn.text(is_first=n == 0) for n, turn in enumerate(published(name).turns))


def inputs(name: str, side: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The picture, the crops and the boxes of a dialogue whose references are the truth."""
    one = published(name)
    regions = [region for region in one.references if region is not None]
    crops = torch.stack([clip_pixels(crop_of(one.picture, region), side) for region in regions])
    return clip_pixels(one.picture, side), crops, torch.tensor([box_of(region) for region in regions])


@pytest.mark.parametrize("name", NAMES)
def test_words_and_tokens(tiny: Tiny, name: str) -> None:
    model, tokenizer = tiny
    assert prompt(name).strip() == (DATA / "expected" / f"prompt_{name}.txt").read_text().strip()
    tokens = [tokenizer.bos, *tokenizer.encode(prompt(name))]
    theirs = expected(f"train_forward_stage1_{name}")
    assert tokens == list(theirs["input_ids"][0])
    assert [n for n, token in enumerate(tokens) if token == model.settings.seg_id] == list(theirs["seg_index_0"])
    assert [n for n, token in enumerate(tokens) if token == model.settings.crop_id] == list(theirs["crop_index_0"])
    assert [n for n, token in enumerate(tokens) if token == model.settings.box_id] == list(theirs["box_index_0"])


@pytest.mark.parametrize("name", NAMES)
def test_pixels_and_boxes(name: str) -> None:
    theirs = expected(f"train_forward_stage1_{name}")
    picture, crops, boxes = inputs(name, 336)
    square, resized = sam_pixels(published(name).picture, 1024)
    assert np.abs(picture[:, ::8, ::8].numpy() - theirs["clip_input_s8_0"]).max() < 1e-6
    assert np.abs(crops[:, :, ::8, ::8].numpy() - theirs["crop_input_s8_0"]).max() < 1e-6
    assert np.abs(square[:, ::16, ::16].numpy() - theirs["sam_input_s16_0"]).max() < 1e-6
    assert float(picture.double().sum()) == pytest.approx(float(theirs["clip_input_sum_0"]), abs=1e-3)
    assert float(square.double().sum()) == pytest.approx(float(theirs["sam_input_sum_0"]), abs=1e-1)
    assert resized == tuple(theirs["sam_resized_hw_0"])
    assert np.abs(boxes.numpy() - theirs["box_input_0"]).max() < 1e-7


@torch.inference_mode()
@pytest.mark.parametrize("name", NAMES)
def test_embeddings_hidden_states_and_logits(tiny: Tiny, name: str) -> None:
    model, tokenizer = tiny
    theirs, second = expected(f"train_forward_stage1_{name}"), expected(f"train_forward_stage2_{name}")
    picture, crops, boxes = inputs(name, 336)
    seen, cropped, boxed = model.picture_embeddings(picture), model.crop_embeddings(crops), model.box_embeddings(boxes)
    assert close(seen[::9], theirs["image_token_embeddings_s9"][0], 1e-5)
    assert close(cropped, theirs["crop_token_embeddings"], 1e-5)
    assert close(boxed, theirs["box_token_embeddings"], 1e-5)
    tokens = [tokenizer.bos, *tokenizer.encode(prompt(name))]
    hidden = model.language.model(inputs_embeds=model.embed(tokens, seen, cropped, boxed)[None]).last_hidden_state[0]
    offset = model.settings.picture_tokens - 1
    states = hidden[theirs["seg_index_0"] - 1 + offset]
    assert close(states, theirs["seg_hidden_0"], 1e-4)
    supervised = model.language.lm_head(hidden[theirs["supervised_index_0"] - 1 + offset])
    assert close(supervised, theirs["supervised_logits_0"], 1e-4)
    embeddings = model.mask_embedding(states)
    assert close(embeddings, theirs["seg_embedding_0"], 1e-4)
    assert np.abs(model.quality(embeddings).numpy() - second["score_0"]).max() < 1e-5
    assert close(model.refined(embeddings), second["refined_embedding_0"], 1e-4)
    square, resized = sam_pixels(published(name).picture, 1024)
    logits = model.visual_model.decode(model.visual_model.encode(square), embeddings)
    assert np.abs(logits[:, ::4, ::4].numpy() - theirs["low_res_logits_s4_0"]).max() < 1e-2
    masks = full_size(logits, resized, published(name).picture.shape[:2], 1024) > 0
    assert np.array_equal(masks.numpy(), expected(f"stage1_teacher_{name}")["mask"].astype(bool))


RUNS = {
    "stage1_teacher": (False, False, 0.6),
    "stage1_free": (False, True, 0.6),
    "stage2_teacher": (True, False, 0.6),
    "stage2_free": (True, True, 0.6),
    "stage2_free_thr1": (True, True, 1.0),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("run", RUNS)
def test_masks_scores_and_corrections_of_whole_dialogues(tiny: Tiny, run: str, name: str) -> None:
    model, tokenizer = tiny
    judges, is_free, threshold = RUNS[run]
    theirs, one = expected(f"{run}_{name}"), published(name)
    settings = model.settings
    model.settings = replace(settings, correct_below=threshold)
    try:
        dialogue, regions = PictureDialogue(model, tokenizer, one.picture), []
        for number, turn in enumerate(one.turns):
            about = one.about[number]
            own = [dialogue.reference(regions[about])] if about is not None and is_free else []
            said = dialogue.read(turn, own or one.true_reference(number))
            (drawn,) = dialogue.draw(said.embeddings, judge=judges and one.is_referred_to(number))
            regions.append(drawn.region)
            assert np.count_nonzero(drawn.region != theirs["mask"][number].astype(bool)) == 0
            assert close(said.embeddings[0], theirs["seg_embedding"][number], 1e-4)
            if judges:
                assert bool(theirs["corrected"][number]) == drawn.is_corrected
                assert (drawn.score is None) == bool(np.isnan(theirs["score"][number]))
                assert drawn.score is None or drawn.score == pytest.approx(theirs["score"][number], abs=1e-5)
    finally:
        model.settings = settings


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("number", [0, 1])
def test_words_that_the_model_says_itself(tiny: Tiny, name: str, number: int) -> None:
    theirs = json.loads((DATA / "expected" / "greedy_text.json").read_text())[f"{name}_round_{number}"]
    one, dialogue = published(name), PictureDialogue(*tiny, published(name).picture)
    for earlier in range(number):
        dialogue.read(one.turns[earlier], one.true_reference(earlier))
    said = dialogue.ask(
        one.turns[number].question, one.true_reference(number), most_tokens=40, told=lambda tokens: None
    )
    assert list(said.tokens) == theirs["generated_ids"]
    assert len(said.embeddings) == said.tokens.count(tiny[0].settings.seg_id)


def test_a_round_that_was_undone_leaves_no_trace(tiny: Tiny) -> None:
    one, dialogue = published("a"), PictureDialogue(*tiny, published("a").picture)
    first = dialogue.read(one.turns[0], [])
    dialogue.read(one.turns[3], one.true_reference(3))
    dialogue.undo(1)
    again = dialogue.read(one.turns[1], one.true_reference(1))
    other = PictureDialogue(*tiny, one.picture)
    other.read(one.turns[0], [])
    straight = other.read(one.turns[1], one.true_reference(1))
    assert torch.equal(again.embeddings, straight.embeddings)
    dialogue.undo(0)
    assert len(dialogue) == 0
    assert torch.allclose(dialogue.read(one.turns[0], []).embeddings, first.embeddings, atol=1e-5)


def test_a_wrong_number_of_references_is_refused(tiny: Tiny) -> None:
    one, dialogue = published("a"), PictureDialogue(*tiny, published("a").picture)
    dialogue.read(one.turns[0], [])
    with pytest.raises(ValueError, match="1 references are named, 0 are given"):
        dialogue.read(Turn(one.turns[1].question, "It is [SEG]."), [])
