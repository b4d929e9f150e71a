"""Turns the results of a run into `metrics.json`, `report.md` and a picture of the metric by round."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from MultiRoundSegLib.images.writers.atomic import write_json, write_whole

from .results import Result, summary_of

METRICS, REPORT, CURVE = "metrics.json", "report.md", "by_round.png"
_GROUPS = ("modality", "relation", "label")
_CURVES = Path(__file__).parent / "published" / "curves.csv"
_HEADLINE = {"mr-medseg": "ciou", "mturn-seg": "dice"}
_TITLES = {"dice": "Dice", "giou": "gIoU", "ciou": "cIoU"}


def write_report(folder: Path, results: Sequence[Result], description: dict[str, Any]) -> dict[str, Any]:
    """Write all three files.

    Args:
        folder: where to.
        results: of all rounds.
        description: of the run, as `describe_run` makes it.

    Returns:
        What `metrics.json` holds: {"all": {"dice", "giou", "ciou", "count"}, "rounds": [...], "modality": {...}, ...}.
    """
    metrics = metrics_of(results)
    write_json(folder / METRICS, metrics)
    draw_curve(folder / CURVE, metrics, description["format"])
    write_whole(folder / REPORT, _text(metrics, results, description).encode())
    return metrics


def metrics_of(results: Sequence[Result]) -> dict[str, Any]:
    """Over all masks, by round, and by what the data set says of them."""
    compared = [result for result in results if result.overlap]
    last = max((result.round for result in results), default=-1)
    metrics: dict[str, Any] = {
        "all": summary_of(compared),
        "rounds": [summary_of(result for result in compared if result.round == number) for number in range(last + 1)],
    }
    for group in _GROUPS:
        values = sorted({getattr(result, group) for result in compared} - {""})
        if values:
            metrics[group] = {
                value: summary_of(result for result in compared if getattr(result, group) == value) for value in values
            }
    return metrics


def draw_curve(file: Path, metrics: dict[str, Any], kind: str) -> None:
    """A picture of the format's usual metric by round, beside published curves."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    metric = _HEADLINE[kind]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for method, points in published(kind).items():
        axes.plot(
            [n for n, _ in points], [value for _, value in points], ":", marker=".", label=f"{method} (published)"
        )
    own = [(n, one[metric]) for n, one in enumerate(metrics["rounds"], start=1) if one["count"]]
    axes.plot([n for n, _ in own], [value for _, value in own], "-o", linewidth=2, color="black", label="this run")
    axes.set(xlabel="round", ylabel=_TITLES[metric], ylim=(0, 1))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(fontsize="small")
    aside = file.with_name(f".{file.stem}.part.png")
    FigureCanvasAgg(figure).print_png(str(aside))
    aside.replace(file)


def published(kind: str) -> dict[str, list[tuple[int, float]]]:
    """Published values (round from 1, value) of each method on a format of data sets."""
    curves: dict[str, list[tuple[int, float]]] = {}
    with _CURVES.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["format"] == kind:
                curves.setdefault(row["method"], []).append((int(row["round"]), float(row["value"])))
    return curves


def _text(metrics: dict[str, Any], results: Sequence[Result], description: dict[str, Any]) -> str:
    rules = description["rules"]
    references = "the true masks of earlier rounds" if rules["true_references"] else "the engine's own earlier masks"
    words = "its own" if rules["free_text"] else "those of the data set, where the engine can take them"
    statuses = sorted({result.status for result in results})
    counts = ", ".join(f"{sum(result.status == one for result in results)} {one}" for one in statuses)
    lines = [
        f"# {description['engine']} {description['version']} on {description['format']}",
        "",
        f"- {len({result.conversation for result in results})} dialogues, {len(results)} rounds ({counts})",
        f"- references: {references}",
        f"- words of the answers: {words}",
        f"- weights: {description['weights'] or 'none'}",
        f"- settings: {json.dumps(description['settings'], ensure_ascii=False, default=str)}",
        f"- data: SHA-256 {description['data']}",
        "",
        *_table("round", {"all": metrics["all"]} | {str(n): one for n, one in enumerate(metrics["rounds"], start=1)}),
        "",
        f"![{_TITLES[_HEADLINE[description['format']]]} by round]({CURVE})",
        "",
        "Published curves were measured on other pictures; they say where the field stands.",
    ]
    for group in _GROUPS:
        if group in metrics:
            lines += ["", *_table(group, metrics[group])]
    return "\n".join(lines) + "\n"


def _table(title: str, rows: dict[str, dict[str, Any]]) -> list[str]:
    lines = [f"| {title} | Dice | gIoU | cIoU | masks |", "|---|---|---|---|---|"]
    for name, one in rows.items():
        figures = [f"{one[metric]:.4f}" if metric in one else "" for metric in _TITLES]
        lines.append(f"| {name.replace('|', '/')} | {' | '.join(figures)} | {one['count']} |")
    return lines
