from pathlib import Path

import pytest

from MultiRoundSegLib.anatomy import Entity, Language, Side, load_anatomy
from MultiRoundSegLib.images import Code

ANATOMY = load_anatomy()
ENTITIES = [entity for structure in ANATOMY.structures for entity in structure.entities()]
HERE = Path(__file__).parent
# Names that begin with a side though their structure is not one of a pair.
UNPAIRED = {"left_ventricular_outflow_tract", "left_coronary_cusp", "right_coronary_cusp"}


def labels_in(file: str) -> list[str]:
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def side_in(label: str) -> Side | None:
    words = label.lower().replace("-", "_").split("_")
    if label in UNPAIRED or not {"left", "right", "lh", "rh"} & set(words):
        return None
    return "left" if {"left", "lh"} & set(words) else "right"


@pytest.mark.parametrize("label", labels_in("totalsegmentator_classes.txt"))
def test_a_totalsegmentator_class_is_known_with_its_side(label: str) -> None:
    entity = ANATOMY.identify(label)
    assert entity is not None
    assert label in entity.totalsegmentator
    assert entity.side == side_in(label)


@pytest.mark.parametrize("label", labels_in("freesurfer_labels.txt"))
def test_a_freesurfer_label_is_known_with_its_side(label: str) -> None:
    entity = ANATOMY.identify(label)
    assert entity is not None
    assert label in entity.freesurfer
    assert entity.side == side_in(label)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_preferred_name_identifies_its_entity(language: Language) -> None:
    wrong = [entity.name(language) for entity in ENTITIES if ANATOMY.identify(entity.name(language)) != entity]
    assert wrong == []


def test_every_code_identifies_its_structure_where_the_name_does_not() -> None:
    for entity in ENTITIES:
        if entity.code is not None:
            side_word = entity.side or ""
            assert ANATOMY.identify(f"Segment_1 {side_word}", entity.code) == entity


@pytest.mark.parametrize(
    ("name", "key", "side"),
    [
        ("Left Kidney", "kidney", "left"),
        ("KIDNEY_L", "kidney", "left"),
        ("kidney (R)", "kidney", "right"),
        ("Kidneys", "kidney", None),
        ("kidney", "kidney", None),
        ("右_肾", "kidney", "right"),
        ("肾（左侧）", "kidney", "left"),
        ("右侧肾上腺", "adrenal_gland", "right"),
        ("RUL", "upper_lobe_of_lung", "right"),
        ("Upper Lobe of the Left Lung", "upper_lobe_of_lung", "left"),
        ("middle lobe", "middle_lobe_of_lung", "right"),
        ("L3", "vertebra_l3", None),
        ("L-3 vertebra", "vertebra_l3", None),
        ("third lumbar vertebra", "vertebra_l3", None),
        ("腰3椎体", "vertebra_l3", None),
        ("第三腰椎", "vertebra_l3", None),
        ("left fifth rib", "rib_5", "left"),
        ("左第5肋", "rib_5", "left"),
        ("右侧第十二肋骨", "rib_12", "right"),
        ("左心房", "atrium", "left"),
        ("左室", "ventricle_of_heart", "left"),
        ("gall-bladder", "gallbladder", None),
        ("oesophagus", "esophagus", None),
        ("Ｌｉｖｅｒ", "liver", None),
    ],
)
def test_a_name_is_known_however_it_is_written(name: str, key: str, side: Side | None) -> None:
    assert ANATOMY.identify(name) == Entity(ANATOMY[key], side)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Segment_4",
        "left",
        "livr",
        "left liver",
        "left middle lobe",
        "left right kidney",
        "renal",
        "my ROI",
    ],
)
def test_what_is_no_structure_of_ours_is_not_guessed(name: str) -> None:
    assert ANATOMY.identify(name) is None


def test_an_ambiguous_name_is_nothing_without_a_code() -> None:
    heart, brain = Code("SCT", "87878005", "Left ventricle"), Code("SCT", "35764002", "Brain ventricle")
    assert ANATOMY.identify("ventricle") is None
    assert ANATOMY.identify("ventricle", heart) == Entity(ANATOMY["ventricle_of_heart"], "left")
    assert ANATOMY.identify("ventricle", brain) == Entity(ANATOMY["ventricular_system"])


def test_a_name_is_believed_before_a_code() -> None:
    spleen = Code("SCT", "78961009", "Spleen")
    assert ANATOMY.identify("liver", spleen) == Entity(ANATOMY["liver"])


def test_a_general_code_says_nothing() -> None:
    assert ANATOMY.identify("Segment_1", Code("SCT", "85756007", "Tissue")) is None
