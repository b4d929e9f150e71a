"""Dialogues over small settings: the last answer, what it shows in whatever language, the last plan."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.engines import create_engine, no_progress
from MultiRoundSegLib.engines.reasoner.earlier import Earlier
from MultiRoundSegLib.engines.reasoner.hearing import hear
from MultiRoundSegLib.engines.reasoner.plan import Plan
from MultiRoundSegLib.engines.reasoner.segmenters import LabelsSegmenter
from MultiRoundSegLib.engines.reasoner.thinking import Thinker
from MultiRoundSegLib.images import Geometry, Mask, Volume

KNOWLEDGE = load_knowledge()
GRID = Geometry((24, 24, 24), np.diag([10.0, 10.0, 10.0, 1.0]))
Setting = Sequence[str | Mask]


def _masks(setting: Setting) -> list[Mask]:
    """Masks as they are; for names, masks of 1, 2, 3 ... voxels, none touching another."""
    masks = []
    for size, label in enumerate(setting, start=1):
        if isinstance(label, Mask):
            masks.append(label)
            continue
        voxels = np.zeros(GRID.shape, dtype=bool)
        voxels.reshape(-1)[size * 100 : size * 100 + size] = True
        masks.append(Mask(voxels, GRID, label))
    return masks


@pytest.fixture
def converse() -> Callable[..., Conversation]:
    """Call with the labels at hand and questions; `picked` are the masks clicked for the last question."""

    def converse(setting: Setting, *texts: str, picked: tuple[Reference, ...] = ()) -> Conversation:
        masks = _masks(setting)
        grid = masks[0].geometry if masks else GRID
        history = Conversation(grid, masks)
        volume = Volume(np.zeros(grid.shape, np.int16), grid, "CT")
        session = create_engine("reasoner", segmenters="labels").open(volume)
        for number, text in enumerate(texts, start=1):
            question = Question(text, references=picked if number == len(texts) else ())
            history.record(question, session.answer(question, history, progress=no_progress))
        return history

    return converse


@pytest.fixture
def ask(converse: Callable[..., Conversation]) -> Callable[..., Answer]:
    """Call with the labels at hand and questions: the last answer."""

    def ask(setting: Setting, *texts: str, picked: tuple[Reference, ...] = ()) -> Answer:
        answer: Answer = converse(setting, *texts, picked=picked).rounds[-1].answer
        return answer

    return ask


@pytest.fixture
def found(ask: Callable[..., Answer]) -> Callable[..., list[str]]:
    """Call with the labels at hand and questions: what the last answer shows, such as "left rib_3"."""

    def found(setting: Setting, *texts: str, picked: tuple[Reference, ...] = ()) -> list[str]:
        answer = ask(setting, *texts, picked=picked)
        assert answer.status == "answered", answer.text
        return [_shown(mask) for mask in answer.masks]

    return found


def _shown(mask: Mask) -> str:
    entity = KNOWLEDGE.anatomy.identify(mask.label, mask.code)
    return f"{entity.side or ''} {entity.structure.key}".strip() if entity else mask.label


@pytest.fixture
def plan(converse: Callable[..., Conversation]) -> Callable[..., Plan]:
    """Call with the labels at hand and questions: the plan of the last one."""

    def plan(setting: Setting, *texts: str) -> Plan:
        history = converse(setting, *texts[:-1])
        series = Earlier(history, KNOWLEDGE.anatomy).series()
        heard = hear(texts[-1], KNOWLEDGE, [mask.label for mask in history.given], series)
        candidates = LabelsSegmenter(KNOWLEDGE.anatomy).candidates(history)
        return Thinker(KNOWLEDGE, candidates, history).plan(Question(heard.text))

    return plan
