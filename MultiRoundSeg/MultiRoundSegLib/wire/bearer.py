"""Signing requests with a token or key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import requests


class Bearer:
    """Sends a token, as the `auth` of a session of requests; a .netrc file can not put another one in its place."""

    def __init__(self, token: str) -> None:
        """Hold the token; it is never shown."""
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Sign a request."""
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request
