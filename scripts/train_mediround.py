"""Trains the model of the engine mediround on dialogues in MR-MedSeg's format, such as scripts/build_dataset.py makes.

    python scripts/train_mediround.py RUN --model MODEL --data train.json
    python scripts/train_mediround.py RUN2 --model RUN/model --data train.json --stage 2
    accelerate launch --config_file scripts/accelerate/gpus.yaml scripts/train_mediround.py RUN ... --precision bf16

scripts/accelerate/ has settings for several GPUs (gpus.yaml), for several that share the weights of a model that is too
large for one (sharded.yaml), and for several computers (nodes.yaml).

MODEL is a folder as scripts/convert_checkpoint.py makes it. Stage 1 learns to speak and to show, stage 2 to judge and
to correct. Stopped and started again, a run goes on from its last checkpoint. RUN/model is the result, with --val
RUN/best that with the best gIoU: give it to the engine by --setting checkpoint=RUN/best. RUN/curves.png shows how it
learnt.
"""

import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path


def main() -> int:
    """Parse, learn, write the result."""
    arguments = parse()
    from tqdm import tqdm

    from MultiRoundSegLib.datasets import read_dialogues
    from MultiRoundSegLib.errors import MultiRoundSegError
    from MultiRoundSegLib.training.mediround.run import SETTINGS, Run
    from MultiRoundSegLib.training.mediround.settings import RunSettings

    given = {field.name: getattr(arguments, field.name, None) for field in fields(RunSettings)}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        dialogues = read_dialogues("mr-medseg", arguments.data, arguments.root or arguments.data.parent)
        held_out = (
            read_dialogues("mr-medseg", arguments.val, arguments.root or arguments.val.parent) if arguments.val else ()
        )
        begun = arguments.run / SETTINGS
        settings = replace(RunSettings.read(begun) if begun.exists() else RunSettings(), **given)
        run = Run(arguments.run, arguments.model, dialogues, settings, held_out, say, arguments.features)
        quiet = not run.accelerator.is_main_process
        with tqdm(total=run.settings.steps, initial=run.step, unit="step", disable=quiet) as bar:
            for step in run.steps(arguments.until):
                bar.set_postfix(loss=f"{step.loss:.4f}", **{name: f"{value:.4f}" for name, value in step.terms.items()})
                bar.update()
        model = run.export()
        if run.accelerator.is_main_process:
            print(model, run.draw(), sep="\n")
    except (MultiRoundSegError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def say(line: str) -> None:
    """What takes long, on standard error."""
    print(line, file=sys.stderr)


def parse() -> argparse.Namespace:
    """The command line; what is not said is as published, or as the run began."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("--model", type=Path, required=True, help="the folder of the model to start from")
    parser.add_argument("--data", type=Path, required=True, help="the JSON file of the dialogues")
    parser.add_argument(
        "--val", type=Path, help="the JSON file of dialogues that tell how good it is at each checkpoint"
    )
    parser.add_argument("--root", type=Path, help="what paths in it are relative to (default: its folder)")
    parser.add_argument("--until", type=int, help="the step to stop at, to go on another time")
    parser.add_argument("--stage", type=int, choices=(1, 2))
    parser.add_argument("--precision", choices=("no", "bf16", "fp16"))
    parser.add_argument("--no-features", dest="keep_features", action="store_false", default=None, help="encode anew")
    parser.add_argument(
        "--features", type=Path, help="where they are kept; runs of stage 1 on the same dialogues may share the folder"
    )
    parser.add_argument("--gradient-checkpointing", action="store_true", default=None)
    parser.add_argument("--whole-language", action="store_true", default=None, help="for a model that cannot speak yet")
    parser.add_argument("--words-only", action="store_true", default=None, help="no masks yet; for the same")
    parser.add_argument(
        "--adds-correction", action="store_true", default=None, help="stage 2: safer than as published, and our own"
    )
    for name in ("seed", "steps", "batch", "accumulate", "warmup", "rank", "save-every", "keep"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("rate", "clip", "dropout", "own-references"):
        parser.add_argument(f"--{name}", type=float)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
