"""Links between what is seen: every way to ask for one structure of a scene by another, with one right answer.

What the anatomy graph knows is used where it points to one structure of the picture. In which direction something lies,
and what it touches, is never taken from the graph but measured on the masks, in the patient's directions, so that the
picture is needed to answer. What is compared is what can be seen of the labelled structures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from MultiRoundSegLib.anatomy import Entity, Fact, Knowledge, Place, load_relations
from MultiRoundSegLib.datasets.dialogues import Region
from MultiRoundSegLib.images.slice_view import Plane

from .scenes import Scene

MEASURED = ("above", "below", "behind", "in_front_of", "medial_to", "lateral_to", "beside")
"""Relations of the graph that are measured instead."""
OWN_RELATIONS = {"left_of": "spatial", "right_of": "spatial", "larger": "spatial", "smaller": "spatial"}
OWN_RELATIONS |= {"largest": "spatial", "smallest": "spatial", "named": "named", "refused": "refused"}
"""Relations that the graph does not have, each with its family."""
DIRECTIONS: Mapping[Plane, Mapping[str, str]] = {
    "axial": {"up": "in_front_of", "down": "behind", "left": "right_of", "right": "left_of"},
    "coronal": {"up": "above", "down": "below", "left": "right_of", "right": "left_of"},
    "sagittal": {"up": "above", "down": "below", "left": "in_front_of", "right": "behind"},
}
"""What lies in a direction of a picture in radiological display, lies so in the patient."""
_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_WITHIN = np.cos(np.radians(35))
"""Cosine of the angle to a direction within which something lies there."""
_CLEARLY = 0.75
"""The nearest is at most this share as far away as the next in its direction."""
_EDGE, _MOST = 0.85, 0.7
"""Something lies beyond another where so much of it is further than so much of that."""
_CLEARLY_LARGER = 1.5
_TOUCHES = 3
"""Pixels between two regions that touch."""


@dataclass(frozen=True)
class Link:
    """One way to ask for a structure, to which it is the only right answer in its scene.

    Attributes:
        relation: a key of relations.csv or of `OWN_RELATIONS`.
        asks: which end of the relation is the target; "" where there is no other end.
        target: what is asked for.
        anchor: what it is asked by, which an earlier round must have shown; None for none.
        beside: the second structure of "between", which is named.
        sided: it is the only right answer once its side is said.
    """

    relation: str
    asks: Literal["subject", "object", ""]
    target: Entity
    anchor: Entity | None = None
    beside: Entity | None = None
    sided: bool = False


def family_of(relation: str) -> str:
    """The kind of relation: one of the five of MEMR-Seg, "named" or "refused"."""
    return OWN_RELATIONS[relation] if relation in OWN_RELATIONS else load_relations()[relation].family


def links_of(scene: Scene, knowledge: Knowledge) -> list[Link]:
    """All links of a scene, in a fixed order."""
    entities = list(scene.regions)
    found = [*_known(entities, knowledge), *_mirrored(entities), *_sized(scene.regions), *_touching(scene.regions)]
    if scene.plane is not None:
        found += _placed(scene.regions, scene.plane)
    return list(dict.fromkeys(found))


def _known(entities: Sequence[Entity], knowledge: Knowledge) -> Iterator[Link]:
    """What the graph knows, where it points to one of these."""
    for anchor in entities:
        meant: dict[tuple[str, Literal["subject", "object"], Entity | None], set[Entity]] = {}
        for fact in knowledge.facts_of(anchor.structure):
            if fact.relation in MEASURED:
                continue
            for asks, place, beside in _other_ends(fact, anchor, entities):
                fits = {e for e in entities if _is_meant(e, place, anchor) and e not in (anchor, beside)}
                meant.setdefault((fact.relation, asks, beside), set()).update(fits)
        for (relation, asks, beside), targets in meant.items():
            is_clear = len(targets) == 1 or all(target.side for target in targets)
            if is_clear and len({target.structure for target in targets}) == 1:
                for target in sorted(targets, key=lambda target: target.name("en")):
                    yield Link(relation, asks, target, anchor, beside, sided=len(targets) > 1)


def _other_ends(
    fact: Fact, anchor: Entity, entities: Sequence[Entity]
) -> Iterator[tuple[Literal["subject", "object"], Place, Entity | None]]:
    """The ends of a fact that can be asked for by the structure at another of its ends."""
    if len(fact.objects) == 2:
        for one, other in (fact.objects, fact.objects[::-1]):
            second = [e for e in entities if _is_at(e, other) and e != anchor]
            if _is_at(anchor, one) and len(second) == 1:
                yield "subject", fact.subject, second[0]
        return
    if _is_at(anchor, fact.subject):
        yield "object", fact.objects[0], None
    if _is_at(anchor, fact.objects[0]):
        yield "subject", fact.subject, None


def _is_at(entity: Entity, place: Place) -> bool:
    return entity.structure is place.structure and place.side in (None, entity.side)


def _is_meant(entity: Entity, place: Place, anchor: Entity) -> bool:
    """Whether a place of a fact is this structure; without a side of its own it is on the anchor's."""
    if not _is_at(entity, place):
        return False
    return place.side is not None or None in (entity.side, anchor.side) or entity.side == anchor.side


