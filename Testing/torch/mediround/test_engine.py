"""The engine over the tiny model: the contract, references, undo, hand corrections, settings, converted folders."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_contract import EngineContract, Told
from safetensors.torch import load_file, save_file
from segment_anything import build_sam_vit_b
from transformers import CLIPVisionConfig, CLIPVisionModel, MistralConfig, MistralForCausalLM

from mediround.tiny import DATA, SAM, make_checkpoint, published, published_folders
from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.datasets import read_dialogues
from MultiRoundSegLib.engines import Engine, create_engine
from MultiRoundSegLib.engines.mediround.checkpoint import empty, load
from MultiRoundSegLib.engines.mediround.conversion import gathered, read_settings, read_tensors
from MultiRoundSegLib.engines.mediround.engine import MediRoundEngine
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.official import CheckpointError, shapes, translated, verify
from MultiRoundSegLib.engines.mediround.session import Manner, readable
from MultiRoundSegLib.engines.mediround.settings import ModelSettings, SamSettings
from MultiRoundSegLib.engines.mediround.text import Tokenizer
from MultiRoundSegLib.engines.mediround.verification import Evidence, evidence_in
from MultiRoundSegLib.errors import CancelledError, EngineError, EngineUnavailableError, WeightsMissingError
from MultiRoundSegLib.evaluation.asking import Rules, hold
from MultiRoundSegLib.images import Geometry, Mask, SliceView, Volume
from MultiRoundSegLib.images.combine import dice

ROOT = Path(__file__).parents[3]
FIRST = published("a").turns[0].question.strip()
SECOND = "Segment the tall bright organ to the right of this region."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture(scope="module")
def engine(folder: Path) -> Engine:
    return create_engine("mediround", checkpoint=str(folder), device="cpu", most_tokens="24")


def picture_volume() -> Volume:
    """The picture of the first dialogue, as a colour image of one slice."""
    picture = published("a").picture
    matrix = np.diag([-1.0, -1.0, 1.0, 1.0])
    return Volume(picture[None].copy(), Geometry((1, *picture.shape[:2]), matrix), "OT", name="phantom")


class TestContract(EngineContract):
    answerable = Question(FIRST, SliceView("axial", 0))
    unanswerable = Question("nothing", SliceView("axial", 0))

    @pytest.fixture
    def engine(self, engine: Engine) -> Engine:
        return engine

    @pytest.fixture
    def volume(self) -> Volume:
        return picture_volume()

    @pytest.fixture
    def history(self, volume: Volume) -> Conversation:
        return Conversation(volume.geometry)

    def test_what_is_not_there_is_said_and_never_painted(self) -> None:
        """The tiny model paints whatever it is asked; see the option that verifies."""


def dialogue(engine: Engine) -> tuple[Conversation, object]:
    volume = picture_volume()
    return Conversation(volume.geometry), engine.open(volume)


def ask(session, history: Conversation, text: str, *references: Reference):
    question = Question(text, SliceView("axial", 0), references)
    return history.record(question, session.answer(question, history, progress=Told())).answer


def test_a_dialogue_makes_the_published_masks(engine: Engine) -> None:
    history, session = dialogue(engine)
    theirs = np.load(DATA / "expected" / "stage2_free_a.npz")["mask"].astype(bool)
    first = ask(session, history, FIRST)
    assert np.array_equal(first.masks[0].voxels[0], theirs[0])
    assert 0 <= first.score <= 1
    second = ask(session, history, SECOND, Reference(1))
    assert np.array_equal(second.masks[0].voxels[0], theirs[1])
    assert second.used == (Reference(1),)
    assert "[SEG]" not in second.text


def test_a_session_that_was_opened_anew_goes_on_the_same_way(engine: Engine) -> None:
    history, session = dialogue(engine)
    ask(session, history, FIRST)
    there = ask(session, history, SECOND, Reference(1))
    shorter = Conversation(history.geometry)
    shorter.restore(history.rounds[0])
    fresh = engine.open(picture_volume())
    again = ask(fresh, shorter, SECOND, Reference(1))
    assert dice(again.masks[0], there.masks[0]) > 0.8  # its answers are known by their text only


def test_undone_and_asked_again_is_as_never_asked(engine: Engine) -> None:
    history, session = dialogue(engine)
    ask(session, history, FIRST)
    straight = ask(session, history, SECOND, Reference(1))
    history.truncate(2)
    ask(session, history, "Segment the wide flat structure below this region.", Reference(1))
    history.truncate(2)
    assert ask(session, history, SECOND, Reference(1)).masks == straight.masks


def test_a_reference_that_was_corrected_by_hand_is_read_as_it_is_now(engine: Engine) -> None:
    history, session = dialogue(engine)
    first = ask(session, history, FIRST)
    before = ask(session, history, SECOND, Reference(1))
    history.truncate(2)
    edited = np.zeros_like(first.masks[0].voxels)
    edited[0, :40, :40] = True
    history.replace_mask(Reference(1), Mask(edited, history.geometry, "mine"))
    after = ask(session, history, SECOND, Reference(1))
    fresh_history = Conversation(history.geometry)
    fresh_history.restore(history.rounds[0])
    fresh_history.replace_mask(Reference(1), history.latest(Reference(1)))
    assert after.masks != before.masks
    assert after.used == (Reference(1),)


def test_more_references_than_the_model_knows_are_refused(engine: Engine) -> None:
    history, session = dialogue(engine)
    ask(session, history, FIRST)
    ask(session, history, SECOND, Reference(1))
    with pytest.raises(EngineError, match="understands 1 reference"):
        ask(session, history, SECOND, Reference(1), Reference(2))


def test_numbers_in_the_words_are_references(engine: Engine) -> None:
    history, session = dialogue(engine)
    ask(session, history, FIRST)
    answer = ask(session, history, "Segment the tall bright organ to the right of [1].")
    assert answer.used == (Reference(1),)


def test_slices_are_dialogues_of_their_own(engine: Engine) -> None:
    picture = published("a").picture[..., 0]
    voxels = np.stack([picture, picture[::-1], picture]).astype(np.int16)
    volume = Volume(voxels, Geometry(voxels.shape, np.diag([-1.0, -1.0, 2.0, 1.0])), "MR")
    session, history = engine.open(volume), Conversation(volume.geometry)
    for index in (0, 1):
        question = Question(FIRST, SliceView("axial", index))
        answer = session.answer(question, history, progress=Told())
        history.record(question, answer)
        for mask in answer.masks:
            assert mask.voxels.any(axis=(1, 2)).tolist() == [n == index for n in range(3)]


def test_readable_answers() -> None:
    assert readable("The segmentation output is [SEG]. </s>") == "The segmentation output is."
    assert readable(" [SEG]. </s>") == ""
    assert readable("<p> liver </p> [SEG] and <p> spleen </p> [SEG].") == "liver and spleen."


def test_a_folder_without_a_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissingError, match="holds no MediRound model"):
        create_engine("mediround", checkpoint=str(tmp_path))


def test_weights_that_do_not_fit_are_named(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (file,) = broken.glob("model*.safetensors")
    tensors = load_file(file)
    del tensors["bbox_encoder.bias"]
    tensors["mm_projector.0.bias"] = torch.zeros(3)
    tensors["nonsense"] = torch.zeros(1)
    save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(EngineUnavailableError) as refusal:
        create_engine("mediround", checkpoint=str(broken), device="cpu")
    for words in ("missing: bbox_encoder.bias", "not of this model: nonsense", "of another shape: mm_projector.0.bias"):
        assert words in str(refusal.value)


@pytest.mark.parametrize("form", ["safetensors", "bin", "peft 0.6", "kept"])
def test_a_trained_result_is_converted_whatever_its_names(folder: Path, tmp_path: Path, form: str) -> None:
    llava, clip = published_folders(tmp_path)
    trained = tmp_path / "trained"
    trained.mkdir()
    tensors = {name: tensor.float() for name, tensor in read_tensors(DATA / "weights").items()}
    if form == "peft 0.6":
        for name in [name for name in tensors if ".lora_A." in name]:
            layer = name.removesuffix(".lora_A.default.weight")
            tensors[f"{layer}.base_layer.weight"] = tensors.pop(f"{layer}.weight")
    if form == "bin":
        torch.save(tensors, trained / "pytorch_model.bin")
    else:
        save_file(tensors, trained / "model.safetensors")
    (tmp_path / "sam.json").write_text(json.dumps(asdict(SAM)))
    options = {"llava": llava, "clip": clip, "trained": trained, "sam-settings": tmp_path / "sam.json"}
    command = [sys.executable, str(ROOT / "scripts" / "convert_checkpoint.py"), "--out", str(tmp_path / "out")]
    command += [word for name, path in options.items() for word in (f"--{name}", str(path))]
    command += ["--keep-lora"] if form == "kept" else []
    environment = os.environ | {"PYTHONPATH": str(ROOT / "MultiRoundSeg")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "with judgment and correction" in done.stdout
    assert (tmp_path / "out" / "lora.safetensors").exists() == (form == "kept")
    ours, theirs = load(tmp_path / "out")[0].state_dict(), load(folder)[0].state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_low_rank_updates_are_merged_exactly() -> None:
    tensors = load_file(DATA / "weights" / "stage1_peft.safetensors")
    name = "base_model.model.model.layers.0.self_attn.q_proj"
    merged = translated({key: tensor.float() for key, tensor in tensors.items()})
    up, down = tensors[f"{name}.lora_B.default.weight"].float(), tensors[f"{name}.lora_A.default.weight"].float()
    wanted = tensors[f"{name}.weight"].float() + 2 * up @ down
    assert torch.allclose(merged["language.model.layers.0.self_attn.q_proj.weight"], wanted, atol=1e-7)


def test_unknown_and_half_tensors_are_errors() -> None:
    with pytest.raises(CheckpointError, match="unknown tensor"):
        translated({"base_model.model.something.weight": torch.zeros(1)})
    with pytest.raises(CheckpointError, match="not whole"):
        translated({"model.layers.0.self_attn.q_proj.lora_A.default.weight": torch.zeros(8, 4)})


def test_the_real_sizes_have_the_published_names_and_shapes() -> None:
    """The published models, built by their own packages without memory, are all that a model of ours needs."""
    language = {
        "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 32768, "rope_theta": 1e6,
        "rms_norm_eps": 1e-5, "sliding_window": None,
    }  # fmt: skip
    vision = {
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
        "image_size": 336, "patch_size": 14, "projection_dim": 768,
    }  # fmt: skip
    settings = ModelSettings(language, vision)
    wanted = empty(settings).state_dict()
    with torch.device("meta"):
        mistral = MistralForCausalLM(MistralConfig(**language)).state_dict()
        projector = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 4096))
        llava = mistral | {f"model.mm_projector.{name}": t for name, t in projector.state_dict().items()}
        clip = {
            f"vision_model.{name}": t for name, t in CLIPVisionModel(CLIPVisionConfig(**vision)).state_dict().items()
        }
        sam = build_sam_vit_b().state_dict()
    ours = ("text_hidden_fcs", "bbox_encoder", "mask_quality_MLP", "refine_MLP")
    trained = {name: tensor for name, tensor in wanted.items() if name.startswith(ours)}
    found = gathered(settings, language=llava, vision=clip, sam=sam, trained=trained, wanted=wanted)
    verify(shapes(found), shapes(wanted))
    assert len(found) == len(llava) + len(clip) + len(sam) + len(trained)
    assert found["language.model.embed_tokens.weight"].shape == (32003, 4096)
    assert settings.picture_tokens == 576
    assert 7.0e9 < sum(tensor.numel() for tensor in found.values()) < 8.0e9


@pytest.mark.parametrize("block", [0, 1, 3, 4, 6])
def test_a_round_can_be_cancelled_within_the_encoders_and_leaves_no_trace(folder: Path, block: int) -> None:
    """Of the blocks of the vision tower, the language model and the mask encoder, before any of them."""
    engine = create_engine("mediround", checkpoint=str(folder), device="cpu", most_tokens="24")
    history, question = Conversation(picture_volume().geometry), Question(FIRST)
    session, told = engine.open(picture_volume()), []

    def progress(fraction: float, message: str) -> None:
        told.append((fraction, message))
        if told.count((0.0, "reading the question")) == block + 2 or (message == "drawing" and block == 6):
            raise CancelledError("Cancelled.")

    with pytest.raises(CancelledError):
        session.answer(question, history, progress=progress)
    undisturbed = engine.open(picture_volume()).answer(question, history, progress=Told())
    answer = session.answer(question, history, progress=Told())
    assert answer.text == undisturbed.text
    assert [mask.digest() for mask in answer.masks] == [mask.digest() for mask in undisturbed.masks]


def counted(model: MediRoundModel, calls: dict[str, int]) -> None:
    """Count how often each part computes."""
    parts = {
        "SAM": model.visual_model.image_encoder,
        "CLIP": model.vision_tower,
        "decoder": model.visual_model.mask_decoder,
        "correction": model.refine_MLP,
    }
    for name, part in parts.items():
        part.register_forward_hook(
            lambda module, inputs, output, name=name: calls.update({name: calls.get(name, 0) + 1})
        )


def test_everything_is_computed_once(folder: Path) -> None:
    """One pass of each encoder for a picture, one of CLIP for each reference, one decode for each round."""
    model, tokenizer = load(folder)
    calls: dict[str, int] = {}
    counted(model, calls)
    (dialogue,) = read_dialogues("mr-medseg", DATA / "conversations.json", DATA / "data")[:1]
    engine = MediRoundEngine(model, tokenizer, Manner())
    rounds, references = len(dialogue.turns), sum(len(turn.about) for turn in dialogue.turns)
    results = [result for result, _ in hold(engine, dialogue, Rules())]
    assert calls == {"SAM": 1, "CLIP": 1 + references, "decoder": rounds}
    model.settings = replace(model.settings, correct_below=1.0)
    calls.clear()
    again = [result for result, _ in hold(engine, dialogue, Rules())]
    assert calls["SAM"] == 1
    assert calls["CLIP"] == 1 + references
    assert calls["decoder"] <= rounds + calls["correction"]
    assert [result.predicted for result in again] != [result.predicted for result in results]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_gives_nearly_the_same_masks(folder: Path, engine: Engine, dtype: str) -> None:
    half = create_engine("mediround", checkpoint=str(folder), device="cpu", dtype=dtype, most_tokens="24")
    history = Conversation(picture_volume().geometry)
    masks = [
        each.open(picture_volume()).answer(Question(FIRST), history, progress=Told()).masks[0]
        for each in (engine, half)
    ]
    assert dice(*masks) > 0.95


def test_what_is_absent_by_its_logits_is_not_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = create_engine("mediround", checkpoint=str(folder), device="cpu", most_tokens="24", verify="yes")
    history = Conversation(picture_volume().geometry)
    there = engine.open(picture_volume()).answer(Question(FIRST), history, progress=Told())
    assert there.status == "answered"
    assert "Evidence: strength 0." in there.text
    monkeypatch.setattr(
        "MultiRoundSegLib.engines.mediround.session.evidence_in", lambda logits: Evidence(0.1, 0.1, 0.1)
    )
    absent = engine.open(picture_volume()).answer(Question(FIRST), history, progress=Told())
    assert (absent.status, absent.masks) == ("none", ())
    assert "It was not found on this slice. (Evidence: strength 0.10" in absent.text


def test_evidence_tells_a_blob_from_noise() -> None:
    rows, columns = np.mgrid[:64, :64]
    blob = np.exp(-((rows - 20) ** 2 + (columns - 40) ** 2) / 50).astype(np.float32)
    noise = np.random.default_rng(0).normal(size=(64, 64)).astype(np.float32)
    there, absent = evidence_in(blob), evidence_in(noise)
    assert not there.is_absent
    assert min(there.strength, there.compactness, there.purity) > 0.6
    assert absent.purity < 0.2
    assert absent.compactness < there.compactness
    assert evidence_in(np.zeros((8, 8), np.float32)).purity == 0


def test_the_mask_encoder_in_its_real_size_makes_a_mask(tmp_path: Path) -> None:
    """SAM ViT-B at 1024 pixels with random weights, and the rest tiny."""
    torch.manual_seed(0)
    llava, clip = published_folders(tmp_path)
    model = MediRoundModel(read_settings(llava, clip, sam=SamSettings(), has_correction=True)).eval()
    tokenizer = Tokenizer(DATA / "config" / "tokenizer.model")
    engine = MediRoundEngine(model, tokenizer, Manner(wants_mask=True, most_tokens=4))
    answer = engine.open(picture_volume()).answer(
        Question(FIRST), Conversation(picture_volume().geometry), progress=Told()
    )
    assert answer.status in ("answered", "none")
    assert sum(weight.numel() for weight in model.visual_model.image_encoder.parameters()) == 89_670_912


@pytest.mark.parametrize("bits", ["4", "8"])
def test_weights_of_few_bits_give_a_similar_mask(folder: Path, engine: Engine, bits: str) -> None:
    small = create_engine("mediround", checkpoint=str(folder), device="cpu", bits=bits, wants_mask="yes")
    history = Conversation(picture_volume().geometry)
    answers = [
        each.open(picture_volume()).answer(Question(FIRST), history, progress=Told()) for each in (engine, small)
    ]
    assert dice(*(answer.masks[0] for answer in answers)) > (0.8 if bits == "4" else 0.95)


def test_other_numbers_of_bits_are_refused(folder: Path) -> None:
    with pytest.raises(EngineUnavailableError, match="4 or 8 bits, not 3"):
        create_engine("mediround", checkpoint=str(folder), bits="3")
