"""The small model: scans from label maps, encoders that learn to see, and the whole recipe in miniature."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets.building import find_cases
from MultiRoundSegLib.engines import create_engine
from MultiRoundSegLib.engines.mediround.checkpoint import load
from MultiRoundSegLib.engines.mediround.convolutional import ConvolutionalEncoder
from MultiRoundSegLib.engines.mediround.model import MediRoundModel, build
from MultiRoundSegLib.images import SliceView
from MultiRoundSegLib.training.brain.label_maps import LabelMap, label_map
from MultiRoundSegLib.training.mediround.settings import RunSettings
from MultiRoundSegLib.training.small.encoders import EncoderRun, EncoderSettings
from MultiRoundSegLib.training.small.heads import PLANES, Slices, make_cases, read_slices, structures
from MultiRoundSegLib.training.small.model import small_settings
from MultiRoundSegLib.training.small.recipe import (
    CORRECTION,
    LONG,
    MASKS,
    MIDDLE,
    SHORT,
    Lesson,
    Recipe,
    fitting_precision,
    follow,
)
from MultiRoundSegLib.training.small.seeing import Asked, Drawing, Naming, Seeing
from MultiRoundSegLib.training.small.table import VARIANTS, blind

FEW = EncoderSettings(steps=2, batch=2, warmup=1, every=1)
ASKED = Asked(pictures=1, drawn=1, crops=2)
QUICK = RunSettings(steps=1, batch=1, accumulate=1, warmup=0, save_every=1, whole_language=True)
MINIATURE = Recipe(
    scans=2,
    held_out=1,
    slices=1,
    measured=1,
    lessons={
        SHORT: Lesson((1, 2), range(1), dialogues=1, steps=1),
        MIDDLE: Lesson((2, 4), range(1, 2), dialogues=1, steps=1),
        LONG: Lesson((3, 6), range(1), dialogues=1, steps=1),
    },
    drawing=FEW,
    naming=FEW,
    asked=ASKED,
    speaking=replace(QUICK, words_only=True),
    aligning=replace(QUICK, steps=40, batch=2, warmup=4, save_every=10),
    showing=QUICK,
    correcting=replace(QUICK, stage=2),
)


def a_head() -> LabelMap:
    """A box of white matter in skin, with some pairs of structures and a brain stem."""
    numbers = np.full((120, 120, 120), 516, np.int64)
    numbers[10:110, 10:110, 10:60], numbers[10:110, 10:110, 60:110] = 2, 41
    for left, right, k, j in ((10, 49, 45, 45), (12, 51, 45, 80), (17, 53, 25, 15)):
        numbers[k : k + 28, j : j + 25, 25:50], numbers[k : k + 28, j : j + 25, 70:95] = left, right
    numbers[12:44, 45:75, 50:70] = 16
    return label_map(numbers)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    make_cases([a_head()], 1, folder, seed=3, say=lambda line: None)
    return folder


def test_scans_are_cases_whose_slices_show_what_is_labelled(cases: Path) -> None:
    case, *others = find_cases(cases)
    assert not others
    volume, masks = case.read()
    anatomy = load_knowledge().anatomy
    assert {mask.label for mask in masks} <= set(structures().values())
    assert all(anatomy.identify(name) for name in structures().values())
    assert volume.modality == "MR"
    by_name = {mask.label: mask for mask in masks}
    centres = {
        name: volume.geometry.ras(np.argwhere(by_name[f"{name} thalamus"].voxels).mean(axis=0))
        for name in ("left", "right")
    }
    assert centres["left"][0] < centres["right"][0], "RAS: to the right is positive"
    slices = read_slices(cases, [case.patient])
    pictures = {
        (plane, index): SliceView(plane, index).pixels(volume)[..., 0] for plane in PLANES for index in range(128)
    }
    names = list(structures().values())
    for picture, labels in zip(slices.pictures, slices.labels, strict=True):
        view = SliceView(*next(place for place, one in pictures.items() if np.array_equal(one, picture)))
        for number in np.unique(labels[labels > 0]):
            assert np.array_equal(view.region(by_name[names[number - 1]]), labels == number)


def test_scans_that_are_there_stay(cases: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in cases.glob("*.n*z")}
    make_cases([a_head()], 1, cases, seed=4, say=lambda line: None)
    assert {path: path.stat().st_mtime_ns for path in cases.glob("*.n*z")} == before


def some_slices() -> Slices:
    labels = np.zeros((4, 128, 128), np.uint8)
    labels[:, 20:60, 20:60], labels[:, 70:110, 60:100] = 7, 31
    pictures = np.random.default_rng(0).integers(0, 60, labels.shape, dtype=np.uint8) + 3 * labels
    return Slices(pictures, labels)


@pytest.mark.parametrize("kind", [Drawing, Naming])
def test_encoders_learn_and_go_on_exactly_where_they_stopped(
    kind: Callable[[MediRoundModel, Asked], Seeing], tmp_path: Path
) -> None:
    def run(name: str, steps: int) -> EncoderRun:
        torch.manual_seed(1)
        return EncoderRun(kind(build(small_settings()), ASKED), replace(FEW, steps=steps), tmp_path / name)

    said: list[str] = []
    whole = run("whole.pt", 4)
    whole.learn(some_slices(), said.append)
    losses = [float(line.split()[3]) for line in said]
    assert losses[-1] < losses[0]
    run("part.pt", 4).learn(some_slices(), said.append, until=2)
    rest = run("part.pt", 4)
    assert rest.step == 2
    rest.learn(some_slices(), said.append)
    for one, other in zip(whole.lesson.parameters(), rest.lesson.parameters(), strict=True):
        assert torch.equal(one, other)


def test_all_parts_of_the_recipe_compute_in_one_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """bf16 only where the processor computes in it."""
    for abilities, wanted in (({"avx512_bf16": True}, "bf16"), ({"amx_bf16": True}, "bf16"), ({"avx2": True}, "no")):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda abilities=abilities: abilities)
        recipe = Recipe().computed_in(fitting_precision())
        learnt = [part for part in vars(recipe).values() if isinstance(part, RunSettings | EncoderSettings)]
        assert len(learnt) == 6
        assert {part.precision for part in learnt} == {wanted}


def test_what_is_taken_away_is_zero_and_comes_back() -> None:
    model = build(small_settings())
    boxes = torch.rand(2, 4)
    there = model.box_embeddings(boxes)
    with blind(model, ["box_embeddings"]):
        assert not model.box_embeddings(boxes).any()
    assert torch.equal(model.box_embeddings(boxes), there)


def test_the_convolutional_encoder_gives_a_quarter_of_the_side() -> None:
    encoder = ConvolutionalEncoder(64)
    assert encoder(torch.rand(2, 3, 64, 96)).shape == (2, 64, 16, 24)
    same = torch.full((1, 3, 64, 64), 0.5)
    assert not torch.allclose(encoder(same)[..., 8, 4], encoder(same)[..., 8, 12]), "it knows left from right"


def test_the_recipe_ends_in_a_model_that_the_engine_loads_and_a_table(tmp_path: Path) -> None:
    heads = [a_head(), a_head()]
    said: list[str] = []
    model = follow(MINIATURE, heads, tmp_path, said.append)
    assert model == tmp_path / CORRECTION / "model"
    assert create_engine("mediround", checkpoint=str(model)).info.weights
    loaded, tokenizer = load(model)
    assert loaded.settings.has_correction
    assert "[UNK]" not in tokenizer.decode(tokenizer.encode("请勾画左海马。"))
    folders = (tmp_path / "start", tmp_path / LONG / "model", tmp_path / "aligned", tmp_path / MASKS / "model")
    seeing, speaking, aligned, showing = (load(folder)[0].state_dict() for folder in folders)
    changed = {name for name in seeing if not torch.equal(seeing[name], speaking[name])}
    assert any(name.startswith("language.model.layers.0.mlp") for name in changed), "the whole language model learns"
    assert all(name.startswith(("language.", "bbox_encoder.")) for name in changed), "nothing else does"
    changed = {name for name in seeing if not torch.equal(speaking[name], aligned[name])}
    assert all(name.startswith(("language.", "bbox_encoder.", "text_hidden_fcs.")) for name in changed)
    errors = [float(line.split()[-1]) for line in said if line.startswith("aligned, step")]
    assert errors[-1] < errors[0], "what directs the decoder comes nearer to what it was told"
    assert any("mask_decoder" in name for name in seeing if not torch.equal(seeing[name], showing[name]))
    assert all((tmp_path / kind / "curves.png").exists() for kind in (SHORT, MIDDLE, LONG, MASKS, CORRECTION))
    table = (tmp_path / "table.md").read_text()
    assert all(f"| {variant.title} |" in table for variant in VARIANTS)
    first = len(said)
    follow(MINIATURE, heads, tmp_path, said.append)
    assert not any("step" in line for line in said[first:]), "what is there is not made again"
