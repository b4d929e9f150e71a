"""Pictures show the right voxels, in the right colours, on the right side."""

from pathlib import Path

import numpy as np
import pytest
import slicer
from offscreen.framing import body_box_ras, island_centre_ras
from offscreen.lettering import LegendEntry, caption_image, legend_image
from offscreen.pictures import readable_name, render_round
from offscreen.slice_pane import render_slice
from PIL import Image

from MultiRoundSegLib.images.windows import Window

RIGHT, ANTERIOR, SUPERIOR = np.eye(3)
RED, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def count_of(pixels, colour):
    """Count pixels tinted with a pure colour: its channel stands out from both others."""
    channel = colour.index(1.0)
    others = np.delete(pixels.astype(int), channel, axis=-1)
    return int((pixels[..., channel] > others.max(axis=-1) + 40).sum())


def is_red(pixel):
    return count_of(pixel[np.newaxis], RED) == 1


def is_grey(pixel):
    return int(max(pixel)) - int(min(pixel)) <= 2


@pytest.fixture
def a_red_ball(add_segment, a_ball):
    return add_segment("ball", a_ball, RED)


@pytest.mark.parametrize(
    ("orientation", "rightwards", "upwards"),
    [
        ("Axial", -RIGHT, ANTERIOR),
        ("Sagittal", -ANTERIOR, SUPERIOR),
        ("Coronal", -RIGHT, SUPERIOR),
    ],
)
def test_a_ball_lies_where_the_patient_has_it(
    a_ct_volume, a_red_ball, ball_centre_ras, orientation, rightwards, upwards
):
    fifteen_mm_left_ten_mm_below = ball_centre_ras - 15 * rightwards - 10 * upwards

    pixels = render_slice(
        a_ct_volume,
        orientation,
        centre_ras=fifteen_mm_left_ten_mm_below,
        mm_per_pixel=0.5,
        columns=200,
        rows=160,
    )

    assert pixels.shape == (160, 200, 3)
    assert is_red(pixels[80 - 20, 100 + 30])
    assert is_red(pixels[80 - 20, 100 + 30 + 14])
    assert is_grey(pixels[80 - 20, 100 + 30 + 26])
    assert is_grey(pixels[80 + 20, 100 - 30])


def test_tissue_is_as_bright_as_the_window_says(a_ct_volume, a_red_ball, a_segmentation, tmp_path: Path):
    render_round(a_ct_volume, a_segmentation, [a_red_ball], tmp_path / "round.png", window=Window(0, 100))

    axial = np.asarray(Image.open(tmp_path / "round.png"))[:348, :398]
    assert (axial == (102, 102, 102)).all(axis=-1).sum() > 10_000


def test_the_three_views_go_through_the_middle_of_the_segment(a_ct_volume, a_red_ball, a_segmentation, tmp_path: Path):
    render_round(a_ct_volume, a_segmentation, [a_red_ball], tmp_path / "round.png")

    pixels = np.asarray(Image.open(tmp_path / "round.png"))
    assert pixels.shape[1] == 1200
    for start in (0, 401, 802):
        assert count_of(pixels[:348, start : start + 398], RED) > 1000


def test_the_segments_of_the_round_are_filled_and_the_others_outlined(
    a_ct_volume, a_segmentation, add_segment, a_ball, ball_centre_ras, tmp_path: Path
):
    box = np.zeros_like(a_ball)
    box[12:17, 20:33, 8:18] = True
    ball_id, box_id = add_segment("ball", a_ball, RED), add_segment("box", box, GREEN)

    def coloured_pixels(segment_id):
        path = tmp_path / "round.png"
        render_round(a_ct_volume, a_segmentation, [segment_id], path, centre_ras=ball_centre_ras)
        axial = np.asarray(Image.open(path))[:348, :398]
        return count_of(axial, RED), count_of(axial, GREEN)

    (filled_red, outlined_green), (outlined_red, filled_green) = map(coloured_pixels, (ball_id, box_id))
    assert filled_red > 3 * outlined_red > 0
    assert filled_green > 3 * outlined_green > 0


