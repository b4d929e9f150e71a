"""The whole way from label maps to a small model that was measured; every part is kept, so that it can be stopped.

WORK/cases/                       synthetic scans of all heads
WORK/dialogues/                   short, middle, long to learn from; seen, unseen to measure, of heads held out
WORK/tokenizer.model
WORK/encoders.pt                  encoders and mask decoder while they learn to see
WORK/start/                       the model that can see and not speak
WORK/short/, middle/, long/       runs of stage 1 in words alone, each from the model of the one before
WORK/masks/                       the run of stage 1 in which it learns to show what it says
WORK/correction/                  the run of stage 2; its model/ is the result
WORK/table.md, table.json         what came out
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets import Dialogue, read_dialogues
from MultiRoundSegLib.datasets.building import BuildSettings, build, find_cases
from MultiRoundSegLib.datasets.building.wordings import load_wordings
from MultiRoundSegLib.datasets.dialogues import TARGET
from MultiRoundSegLib.engines.mediround.checkpoint import save
from MultiRoundSegLib.engines.mediround.model import build as build_model
from MultiRoundSegLib.training.brain.label_maps import LabelMap
from MultiRoundSegLib.training.mediround.run import MODEL, Run
from MultiRoundSegLib.training.mediround.settings import RunSettings

from .encoders import EncoderRun, EncoderSettings
from .heads import PLANES, make_cases, read_slices
from .model import small_settings, write_tokenizer
from .table import write_table

Say = Callable[[str], None]
SHORT, MIDDLE, LONG, MASKS, CORRECTION = "short", "middle", "long", "masks", "correction"
SEEN, UNSEEN = "seen", "unseen"


@dataclass(frozen=True)
class Recipe:
    """How much of everything.

    Attributes:
        scans: of each head.
        held_out: heads, the last ones, that are only measured.
        told: scans of each head that dialogues are about.
        slices: of each of these along each plane.
        dialogues: about each slice in each language.
        measured: dialogues of each kind that are measured.
        rounds: least and most of the dialogues that are learnt from one after the other.
        encoders: how they learn.
        speaking: the settings of stage 1 in words alone, for each kind of dialogues.
        showing: the settings of stage 1 in whole; before the model can say what is meant, masks teach it nothing.
        correcting: the settings of stage 2.
    """

    scans: int = 20
    held_out: int = 4
    told: int = 6
    slices: int = 4
    dialogues: int = 4
    measured: int = 100
    rounds: dict[str, tuple[int, int]] = field(default_factory=lambda: {SHORT: (1, 2), MIDDLE: (2, 4), LONG: (3, 6)})
    encoders: EncoderSettings = field(default_factory=EncoderSettings)
    speaking: RunSettings = field(
        default_factory=lambda: RunSettings(
            steps=900,
            batch=16,
            accumulate=1,
            rate=1e-3,
            whole_language=True,
            words_only=True,
            precision="bf16",
            save_every=100,
        )
    )
    showing: RunSettings = field(
        default_factory=lambda: RunSettings(
            steps=300, batch=8, accumulate=2, rate=5e-4, whole_language=True, precision="bf16", save_every=50
        )
    )
    correcting: RunSettings = field(
        default_factory=lambda: RunSettings(
            stage=2, steps=400, batch=8, accumulate=1, rate=3e-4, precision="bf16", save_every=100
        )
    )


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
    for kind in recipe.rounds:
        model = _learn(work / kind, model, _told(work, kind), recipe.speaking, say)
    model = _learn(work / MASKS, model, _told(work, LONG), recipe.showing, say)
    model = _learn(work / CORRECTION, model, _told(work, LONG), recipe.correcting, say)
    tests = {kind: _told(work, kind)[: recipe.measured] for kind in (SEEN, UNSEEN)}
    write_table(work, model, tests, say)
    return model


def _tell_all(recipe: Recipe, learning: Sequence[str], held_out: Sequence[str], work: Path, say: Say) -> None:
    """Dialogues to learn from and to measure: in the latter, words are those of the former, or none of them."""
    for seed, (kind, (least, most)) in enumerate(recipe.rounds.items()):
        of_kind = range(seed * recipe.told, (seed + 1) * recipe.told)
        scans = [number % recipe.scans for number in of_kind]
        _tell(recipe, learning, scans, work / "dialogues" / kind, (least, most), seed, is_unseen=False, say=say)
    longest = list(recipe.rounds.values())[-1]
    for kind in (SEEN, UNSEEN):
        folder = work / "dialogues" / kind
        _tell(recipe, held_out, [0, 1], folder, longest, len(recipe.rounds), is_unseen=kind == UNSEEN, say=say)


def _tell(
    recipe: Recipe,
    patients: Sequence[str],
    scans: Sequence[int],
    folder: Path,
    rounds: tuple[int, int],
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
        dialogues=recipe.dialogues,
        rounds=dict.fromkeys(range(rounds[0], rounds[1] + 1), 1.0),
        least_pixels=25,
        refusals=0.12,
        drawn=0.4,
        shares=(0, 0, 1) if is_unseen else (1, 0, 0),
        unseen_wordings=True,
    )
    names = {f"{patient}_{scan:03d}.nii.gz" for patient in patients for scan in scans}
    cases = [case for case in find_cases(folder.parents[1] / "cases") if case.image.name in names]
    report = build(cases, folder, load_knowledge(), settings, lambda share, name: None)
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
    run = EncoderRun(build_model(settings), recipe.encoders, work / "encoders.pt")
    run.learn(read_slices(work / "cases", patients), say)
    save(work / "start", settings, work / "tokenizer.model", run.lessons.model.state_dict())


def _texts(recipe: Recipe, work: Path) -> list[str]:
    """What the tokenizer learns from: the words of all dialogues, and those of others like them."""
    taught, _ = load_wordings().apart()
    turns = [turn for kind in recipe.rounds for dialogue in _told(work, kind) for turn in dialogue.turns]
    texts = {text.replace(TARGET, "") for turn in turns for text in (turn.question, turn.answer)}
    return sorted(texts | {text for many in taught.parts.values() for text in many} | {"[INST] this region [/INST]"})


def _learn(folder: Path, start: Path, dialogues: Sequence[Dialogue], settings: RunSettings, say: Say) -> Path:
    """A run of training; the folder of its model."""
    if (folder / MODEL).exists():
        return folder / MODEL
    run = Run(folder, start, dialogues, settings, say=say)
    for step in run.steps():
        if step.number % settings.save_every == 0:
            terms = "  ".join(f"{name} {value:.3f}" for name, value in step.terms.items())
            say(f"{folder.name}, step {step.number}: loss {step.loss:.3f}  {terms}")
    run.draw()
    return run.export()
