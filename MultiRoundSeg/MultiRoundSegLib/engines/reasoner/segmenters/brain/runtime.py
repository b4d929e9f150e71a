"""Runs the brain network by onnxruntime, on the processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from MultiRoundSegLib.errors import EngineUnavailableError

from .labelling import Network


@lru_cache(maxsize=1)
def open_network(model: Path) -> Network:
    """The network of a file, ready to run; opened once.

    Raises:
        EngineUnavailableError: onnxruntime is not installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise EngineUnavailableError(
            "The brain network needs the package onnxruntime (about 20 MB), which is not installed; "
            "install it from the panel, or with: pip install onnxruntime."
        ) from error
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return lambda image: session.run(None, {"image": image})[0]