def test_a_hidden_segment_stays_hidden(
    a_ct_volume, a_segmentation, add_segment, a_ball, ball_centre_ras, tmp_path: Path
):
    green_id = add_segment("ball", a_ball, GREEN)
    a_segmentation.GetDisplayNode().SetSegmentVisibility(green_id, False)

    render_round(a_ct_volume, a_segmentation, [green_id], tmp_path / "round.png", centre_ras=ball_centre_ras)

    assert count_of(np.asarray(Image.open(tmp_path / "round.png")), GREEN) == 0


def test_a_picture_leaves_the_scene_and_its_display_as_they_were(
    scene, a_ct_volume, a_segmentation, a_red_ball, tmp_path: Path
):
    display = a_segmentation.GetDisplayNode()
    display.SetSegmentVisibility2DFill(a_red_ball, False)
    nodes = scene.GetNumberOfNodes()
    window = a_ct_volume.GetDisplayNode().GetWindow()

    render_round(a_ct_volume, a_segmentation, [a_red_ball], tmp_path / "round.png", window=Window(0, 100))

    assert scene.GetNumberOfNodes() == nodes
    assert a_ct_volume.GetDisplayNode().GetWindow() == window
    assert not display.GetSegmentVisibility2DFill(a_red_ball)


def test_the_centre_is_a_voxel_of_the_largest_island(a_segmentation, add_segment, a_ball, ball_centre_ras):
    two_islands = a_ball.copy()
    two_islands[2, 4:6, 4:6] = True
    segment_id = add_segment("two islands", two_islands)

    np.testing.assert_allclose(island_centre_ras(a_segmentation, [segment_id]), ball_centre_ras)


def test_the_centre_follows_the_transform_above_the_segmentation(scene, a_segmentation, a_red_ball, ball_centre_ras):
    shift = scene.AddNewNodeByClass("vtkMRMLLinearTransformNode")
    matrix = np.eye(4)
    matrix[:3, 3] = (10, 20, 30)
    slicer.util.updateTransformMatrixFromArray(shift, matrix)
    a_segmentation.SetAndObserveTransformNodeID(shift.GetID())

    np.testing.assert_allclose(
        island_centre_ras(a_segmentation, [a_red_ball]), ball_centre_ras + np.array([10, 20, 30])
    )


def test_empty_segments_have_no_centre(a_segmentation):
    segment_id = a_segmentation.GetSegmentation().AddEmptySegment("", "nothing")

    with pytest.raises(ValueError, match="empty"):
        island_centre_ras(a_segmentation, [segment_id])


def test_the_body_box_holds_the_tissue_and_not_the_air(a_ct_volume):
    lower, upper = body_box_ras(a_ct_volume)

    assert (lower[2], upper[2]) == (-100 + 3 * 2 - 1.5, -100 + 3 * 21 + 1.5)


def test_the_legend_wraps_and_fills_only_the_segments_of_the_round():
    entries = [LegendEntry("liver", (200, 10, 20), True), LegendEntry("spleen", (10, 200, 20), False)]

    narrow, wide = legend_image(entries, 120), legend_image(entries, 400)

    assert narrow.height > wide.height
    pixels = {colour: count for count, colour in wide.getcolors(100_000)}
    assert pixels[200, 10, 20] > 1.5 * pixels[10, 200, 20]


def test_a_caption_too_long_for_its_line_is_shortened():
    image = np.asarray(caption_image("segment the liver and its tumours " * 10, 300))

    assert image.shape[1] == 300
    assert image[:, :280].any()
    assert not image[:, -8:].any()


@pytest.mark.parametrize(("chinese", "expected"), [(True, "肝脏"), (False, "Liver")])
def test_a_name_no_font_can_draw_becomes_its_english_term(scene, chinese, expected):
    segment = slicer.vtkSegment()
    segment.SetName("肝脏")
    segment.SetTerminology("x~SCT^123037004^Anatomical Structure~SCT^10200004^Liver~^^~~^^~^^")

    assert readable_name(segment, 3, chinese=chinese) == expected


def test_a_name_no_font_can_draw_without_a_term_becomes_its_number(scene):
    segment = slicer.vtkSegment()
    segment.SetName("肝脏")
    segment.SetTerminology("")

    assert readable_name(segment, 3, chinese=False) == "segment 3"
