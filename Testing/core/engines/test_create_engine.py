import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from engine_contract import EngineContract, Told
from fakes import FakeEngine, answer

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import Engine, create_engine, engine_names
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.images.writers import write_mask


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


def test_an_atlas_is_named_by_two_files_and_refused_with_one(tmp_path: Path) -> None:
    grid = Geometry((30, 32, 34), np.diag([3.0, 3.0, 3.0, 1.0]))
    voxels = np.zeros(grid.shape, dtype=bool)
    voxels[8:20, 8:20, 8:20] = True
    write_mask(tmp_path / "image.nii.gz", Mask(voxels, grid, "image"))
    write_mask(tmp_path / "labels.nii.gz", Mask(voxels, grid, "labels"))
    (tmp_path / "names.csv").write_text("1,liver\n")
    settings = {
        "atlas_image": str(tmp_path / "image.nii.gz"),
        "atlas_labels": str(tmp_path / "labels.nii.gz"),
        "atlas_names": str(tmp_path / "names.csv"),
    }
    session = create_engine("reasoner", **settings).open(Volume(voxels.astype(np.float32), grid, "CT"))
    answer = session.answer(Question("the liver"), Conversation(grid), progress=Told())
    assert [mask.label for mask in answer.masks] == ["liver"], answer.text
    for missing in ("atlas_image", "atlas_labels"):
        with pytest.raises(EngineUnavailableError, match="set both atlas_image and atlas_labels"):
            create_engine("reasoner", **{key: value for key, value in settings.items() if key != missing})


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
