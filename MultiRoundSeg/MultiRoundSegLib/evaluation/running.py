"""Runs an engine over a data set; a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from MultiRoundSegLib.datasets import Dialogue
from MultiRoundSegLib.engines import Engine
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images.writers.atomic import write_whole

from .asking import Rules, hold
from .results import Result, append_results, keep_results, read_results

RUN, RESULTS, MASKS = "run.json", "results.csv", "masks"
_SECRETS = ("token",)


def describe_run(engine: Engine, settings: dict[str, Any], kind: str, file: Path, rules: Rules) -> dict[str, Any]:
    """What a run depends on; two runs may share a folder only where this is equal."""
    return {
        "engine": engine.info.name,
        "version": engine.info.version,
        "weights": engine.info.weights,
        "settings": {name: value for name, value in settings.items() if name not in _SECRETS},
        "format": kind,
        "data": hashlib.sha256(file.read_bytes()).hexdigest(),
        "rules": asdict(rules),
    }


def run(
    engine: Engine,
    dialogues: Sequence[Dialogue],
    folder: Path,
    description: dict[str, Any],
    rules: Rules,
    *,
    report: Callable[[int], None],
) -> list[Result]:
    """Ask every dialogue that the folder has no results of yet; predicted masks are kept as PNG.

    Args:
        engine: who answers.
        dialogues: what is asked.
        folder: gets `run.json`, `results.csv` and `masks/<conversation>_<round>.png`, both counted from 0.
        description: as `describe_run` makes it.
        rules: how the dialogues are held.
        report: is told how many dialogues are done.

    Raises:
        DatasetError: the folder holds another run, or a file of the data set cannot be read.
        EngineError: the engine cannot work on a picture.
    """
    done = _begun(folder, dialogues, description)
    finished = {result.conversation for result in done}
    for count, dialogue in enumerate(dialogues, start=1):
        if dialogue.number not in finished:
            results = []
            for result, region in hold(engine, dialogue, rules):
                results.append(result)
                if region is not None:
                    name = f"{result.conversation}_{result.round}.png"
                    Image.fromarray(region.astype(np.uint8) * 255).save(folder / MASKS / name)
            append_results(folder / RESULTS, results)
            done += results
        report(count)
    return sorted(done, key=lambda result: (result.conversation, result.round))


def _begun(folder: Path, dialogues: Sequence[Dialogue], description: dict[str, Any]) -> list[Result]:
    """The results of whole dialogues that an earlier part of this run left."""
    (folder / MASKS).mkdir(parents=True, exist_ok=True)
    written = json.dumps(description, indent=1, ensure_ascii=False, default=str)
    if (folder / RUN).exists():
        if (folder / RUN).read_text(encoding="utf-8") != written:
            raise DatasetError(f"{folder.name} holds the results of another run; choose another folder.")
    else:
        write_whole(folder / RUN, written.encode())
    results = read_results(folder / RESULTS)
    counts = Counter(result.conversation for result in results)
    whole = {dialogue.number for dialogue in dialogues if counts[dialogue.number] == len(dialogue.turns)}
    kept = [result for result in results if result.conversation in whole]
    if (folder / RESULTS).exists():
        keep_results(folder / RESULTS, kept)
    return kept
