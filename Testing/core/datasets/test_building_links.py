"""Links have one right answer: what the graph knows, and where things are measured to lie."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import Entity, load_anatomy, load_knowledge
from MultiRoundSegLib.datasets.building.links import MEASURED, Link, family_of, links_of
from MultiRoundSegLib.datasets.building.scenes import Scene, visible
from MultiRoundSegLib.images.slice_view import PLANES, Plane

FAMILIES = ("attribute", "hierarchy", "lesion", "spatial", "inference")
SIZE = 100
Box = tuple[int, int, int, int]
"""Top, left, height, width."""


def entity(name: str) -> Entity:
    found = load_anatomy().identify(name)
    assert found, name
    return found


def scene(boxes: dict[str, Box], plane: Plane | None = "axial") -> Scene:
    regions = {}
    for name, (top, left, height, width) in boxes.items():
        region = np.zeros((SIZE, SIZE), bool)
        region[top : top + height, left : left + width] = True
        regions[entity(name)] = region
    picture = np.zeros((SIZE, SIZE, 3), np.uint8)
    return Scene("P1", "P1_0", picture, visible(regions, 1), (), "CT", plane)


def apart(*names: str) -> dict[str, Box]:
    """Boxes that do not touch."""
    return {name: (2 + 16 * (n // 6), 2 + 16 * (n % 6), 8, 8) for n, name in enumerate(names)}


def told(links: list[Link], relation: str, asks: str = "subject") -> set[tuple[str, str]]:
    """Anchor and target of the links of a relation; what has no anchor, with ""."""
    return {
        (link.anchor.name("en") if link.anchor else "", link.target.name("en"))
        for link in links
        if (link.relation, link.asks) == (relation, asks)
    }


def links(boxes: dict[str, Box], plane: Plane | None = "axial") -> list[Link]:
    return links_of(scene(boxes, plane), load_knowledge())


PLACES: dict[str, Box] = {"up": (0, 45, 10, 10), "down": (90, 45, 10, 10)}
PLACES |= {"left": (45, 0, 10, 10), "right": (45, 90, 10, 10)}


@pytest.mark.parametrize(
    ("plane", "place", "relation", "back"),
    [
        ("axial", "up", "in_front_of", "behind"),
        ("axial", "left", "right_of", "left_of"),
        ("axial", "right", "left_of", "right_of"),
        ("coronal", "down", "below", "above"),
        ("coronal", "right", "left_of", "right_of"),
        ("sagittal", "up", "above", "below"),
        ("sagittal", "left", "in_front_of", "behind"),
        ("sagittal", "right", "behind", "in_front_of"),
    ],
)
def test_directions_are_the_patients(plane: Plane, place: str, relation: str, back: str) -> None:
    found = links({"liver": (45, 45, 10, 10), "spleen": PLACES[place]}, plane)
    assert told(found, relation) == {("liver", "spleen")}
    assert told(found, back) == {("spleen", "liver")}
    others = {"above", "below", "behind", "in_front_of", "left_of", "right_of"} - {relation, back}
    assert not {link.relation for link in found} & others


def test_what_lies_somewhere_is_clearly_the_nearest() -> None:
    liver, spleen = (0, 40, 10, 10), (20, 40, 10, 10)
    assert ("liver", "spleen") in told(links({"liver": liver, "spleen": spleen, "heart": (45, 40, 10, 10)}), "behind")
    both = links({"liver": liver, "spleen": (40, 33, 10, 8), "heart": (42, 47, 10, 10)})
    assert "liver" not in {anchor for anchor, _ in told(both, "behind")}


def test_what_lies_askew_or_around_lies_in_no_direction() -> None:
    askew = links({"liver": (0, 0, 10, 10), "spleen": (60, 60, 10, 10)})
    around = links({"liver": (30, 30, 10, 10), "spleen": (10, 32, 80, 8)})
    assert not told(askew, "behind") | told(askew, "left_of") | told(around, "behind")


def test_medial_and_lateral_are_told_of_what_is_paired() -> None:
    boxes = {"right kidney": (45, 20, 10, 10), "left kidney": (45, 70, 10, 10), "aorta": (45, 45, 10, 10)}
    found = links(boxes | {"liver": (45, 0, 10, 10), "spleen": (45, 90, 10, 10)})
    assert told(found, "medial_to") == {("right kidney", "aorta"), ("left kidney", "aorta")}
    assert told(found, "lateral_to") == {("right kidney", "liver"), ("left kidney", "spleen")}


def test_nothing_is_medial_across_the_midline() -> None:
    found = links({"right kidney": (45, 20, 10, 10), "left kidney": (45, 70, 10, 10)})
    assert told(found, "left_of") == {("right kidney", "left kidney")}
    assert not told(found, "medial_to")


def test_directions_are_not_told_where_the_plane_is_not_known() -> None:
    boxes = {"right kidney": (45, 0, 10, 10), "left kidney": (45, 60, 10, 10), "aorta": (45, 71, 6, 6)}
    measured = {*MEASURED, "left_of", "right_of"} - {"beside"}
    assert {link.relation for link in links(boxes, "axial")} & measured
    assert not {link.relation for link in links(boxes, None)} & measured
    assert told(links(boxes, None), "beside") == {("left kidney", "aorta"), ("aorta", "left kidney")}


@pytest.mark.parametrize(("gap", "touches"), [(0, True), (2, True), (3, False), (20, False)])
def test_what_touches_is_the_one_neighbour(gap: int, touches: bool) -> None:
    found = links({"liver": (0, 0, 10, 10), "spleen": (0, 10 + gap, 10, 10), "heart": (80, 80, 9, 9)}, None)
    assert told(found, "beside") == ({("liver", "spleen"), ("spleen", "liver")} if touches else set())


def test_of_several_neighbours_one_is_larger_and_one_smaller() -> None:
    boxes = {"liver": (0, 0, 30, 30), "spleen": (0, 31, 15, 15), "aorta": (0, 47, 6, 6)}
    found = links(boxes, None)
    assert told(found, "larger") == {("spleen", "liver")}
    assert told(found, "smaller") == {("spleen", "aorta")}
    assert ("liver", "spleen") in told(found, "beside")
    alike = links({"liver": (0, 0, 16, 16), "spleen": (0, 17, 15, 15), "aorta": (0, 33, 14, 14)}, None)
    assert not told(alike, "larger") | told(alike, "smaller") | told(alike, "largest") | told(alike, "smallest")


def test_the_largest_and_the_smallest_of_three() -> None:
    boxes = {"liver": (0, 0, 30, 30), "spleen": (50, 0, 15, 15), "aorta": (50, 50, 6, 6)}
    assert told(links(boxes, None), "largest") == {("", "liver")}
    assert told(links(boxes, None), "smallest") == {("", "aorta")}
    two = {name: boxes[name] for name in ("liver", "aorta")}
    assert not told(links(two), "largest") | told(links(two), "smallest")


def test_what_is_paired_mirrors_the_other() -> None:
    found = links(apart("left kidney", "right kidney", "left lung", "liver"))
    assert told(found, "mirrors") == {("left kidney", "right kidney"), ("right kidney", "left kidney")}


def test_the_graph_is_used_where_it_points_to_one() -> None:
    portal = "portal vein and splenic vein"
    found = links(apart("portal vein", "spleen", "liver"), None)
    assert (portal, "spleen") in told(found, "flows_into")
    assert (portal, "liver") in told(found, "supplies", "object")
    assert ("spleen", portal) in told(found, "drains")
    assert Link("between", "subject", entity(portal), entity("spleen"), entity("liver")) in found
    assert not [pair for pair in told(found, "connects") if pair[0] == portal]
    more = links(apart("portal vein", "spleen", "liver", "stomach"), None)
    assert not [pair for pair in told(more, "flows_into") if pair[0] == portal]


def test_blood_goes_through_the_heart() -> None:
    found = links(apart("left atrium", "left ventricle of heart", "aorta"), None)
    assert ("left ventricle of heart", "left atrium") in told(found, "flows_into")
    assert ("left ventricle of heart", "aorta") in told(found, "continues_as", "object")
    assert ("aorta", "left ventricle of heart") in told(found, "continues_as")


def test_of_two_sides_the_side_must_be_said() -> None:
    both = links(apart("aorta", "left kidney", "right kidney"), None)
    supplied = [link for link in both if (link.relation, link.asks) == ("supplies", "object")]
    assert {link.target.side for link in supplied} == {"left", "right"}
    assert all(link.sided for link in supplied)
    one = {(link.asks, link.target.name("en"), link.sided) for link in links(apart("aorta", "left kidney"), None)}
    assert ("object", "left kidney", False) in one
    same = links(apart("left renal vein", "left kidney", "right kidney"), None)
    assert ("left renal vein", "right kidney") not in told(same, "drains", "object")
    assert ("left renal vein", "left kidney") in told(same, "drains", "object")


def test_where_things_lie_is_measured_and_not_known() -> None:
    assert any(
        (fact.subject.structure.key, fact.relation) == ("spleen", "above")
        for fact in load_knowledge().facts_of(entity("left kidney").structure)
    )
    found = links({"left kidney": (0, 45, 10, 10), "spleen": (60, 45, 10, 10)}, "coronal")
    assert told(found, "below") == {("left kidney", "spleen")}
    assert told(found, "above") == {("spleen", "left kidney")}
    askew = links({"left kidney": (0, 0, 10, 10), "spleen": (60, 60, 10, 10)}, "coronal")
    assert not {link.relation for link in askew} & set(MEASURED)


POOL = [e for s in load_anatomy().structures for e in s.entities() if e.side or not s.sides][::9]
POOL += [e for s in ("kidney", "lung", "atrium") for e in load_anatomy()[s].entities() if e.side]
BOXES = st.tuples(st.integers(0, 80), st.integers(0, 80), st.integers(4, 20), st.integers(4, 20))


@settings(deadline=None, max_examples=80)
@given(st.dictionaries(st.sampled_from(POOL), BOXES, max_size=9), st.sampled_from([*PLANES, None]))
def test_every_link_has_one_right_answer(boxes: dict[Entity, Box], plane: Plane | None) -> None:
    regions = {}
    for one, (top, left, height, width) in boxes.items():
        regions[one] = np.zeros((SIZE, SIZE), bool)
        regions[one][top : top + height, left : left + width] = True
    made = Scene("P1", "P1_0", np.zeros((SIZE, SIZE, 3), np.uint8), visible(regions, 1), (), "CT", plane)
    answers: dict[tuple[object, ...], set[Entity]] = {}
    for link in links_of(made, load_knowledge()):
        assert link.target not in (link.anchor, link.beside)
        assert {link.target, link.anchor or link.target, link.beside or link.target} <= set(boxes)
        assert family_of(link.relation) in FAMILIES
        side = link.target.side if link.sided else None
        question = (link.relation, link.asks, link.anchor, link.beside, link.sided, side)
        answers.setdefault(question, set()).add(link.target)
    assert all(len(targets) == 1 for targets in answers.values())
