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

from arguments import add_language_model, add_scans, language_model, settings_of_scans


def main() -> int:
    """Parse, write, count."""
    arguments = parse()
    from tqdm import tqdm

    from MultiRoundSegLib.anatomy import load_knowledge
    from MultiRoundSegLib.datasets.building import BuildSettings, source_in
    from MultiRoundSegLib.datasets.building.captioning import caption
    from MultiRoundSegLib.datasets.building.review import REVIEW
    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        settings = BuildSettings(**settings_of_scans(arguments))
        knowledge = load_knowledge()
        source = source_in(arguments.scans, knowledge.anatomy, settings, arguments.names, arguments.modality)
        endpoint = language_model(arguments)
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
    add_scans(parser)
    add_language_model(parser, timeout=120.0)
    parser.add_argument(
        "--pairs", type=int, default=3, help="of question and answer about one picture in each language"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
