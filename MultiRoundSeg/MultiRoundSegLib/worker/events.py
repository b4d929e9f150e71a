"""A job as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from sse_starlette import ServerSentEvent

from MultiRoundSegLib.conversation import Reference

from .job import OVER, Job, Status


async def events_of(job: Job) -> AsyncIterator[ServerSentEvent]:
    """What happens to a job until it is over, beginning with how it is now; of quick changes only the last."""
    changed, loop = asyncio.Event(), asyncio.get_running_loop()
    told = Status(message="\0")  # like none

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    with job.heard_by(wake):
        while told.state not in OVER:
            changed.clear()
            status = job.status
            if (status.fraction, status.message) != (told.fraction, told.message) and status.state not in OVER:
                yield _event("progress", {"fraction": status.fraction, "message": status.message})
            if status.wanted != told.wanted and status.wanted:
                yield _event("masks", {"wanted": [_place(reference) for reference in status.wanted]})
            told = status
            if status.state not in OVER:
                await changed.wait()
        yield _event("end", {"state": told.state})


def _event(name: str, data: dict[str, object]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False), event=name)


def _place(reference: Reference) -> dict[str, int]:
    return {"round": reference.round_number, "mask": reference.mask_index + 1}
