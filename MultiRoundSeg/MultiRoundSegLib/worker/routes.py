"""The paths of the protocol; each only reads a request, asks the service and writes an answer."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from pydantic import ValidationError
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool

from MultiRoundSegLib.conversation import Reference
from MultiRoundSegLib.errors import WireError
from MultiRoundSegLib.wire import MEDIA_TYPE, PROTOCOL
from MultiRoundSegLib.wire.masks import decode_mask
from MultiRoundSegLib.wire.message import Message
from MultiRoundSegLib.wire.rounds import encode_answer

from .events import events_of
from .failures import as_response
from .limits import TooLargeError
from .login import Login
from .metrics import Metrics
from .models import Asked, EngineModel, Fault, Health, Info, LimitsModel, Opened, VolumeDescription
from .service import Service, check

SessionId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
JobId = Annotated[str, Path(pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]

_FAULTS: dict[int | str, dict[str, Any]] = {
    code: {"model": Fault, "description": text}
    for code, text in {
        400: "damaged, or not of this protocol",
        401: "a token is needed, or another one",
        404: "the session, the question or the volume is not known (any more)",
        409: "it was cancelled",
        413: "too large",
        422: "the engine or the image does not allow it",
        429: "too many wrong tokens",
        503: "too much is waiting; Retry-After says when to ask again",
        507: "it does not fit into memory",
    }.items()
}
_DESCRIPTION = {"content": {"application/json": {"schema": VolumeDescription.model_json_schema()}}, "required": True}
_LARGEST_DESCRIPTION = 64 * 1024
_BYTES = {"content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
_VOXELS = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}


def general_routes(service: Service, metrics: Metrics, login: Login, device: str) -> APIRouter:
    """What the worker is, and how it is doing."""
    routes = APIRouter(tags=["worker"])
    limits = service.limits

    @routes.get("/health")
    async def health() -> Health:
        """Whether the worker runs; needs no login."""
        return Health()

    @routes.get("/info", dependencies=[Depends(login)], responses=_only(401, 429))
    async def info() -> Info:
        """Who answers, and how much it takes on."""
        who = service.engine.info
        return Info(
            protocol=PROTOCOL,
            engine=EngineModel(name=who.name, version=who.version, title=who.title, weights=who.weights),
            device=device,
            limits=LimitsModel(
                volume_bytes=limits.volume_bytes,
                message_bytes=limits.message_bytes,
                sessions=limits.sessions,
                waiting=limits.waiting,
            ),
        )

    @routes.get(
        "/metrics",
        dependencies=[Depends(login)],
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **_only(401, 429)},
    )
    async def figures() -> Response:
        """Figures for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    return routes


def volume_routes(service: Service, metrics: Metrics) -> APIRouter:
    """Volumes and the sessions on them."""
    routes = APIRouter(tags=["volumes"])

    @routes.post("/sessions", status_code=201, responses=_FAULTS, openapi_extra={"requestBody": _DESCRIPTION})
    async def open_session(request: Request) -> Opened:
        """Open a session on a volume whose voxels are here; 404 asks for them."""
        description = _description(await _body(request, _LARGEST_DESCRIPTION))
        volume = await run_in_threadpool(check, service.open(description))
        return Opened(session=service.begin(description, volume).identity)

    @routes.put(
        "/volumes/{digest}",
        status_code=204,
        responses=_FAULTS,
        openapi_extra={"requestBody": _VOXELS | {"required": True}},
    )
    async def send_voxels(
        digest: Digest, request: Request, content_encoding: Annotated[str, Header()] = "identity"
    ) -> None:
        """Send the voxels of a volume that was described: C order, little-endian, perhaps gzip."""
        if content_encoding not in ("identity", "gzip"):
            raise WireError("Voxels may travel as they are or as gzip, and in no other way.")
        upload = service.expect(digest, is_gzip=content_encoding == "gzip")
        try:
            async for piece in request.stream():
                metrics.received.inc(len(piece))
                if upload:
                    upload.add(piece)
            if upload:
                service.keep(digest, upload)
        finally:
            if upload:
                service.end(upload)

    return routes


