"""What a language model is told of a picture that it cannot see: its structures, numbered, and what holds between them.

Only words: no picture, no mask, no name of a file or patient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from MultiRoundSegLib.anatomy import Entity, Knowledge, Language, load_relations

from .links import Link, links_of
from .scenes import Scene

_MOST = 60
"""Links that are told at most."""
_OWN = {
    "left_of": "{subject} lies to the patient's left of {object}",
    "right_of": "{subject} lies to the patient's right of {object}",
    "larger": "{subject} is clearly larger here than {object}",
    "smaller": "{subject} is clearly smaller here than {object}",
    "mirrors": "{subject} is the same as {object} on the other side",
    "largest": "{subject} is clearly the largest here",
    "smallest": "{subject} is clearly the smallest here",
}
_LANGUAGES: Mapping[Language, str] = {"en": "English", "zh": "Chinese"}


@dataclass(frozen=True)
class Facts:
    """What is known of a picture.

    Attributes:
        language: in which it is to be spoken of.
        shown: the structures by their marks, from 1.
        absent: structures that the scan has and the picture does not show.
        told: all of it as the language model gets it.
    """

    language: Language
    shown: Mapping[int, Entity]
    absent: tuple[Entity, ...]
    told: Mapping[str, Any]


def facts_of(scene: Scene, knowledge: Knowledge, language: Language) -> Facts:
    """The facts of a scene with one structure at least."""
    shown = dict(enumerate(scene.regions, start=1))
    marks = {entity: f"{{{mark}}}" for mark, entity in shown.items()}
    links = links_of(scene, knowledge)
    told = {
        "language": _LANGUAGES[language],
        "modality": scene.modality,
        "plane": scene.plane or "unknown",
        "structures": {
            marks[entity]: {"name": entity.name(language), "percent of the picture": _percent(region)}
            for entity, region in scene.regions.items()
        },
        "not in this picture": [entity.name(language) for entity in scene.absent],
        "facts": _sentences(links[:: 1 + (len(links) - 1) // _MOST] if links else [], marks),
    }
    return Facts(language, shown, scene.absent, told)


def _percent(region: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    return round(100 * float(np.mean(region)), 1)


def _sentences(links: Sequence[Link], marks: Mapping[Entity, str]) -> list[str]:
    """What links say, each once."""
    return list(dict.fromkeys(_sentence(link, marks) for link in links))


def _sentence(link: Link, marks: Mapping[Entity, str]) -> str:
    target, anchor = marks[link.target], marks[link.anchor] if link.anchor else ""
    subject, object_ = (anchor, target) if link.asks == "object" else (target, anchor)
    if link.beside:
        object_ = f"{object_} and {marks[link.beside]}"
    if link.relation in _OWN:
        return _OWN[link.relation].format(subject=subject, object=object_)
    return load_relations()[link.relation].sentence(subject, object_, "en")
