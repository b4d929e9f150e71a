"""Holds three dialogues about real scans in a real Slicer scene and leaves scene, pictures and transcript.

python scripts/demo.py [--out demo_output]
"""

import argparse
from pathlib import Path

BRAIN = (
    "segment the left hippocampus",
    "the other one",
    "丘脑",
    "both putamina and the brain stem",
    "基底节",
    "the other side of [1]",
    "the liver",
)
CHEST = ("segment the right lung", "the other one", "肋骨", "the thoracic spine")
ABDOMEN = (
    "segment the right kidney",
    "the liver and the spleen",
    "左侧肾上腺",
    "gallbladder",
    "the prostate",
    "the thyroid gland",
    "the other side of [1]",
    "两侧髋骨",
)


def main() -> None:
    """Parse, load, ask, draw, write."""
    parser = argparse.ArgumentParser(description="Hold three dialogues about real scans in a Slicer scene.")
    parser.add_argument("--out", type=Path, default=Path("demo_output"), help="the folder to write to")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    import sample_data
    import slicer
    from offscreen.scene import save_scene, start_slicer
    from storyteller import Story, load_labelled_ct, load_mr

    from MultiRoundSegLib.images import Window

    wide = Window.from_level(1500, -300, "lung and soft tissue")
    start_slicer()
    story = Story(out)
    fetch = sample_data.fetch
    story.tell("Brain MR", load_mr(fetch("mr_brain")), BRAIN)
    story.tell("Chest CT", load_labelled_ct(fetch("ct_chest"), fetch("ct_chest_segments")), CHEST, wide)
    story.tell("Abdomen CT", load_labelled_ct(fetch("ct_abdomen"), fetch("ct_abdomen_labels")), ABDOMEN)
    save_scene(out / "scene.mrb")
    for node in story.segmentation_nodes:
        slicer.util.saveNode(node, str(out / f"{node.GetName()}.seg.nrrd"))
    print(f"\nSee {story.transcript}")


if __name__ == "__main__":
    main()
