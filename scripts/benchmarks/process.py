"""Measurements that need a fresh process, and its memory."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def in_own_process(measure: Callable[..., Any], *arguments: Any) -> Any:
    """What a measurement gives in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measure, *arguments).result()


def peak_bytes() -> int:
    """The highest resident memory of this process so far; macOS counts it in bytes, Linux in KiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
