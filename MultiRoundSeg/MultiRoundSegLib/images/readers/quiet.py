"""Keeps C++ codecs from printing about a bad file; the raised error says what is wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# The file descriptor belongs to the whole process: two threads must not put it back in each other's order.
_one_at_a_time = threading.Lock()


@contextmanager
def quiet_codecs() -> Iterator[None]:
    """Silence ITK's warnings and whatever its codecs (MetaIO, GDCM, OpenJPEG) write to stderr."""
    import SimpleITK

    with _one_at_a_time:
        shown = SimpleITK.ProcessObject.GetGlobalWarningDisplay()
        SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)
        try:
            with _stderr_closed():
                yield
        finally:
            SimpleITK.ProcessObject.SetGlobalWarningDisplay(shown)


@contextmanager
def _stderr_closed() -> Iterator[None]:
    try:
        kept = os.dup(2)
    except OSError:  # a window program on Windows has no stderr
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)
