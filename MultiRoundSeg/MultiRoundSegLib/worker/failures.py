"""Errors as HTTP answers; the client reads the same error out of them."""

from __future__ import annotations

import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from MultiRoundSegLib.errors import (
    CancelledError,
    EngineBusyError,
    EngineError,
    LoginError,
    MultiRoundSegError,
    OutOfMemoryError,
    SessionExpiredError,
    VolumeUnknownError,
    WireError,
)
from MultiRoundSegLib.wire.faults import encode_fault

from .limits import TooLargeError
from .log import note_failure
from .login import TooManyFailuresError

_STATUS: tuple[tuple[type[MultiRoundSegError], int], ...] = (
    (TooLargeError, 413),
    (WireError, 400),
    (TooManyFailuresError, 429),
    (LoginError, 401),
    (VolumeUnknownError, 404),
    (SessionExpiredError, 404),
    (CancelledError, 409),
    (EngineBusyError, 503),
    (OutOfMemoryError, 507),
    (MultiRoundSegError, 422),
)


def as_response(error: MultiRoundSegError) -> JSONResponse:
    """The HTTP answer that says this error."""
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    told: MultiRoundSegError = error
    if isinstance(error, TooLargeError):
        told = WireError(str(error))
    elif isinstance(error, TooManyFailuresError):
        told = LoginError(str(error))
    headers = {}
    if isinstance(error, (EngineBusyError, TooManyFailuresError)):
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(encode_fault(told), status, headers)


def answer_in_sentences(app: FastAPI) -> None:
    """Answer every failure of an app with one of our errors."""

    @app.exception_handler(MultiRoundSegError)
    async def ours(request: Request, error: MultiRoundSegError) -> JSONResponse:
        return as_response(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return as_response(WireError("The request does not have the form that the worker's protocol says."))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> JSONResponse:
        fault = encode_fault(WireError(f"The worker does not know this request ({error.detail})."))
        return JSONResponse(fault, error.status_code, error.headers)

    app.add_middleware(Unexpected)


class Unexpected:
    """Answers what nobody expected, and keeps the server from logging its words."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand around this application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        began = False

        async def note(message: ASGIMessage) -> None:
            nonlocal began
            began = began or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as error:
            note_failure("A request failed", error)
            if scope["type"] == "http" and not began:
                fault = encode_fault(EngineError("Something unexpected went wrong in the worker; its log says more."))
                await JSONResponse(fault, 500)(scope, receive, send)
