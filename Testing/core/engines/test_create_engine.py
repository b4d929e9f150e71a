import subprocess
import sys

import numpy as np
import pytest
from engine_contract import EngineContract
from fakes import FakeEngine, answer

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import Engine, create_engine, engine_names
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Geometry, Mask, Volume


def test_an_engine_is_made_by_name() -> None:
    assert "reasoner" in engine_names()
    assert create_engine("reasoner").info.name == "reasoner"


def test_an_unknown_engine_is_refused_with_those_there_are() -> None:
    with pytest.raises(EngineUnavailableError, match="no engine 'oracle'; choose one of: reasoner"):
        create_engine("oracle")


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(EngineUnavailableError, match="does not take these settings"):
        create_engine("reasoner", weights="none")


def test_an_unknown_segmenter_is_refused_with_those_there_are() -> None:
    with pytest.raises(EngineUnavailableError, match="no segmenter 'oracle'; choose of: labels, brain"):
        create_engine("reasoner", segmenters="labels,oracle")


def test_importing_the_contract_imports_no_engine_and_nothing_heavy() -> None:
    code = (
        "import sys, MultiRoundSegLib.engines\n"
        "heavy = {'torch', 'SimpleITK', 'pydicom', 'scipy', 'requests', 'MultiRoundSegLib.engines.reasoner'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class TestContractOfTheFake(EngineContract):
    """The suite itself: an engine made for tests passes it."""

    answerable = Question("anything")
    unanswerable = Question("nothing")

    @pytest.fixture
    def volume(self) -> Volume:
        return Volume(np.zeros((3, 4, 5)), Geometry((3, 4, 5), np.eye(4)))

    @pytest.fixture
    def history(self, volume: Volume) -> Conversation:
        return Conversation(volume.geometry)

    @pytest.fixture
    def engine(self) -> Engine:
        def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
            mask = Mask(np.ones(volume.geometry.shape), volume.geometry, "all")
            return answer(question.text, mask) if question.text == "anything" else answer("not there")

        return FakeEngine(reply)
