"""Who may ask: a bearer token, compared in constant time; failed logins are slowed down."""

from __future__ import annotations

import hmac
import math
import time
from collections import OrderedDict, deque

from fastapi import Request
from fastapi.security import HTTPBearer

from MultiRoundSegLib.errors import LoginError
from MultiRoundSegLib.wire.loopback import is_loopback

SHORTEST_TOKEN = 16
_FAILURES = 10
_WITHIN_S = 60.0
_HOSTS = 1000
"""Of so many hosts failures are remembered."""


class TooManyFailuresError(LoginError):
    """Too many wrong tokens came lately.

    Attributes:
        retry_after_s: until one may be tried again.
    """

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Too many wrong tokens were sent to the worker; try again in {math.ceil(retry_after_s)} s.")


class Login(HTTPBearer):
    """A dependency that lets requests with the right token through.

    Without a token, all that were meant for this computer: a page in a browser may lead its own name to
    127.0.0.1, but cannot hide the name.
    """

    def __init__(self, token: str | None) -> None:
        """Ask for this token.

        Raises:
            ValueError: it is too short to be a secret.
        """
        super().__init__(auto_error=False)
        if token is not None and len(token) < SHORTEST_TOKEN:
            raise ValueError(f"a token needs at least {SHORTEST_TOKEN} characters")
        self._token = token.encode() if token is not None else None
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()  # when, by host

    async def __call__(self, request: Request) -> None:  # type: ignore[override]
        """Refuse a request that may not be made.

        Raises:
            LoginError: there is no token, or another one.
            TooManyFailuresError: there were too many wrong ones lately.
        """
        if self._token is None:
            if is_loopback(request.url.hostname or ""):
                return
            raise LoginError("A worker without a token answers to the names of its own computer only.")
        now, host = time.monotonic(), request.client.host if request.client else ""
        failures = self._failures.get(host, deque(maxlen=_FAILURES))
        if len(failures) == _FAILURES and now - failures[0] < _WITHIN_S:
            raise TooManyFailuresError(_WITHIN_S - (now - failures[0]))
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token):
            return
        if not given:
            raise LoginError("The worker needs a token.")
        failures.append(now)
        self._failures[host] = failures
        self._failures.move_to_end(host)
        while len(self._failures) > _HOSTS:
            self._failures.popitem(last=False)
        raise LoginError("The worker does not accept this token.")
