"""What a built data set holds: counts as JSON, and a page with pictures of samples."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from PIL import Image

from MultiRoundSegLib.anatomy import Language
from MultiRoundSegLib.images.writers.atomic import write_json, write_whole

from .links import family_of
from .rounds import Asked
from .scenes import Scene
from .settings import BuildSettings

_SAMPLES = 12
_COLOURS = ((230, 80, 60), (70, 150, 240), (90, 200, 90), (240, 190, 40), (190, 100, 220), (60, 200, 200))
_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;color:#222}table{border-collapse:collapse}"
    "td,th{padding:.15em .8em;text-align:left;border-bottom:1px solid #ddd}.s{display:flex;gap:1.5em;margin:1.5em 0}"
    "img{width:320px;image-rendering:pixelated;background:#000}.t{display:flex;flex-wrap:wrap;gap:2.5em}"
)


class Report:
    """Counts while a data set is built."""

    def __init__(self, settings: BuildSettings) -> None:
        """Begin with nothing."""
        self._settings = settings
        self._counts: dict[str, Counter[str]] = {
            kind: Counter()
            for kind in ("split", "language", "rounds", "family", "relation", "structure", "reference", "left out")
        }
        self._patients: dict[str, set[str]] = {}
        self._samples: list[tuple[Scene, Sequence[Asked]]] = []

    @property
    def dialogues(self) -> int:
        """How many there are."""
        return sum(self._counts["language"].values())

    def of(self, kind: str) -> dict[str, int]:
        """The counts of a kind, the most common first.

        Dialogues by "split", "language" and "rounds"; rounds by "family", "relation", "structure" and "reference";
        masks "left out" by label.
        """
        return dict(self._counts[kind].most_common())

    def leave_out(self, labels: Mapping[str, int]) -> None:
        """Count masks whose label is no structure's name."""
        self._counts["left out"].update(labels)

    def count(self, scene: Scene, told: Sequence[Asked], language: Language, split: str) -> None:
        """Count one dialogue."""
        counts = self._counts
        counts["split"][split] += 1
        counts["language"][language] += 1
        counts["rounds"][str(len(told))] += 1
        self._patients.setdefault(split, set()).add(scene.patient)
        for number, asked in enumerate(told, start=1):
            counts["family"][family_of(asked.relation)] += 1
            counts["relation"][asked.relation] += 1
            counts["structure"][asked.target.name("en") if asked.target else "(not there)"] += 1
            counts["reference"][_reference(asked, number)] += 1
        wanted = self._settings.languages[len(self._samples) % len(self._settings.languages)]
        if len(self._samples) < _SAMPLES and len(told) > 2 and language == wanted and self._is_new(scene):
            self._samples.append((scene, told))

    def _is_new(self, scene: Scene) -> bool:
        return sum(sample.patient == scene.patient for sample, _ in self._samples) < 2 and all(
            sample.name != scene.name for sample, _ in self._samples
        )

    def write(self, out: Path) -> None:
        """Write report.json, report.html and the pictures of its samples."""
        folder = out / "samples"
        folder.mkdir(parents=True, exist_ok=True)
        patients = {split: sorted(names) for split, names in self._patients.items()}
        counts = {kind: self.of(kind) for kind in self._counts}
        write_json(out / "report.json", {"settings": asdict(self._settings), "patients": patients, **counts})
        for number, (scene, told) in enumerate(self._samples, start=1):
            Image.fromarray(overlay(scene, told)).save(folder / f"{number:02d}.png")
        write_whole(out / "report.html", self._page().encode())

    def _page(self) -> str:
        tables = "".join(_table(kind, self.of(kind)) for kind in self._counts if self._counts[kind])
        samples = "".join(
            f'<div class="s"><img src="samples/{number:02d}.png" alt="{html.escape(scene.name)}"><div>'
            f"<b>{html.escape(scene.name)}</b>{_rounds(told)}</div></div>"
            for number, (scene, told) in enumerate(self._samples, start=1)
        )
        total = f"{self.dialogues} dialogues, {sum(self._counts['relation'].values())} rounds"
        return (
            f'<!doctype html><meta charset="utf-8"><title>Built dialogues</title><style>{_STYLE}</style>'
            f'<h1>Built dialogues</h1><p>{total}</p>{samples}<div class="t">{tables}</div>'
        )


def _reference(asked: Asked, number: int) -> str:
    """What a question refers to."""
    if asked.drawn:
        return "drawn by the user"
    return "none" if not asked.about else "the round before" if asked.about == number - 1 else "an earlier round"


def overlay(scene: Scene, told: Sequence[Asked]) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    """(H, W, 3) the picture with the mask of each round in its colour."""
    picture = scene.picture.astype(np.float32)
    for number, asked in enumerate(told):
        if asked.target:
            region = scene.regions[asked.target]
            picture[region] = 0.5 * picture[region] + 0.5 * np.asarray(_COLOURS[number % len(_COLOURS)])
    return picture.astype(np.uint8)


def _table(kind: str, counts: dict[str, int]) -> str:
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{count}</td></tr>" for name, count in counts.items())
    return f"<table><tr><th>{kind}</th><th></th></tr>{rows}</table>"


def _rounds(told: Sequence[Asked]) -> str:
    rows = ""
    for number, asked in enumerate(told):
        red, green, blue = _COLOURS[number % len(_COLOURS)]
        about = f" &larr; [{asked.about}]" if asked.about else " &larr; drawn" if asked.drawn else ""
        rows += (
            f'<p><b style="color:rgb({red},{green},{blue})">[{number + 1}]</b> {html.escape(asked.question)}<br>'
            f"<small>{html.escape(asked.answer)} ({asked.relation}{about})</small></p>"
        )
    return rows
