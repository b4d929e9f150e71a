"""Holds dialogues through the module's logic and tells them as Markdown with a picture for every round."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import slicer
from offscreen.pictures import render_round

from MultiRoundSegLib.images import Window, default_window, union
from MultiRoundSegLib.images.readers import read_segmentation
from MultiRoundSegLib.panel.appearance import dress
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic
from MultiRoundSegLib.panel.scene_images import geometry_of, volume_of
from MultiRoundSegLib.panel.scene_masks import write_mask
from MultiRoundSegLib.panel.scene_rounds import SceneRound, new_segmentation
from MultiRoundSegLib.panel.show import island_centre


def load_mr(image: Path) -> Any:
    """Load an MR into the scene."""
    volume_node = slicer.util.loadVolume(str(image))
    volume_node.SetAttribute("DICOM.Modality", "MR")
    return volume_node


def load_labelled_ct(image: Path, labels: Path) -> Any:
    """Load a CT and a segmentation of it into the scene; the segmentation is hidden, to show what is asked for."""
    volume_node = slicer.util.loadVolume(str(image))
    volume_node.SetAttribute("DICOM.Modality", "CT")
    segmentation_node = new_segmentation(volume_node, labels.name.split(".")[0])
    for mask in read_segmentation(labels, reference=geometry_of(volume_node)):
        segment_id = segmentation_node.GetSegmentation().AddEmptySegment("", mask.label)
        dress(segmentation_node.GetSegmentation().GetSegment(segment_id), mask)
        write_mask(segmentation_node, segment_id, mask, volume_node)
    segmentation_node.GetDisplayNode().SetVisibility(False)
    return volume_node


class Story:
    """Dialogues, told as they are held."""

    def __init__(self, folder: Path) -> None:
        """Write `transcript.md` and its pictures to this folder."""
        self.transcript = folder / "transcript.md"
        self.segmentation_nodes: list[Any] = []
        self._folder = folder
        self._logic = MultiRoundSegLogic()
        self._lines = ["# Three dialogues about real scans", ""]

    def tell(self, title: str, volume_node: Any, questions: Sequence[str], window: Window | None = None) -> None:
        """Ask every question and draw what came of it."""
        volume_node.SetName(title)
        self._lines += [f"## {title}", ""]
        centre = None
        for text in questions:
            done = self._logic.ask(volume_node, text)
            if done.round.answer.masks:
                centre = island_centre(union(done.round.answer.masks, ""))
            picture = f"{title.split()[0].lower()}_round_{done.round.number}.png"
            self._draw(volume_node, done, centre, self._folder / picture, window)
            self._write(done, picture)
        self.segmentation_nodes += self._logic.segmentations(volume_node)
        for node in self._logic.segmentations(volume_node):
            node.GetDisplayNode().SetVisibility(False)

    def _draw(self, volume_node: Any, done: SceneRound, centre: Any, path: Path, window: Window | None) -> None:
        nodes = self._logic.segmentations(volume_node)
        caption = f"[{done.round.number}] {done.round.question.text}"
        window = window or default_window(volume_of(volume_node))
        render_round(volume_node, nodes[-1], done.segment_ids, path, centre_ras=centre, window=window, caption=caption)

    def _write(self, done: SceneRound, picture: str) -> None:
        round_ = done.round
        print(f"[{round_.number}] {round_.question.text}\n    {round_.answer.text}")
        self._lines += [
            f"**[{round_.number}] {round_.question.text}**",
            "",
            round_.answer.text,
            "",
            f"![round {round_.number}]({picture})",
            "",
        ]
        self.transcript.write_text("\n".join(self._lines), encoding="utf-8")
