"""Arguments that several scripts have: labelled scans to make a data set of, and a language model to ask."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from MultiRoundSegLib.wire.chat import ChatEndpoint


def add_scans(parser: argparse.ArgumentParser) -> None:
    """Which scans, and what of them is taken."""
    parser.add_argument("scans", type=Path, help="the folder of scans, or an unpacked SA-Med2D-20M")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--names", type=Path, help="the names of the values of label maps: CSV, JSON, colour table")
    parser.add_argument("--modality", help="of images that do not say it: CT, MR ...")
    parser.add_argument("--language", action="append", choices=("en", "zh"), help="may be repeated; both by default")
    parser.add_argument("--plane", action="append", choices=("axial", "coronal", "sagittal"), help="all by default")
    parser.add_argument("--slices", type=int, default=4, help="of one scan along each plane, at most")
    parser.add_argument("--least-pixels", type=int, default=60, help="of a structure that can be asked for")
    parser.add_argument("--shares", type=float, nargs=3, default=(0.8, 0.1, 0.1), metavar=("TRAIN", "VAL", "TEST"))
    parser.add_argument("--seed", type=int, default=0)


def settings_of_scans(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_scans` asked for, as fields of `BuildSettings`."""
    return {
        "seed": arguments.seed,
        "planes": tuple(arguments.plane or ("axial", "coronal", "sagittal")),
        "slices": arguments.slices,
        "languages": tuple(arguments.language or ("en", "zh")),
        "least_pixels": arguments.least_pixels,
        "shares": tuple(arguments.shares),
    }


def add_language_model(parser: argparse.ArgumentParser, timeout: float) -> None:
    """Which language model, and what a person said of its words; `timeout` is the default, seconds."""
    parser.add_argument("--llm", required=True, metavar="URL", help="of the endpoint, up to and with /v1")
    parser.add_argument("--llm-model", default="default", help="the model's name there")
    parser.add_argument("--timeout", type=float, default=timeout, help="seconds to wait for an answer")
    parser.add_argument("--review", type=Path, help="a filled-in review.csv of an earlier pass")


def language_model(arguments: argparse.Namespace) -> ChatEndpoint:
    """The endpoint that `add_language_model` asked for.

    Raises:
        EngineUnavailableError: its address is none.
    """
    from MultiRoundSegLib.wire.chat import ChatEndpoint

    return ChatEndpoint(arguments.llm, arguments.llm_model, arguments.timeout)
