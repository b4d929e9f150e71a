"""Which segmenter finds a structure, and what is said of it."""

from collections.abc import Sequence

import numpy as np
import pytest
from engine_contract import Told

from MultiRoundSegLib.anatomy import load_anatomy, load_knowledge
from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import Progress
from MultiRoundSegLib.engines.reasoner import ReasonerEngine
from MultiRoundSegLib.engines.reasoner.segmenters import Candidate, Found, LabelsSegmenter, SegmenterInfo
from MultiRoundSegLib.errors import OutsideDomainError, PackageMissingError
from MultiRoundSegLib.images import Geometry, Mask, Volume

ANATOMY = load_anatomy()
GRID = Geometry((6, 8, 10), np.diag([10.0, 10.0, 10.0, 1.0]))
VOLUME = Volume(np.zeros(GRID.shape, np.int16), GRID, "MR", name="scan")
PLACES = {"left": slice(0, 4), "right": slice(6, 10), "nowhere": slice(0, 0), "most": slice(0, 6)}


def box(name: str, place: str) -> Mask:
    voxels = np.zeros(GRID.shape)
    voxels[:, :, PLACES[place]] = 1
    return Mask(voxels, GRID, name)


class Scripted:
    """A segmenter, and its finder, that knows where its structures are."""

    def __init__(self, name: str, places: dict[str, str], fails: Exception | None = None, ready: bool = True) -> None:
        self.info = SegmenterInfo(name, f"{name} eyes", f"{name}的眼睛", weights="abc" if name == "brain" else None)
        self.is_ready = ready
        self._places, self._fails = places, fails

    def open(self, volume: Volume) -> "Scripted":
        return self

    def candidates(self, history: Conversation) -> tuple[Candidate, ...]:
        return tuple(
            Candidate(ANATOMY.identify(name), name, f"{name} ({self.info.name})", name) for name in self._places
        )

    def segment(self, candidate: Candidate, history: Conversation, *, progress: Progress) -> Found:
        if self._fails:
            raise self._fails
        assert isinstance(candidate.key, str)
        return Found(box(candidate.label, self._places[candidate.key]), 0.7)


def ask(text: str, *segmenters: Scripted, given: Sequence[Mask] = ()) -> Answer:
    engine = ReasonerEngine(load_knowledge(), [LabelsSegmenter(ANATOMY), *segmenters])
    return engine.open(VOLUME).answer(Question(text), Conversation(GRID, given), progress=Told())


BRAIN = Scripted("brain", {"left hippocampus": "left", "brain stem": "right"})
ATLAS = Scripted("atlas", {"left hippocampus": "right", "brain stem": "right", "pons": "most", "my odd thing": "left"})


def test_an_existing_segment_comes_first_then_the_network_then_the_atlas() -> None:
    given = [box("Left-Hippocampus", "left")]
    assert ask("left hippocampus", BRAIN, ATLAS, given=given).origin.segmenters == ("labels",)
    assert ask("brain stem", BRAIN, ATLAS, given=given).origin.segmenters == ("brain",)
    assert ask("pons", BRAIN, ATLAS, given=given).origin.segmenters == ("atlas",)


def test_an_answer_says_who_found_the_structure() -> None:
    assert ask("brain stem", BRAIN).text == "Here is the brainstem (192 ml, brain eyes)."
    assert ask("脑干", BRAIN).text == "已分割脑干（192 ml，brain的眼睛）。"
    assert ask("brain stem", BRAIN).origin.weights == "abc"


def test_where_the_network_cannot_work_the_atlas_is_asked() -> None:
    outside = Scripted("brain", {"left hippocampus": "left"}, OutsideDomainError("No brain."))
    assert ask("left hippocampus", outside, ATLAS).origin.segmenters == ("atlas",)


