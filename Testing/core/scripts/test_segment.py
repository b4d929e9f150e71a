"""The batch command on real files, as a person runs it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import slicerio

from MultiRoundSegLib.images.readers import read_segmentation, read_volume

SCRIPT = Path(__file__).parents[3] / "scripts" / "segment.py"
SAMPLES = Path(slicerio.__file__).parent / "data"
CHEST, LABELS = SAMPLES / "CTChest4.nrrd", SAMPLES / "Segmentation.seg.nrrd"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_dialogue_over_a_real_ct_is_written_for_slicer_and_for_other_programs(tmp_path: Path) -> None:
    questions = ["the right lung", "the other one", "脊柱", "the liver"]
    done = run(CHEST, "--labels", LABELS, *(word for q in questions for word in ("--ask", q)), "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "100 %" in done.stderr
    rounds = json.loads((tmp_path / "rounds.json").read_text(encoding="utf-8"))["rounds"]
    assert [round_["status"] for round_ in rounds] == ["answered", "answered", "answered", "none"]
    assert [s["name"] for round_ in rounds for s in round_["segments"]] == ["right lung", "left lung", "脊柱"]
    chest = read_volume(CHEST)
    given = {mask.label: mask for mask in read_segmentation(LABELS, reference=chest.geometry)}
    written = read_segmentation(tmp_path / "segmentation.seg.nrrd", reference=chest.geometry)
    assert np.array_equal(written[0].voxels, given["right lung"].voxels)
    right = read_volume(tmp_path / "mask_1_1.nii.gz")
    assert np.array_equal(right.voxels != 0, given["right lung"].voxels)
    assert right.geometry.matches(chest.geometry)
    assert rounds[0]["segments"][0]["voxels"] == given["right lung"].voxel_count
    spine = sum(mask.voxel_count for name, mask in given.items() if "vertebral column" in name)
    assert rounds[2]["segments"][0]["voxels"] == spine


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.nii"], "There is no file nowhere.nii"),
        ([CHEST, "--labels", SCRIPT], "no segmentation"),
        ([CHEST, "--engine", "oracle"], "no engine 'oracle'"),
        ([CHEST, "--setting", "a=b"], "does not take these settings"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_nothing_is_written(
    arguments: list[object], words: str, tmp_path: Path
) -> None:
    done = run(*arguments, "--ask", "liver", "--out", tmp_path / "out")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_help_is_there_without_reading_anything() -> None:
    assert "--ask TEXT" in run("--help").stdout


def test_a_folder_used_before_holds_only_the_new_dialogue(tmp_path: Path) -> None:
    run(CHEST, "--labels", LABELS, "--ask", "both lungs", "--out", tmp_path)
    (tmp_path / "mask_liver.nii.gz").write_text("mine")
    run(CHEST, "--labels", LABELS, "--ask", "the liver", "--out", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mask_liver.nii.gz", "rounds.json"]


def test_a_file_is_no_folder_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    done = run(CHEST, "--ask", "liver", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (1, f"{tmp_path / 'out'} is a file; name a folder to write to.\n")
    assert (tmp_path / "out").read_text() == "mine"
    below = run("nowhere.nii", "--ask", "liver", "--out", tmp_path / "out" / "deeper")
    assert "is a file; name a folder" in below.stderr
