"""Measurements that need a fresh process, its cores and memory, and whether a limit holds."""

from __future__ import annotations

import os
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


def use_cores(count: int) -> None:
    """Let this process use so many cores only, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def verdict(value: float, limit: float, *, is_least: bool = False) -> str:
    """Whether a value is within its limit, in words; the limit is the most that it may be, or the least."""
    holds = value >= limit if is_least else value <= limit
    return f"must be at {'least' if is_least else 'most'} {limit:g}: {'holds' if holds else 'DOES NOT HOLD'}"
