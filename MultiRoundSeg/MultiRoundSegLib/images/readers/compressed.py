"""Bytes of a file that may be gzip-compressed."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from MultiRoundSegLib.errors import ImageReadError


def plain_bytes(path: Path) -> bytes:
    """The content of a file, decompressed where it is gzip (told by content, not by name).

    Raises:
        ImageReadError: the file is empty or its compression is damaged.
    """
    content = path.read_bytes()
    if not content:
        raise ImageReadError(f"{path.name} is empty; copy or export it again.")
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise ImageReadError(f"{path.name} is cut short or damaged; copy or export it again.") from error
