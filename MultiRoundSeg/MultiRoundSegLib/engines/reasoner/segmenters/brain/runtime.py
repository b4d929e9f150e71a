"""Runs the brain network by onnxruntime, on the processor."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from MultiRoundSegLib.errors import PackageMissingError

from .labelling import Network

_MEGABYTES = 20


@lru_cache(maxsize=1)
def open_network(model: Path) -> Network:
    """The network of a file, ready to run; opened once.

    Raises:
        PackageMissingError: onnxruntime is not installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise PackageMissingError(
            "The brain network needs the package onnxruntime, which is not installed.", "onnxruntime", _MEGABYTES
        ) from error
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return lambda image: session.run(None, {"image": image})[0]
