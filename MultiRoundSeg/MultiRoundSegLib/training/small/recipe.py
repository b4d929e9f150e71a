"""The whole way from label maps to a small model that was measured; every part is kept, so that it can be stopped.

WORK/cases/                       synthetic scans of all heads
WORK/dialogues/                   short, middle, long to learn from; seen, unseen to measure, of heads held out
WORK/tokenizer.model
WORK/drawing.pt, naming.pt        what draws and what names, while they learn to see
WORK/start/                       the model that can see and not speak
WORK/short/, middle/, long/       runs of stage 1 in words alone, each from the model of the one before
WORK/aligned/                     the last of these, gone on until it also says what the decoder understands
WORK/features/                    what the encoders make of the dialogues, for all runs of stage 1
WORK/masks/                       the run of stage 1 in which it learns to show what it says
WORK/correction/                  the run of stage 2; its model/ is the result
WORK/table.md, table.json         what came out
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets import Dialogue, read_dialogues
from MultiRoundSegLib.datasets.building import BuildSettings, build, find_cases, scans_of
from MultiRoundSegLib.datasets.building.wordings import load_wordings
from MultiRoundSegLib.datasets.dialogues import TARGET
from MultiRoundSegLib.engines.mediround.checkpoint import save
from MultiRoundSegLib.engines.mediround.model import build as build_model
from MultiRoundSegLib.training.brain.label_maps import LabelMap
from MultiRoundSegLib.training.mediround.features import Features
from MultiRoundSegLib.training.mediround.run import MODEL, Run
from MultiRoundSegLib.training.mediround.settings import Precision, RunSettings

from .aligning import align
from .encoders import EncoderRun, EncoderSettings, told_vectors
from .heads import PLANES, make_cases, read_slices
from .model import small_settings, write_tokenizer
from .seeing import Asked, Drawing, Naming
from .table import write_table

Say = Callable[[str], None]
SHORT, MIDDLE, LONG, MASKS, CORRECTION = "short", "middle", "long", "masks", "correction"
SEEN, UNSEEN = "seen", "unseen"
DRAWING, NAMING = "drawing.pt", "naming.pt"


@dataclass(frozen=True)
class Lesson:
    """Dialogues of one length that are learnt from in words alone.

    Attributes:
        rounds: least and most of a dialogue.
        scans: of each head, by number, that they are about.
        dialogues: about each slice in each language.
        steps: of the optimizer.
    """

    rounds: tuple[int, int]
    scans: range
    dialogues: int
    steps: int


@dataclass(frozen=True)
class Recipe:
    """How much of everything.

    Attributes:
        scans: of each head.
        held_out: heads, the last ones, that are only measured.
        slices: of each scan along each plane that dialogues are about.
        measured: dialogues of each kind that are measured.
        lessons: what is learnt in words alone, one after the other.
        drawing: how the mask encoder and the decoder learn.
        naming: how the vision tower learns.
        asked: how much they are asked in a step.
        speaking: the settings of stage 1 in words alone; the steps are those of the lesson.
        aligning: the settings by which it learns, in words, what the decoder understands.
        showing: the settings of stage 1 in whole; before the model can say what is meant, masks teach it nothing.
        correcting: the settings of stage 2.
        corrected: of so many dialogues stage 2 learns from one; it sees each mask for itself, and needs fewer.
    """

    scans: int = 20
    held_out: int = 4
    slices: int = 4
    measured: int = 100
    lessons: dict[str, Lesson] = field(
        default_factory=lambda: {
            SHORT: Lesson((1, 2), range(6), dialogues=4, steps=900),
            MIDDLE: Lesson((2, 4), range(6, 12), dialogues=4, steps=900),
            LONG: Lesson((3, 6), range(4, 16), dialogues=6, steps=4000),
        }
    )
    drawing: EncoderSettings = field(default_factory=lambda: EncoderSettings(steps=20000))
    naming: EncoderSettings = field(default_factory=lambda: EncoderSettings(steps=10000))
    asked: Asked = field(default_factory=Asked)
    speaking: RunSettings = field(
        default_factory=lambda: RunSettings(
            batch=16,
            accumulate=1,
            rate=1e-3,
            whole_language=True,
            words_only=True,
            save_every=100,
        )
    )
    aligning: RunSettings = field(default_factory=lambda: RunSettings(steps=600, batch=16, rate=1e-3, save_every=100))
    showing: RunSettings = field(
        default_factory=lambda: RunSettings(
            steps=600, batch=8, accumulate=2, rate=5e-4, whole_language=True, save_every=50
        )
    )
    correcting: RunSettings = field(
        default_factory=lambda: RunSettings(
            stage=2, steps=400, batch=8, accumulate=1, rate=3e-4, adds_correction=True, save_every=100
        )
    )
    corrected: int = 3

    def computed_in(self, precision: Precision) -> Recipe:
        """The same in another precision: one for all, as accelerate keeps the first of a process."""
        learnt = ("drawing", "naming", "speaking", "aligning", "showing", "correcting")
        return replace(self, **{name: replace(getattr(self, name), precision=precision) for name in learnt})


def fitting_precision() -> Precision:
    """bf16 where the processor computes in it; where it imitates it (AVX2), it is ten to thirty times as slow."""
    able = torch.cpu.get_capabilities()
    return "bf16" if able.get("avx512_bf16") or able.get("amx_bf16") else "no"


def follow(recipe: Recipe, heads: Sequence[LabelMap], work: Path, say: Say) -> Path:
    """Make the model, or what is missing of it.

    Args:
        recipe: how much.
        heads: label maps.
        work: the folder.
        say: is told how far it is.

    Returns:
        The folder of the model.

    Raises:
        TrainingError: the folder holds runs of another recipe, or the disk is full.
    """
    make_cases(heads, recipe.scans, work / "cases", seed=1, say=say)
    patients = sorted({case.patient for case in find_cases(work / "cases")})
    learning, held_out = patients[: -recipe.held_out], patients[-recipe.held_out :]
    _tell_all(recipe, learning, held_out, work, say)
    _see(recipe, learning, work, say)
    model = work / "start"
    for kind, lesson in recipe.lessons.items():
        speaking = replace(recipe.speaking, steps=lesson.steps)
        model = _learn(work, kind, model, kind, speaking, say)
    model = _aligned(recipe, model, work, say)
    model = _learn(work, MASKS, model, LONG, recipe.showing, say)
    model = _learn(work, CORRECTION, model, LONG, recipe.correcting, say, every=recipe.corrected)
    tests = {kind: _told(work, kind)[: recipe.measured] for kind in (SEEN, UNSEEN)}
    write_table(work, model, tests, say)
    return model


def _tell_all(recipe: Recipe, learning: Sequence[str], held_out: Sequence[str], work: Path, say: Say) -> None:
    """Dialogues to learn from and to measure: in the latter, words are those of the former, or none of them."""
    for seed, (kind, lesson) in enumerate(recipe.lessons.items()):
        _tell(recipe, learning, lesson, work / "dialogues" / kind, seed, is_unseen=False, say=say)
    test = replace(recipe.lessons[LONG], scans=range(2), dialogues=4)
    for kind in (SEEN, UNSEEN):
        folder, seed = work / "dialogues" / kind, len(recipe.lessons)
        _tell(recipe, held_out, test, folder, seed, is_unseen=kind == UNSEEN, say=say)


def _tell(
    recipe: Recipe,
    patients: Sequence[str],
    lesson: Lesson,
    folder: Path,
    seed: int,
    *,
    is_unseen: bool,
    say: Say,
) -> None:
    if (folder / "report.json").exists():
        return
    settings = BuildSettings(
        seed=seed,
        planes=PLANES,
        slices=recipe.slices,
        dialogues=lesson.dialogues,
        rounds=dict.fromkeys(range(lesson.rounds[0], lesson.rounds[1] + 1), 1.0),
        least_pixels=25,
        refusals=0.12,
        drawn=0.4,
        shares=(0, 0, 1) if is_unseen else (1, 0, 0),
        unseen_wordings=True,
        answers="restating",
    )
    names = {f"{patient}_{scan:03d}.nii.gz" for patient in patients for scan in lesson.scans}
    cases = [case for case in find_cases(folder.parents[1] / "cases") if case.image.name in names]
    knowledge = load_knowledge()
    source = scans_of(cases, knowledge.anatomy, settings)
    report = build(source, folder, knowledge, settings, lambda share, name: None)
    say(f"{folder.name}: {report.dialogues} dialogues")


def _told(work: Path, kind: str) -> list[Dialogue]:
    split = "test" if kind == UNSEEN else "train"
    file = work / "dialogues" / kind / split / f"{split}.json"
    return read_dialogues("mr-medseg", file, file.parent)


def _see(recipe: Recipe, patients: Sequence[str], work: Path, say: Say) -> None:
    """The tokenizer, the encoders and the model that can see and not speak."""
    if (work / "start").exists():
        return
    write_tokenizer(_texts(recipe, work), work / "tokenizer.model")
    settings = small_settings()
    torch.manual_seed(0)
    model, slices = build_model(settings), read_slices(work / "cases", patients)
    EncoderRun(Drawing(model, recipe.asked), recipe.drawing, work / DRAWING).learn(slices, say)
    EncoderRun(Naming(model, recipe.asked), recipe.naming, work / NAMING).learn(slices, say)
    save(work / "start", settings, work / "tokenizer.model", model.state_dict())


def _texts(recipe: Recipe, work: Path) -> list[str]:
    """What the tokenizer learns from: the words of all dialogues, and those of others like them."""
    taught, _ = load_wordings().apart()
    turns = [turn for kind in recipe.lessons for dialogue in _told(work, kind) for turn in dialogue.turns]
    texts = {text.replace(TARGET, "") for turn in turns for text in (turn.question, turn.answer)}
    return sorted(texts | {text for many in taught.parts.values() for text in many} | {"[INST] this region [/INST]"})


def _aligned(recipe: Recipe, model: Path, work: Path, say: Say) -> Path:
    folder = work / "aligned"
    if not folder.exists():
        dialogues = _told(work, LONG)
        features = Features.open(work / "features" / LONG, dialogues)
        align(model, told_vectors(work / DRAWING), dialogues, features, recipe.aligning, folder, say)
    return folder


def _learn(work: Path, name: str, start: Path, kind: str, settings: RunSettings, say: Say, every: int = 1) -> Path:
    """A run of training on dialogues of a kind; the folder of its model."""
    folder = work / name
    if (folder / MODEL).exists():
        return folder / MODEL
    features = work / "features" / kind if settings.stage == 1 else None
    run = Run(folder, start, _told(work, kind)[::every], settings, say=say, features=features)
    for step in run.steps():
        if step.number % settings.save_every == 0:
            terms = "  ".join(f"{name} {value:.3f}" for name, value in step.terms.items())
            say(f"{folder.name}, step {step.number}: loss {step.loss:.3f}  {terms}")
    run.draw()
    return run.export()
