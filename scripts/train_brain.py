"""Train the brain label network: label maps in, a checkpoint and then an ONNX file out.

python scripts/train_brain.py train LABEL_MAPS RUN    start, or go on from RUN/checkpoint.pt
python scripts/train_brain.py export RUN MODEL.onnx   write what the product runs
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from MultiRoundSegLib.training.brain.label_maps import LabelMap


def main() -> None:
    """Parse, then train or export."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    learn = commands.add_parser("train")
    learn.add_argument("label_maps", type=Path, help="folder of .nii.gz files with FreeSurfer numbers, 1 mm")
    learn.add_argument("run", type=Path, help="folder of the checkpoint and the prepared label maps")
    learn.add_argument("--start", type=Path, help="exported network whose weights a new run starts from")
    learn.add_argument("--steps", type=int, help="in all")
    learn.add_argument("--decay-steps", type=int, help="the last of them, with a falling rate")
    learn.add_argument("--stop", type=int, help="number of steps to stop at, to go on another time")
    learn.add_argument("--threads", type=int, default=1)
    export = commands.add_parser("export")
    export.add_argument("run", type=Path)
    export.add_argument("model", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads leave the processor to others
    if options.command == "train":
        train(options)
    else:
        from MultiRoundSegLib.training.brain.onnx_file import write_onnx
        from MultiRoundSegLib.training.brain.train import Run

        write_onnx(Run.load(options.run / "checkpoint.pt").average, options.model)


def train(options: argparse.Namespace) -> None:
    """Start a run or go on with it."""
    import torch

    from MultiRoundSegLib.training.brain.train import Run, Settings
    from MultiRoundSegLib.training.brain.train import train as carry_on

    torch.set_num_threads(options.threads)
    changes = {"steps": options.steps, "decay_steps": options.decay_steps}
    changes = {name: value for name, value in changes.items() if value is not None}
    checkpoint = options.run / "checkpoint.pt"
    heads = prepared(options.label_maps, options.run / "maps")
    if checkpoint.exists():
        run = Run.load(checkpoint, **changes)
    elif options.start:
        run = Run(Settings.of_a_second_run(**changes))
        run.start_from(options.start)
    else:
        run = Run(Settings(**changes))
    print(run.settings, flush=True)
    carry_on(run, heads, checkpoint, stop=options.stop, report=lambda line: print(line, flush=True))


def prepared(folder: Path, cache: Path) -> list[LabelMap]:
    """The label maps of a folder in the order of their names, prepared once."""
    from MultiRoundSegLib.training.brain.label_maps import LabelMap, read_label_map

    cache.mkdir(parents=True, exist_ok=True)
    heads = []
    for path in sorted(folder.glob("*.nii.gz")):
        kept = cache / path.name.replace(".nii.gz", ".npz")
        if not kept.exists():
            read_label_map(path).save(kept)
        heads.append(LabelMap.load(kept))
    return heads


if __name__ == "__main__":
    main()
