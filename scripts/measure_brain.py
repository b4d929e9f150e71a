"""Measure the brain label network on a labelled MR: Dice per structure, also of changed images.

    python scripts/measure_brain.py MODEL.onnx IMAGE LABELS [--variants] [--orientations]

Image and labels are NIfTI or MGH files on one grid; labels are FreeSurfer numbers.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--variants", action="store_true", help="contrast, slices, skull, halves")
    parser.add_argument("--orientations", action="store_true", help="all 48 orders of the axes")
    parser.add_argument("--box", type=int, nargs=3, default=None, help="voxels (k, j, i) the network sees")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()

    import nibabel
    import numpy as np
    import onnxruntime

    from MultiRoundSegLib.engines.reasoner.segmenters.brain import grid
    from MultiRoundSegLib.engines.reasoner.segmenters.brain.labelling import label_volume
    from MultiRoundSegLib.images.geometry import Geometry
    from MultiRoundSegLib.images.volume import Volume
    from MultiRoundSegLib.training.brain import measure

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(options.model, settings, providers=["CPUExecutionProvider"])
    box = tuple(options.box) if options.box else grid.SHAPE

    def label(volume: Volume) -> measure.Labels:
        return label_volume(volume, lambda image: session.run(None, {"image": image})[0], box).voxels

    file = nibabel.load(options.image)
    voxels = np.asarray(file.dataobj, dtype=np.float32).T
    volume = Volume(voxels, Geometry(voxels.shape, file.affine), "MR")
    truth = measure.truth_from_freesurfer(np.asarray(nibabel.load(options.labels).dataobj).astype(np.int32).T)

    found = label(volume)
    plain = measure.compare(found, truth)
    for name, value in plain.dice.items():
        print(f"{name:28s} {value:.3f}")
    print(f"{'mean':28s} {plain.mean:.3f}   swapped sides {100 * plain.swapped:.2f} %", flush=True)
    if options.variants:
        for name, changed, back, expected in measure.variants(volume, truth):
            part = None if expected.shape == truth.shape else truth
            score = measure.compare(back(label(changed)), expected, part)
            print(f"{name:28s} {score.mean:.3f}   swapped sides {100 * score.swapped:.2f} %", flush=True)
    if options.orientations:
        same = [np.mean(back(label(turned)) == found) for _, turned, back in measure.orientations(volume)]
        print(f"48 orientations: at least {100 * min(same):.3f} % of voxels labelled alike")


if __name__ == "__main__":
    main()
