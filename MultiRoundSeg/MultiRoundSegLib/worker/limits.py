"""How much a worker takes on."""

from __future__ import annotations

from dataclasses import dataclass

from MultiRoundSegLib.errors import WireError


class TooLargeError(WireError):
    """More than a limit allows."""


@dataclass(frozen=True)
class Limits:
    """Numbers that keep one client from using up what all share.

    Attributes:
        volume_bytes: the largest volume.
        kept_bytes: voxels of all volumes together; the longest unused are forgotten first.
        message_bytes: the largest question, mask or description.
        sessions: open at once; the longest unused is closed for a new one.
        question_characters: the longest text of a question.
        unfinished: questions of one session that wait or are in work.
        waiting: questions in line, besides the one in work.
        results: finished questions kept per session until they are fetched and forgotten.
        idle_s: after this time without a request a session is closed.
        unused_volume_s: after this time without a session a volume is forgotten.
        mask_wait_s: how long an engine waits for a mask that it asked the client for.
    """

    volume_bytes: int = 4 * 2**30
    kept_bytes: int = 16 * 2**30
    message_bytes: int = 64 * 2**20
    question_characters: int = 10_000
    unfinished: int = 4
    sessions: int = 32
    waiting: int = 64
    results: int = 4
    idle_s: float = 1800.0
    unused_volume_s: float = 300.0
    mask_wait_s: float = 60.0
