"""Starts the worker with the packages of its environment, our code and Python's own library, and nothing else.

    python -S -s start_worker.py PACKAGES CODE [arguments of multiroundseg-worker]

Runs by itself, in a process of its own, before any of our code can be imported.
"""

import os
import runpy
import sys
import sysconfig
from pathlib import Path


def is_pythons_own(path: str) -> bool:
    """Whether a place to import from belongs to Python's own library."""
    own = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), str(Path(sys.base_prefix, "DLLs"))]
    path = os.path.normcase(path)
    if "site-packages" in path:
        return False
    return path.endswith(".zip") or any(path.startswith(os.path.normcase(folder)) for folder in own)


def main() -> None:
    """Narrow down where Python looks, then run the worker's command."""
    packages, code = sys.argv[1:3]
    sys.path[:] = [packages, code, *filter(is_pythons_own, sys.path)]
    sys.argv[1:] = sys.argv[3:]
    runpy.run_module("MultiRoundSegLib.worker", run_name="__main__")


if __name__ == "__main__":
    main()
