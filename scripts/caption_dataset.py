"""Writes captions of labelled scans and conversations about them, by a language model, for a physician to review.

    python scripts/caption_dataset.py SCANS --llm http://localhost:11434/v1 --llm-model qwen3 --out PASS1
    (fill in "decision" of PASS1/review.csv: accept, reject, edit)
    python scripts/caption_dataset.py SCANS --llm ... --out PASS2 --review PASS1/review.csv

SCANS is a folder as scripts/build_dataset.py reads it. OUT gets train/, val/ and test/, patients apart: pictures, masks
and texts whose phrases have masks, as in MedSeg-QA. Only words are sent: names of structures and how they lie. A run
that was stopped goes on. A key is read from the environment variable MULTIROUNDSEG_LLM_KEY.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, write, count."""
    arguments = parse()
    from tqdm import tqdm

    from MultiRoundSegLib.anatomy import load_knowledge
    from MultiRoundSegLib.datasets.building import BuildSettings, source_in
    from MultiRoundSegLib.datasets.building.captioning import caption
    from MultiRoundSegLib.datasets.building.review import REVIEW
    from MultiRoundSegLib.errors import MultiRoundSegError
    from MultiRoundSegLib.wire.chat import ChatEndpoint

    try:
        settings = BuildSettings(
            seed=arguments.seed,
            planes=tuple(arguments.plane or ("axial", "coronal", "sagittal")),
            slices=arguments.slices,
            languages=tuple(arguments.language or ("en", "zh")),
            least_pixels=arguments.least_pixels,
            shares=tuple(arguments.shares),
        )
        knowledge = load_knowledge()
        source = source_in(arguments.scans, knowledge.anatomy, settings, arguments.names, arguments.modality)
        endpoint = ChatEndpoint(arguments.llm, arguments.llm_model, arguments.timeout)
        with tqdm(total=100, unit="%") as bar:
            written = caption(
                source,
                arguments.out,
                knowledge,
                endpoint,
                settings,
                arguments.pairs,
                arguments.review,
                lambda share, name: bar.update(round(100 * share) - bar.n),
            )
    except (MultiRoundSegError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(", ".join(f"{count} {kind}" for kind, count in sorted(written.counts.items())))
    if written.left_out:
        print(f"Left out, as their names are no structures': {', '.join(written.left_out)}")
    print(arguments.out / REVIEW)
    return 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", type=Path, help="the folder of scans, or an unpacked SA-Med2D-20M")
    parser.add_argument("--llm", required=True, metavar="URL", help="of the endpoint, up to and with /v1")
    parser.add_argument("--llm-model", default="default", help="the model's name there")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds to wait for an answer")
    parser.add_argument(
        "--pairs", type=int, default=3, help="of question and answer about one picture in each language"
    )
    parser.add_argument("--review", type=Path, help="a filled-in review.csv of an earlier pass")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    parser.add_argument("--names", type=Path, help="the names of the values of label maps: CSV, JSON, colour table")
    parser.add_argument("--modality", help="of images that do not say it: CT, MR ...")
    parser.add_argument("--language", action="append", choices=("en", "zh"), help="may be repeated; both by default")
    parser.add_argument("--plane", action="append", choices=("axial", "coronal", "sagittal"), help="all by default")
    parser.add_argument("--slices", type=int, default=4, help="of one scan along each plane, at most")
    parser.add_argument("--least-pixels", type=int, default=60, help="of a structure that is spoken of")
    parser.add_argument("--shares", type=float, nargs=3, default=(0.8, 0.1, 0.1), metavar=("TRAIN", "VAL", "TEST"))
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
