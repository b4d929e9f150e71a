"""Measures the product against its limits.

    python scripts/benchmark.py scene
    python scripts/benchmark.py brain
    python scripts/benchmark.py worker
    python scripts/benchmark.py mediround
    python scripts/benchmark.py reasoner
    python scripts/benchmark.py training

The exit code is 0 only when every limit holds. What exactly is measured, each benchmark says at its top.
"""

import argparse
import sys
from importlib import import_module


def main() -> int:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description="Measure the product against its limits.")
    benchmarks = parser.add_subparsers(dest="benchmark", required=True)
    scene = benchmarks.add_parser("scene", help="write a round into a large scan; about half a minute")
    scene.add_argument("--repetitions", type=int, default=9, metavar="N", help="pairs to time (default: 9)")
    benchmarks.add_parser("brain", help="label a brain MR on two cores; about half a minute")
    worker = benchmarks.add_parser("worker", help="ask through a worker on this computer; about half a minute")
    worker.add_argument("--repetitions", type=int, default=9, metavar="N", help="pairs to time (default: 9)")
    benchmarks.add_parser("mediround", help="hold dialogues with the tiny model (torch); about a minute")
    benchmarks.add_parser("reasoner", help="load what the reasoner knows, and plan rounds; about a minute")
    training = benchmarks.add_parser("training", help="train the tiny model (torch); about three minutes")
    training.add_argument(
        "--encoders",
        choices=("tiny", "published"),
        default="tiny",
        help="their sizes (default: tiny); published ones take a quarter of an hour",
    )
    arguments = vars(parser.parse_args())
    benchmark = import_module(f"benchmarks.{arguments.pop('benchmark')}")
    return 0 if benchmark.run(**arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
