"""Asks an engine the dialogues of a data set and compares its masks with the truth.

    python scripts/evaluate.py --dataset mr-medseg --data test.json --root DIR --engine mediround \
        --setting checkpoint=FOLDER --out OUT

Writes OUT/metrics.json, results.csv, masks/<conversation>_<round>.png (counted from 0), report.md and by_round.png.
Stopped and started again, it goes on. References are the engine's own earlier masks and the words of answers those of
the data set, as published; --teacher-forcing refers to the true masks, --free-text lets the engine find its own words.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, check or run, report."""
    arguments = parse()
    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        if arguments.dataset == "questions":
            return understand(arguments)
        return check(arguments) if arguments.check_only else evaluate(arguments)
    except (MultiRoundSegError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", required=True, choices=["mr-medseg", "mturn-seg", "questions"], help="format")
    parser.add_argument("--data", type=Path, required=True, help="its JSON file")
    parser.add_argument("--root", type=Path, help="what paths in it are relative to (default: its folder)")
    parser.add_argument("--settings", type=Path, help="of questions: structures by setting (default: settings.json)")
    parser.add_argument("--engine", default="reasoner", help="who answers (default: reasoner)")
    parser.add_argument("--setting", action="append", default=[], metavar="KEY=VALUE", help="of the engine")
    parser.add_argument("--teacher-forcing", action="store_true", help="questions refer to the true masks")
    parser.add_argument("--free-text", action="store_true", help="the engine finds its own words")
    parser.add_argument("--check-only", action="store_true", help="only list all faults of the data set")
    parser.add_argument("--out", type=Path, help="the folder to write to")
    arguments = parser.parse_args()
    arguments.root = arguments.root or arguments.data.parent
    if any("=" not in setting for setting in arguments.setting):
        parser.error("a setting is written KEY=VALUE")
    arguments.setting = dict(setting.split("=", 1) for setting in arguments.setting)
    if not arguments.check_only and arguments.out is None:
        parser.error("--out is needed")
    return arguments


def check(arguments: argparse.Namespace) -> int:
    """Print every fault; 1 where there are any."""
    from MultiRoundSegLib.datasets import faults_of

    faults = list(faults_of(arguments.dataset, arguments.data, arguments.root))
    print(*faults, f"{len(faults)} faults.", sep="\n")
    return 1 if faults else 0


def understand(arguments: argparse.Namespace) -> int:
    """Write what the engine understands of questions, and the score where it is known what is meant; without images."""
    from MultiRoundSegLib.engines import create_engine
    from MultiRoundSegLib.evaluation.question_scores import has_gold, score, table_of
    from MultiRoundSegLib.evaluation.questions import PREDICTIONS, read_questions, write_predictions

    names = arguments.settings or arguments.data.with_name("settings.json")
    engine = create_engine(arguments.engine, **arguments.setting)
    dialogues, structures = read_questions(arguments.data, names)
    predictions = write_predictions(engine, dialogues, structures, arguments.out)
    if has_gold(dialogues):
        print(table_of(score(dialogues, predictions)))
    print(arguments.out / PREDICTIONS)
    return 0


def evaluate(arguments: argparse.Namespace) -> int:
    """Run and report."""
    from tqdm import tqdm

    from MultiRoundSegLib.datasets import read_dialogues
    from MultiRoundSegLib.engines import create_engine
    from MultiRoundSegLib.evaluation.asking import Rules
    from MultiRoundSegLib.evaluation.report import REPORT, write_report
    from MultiRoundSegLib.evaluation.running import describe_run, run

    dialogues = read_dialogues(arguments.dataset, arguments.data, arguments.root)
    engine = create_engine(arguments.engine, **arguments.setting)
    rules = Rules(arguments.teacher_forcing, arguments.free_text)
    description = describe_run(engine, arguments.setting, arguments.dataset, arguments.data, rules)
    with tqdm(total=len(dialogues), unit="dialogue") as bar:
        report = lambda done: bar.update(done - bar.n)  # noqa: E731
        results = run(engine, dialogues, arguments.out, description, rules, report=report)
    metrics = write_report(arguments.out, results, description)
    print("  ".join(f"{name} {value:.4g}" for name, value in metrics["all"].items()))
    print(arguments.out / REPORT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
