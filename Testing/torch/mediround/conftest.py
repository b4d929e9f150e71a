import pytest
import torch

from mediround.tiny import load_tiny
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.text import Tokenizer


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[MediRoundModel, Tokenizer]:
    return load_tiny(tmp_path_factory.mktemp("tiny"))
