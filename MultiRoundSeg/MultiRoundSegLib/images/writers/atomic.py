"""Writes a file whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the file and put it in its place at the end, so that no reader finds half of it."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        aside.write_bytes(content)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON for people, whole or not at all."""
    write_whole(path, json.dumps(value, ensure_ascii=False, indent=1).encode())