def session_routes(service: Service, metrics: Metrics) -> APIRouter:
    """Questions within a session."""
    routes = APIRouter(prefix="/sessions/{session}", tags=["questions"])

    @routes.delete("", status_code=204, responses=_FAULTS)
    async def close_session(session: SessionId) -> None:
        """Forget volume and dialogue."""
        service.close(session)

    @routes.put(
        "/jobs/{job}", status_code=202, responses=_FAULTS, openapi_extra={"requestBody": _BYTES | {"required": True}}
    )
    async def ask(session: SessionId, job: JobId, request: Request) -> Asked:
        """Ask a question; the same one is never asked twice."""
        message = Message.decode(await _body(request, service.limits.message_bytes))
        started = time.monotonic()
        asked = service.session(session).ask(job, message)
        asked.at_end(lambda state: metrics.ended(state, time.monotonic() - started))
        return Asked(state=asked.status.state)

    @routes.get(
        "/jobs/{job}/events",
        response_class=Response,
        responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}, **_FAULTS},
    )
    async def listen(session: SessionId, job: JobId) -> EventSourceResponse:
        """Hear of progress, of masks that are wanted, and of the end."""
        return EventSourceResponse(events_of(service.session(session).job(job)), ping=5)

    @routes.put(
        "/jobs/{job}/masks/{round_number}/{mask}",
        status_code=204,
        responses=_FAULTS,
        openapi_extra={"requestBody": _BYTES | {"required": True}},
    )
    async def send_mask(
        session: SessionId,
        job: JobId,
        round_number: Annotated[int, Path(ge=0)],
        mask: Annotated[int, Path(ge=1)],
        request: Request,
    ) -> None:
        """Send a mask of the dialogue that the engine waits for."""
        asked = service.session(session)
        message = Message.decode(await _body(request, service.limits.message_bytes))
        sent = await run_in_threadpool(decode_mask, message, asked.volume.geometry)
        asked.job(job).supply(Reference(round_number, mask - 1), sent)

    @routes.get(
        "/jobs/{job}/result",
        response_class=Response,
        responses={200: _BYTES, 202: {"model": Asked, "description": "not there yet"}, **_FAULTS},
    )
    async def result(session: SessionId, job: JobId, response: Response) -> Response:
        """The answer, or why there is none."""
        asked = service.session(session).job(job)
        if asked.answer:
            message = await run_in_threadpool(encode_answer, asked.answer)
            return Response(message.encode(), media_type=MEDIA_TYPE)
        if asked.error:
            return as_response(asked.error)
        return Response(Asked(state=asked.status.state).model_dump_json(), 202, media_type="application/json")

    @routes.delete("/jobs/{job}", status_code=204, responses=_FAULTS)
    async def forget(session: SessionId, job: JobId) -> None:
        """Cancel a question, or forget its result."""
        service.session(session).forget(job)

    return routes


def _only(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: _FAULTS[code] for code in codes}


def _description(body: bytes) -> dict[str, Any]:
    """The description of a volume.

    Raises:
        WireError: it is none.
    """
    try:
        return VolumeDescription.model_validate_json(body).model_dump(mode="json")
    except ValidationError as error:
        raise WireError("The description of a volume is not as the worker's protocol says.") from error


async def _body(request: Request, limit: int) -> bytes:
    """The whole body, which is refused as soon as it is too large.

    Raises:
        TooLargeError: it has more than `limit` bytes.
    """
    pieces, size = [], int(request.headers.get("Content-Length") or 0)
    sentence = f"A request may have {limit / 1e6:.3g} MB here; this one has more."
    if size > limit:
        raise TooLargeError(sentence)
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise TooLargeError(sentence)
        pieces.append(piece)
    return b"".join(pieces)
