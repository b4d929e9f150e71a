"""How long the client waits for what."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timeouts:
    """Seconds, with the reason for each.

    Attributes:
        connect_s: for a connection: a server that is there answers within a round trip or two.
        send_s: for the other end to take more bytes: a worker that is busy may leave them in the line for a while.
        answer_s: for the first byte of a short answer: the worker does nothing long before it answers.
        silence_s: between two events: the worker sends a sign of life every 5 s, also while the engine is silent.
        upload_s: for the answer to an upload: the worker checks it while it arrives, only a little is left at the end.
        busy_s: in all, for a worker that says it is busy: longer than anybody wants to sit and wait.
        gone_s: for a worker that was there and is gone: one that is started again needs its time to load.
        forget_s: for telling the worker what it may forget: it will find out by itself.
    """

    connect_s: float = 5.0
    send_s: float = 60.0
    answer_s: float = 30.0
    silence_s: float = 20.0
    upload_s: float = 120.0
    busy_s: float = 120.0
    gone_s: float = 20.0
    forget_s: float = 2.0