def _mirrored(entities: Sequence[Entity]) -> Iterator[Link]:
    for entity in entities:
        other = entity.opposite()
        if other in entities and other is not None:
            yield Link("mirrors", "subject", other, entity)


def _sized(regions: Mapping[Entity, Region]) -> Iterator[Link]:
    """The largest and the smallest of all, where one clearly is."""
    sizes = sorted(((int(np.count_nonzero(region)), n, entity) for n, (entity, region) in enumerate(regions.items())))
    if len(sizes) < 3:
        return
    if sizes[-1][0] >= _CLEARLY_LARGER * sizes[-2][0]:
        yield Link("largest", "subject", sizes[-1][2])
    if sizes[1][0] >= _CLEARLY_LARGER * sizes[0][0]:
        yield Link("smallest", "subject", sizes[0][2])


def _touching(regions: Mapping[Entity, Region]) -> Iterator[Link]:
    """The one neighbour of a structure, and the one that is larger or smaller than it."""
    sizes = {entity: int(np.count_nonzero(region)) for entity, region in regions.items()}
    for anchor, region in regions.items():
        near = ndimage.binary_dilation(region, iterations=_TOUCHES)
        neighbours = [e for e, other in regions.items() if e != anchor and (near & other).any()]
        larger = [e for e in neighbours if sizes[e] >= _CLEARLY_LARGER * sizes[anchor]]
        smaller = [e for e in neighbours if sizes[e] * _CLEARLY_LARGER <= sizes[anchor]]
        if len(neighbours) == 1:
            yield Link("beside", "subject", neighbours[0], anchor)
        elif len(larger) + len(smaller) == len(neighbours):
            for relation, found in (("larger", larger), ("smaller", smaller)):
                if len(found) == 1:
                    yield Link(relation, "subject", found[0], anchor)


def _placed(regions: Mapping[Entity, Region], plane: Plane) -> Iterator[Link]:
    """What is nearest to a structure in a direction of the patient, where one thing clearly is."""
    centres = {entity: np.argwhere(region).mean(axis=0) for entity, region in regions.items()}
    for anchor, centre in centres.items():
        for direction, relation in DIRECTIONS[plane].items():
            step = np.asarray(_STEPS[direction])
            there = sorted(
                (float(np.linalg.norm(other - centre)), n, entity)
                for n, (entity, other) in enumerate(centres.items())
                if entity != anchor and _lies(other - centre, step) and _beyond(regions[entity], regions[anchor], step)
            )
            if there and (len(there) == 1 or there[0][0] <= _CLEARLY * there[1][0]):
                yield Link(relation, "subject", there[0][2], anchor)
                sideways = _sideways(relation, anchor, there[0][2])
                if sideways:
                    yield Link(sideways, "subject", there[0][2], anchor)


def _lies(way: NDArray[np.float64], step: NDArray[np.int_]) -> bool:
    length = float(np.linalg.norm(way))
    return length > 0 and float(way @ step) >= _WITHIN * length


def _beyond(region: Region, anchor: Region, step: NDArray[np.int_]) -> bool:
    """Whether most of a region lies beyond the anchor in a direction, and not beside or around it."""
    places, edge = np.argwhere(region) @ step, np.quantile(np.argwhere(anchor) @ step, _EDGE)
    return float(np.mean(places > edge)) >= _MOST


def _sideways(relation: str, anchor: Entity, target: Entity) -> str | None:
    """Towards the midline or away from it, where the target does not lie across it."""
    if anchor.side is None or relation not in ("left_of", "right_of") or len(anchor.structure.sides) < 2:
        return None
    if target.side not in (None, anchor.side):
        return None  # what lies across the midline is no nearer to it
    return "lateral_to" if relation == f"{anchor.side}_of" else "medial_to"
