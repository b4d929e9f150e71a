import pytest

from MultiRoundSegLib.anatomy import Entity, load_anatomy
from MultiRoundSegLib.images import Code

ANATOMY = load_anatomy()
KIDNEY = ANATOMY["kidney"]


def test_names_say_the_side_in_both_languages() -> None:
    left = Entity(KIDNEY, "left")
    assert (left.name("en"), left.name("zh")) == ("left kidney", "左肾")
    assert (Entity(KIDNEY).name("en"), Entity(KIDNEY).name("zh")) == ("kidney", "肾")
    assert Entity(ANATOMY["upper_lobe_of_lung"], "right").name("zh") == "右肺上叶"


def test_a_side_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="'liver' does not exist on the left side"):
        Entity(ANATOMY["liver"], "left")


def test_what_exists_on_one_side_only_always_has_it() -> None:
    middle_lobe = Entity(ANATOMY["middle_lobe_of_lung"])
    assert middle_lobe.side == "right"
    assert middle_lobe.name("en") == "right middle lobe of lung"
    assert middle_lobe.opposite() is None
    assert middle_lobe.structure.entities() == (middle_lobe,)


def test_the_opposite_of_a_paired_structure_is_on_the_other_side() -> None:
    assert Entity(KIDNEY, "left").opposite() == Entity(KIDNEY, "right")
    assert Entity(KIDNEY).opposite() is None
    assert Entity(ANATOMY["liver"]).opposite() is None


def test_a_code_has_the_side_as_modifier_unless_it_says_the_side() -> None:
    kidney = Entity(KIDNEY, "left")
    assert kidney.code == Code("SCT", "64033007", "Kidney")
    assert kidney.side_code == Code("SCT", "7771000", "Left")
    atrium = Entity(ANATOMY["atrium"], "right")
    assert atrium.code == Code("SCT", "73829009", "Right atrium")
    assert atrium.side_code is None
    assert Entity(KIDNEY).side_code is None
    assert Entity(ANATOMY["ventral_diencephalon"], "left").code is None


def test_labels_are_those_of_the_side() -> None:
    assert Entity(KIDNEY, "right").totalsegmentator == ("kidney_right",)
    assert Entity(KIDNEY).totalsegmentator == ("kidney",)
    assert Entity(ANATOMY["rib_5"], "left").totalsegmentator == ("rib_left_5",)
    assert Entity(ANATOMY["thalamus"], "left").freesurfer == ("Left-Thalamus", "Left-Thalamus-Proper")
    assert Entity(ANATOMY["insula"], "right").freesurfer == ("ctx-rh-insula",)


def test_colours_are_alike_on_both_sides_and_differ_between_neighbours() -> None:
    assert Entity(KIDNEY, "left").colour == Entity(KIDNEY, "right").colour
    assert Entity(ANATOMY["vertebra_l3"]).colour != Entity(ANATOMY["vertebra_l4"]).colour
    colours = [entity.colour for structure in ANATOMY.structures for entity in structure.entities()]
    assert all(0 <= channel <= 255 for colour in colours for channel in colour)


def test_a_whole_knows_its_parts() -> None:
    parts = {part.key for part in ANATOMY.parts("striatum")}
    assert {"caudate_nucleus", "putamen", "nucleus_accumbens", "neostriatum", "caudate_head"} <= parts
    assert "globus_pallidus" not in parts
    assert ANATOMY["vertebra_l3"] in ANATOMY.parts("vertebral_column")
    assert ANATOMY["lung_nodule"] not in ANATOMY.parts("lung")
    assert ANATOMY.parts("spleen") == frozenset()


def test_a_kind_knows_its_members_one_by_one() -> None:
    assert [rib.key for rib in ANATOMY.kinds("rib")] == [f"rib_{number}" for number in range(1, 13)]
    assert [rib.key for rib in ANATOMY.kinds("false_ribs")] == ["rib_8", "rib_9", "rib_10", "rib_11", "rib_12"]
    assert len(ANATOMY.kinds("vertebra")) == 25
    assert ANATOMY.kinds("liver") == ()
