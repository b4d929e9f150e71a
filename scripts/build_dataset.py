"""Builds multi-round dialogues from labelled scans: a training set for the engine mediround, or a benchmark.

    python scripts/build_dataset.py SCANS --out OUT
    python scripts/build_dataset.py SAMed2Dv1 --out OUT --format mturn-seg --language zh

SCANS is a folder with cases.csv (columns patient, image, labels, and if need be names and modality), or with images*/
and labels*/ (nnU-Net), or with a folder for each case (TotalSegmentator's data set; DICOM with a SEG), or with
NAME.seg.nrrd beside NAME.nrrd; or an unpacked SA-Med2D-20M. OUT gets train/, val/ and test/, patients apart, and
report.html with counts and pictures of samples. The same scans, settings and seed give the same files.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, find, build, print."""
    arguments = parse()
    from MultiRoundSegLib.anatomy import load_knowledge
    from MultiRoundSegLib.datasets.building import (
        PUBLISHED_ROUNDS,
        BuildSettings,
        build,
        source_in,
    )
    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        settings = BuildSettings(
            format=arguments.format,
            seed=arguments.seed,
            planes=tuple(arguments.plane or ("axial", "coronal", "sagittal")),
            slices=arguments.slices,
            dialogues=arguments.dialogues,
            languages=tuple(arguments.language or ("en", "zh")),
            least_pixels=arguments.least_pixels,
            rounds=dict.fromkeys(range(arguments.rounds[0], arguments.rounds[1] + 1), 1.0)
            if arguments.rounds
            else PUBLISHED_ROUNDS,
            refusals=arguments.refusals,
            drawn=arguments.drawn,
            shares=tuple(arguments.shares),
            unseen_wordings=arguments.unseen_wordings,
            plain_answers=arguments.plain_answers,
        )
        knowledge = load_knowledge()
        source = source_in(arguments.scans, knowledge.anatomy, settings, arguments.names, arguments.modality)
        report = build(source, arguments.out, knowledge, settings, say)
    except (MultiRoundSegError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    left_out = report.of("left out")
    print(f"{report.dialogues} dialogues: {report.of('split')}; see {arguments.out / 'report.html'}")
    if left_out:
        print(f"Left out, as their names are no structures': {', '.join(left_out)}")
    return 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build multi-round dialogues from labelled scans.")
    parser.add_argument("scans", type=Path, help="the folder of scans, or an unpacked SA-Med2D-20M")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--format", choices=("mr-medseg", "mturn-seg"), default="mr-medseg")
    parser.add_argument("--names", type=Path, help="the names of the values of label maps: CSV, JSON, colour table")
    parser.add_argument("--modality", help="of images that do not say it: CT, MR ...")
    parser.add_argument("--language", action="append", choices=("en", "zh"), help="may be repeated; both by default")
    parser.add_argument("--plane", action="append", choices=("axial", "coronal", "sagittal"), help="all by default")
    parser.add_argument("--slices", type=int, default=4, help="of one scan along each plane, at most")
    parser.add_argument("--dialogues", type=int, default=1, help="about one picture in each language")
    parser.add_argument("--least-pixels", type=int, default=60, help="of a structure that can be asked for")
    parser.add_argument("--rounds", type=int, nargs=2, metavar=("LEAST", "MOST"), help="alike (default: as published)")
    parser.add_argument("--refusals", type=float, default=0.0, help="share of rounds for what is not there")
    parser.add_argument("--drawn", type=float, default=0.0, help="share of rounds about what the user drew (mr-medseg)")
    parser.add_argument("--shares", type=float, nargs=3, default=(0.8, 0.1, 0.1), metavar=("TRAIN", "VAL", "TEST"))
    parser.add_argument("--unseen-wordings", action="store_true", help="val and test are worded as train never is")
    parser.add_argument("--plain-answers", action="store_true", help="all answers have the same words")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def say(fraction: float, message: str) -> None:
    """Progress, on standard error."""
    print(f"{100 * fraction:3.0f} %  {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
