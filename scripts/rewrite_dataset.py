"""Puts the questions and answers of a built data set into other words, by a language model, for a person to review.

    python scripts/rewrite_dataset.py train.json --llm http://localhost:11434/v1 --llm-model qwen3 --out PASS1
    (fill in "decision" of PASS1/review.csv: accept, reject, edit)
    python scripts/rewrite_dataset.py train.json --llm ... --out PASS2 --review PASS1/review.csv

OUT gets the data set under the same name; its pictures and masks stay where they were (train with --root). Only words
are sent. A run that was stopped goes on. A key is read from the environment variable MULTIROUNDSEG_LLM_KEY.
"""

import argparse
import sys
from pathlib import Path

from arguments import add_language_model, language_model


def main() -> int:
    """Parse, rewrite, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the JSON file in MR-MedSeg's format")
    add_language_model(parser, timeout=60.0)
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    arguments = parser.parse_args()
    from tqdm import tqdm

    from MultiRoundSegLib.datasets.building.review import REVIEW
    from MultiRoundSegLib.datasets.building.rewriting import rewrite
    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        endpoint = language_model(arguments)
        with tqdm(total=100, unit="%") as bar:
            report = lambda share: bar.update(round(100 * share) - bar.n)  # noqa: E731
            counts = rewrite(arguments.data, arguments.out, endpoint, arguments.review, report)
    except (MultiRoundSegError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    print(arguments.out / REVIEW)
    return 0


if __name__ == "__main__":
    sys.exit(main())
