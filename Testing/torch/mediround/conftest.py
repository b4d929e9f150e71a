from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mediround.tiny import DATA, load_tiny, make_checkpoint
from MultiRoundSegLib.datasets import Dialogue, read_dialogues
from MultiRoundSegLib.engines.mediround.model import MediRoundModel
from MultiRoundSegLib.engines.mediround.text import Tokenizer


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[MediRoundModel, Tokenizer]:
    return load_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("start"))


@pytest.fixture(scope="module")
def dialogues() -> Sequence[Dialogue]:
    """One, of two rounds; the second refers to the first."""
    first, *_ = read_dialogues("mr-medseg", DATA / "conversations.json", DATA / "data")
    assert first.turns[1].about == (1,)
    return [replace(first, turns=first.turns[:2])]
