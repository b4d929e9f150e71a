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

from arguments import add_scans, settings_of_scans


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
            dialogues=arguments.dialogues,
            rounds=dict.fromkeys(range(arguments.rounds[0], arguments.rounds[1] + 1), 1.0)
            if arguments.rounds
            else PUBLISHED_ROUNDS,
            refusals=arguments.refusals,
            drawn=arguments.drawn,
            unseen_wordings=arguments.unseen_wordings,
            answers=arguments.answers,
            **settings_of_scans(arguments),
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
    add_scans(parser)
    parser.add_argument("--format", choices=("mr-medseg", "mturn-seg"), default="mr-medseg")
    parser.add_argument("--dialogues", type=int, default=1, help="about one picture in each language")
    parser.add_argument("--rounds", type=int, nargs=2, metavar=("LEAST", "MOST"), help="alike (default: as published)")
    parser.add_argument("--refusals", type=float, default=0.0, help="share of rounds for what is not there")
    parser.add_argument("--drawn", type=float, default=0.0, help="share of rounds about what the user drew (mr-medseg)")
    parser.add_argument("--unseen-wordings", action="store_true", help="val and test are worded as train never is")
    parser.add_argument(
        "--answers",
        choices=("varied", "plain", "restating"),
        default="varied",
        help="plain: all have the same words; restating: they say first how a reference was understood",
    )
    return parser.parse_args()


def say(fraction: float, message: str) -> None:
    """Progress, on standard error."""
    print(f"{100 * fraction:3.0f} %  {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
