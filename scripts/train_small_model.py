"""Trains a small MediRound model from nothing on a processor, from label maps of heads, and measures it.

    python scripts/train_small_model.py LABEL_MAPS WORK

LABEL_MAPS is a folder of .nii.gz files with FreeSurfer numbers and voxels of 1 mm, such as those of SynthSeg
(BBillot/SynthSeg, Apache-2.0). Stopped and started again, it goes on. WORK/correction/model is the result: give it to
the engine mediround by --setting checkpoint=WORK/correction/model. WORK/table.md says how good it is, with and without
its parts, on heads and words that it has not seen.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Parse, then follow the recipe."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("label_maps", type=Path, help="folder of .nii.gz files with FreeSurfer numbers, 1 mm")
    parser.add_argument("work", type=Path, help="the folder to work in")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--precision",
        choices=("no", "bf16"),
        help="no is float32 throughout (default: bf16 where the processor computes in it, else no)",
    )
    options = parser.parse_args()
    import torch
    from train_brain import prepared

    from MultiRoundSegLib.training.small.recipe import Recipe, fitting_precision, follow

    torch.set_num_threads(options.threads)
    heads = prepared(options.label_maps, options.work / "maps")
    recipe = Recipe().computed_in(options.precision or fitting_precision())
    print(follow(recipe, heads, options.work, lambda line: print(line, flush=True)))


if __name__ == "__main__":
    main()
