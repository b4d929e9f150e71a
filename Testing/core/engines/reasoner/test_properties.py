"""What must not change the target: renaming, reordering, other names of the same, a round about something else."""

import itertools

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from MultiRoundSegLib.anatomy import Entity, Language, load_anatomy
from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.engines import create_engine, no_progress
from MultiRoundSegLib.images import Geometry, Mask, Volume

ANATOMY = load_anatomy()
LABELS = (
    "liver", "spleen", "stomach", "pancreas", "gallbladder", "kidney_left", "kidney_right", "adrenal_gland_left",
    "adrenal_gland_right", "aorta", "inferior_vena_cava", "urinary_bladder", "esophagus", "trachea", "femur_left",
    "femur_right", "vertebrae_L1", "vertebrae_L2", "vertebrae_L3", "sternum", "heart", "brain",
)  # fmt: skip
GRID = Geometry((1, 1, len(LABELS)), np.eye(4))
VOLUME = Volume(np.zeros(GRID.shape, np.int16), GRID, "CT")
ENTITIES = [entity for label in LABELS if (entity := ANATOMY.identify(label))]
SESSION = create_engine("reasoner", segmenters="labels").open(VOLUME)
ASKED: tuple[tuple[str, ...], ...] = (
    ("left kidney", "the other one"),
    ("right kidney", "the gland on top of it"),
    ("the pancreas", "what lies behind it"),
    ("the organ that makes bile", "the sac below it that stores it"),
    ("both kidneys", "only the left one"),
    ("L2", "the next one down"),
    ("右肾", "对侧的那个"),
    ("肝", "储存胆汁的囊"),
    ("双肾", "不要左边的"),
    ("the left femur and the sternum", "without the sternum"),
)
UNRELATED = ("the brain", "食管", "thank you")
quickly = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def dialogue(labels: tuple[str, ...] = LABELS) -> Conversation:
    """A dialogue over these labels, each a voxel of its own wherever it stands in the list."""
    masks = [Mask.from_crop(np.ones((1, 1, 1)), (0, 0, LABELS.index(name)), GRID, name) for name in labels]
    return Conversation(GRID, masks)


def ask(history: Conversation, *texts: str) -> Answer:
    for text in texts:
        question = Question(text)
        history.record(question, SESSION.answer(question, history, progress=no_progress))
    return history.rounds[-1].answer


def shown(answer: Answer) -> set[str]:
    """The labels that an answer shows, by their voxels."""
    return {LABELS[place] for mask in answer.masks for place in np.flatnonzero(mask.voxels.any(axis=(0, 1)))}


EXPECTED = {texts: shown(ask(dialogue(), *texts)) for texts in ASKED}


def test_each_of_the_dialogues_has_a_target() -> None:
    assert all(EXPECTED.values()), EXPECTED


@quickly
@given(st.sampled_from(ASKED), st.permutations(LABELS))
def test_the_order_of_the_structures_at_hand_does_not_matter(texts: tuple[str, ...], order: list[str]) -> None:
    assert shown(ask(dialogue(tuple(order)), *texts)) == EXPECTED[texts]


@quickly
@given(st.sampled_from(ASKED), st.sampled_from(("mine", "target 7", "新的", "vessel?", "Segment_1")))
def test_renaming_a_result_does_not_matter(texts: tuple[str, ...], name: str) -> None:
    history = dialogue()
    first = ask(history, texts[0])
    for index in range(len(first.masks)):
        reference = Reference(1, index)
        history.replace_mask(reference, history.mask(reference).renamed(f"{name}{index}"))
    assert shown(ask(history, texts[1])) == EXPECTED[texts]


BY_NUMBER = {
    ("left kidney", "the other one"): "the other side of [1]",
    ("right kidney", "the gland on top of it"): "the gland on top of [1]",
    ("the pancreas", "what lies behind it"): "what lies behind [1]",
    ("the organ that makes bile", "the sac below it that stores it"): "the sac below [1] that stores bile",
    ("右肾", "对侧的那个"): "[1]的对侧",
    ("肝", "储存胆汁的囊"): "储存胆汁的囊",
}
"""What is asked second, with the number of the round said."""


@quickly
@given(st.sampled_from(list(BY_NUMBER)), st.sampled_from(UNRELATED))
def test_a_round_about_something_else_does_not_matter_where_the_number_is_said(
    texts: tuple[str, ...], unrelated: str
) -> None:
    assert shown(ask(dialogue(), texts[0], unrelated, BY_NUMBER[texts])) == EXPECTED[texts]


def _names(entity: Entity, language: Language) -> list[str]:
    structure = entity.structure
    names = structure.english if language == "en" else structure.chinese
    side = {"en": {"left": "left ", "right": "right "}, "zh": {"left": "左", "right": "右"}}[language]
    plain = [name for name in names if "{" not in name]
    return [f"{side[entity.side] if entity.side else ''}{name}" for name in plain]


SYNONYMS = [(e, name) for e in ENTITIES for language in ("en", "zh") for name in _names(e, language)]


def test_every_synonym_has_the_same_target() -> None:
    """A name may be that of several structures; of these the one at hand is meant."""
    wrong = []
    for entity, name in SYNONYMS:
        mentions = ANATOMY.mentions(name)
        assert [(mention.start, mention.end) for mention in mentions] == [(0, len(name))], name
        answer = ask(dialogue(), name)
        meant = {label for label in LABELS if ANATOMY.identify(label) == entity}
        others = [s for s in mentions[0].structures if s is not entity.structure]
        if shown(answer) != meant and not any(ANATOMY.identify(label).structure in others for label in LABELS):  # type: ignore[union-attr]
            wrong.append((name, shown(answer)))
    assert len(SYNONYMS) > 300
    assert wrong == []


def test_two_names_in_either_order_are_the_same_two() -> None:
    for one, other in itertools.combinations(("the liver", "left kidney", "脾", "aorta"), 2):
        assert shown(ask(dialogue(), f"{one}, {other}")) == shown(ask(dialogue(), f"{other}, {one}"))
