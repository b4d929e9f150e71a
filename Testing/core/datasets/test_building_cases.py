"""Labelled scans are found in every layout; what is amiss is told."""

import json
from pathlib import Path

import highdicom
import numpy as np
import pytest
import SimpleITK
from core.images.readers.conftest import ct_image
from numpy.typing import NDArray
from pydicom.dataset import Dataset
from pydicom.sr.codedict import codes
from pydicom.uid import generate_uid

from MultiRoundSegLib.datasets.building import Case, find_cases
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.writers import write_masks_seg_nrrd

SHAPE = (4, 12, 16)
GRID = Geometry(SHAPE, np.diag([-1.0, -1, 1, 1]))
LABELS = np.zeros(SHAPE, np.uint8)
LABELS[:, 2:6, 2:6], LABELS[:, 7:10, 8:14] = 1, 2
NAMES = {1: "liver", 2: "spleen"}


def write(path: Path, voxels: NDArray[np.generic]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(voxels), str(path))
    return path


def scan(path: Path) -> Path:
    return write(path, np.arange(LABELS.size, dtype=np.int16).reshape(SHAPE))


def held(case: Case) -> dict[str, int]:
    """What a case holds, with its voxels."""
    volume, masks = case.read()
    assert volume.geometry.shape == SHAPE
    return {mask.label: mask.voxel_count for mask in masks}


FOUND = {"liver": 64, "spleen": 72}


def test_cases_csv_names_files_names_and_modality(tmp_path: Path) -> None:
    scan(tmp_path / "scans/a.nii.gz"), scan(tmp_path / "scans/b.nrrd")
    write(tmp_path / "a_1.nii.gz", (LABELS == 1).astype(np.uint8))
    write(tmp_path / "a_2.nii.gz", (LABELS == 2) * np.uint8(2))
    write(tmp_path / "b.nii.gz", LABELS)
    (tmp_path / "names.csv").write_text("1,liver\n2,spleen\n")
    (tmp_path / "other.csv").write_text("1,heart\n2,aorta\n")
    (tmp_path / "cases.csv").write_text(
        "patient,image,labels,names,modality\n"
        "P2,scans/b.nrrd,b.nii.gz,other.csv,\n"
        "P1,scans/a.nii.gz,a_1.nii.gz; a_2.nii.gz,,MR\n"
    )
    first, second = find_cases(tmp_path, tmp_path / "names.csv", "CT")
    assert (first.patient, first.modality, held(first)) == ("P1", "MR", FOUND)
    assert (second.patient, second.modality, held(second)) == ("P2", "CT", {"heart": 64, "aorta": 72})
    assert first.read()[0].modality == "MR"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("patient,image\nP1,a.nii\n", "cases.csv needs the columns patient, image, labels."),
        ("patient,image,labels\nP1,a.nii,\n", "cases.csv, line 2: a case has a patient, an image and labels."),
        ("patient,image,labels\nP1,a.nii,b.nii\nP2\n", "cases.csv, line 3: a case has a patient"),
    ],
)
def test_a_broken_cases_csv_is_told(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "cases.csv").write_text(table)
    with pytest.raises(DatasetError, match=words):
        find_cases(tmp_path)


def test_nnunet_has_channels_and_a_table_of_names(tmp_path: Path) -> None:
    for name in ("scan_001_0000", "scan_001_0001", "scan_002_0000"):
        scan(tmp_path / f"imagesTr/{name}.nii.gz")
    scan(tmp_path / "imagesTs/scan_003_0000.nii.gz")
    for name in ("scan_001", "scan_002"):
        write(tmp_path / f"labelsTr/{name}.nii.gz", LABELS)
    (tmp_path / "dataset.json").write_text(json.dumps({"labels": {"background": 0, "liver": 1, "spleen": 2}}))
    cases = find_cases(tmp_path, modality="CT")
    assert [case.patient for case in cases] == ["scan_001", "scan_002"]
    assert cases[0].image.name == "scan_001_0000.nii.gz"
    assert held(cases[0]) == FOUND


def test_an_image_of_two_folders_without_labels_is_told(tmp_path: Path) -> None:
    scan(tmp_path / "images/a.nii.gz"), write(tmp_path / "labels/b.nii.gz", LABELS)
    with pytest.raises(DatasetError, match=r"a\.nii\.gz has no labels: labels holds no a"):
        find_cases(tmp_path)


def test_totalsegmentator_has_a_file_for_each_structure(tmp_path: Path) -> None:
    scan(tmp_path / "s0001/ct.nii.gz")
    for number, name in enumerate(["liver", "spleen", "kidney_left"], start=1):
        write(tmp_path / f"s0001/segmentations/{name}.nii.gz", np.equal(LABELS, number).astype(np.uint8))
    (case,) = find_cases(tmp_path)
    assert (case.patient, held(case)) == ("s0001", FOUND)


def test_a_folder_of_dicom_with_a_seg(tmp_path: Path) -> None:
    shared = {"StudyInstanceUID": "1.2.3", "FrameOfReferenceUID": "1.2.9", "PatientID": "1", "PatientName": "Phantom^"}
    blank = "PatientBirthDate PatientSex StudyDate StudyTime AccessionNumber StudyID ReferringPhysicianName "
    blank += "PositionReferenceIndicator"
    images: list[Dataset] = []
    for k in range(SHAPE[0]):
        image = ct_image(np.full(SHAPE[1:], k, np.int16))
        for keyword, value in {**shared, **dict.fromkeys(blank.split(), "")}.items():
            setattr(image, keyword, value)
        image.ImagePositionPatient, image.InstanceNumber = [30, 12, 2.5 * k], k + 1
        path = tmp_path / f"P1/series/{k}.dcm"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save_as(path, enforce_file_format=True)
        images.append(image)
    kinds = {"Liver": codes.SCT.Liver, "Spleen": codes.SCT.Spleen}
    described = [
        highdicom.seg.SegmentDescription(n, label, codes.SCT.AnatomicalStructure, kind, "MANUAL")
        for n, (label, kind) in enumerate(kinds.items(), start=1)
    ]
    made = highdicom.seg.Segmentation(
        images, LABELS, "BINARY", described, generate_uid(), 2, generate_uid(), 1, "none", "none", "1", "1"
    )
    made.save_as(tmp_path / "P1/seg.dcm")
    (case,) = find_cases(tmp_path)
    assert (case.patient, held(case)) == ("P1", {"Liver": 64, "Spleen": 72})
    assert case.read()[0].modality == "CT"


def test_slicers_segmentation_beside_its_image(tmp_path: Path) -> None:
    masks = [Mask(np.equal(LABELS, value), GRID, name) for value, name in NAMES.items()]
    for name, ending in (("a", "nrrd"), ("b", "nii.gz")):
        scan(tmp_path / f"{name}.{ending}")
        write_masks_seg_nrrd(tmp_path / f"{name}.seg.nrrd", masks, GRID)
    cases = find_cases(tmp_path)
    assert [(case.patient, held(case)) for case in cases] == [("a", FOUND), ("b", FOUND)]
    (tmp_path / "a.nrrd").unlink()
    with pytest.raises(DatasetError, match=r"a\.seg\.nrrd has no image a\.nrrd or a\.nii\.gz beside it"):
        find_cases(tmp_path)


def test_other_folders_are_told(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="There is no folder"):
        find_cases(tmp_path / "nothing")
    with pytest.raises(DatasetError, match=r"holds no labelled scans that are understood: write cases\.csv"):
        find_cases(tmp_path)
