"""The picture of a round: three slice views through its segments, with caption and legend."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import numpy as np
import slicer
from numpy.typing import NDArray
from PIL import Image

from MultiRoundSegLib.images.windows import Window

from .framing import body_box_ras, island_centre_ras
from .lettering import LegendEntry, caption_image, draw_sides, has_chinese_font, legend_image
from .slice_pane import Orientation, render_slice

_PANE_COLUMNS, _PANE_ROWS, _GAP = 398, 348, 3

# RAS axes that run along the columns and rows of each view's picture.
_IN_PLANE_AXES: dict[Orientation, tuple[int, int]] = {"Axial": (0, 1), "Sagittal": (1, 2), "Coronal": (0, 2)}


def render_round(
    volume_node: Any,
    segmentation_node: Any,
    segment_ids: Sequence[str],
    path: Path,
    *,
    centre_ras: Sequence[float] | None = None,
    window: Window | None = None,
    caption: str = "",
) -> None:
    """Write a PNG, 1200 pixels wide, of axial, sagittal and coronal views through a round's segments.

    Args:
        volume_node: the scan.
        segmentation_node: its segments; hidden ones stay hidden.
        segment_ids: the round's segments, filled; all other visible ones are outlined.
        path: the file to write.
        centre_ras: world position, mm, the three planes go through; None for the middle of the largest
            island of the round's segments.
        window: range of values from black to white; None for the one the volume is displayed with.
        caption: a line above the views.

    Raises:
        ValueError: the round's segments are empty and no centre is given.
    """
    centre = island_centre_ras(segmentation_node, segment_ids) if centre_ras is None else np.array(centre_ras)
    with _shown_as(volume_node, segmentation_node, segment_ids, window):
        panes = list(_panes(volume_node, centre.astype(np.float64)))
    row = Image.new("RGB", (3 * _PANE_COLUMNS + 2 * _GAP, _PANE_ROWS), (70, 70, 70))
    for position, pane in enumerate(panes):
        row.paste(pane, (position * (_PANE_COLUMNS + _GAP), 0))
    legend = legend_image(_legend_entries(segmentation_node, segment_ids), row.width)
    parts = [caption_image(caption, row.width)] if caption else []
    _stack([*parts, row, legend]).save(path)


def _panes(volume_node: Any, centre_ras: NDArray[np.float64]) -> Iterator[Image.Image]:
    """Yield the three views, all at the scale at which the body fits each of them."""
    box = body_box_ras(volume_node)
    size_mm = box[1] - box[0]
    mm_per_pixel = 1.06 * max(
        max(size_mm[across] / _PANE_COLUMNS, size_mm[along] / _PANE_ROWS) for across, along in _IN_PLANE_AXES.values()
    )
    for orientation in get_args(Orientation):
        middle = centre_ras.copy()
        in_plane = list(_IN_PLANE_AXES[orientation])
        middle[in_plane] = box.mean(axis=0)[in_plane]
        pixels = render_slice(
            volume_node,
            orientation,
            centre_ras=middle,
            mm_per_pixel=mm_per_pixel,
            columns=_PANE_COLUMNS,
            rows=_PANE_ROWS,
        )
        pane = Image.fromarray(pixels)
        draw_sides(pane, orientation)
        yield pane


@contextmanager
def _shown_as(
    volume_node: Any, segmentation_node: Any, segment_ids: Sequence[str], window: Window | None
) -> Iterator[None]:
    """Set the window and fill only the round's segments, and put both displays back afterwards."""
    displays = [volume_node.GetDisplayNode(), segmentation_node.GetDisplayNode()]
    before = [display.CreateNodeInstance() for display in displays]
    for copy, display in zip(before, displays, strict=True):
        copy.CopyContent(display)
    volume_display, segmentation_display = displays
    if window is not None:
        volume_display.SetAutoWindowLevel(False)
        volume_display.SetWindowLevelMinMax(window.lower, window.upper)
    for segment_id in segmentation_node.GetSegmentation().GetSegmentIDs():
        segmentation_display.SetSegmentVisibility2DFill(segment_id, segment_id in segment_ids)
        segmentation_display.SetSegmentVisibility2DOutline(segment_id, True)
    segmentation_display.SetPreferredDisplayRepresentationName2D(
        slicer.vtkSegmentationConverter.GetBinaryLabelmapRepresentationName()
    )
    try:
        yield
    finally:
        for copy, display in zip(before, displays, strict=True):
            display.CopyContent(copy)


def _legend_entries(segmentation_node: Any, segment_ids: Sequence[str]) -> list[LegendEntry]:
    """Describe the visible segments, the round's first."""
    display = segmentation_node.GetDisplayNode()
    segmentation = segmentation_node.GetSegmentation()
    visible = [i for i in segmentation.GetSegmentIDs() if display.GetSegmentVisibility(i)]
    entries = [
        LegendEntry(
            readable_name(segmentation.GetSegment(segment_id), number, chinese=has_chinese_font()),
            tuple(round(255 * channel) for channel in display.GetSegmentColor(segment_id)),
            segment_id in segment_ids,
        )
        for number, segment_id in enumerate(visible, start=1)
    ]
    return sorted(entries, key=lambda entry: not entry.filled)


def readable_name(segment: Any, number: int, *, chinese: bool) -> str:
    """Return the segment's name or, where no font can draw it, its English term or number."""
    if segment.GetName().isascii() or chinese:
        return str(segment.GetName())
    entry = slicer.vtkSlicerTerminologyEntry()
    slicer.modules.terminologies.logic().DeserializeTerminologyEntry(segment.GetTerminology(), entry)
    return entry.GetTypeObject().GetCodeMeaning() or f"segment {number}"


def _stack(images: Sequence[Image.Image]) -> Image.Image:
    stacked = Image.new("RGB", (images[0].width, sum(image.height for image in images)))
    top = 0
    for image in images:
        stacked.paste(image, (0, top))
        top += image.height
    return stacked
