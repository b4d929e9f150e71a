import pytest
from hypothesis import given
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import Entity, Language, load_anatomy

ANATOMY = load_anatomy()
ENTITIES = [entity for structure in ANATOMY.structures for entity in structure.entities()]


def found(text: str) -> list[tuple[str, str]]:
    """What is named in a text: the words, and the structure with its side if the words include one."""
    return [
        (text[mention.start : mention.end], "/".join(_name(entity) for entity in mention.entities))
        for mention in ANATOMY.mentions(text)
    ]


def _name(entity: Entity) -> str:
    return entity.structure.key if entity.side is None else f"{entity.side} {entity.structure.key}"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("frame", ["{}", "  {}, ", "请标出{}。", "“{}”"])
def test_every_preferred_name_is_found_as_its_entity(language: Language, frame: str) -> None:
    wrong = []
    for entity in ENTITIES:
        name = entity.name(language)
        start = frame.index("{}")
        mentions = ANATOMY.mentions(frame.format(name))
        if [(m.start, m.end, m.entities) for m in mentions] != [(start, start + len(name), (entity,))]:
            wrong.append(name)
    assert wrong == []


@given(st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=4), st.sampled_from(["en", "zh"]))
def test_a_list_of_names_is_found_in_its_order(entities: list[Entity], language: Language) -> None:
    text = "、".join(entity.name(language) for entity in entities)
    assert [mention.entities for mention in ANATOMY.mentions(text)] == [(entity,) for entity in entities]


@given(st.text())
def test_any_text_gives_ordered_mentions_that_do_not_overlap(text: str) -> None:
    ends = [0]
    for mention in ANATOMY.mentions(text):
        assert ends[-1] <= mention.start < mention.end <= len(text)
        ends.append(mention.end)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("RUL and the Left upper lobe", ["right upper_lobe_of_lung", "left upper_lobe_of_lung"]),
        ("Liver, spleen and both kidneys", ["liver", "spleen", "kidney"]),
        ("the liver's edge", ["liver"]),
        ("gall bladder + GALL-BLADDER", ["gallbladder", "gallbladder"]),
        ("oesophagus or esophagus", ["esophagus", "esophagus"]),
        ("lobe under the left lower lobe of the lung", ["left lower_lobe_of_lung"]),
        ("L3 to L 5 vertebrae", ["vertebra_l3", "vertebra_l5"]),
        ("ninth rib, rib 10, 2nd rib", ["rib_9", "rib_10", "rib_2"]),
        ("kidney cyst in the kidney", ["kidney_cyst", "kidney"]),
        ("hepatic vein", ["hepatic_vein"]),
        ("SVC/IVC", ["superior_vena_cava", "inferior_vena_cava"]),
        ("3rd-ventricle and 4V", ["third_ventricle", "fourth_ventricle"]),
        ("LV", ["left ventricle_of_heart/lateral_ventricle"]),
        ("the ventricle", ["ventricle_of_heart/ventricular_system/lateral_ventricle"]),
        ("肝和肝静脉", ["liver", "hepatic_vein"]),
        ("双侧肾上腺，右肾", ["adrenal_gland", "right kidney"]),
        ("左侧第5肋和第十二肋骨", ["left rib_5", "rib_12"]),
        ("腰3椎体、L4椎体、第12胸椎", ["vertebra_l3", "vertebra_l4", "vertebra_t12"]),
        ("帮我 segment 一下 right kidney 和脾", ["right kidney", "spleen"]),
        ("上腔静脉、门静脉", ["superior_vena_cava", "portal_and_splenic_vein"]),
        ("胃左动脉旁的胃", ["left_gastric_artery", "stomach"]),
        ("肝S4段", ["liver_segment_4"]),
        ("肺癌", ["lung", "cancer"]),
        ("请标出血肿", ["hematoma"]),
    ],
)
def test_structures_are_found_in_a_question(text: str, names: list[str]) -> None:
    assert [name for _, name in found(text)] == names


@pytest.mark.parametrize(
    "text",
    [
        "在图像中心",
        "小心一点",
        "deliver the lungfish",
        "L v R",
        "l or r?",
        "a T1 weighted image, then T2-FLAIR",
        "T2加权像",
        "T1N0M0",
        "C3PO",
        "with a radius of 5 mm",
        "head of the queue",
        "segment my coffee",
        "jsdhfkjh",
        "",
    ],
)
def test_other_words_name_no_structure(text: str) -> None:
    assert found(text) == []


def test_positions_are_those_of_the_text_as_typed() -> None:
    assert found("ＬＩＶＥＲ 与 Liver’s 左肺上叶") == [
        ("ＬＩＶＥＲ", "liver"),
        ("Liver", "liver"),
        ("左肺上叶", "left upper_lobe_of_lung"),
    ]


def test_a_plural_is_told() -> None:
    lungs, kidney, lobes = ANATOMY.mentions("lungs, kidney, upper lobes of the lungs")
    assert (lungs.plural, kidney.plural, lobes.plural) == (True, False, True)


def test_an_adjective_is_told_and_a_longer_name_outdoes_it() -> None:
    scan, vein = ANATOMY.mentions("renal scan and renal vein")
    assert scan.adjective
    assert [structure.key for structure in scan.structures] == ["kidney"]
    assert not vein.adjective
    assert [structure.key for structure in vein.structures] == ["renal_vein"]


def test_a_side_is_told_where_all_meanings_share_it() -> None:
    ventricle, abbreviation, kidney = ANATOMY.mentions("left ventricle, LV, kidney")
    assert (ventricle.side, len(ventricle.structures)) == ("left", 2)
    assert abbreviation.side is None
    assert kidney.side is None
