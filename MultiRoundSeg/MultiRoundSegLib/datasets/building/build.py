"""Builds a data set: scans are read one by one, told about, and written by split."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from MultiRoundSegLib.anatomy import Entity, Knowledge, Language
from MultiRoundSegLib.datasets.dialogues import Dialogue, Region, Turn
from MultiRoundSegLib.datasets.mr_medseg import write_mr_medseg
from MultiRoundSegLib.datasets.mturn_seg import write_mturn_seg
from MultiRoundSegLib.errors import DatasetError

from .drawn import by_hand
from .links import links_of
from .report import Report
from .rounds import Asked, Storyteller
from .settings import SPLITS, BuildSettings
from .source import Source
from .wordings import load_wordings

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class MadeTruth:
    """The mask of a round that is not written yet.

    Attributes:
        path: of the picture it belongs to.
        shape: (H, W).
        packed: the pixels, eight in a byte.
    """

    path: Path
    shape: tuple[int, int]
    packed: NDArray[np.uint8]

    @classmethod
    def of(cls, region: Region, path: Path) -> MadeTruth:
        """Keep a region."""
        height, width = region.shape
        return cls(path, (height, width), np.packbits(region))

    def read(self) -> Region:
        """See `Truth`."""
        return np.unpackbits(self.packed, count=self.shape[0] * self.shape[1]).reshape(self.shape).astype(bool)


def build(source: Source, out: Path, knowledge: Knowledge, settings: BuildSettings, progress: Progress) -> Report:
    """Build a data set from labelled pictures.

    Args:
        source: of them.
        out: the folder; it gets a file for each split (for MTurn-Seg for each split, language and modality) with
            its pictures and masks, and a report. The files come last, each whole.
        knowledge: of the body.
        settings: how.
        progress: is told the share that is done, and of what.

    Raises:
        DatasetError: there are no patients, or none of their labels is known.
        MultiRoundSegError: a scan cannot be read.
    """
    if not source.patients:
        raise DatasetError("There is no labelled scan to build from.")
    report = Report(settings)
    splits = split(source.patients, settings)
    wordings = load_wordings() if settings.answers == "varied" else load_wordings().with_plain_answers()
    taught, unseen = wordings.apart() if settings.unseen_wordings else (wordings, wordings)
    restating = taught.for_restating()
    done = 0
    for name in SPLITS:
        with TemporaryDirectory(prefix="multiroundseg_") as scratch:
            told: list[tuple[Language, Dialogue]] = []
            for patient in splits[name]:
                progress(done / len(source.patients), patient)
                for scene in source.scenes(patient):
                    words = taught if name == "train" else unseen
                    teller = Storyteller(scene, links_of(scene, knowledge), knowledge, words, restating, settings)
                    told += _dialogues(teller, len(told), Path(scratch), report, name)
                done += 1
            if told:
                _write_split(told, out, name, settings)
    progress(1.0, "")
    if not report.dialogues:
        raise DatasetError(
            "No slice shows two structures that are known: give the labels names, or choose fewer pixels."
        )
    report.leave_out(source.left_out)
    report.write(out)
    return report


def split(patients: Iterable[str], settings: BuildSettings) -> dict[str, list[str]]:
    """The patients of each split; each split with a share has one at least, as far as they go round."""
    order = sorted(set(patients))
    np.random.default_rng(settings.seed).shuffle(order)
    ends = np.cumsum(settings.shares) / sum(settings.shares) * len(order)
    bounds = [0, *(int(end + 0.5) for end in ends[:-1]), len(order)]
    found = {name: order[bounds[n] : bounds[n + 1]] for n, name in enumerate(SPLITS)}
    for name, share in zip(SPLITS, settings.shares, strict=True):
        largest = max(SPLITS, key=lambda other: len(found[other]))
        if share and not found[name] and len(found[largest]) > 1:
            found[name].append(found[largest].pop())
    return {name: sorted(members) for name, members in found.items()}


def _dialogues(
    teller: Storyteller,
    first: int,
    scratch: Path,
    report: Report,
    split_name: str,
) -> list[tuple[Language, Dialogue]]:
    """The dialogues about one scene, each with its language; the choices depend on the seed and its name alone."""
    scene, settings = teller.scene, teller.settings
    if not scene.regions:
        return []
    image = scratch / f"{scene.name}.png"
    Image.fromarray(scene.picture).save(image)
    truths = {entity: MadeTruth.of(region, image) for entity, region in scene.regions.items()}
    found: list[tuple[Language, Dialogue]] = []
    for language in settings.languages:
        rng = np.random.default_rng([settings.seed, zlib.crc32(f"{scene.name} {language}".encode())])
        for _ in range(settings.dialogues):
            told = teller.tell(_count(settings.rounds, rng), language, rng)
            if not any(asked.target for asked in told):
                continue
            report.count(scene, told, language, split_name)
            turns = tuple(_turn(asked, truths, rng) for asked in told)
            found.append((language, Dialogue(first + len(found), image, turns, scene.modality)))
    return found


def _turn(asked: Asked, truths: Mapping[Entity, MadeTruth], rng: np.random.Generator) -> Turn:
    about = (asked.about,) if asked.about else ()
    truth = truths[asked.target] if asked.target else None
    label = asked.target.name("en").replace(" ", "_") if asked.target else ""
    drawn = MadeTruth.of(by_hand(truths[asked.drawn].read(), rng), truths[asked.drawn].path) if asked.drawn else None
    return Turn(asked.question, asked.answer, truth, about, label, asked.relation, drawn)


def _count(rounds: Mapping[int, float], rng: np.random.Generator) -> int:
    numbers = sorted(rounds)
    shares = np.asarray([rounds[number] for number in numbers])
    return int(rng.choice(numbers, p=shares / shares.sum()))


def _write_split(told: Sequence[tuple[Language, Dialogue]], out: Path, name: str, settings: BuildSettings) -> None:
    """One file, or for MTurn-Seg one for each language and modality."""
    if settings.format == "mr-medseg":
        write_mr_medseg((dialogue for _, dialogue in told), out / name / f"{name}.json")
        return
    groups: dict[tuple[Language, str], list[Dialogue]] = {}
    for language, dialogue in told:
        group = groups.setdefault((language, dialogue.modality), [])
        group.append(replace(dialogue, number=len(group)))
    for (language, modality), dialogues in sorted(groups.items()):
        folder = out / name / f"Multi{language.upper()}_{modality}"
        write_mturn_seg(dialogues, folder / f"{folder.name}.json", name=folder.name)