def test_where_nobody_can_work_the_first_reason_is_said() -> None:
    outside = Scripted("brain", {"pons": "left"}, OutsideDomainError("There is no brain in it."))
    unlike = Scripted("atlas", {"pons": "left"}, OutsideDomainError("The atlas does not fit."))
    answer = ask("pons", outside, unlike)
    assert answer.status == "none"
    assert "no brain in it" in answer.text


def test_a_missing_package_is_offered_only_where_nothing_else_finds_the_structure() -> None:
    missing = Scripted("brain", {"brain stem": "left", "thalamus_left": "left"}, PackageMissingError("no.", "it", 20))
    assert ask("brain stem", missing, ATLAS).origin.segmenters == ("atlas",)
    with pytest.raises(PackageMissingError):
        ask("left thalamus", missing, ATLAS)


def test_an_empty_segment_is_looked_for_in_the_image() -> None:
    answer = ask("left hippocampus", BRAIN, given=[box("Left-Hippocampus", "nowhere")])
    assert answer.origin.segmenters == ("brain",)


def test_what_the_network_does_not_see_is_not_painted_from_an_atlas() -> None:
    blind = Scripted("brain", {"left hippocampus": "nowhere"})
    answer = ask("left hippocampus", blind, ATLAS)
    assert answer.status == "none"
    assert "was not found in this image" in answer.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left hippocampus by the atlas", "atlas"),
        ("Use the atlas for the left hippocampus", "atlas"),
        ("用图谱分割左侧海马", "atlas"),
        ("segment the left hippocampus with the brain network", "brain"),
        ("用脑部网络分割左海马", "brain"),
        ("left hippocampus using the existing segmentation", "labels"),
    ],
)
def test_words_choose_who_is_asked(text: str, expected: str) -> None:
    answer = ask(text, BRAIN, ATLAS, given=[box("Left-Hippocampus", "left")])
    assert answer.origin.segmenters == (expected,), answer.text


def test_choosing_one_that_is_not_there_is_said() -> None:
    assert ask("left hippocampus by the atlas", BRAIN).text.startswith('Nothing is there to work "by the atlas" with')
    assert ask("用图谱分割左海马", BRAIN).status == "none"


def test_the_atlas_without_a_word_before_it_is_a_vertebra() -> None:
    given = [box("vertebrae_C1", "left")]
    assert ask("segment the atlas", ATLAS, given=given).origin.segmenters == ("labels",)


def test_a_structure_that_two_find_in_different_places_is_flagged() -> None:
    text = ask("left hippocampus", BRAIN, ATLAS).text
    assert "Look closely: by the atlas eyes the left hippocampus is elsewhere (Dice 0.00)." in text
    assert "请核对" in ask("左海马", BRAIN, ATLAS).text
    assert "Look closely" not in ask("brain stem", BRAIN, ATLAS).text


def test_nobody_works_long_only_to_disagree() -> None:
    slow = Scripted("atlas", {"left hippocampus": "right"}, ready=False)
    assert "Look closely" not in ask("left hippocampus", BRAIN, slow).text


def test_a_name_that_only_its_author_knows_is_found_in_an_atlas() -> None:
    for text in ("my odd thing", "segment my odd thing (atlas)", "分割 my odd thing"):
        answer = ask(text, BRAIN, ATLAS)
        assert [mask.label for mask in answer.masks] == ["my odd thing"], answer.text
    assert ask("the neighbour of my odd thing", ATLAS).status == "none"


def test_both_a_known_and_an_unknown_name_in_one_question() -> None:
    answer = ask("my odd thing and the brain stem", BRAIN, ATLAS)
    assert [mask.label for mask in answer.masks] == ["my odd thing", "brainstem"]


def test_choices_keep_who_was_chosen() -> None:
    sides = Scripted("atlas", {"left hippocampus": "left", "right hippocampus": "right"})
    answer = ask("hippocampus by the atlas", BRAIN, sides)
    assert answer.choices == ("left hippocampus by the atlas", "right hippocampus by the atlas")
