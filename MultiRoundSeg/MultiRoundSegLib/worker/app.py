"""The worker as an ASGI application; `wire` says what travels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import Depends, FastAPI

from MultiRoundSegLib import __version__
from MultiRoundSegLib.engines import Engine

from .failures import answer_in_sentences
from .limits import Limits
from .login import Login
from .metrics import Metrics
from .routes import general_routes, session_routes, volume_routes
from .service import Service

_TIDY_S = 10.0


def make_app(engine: Engine, *, token: str | None = None, limits: Limits | None = None, device: str = "cpu") -> FastAPI:
    """An application that serves an engine.

    Args:
        engine: who answers.
        token: that every request must carry; None lets all through.
        limits: how much the worker takes on.
        device: what the engine works on, for people.

    Raises:
        ValueError: the token is too short.
    """
    login = Login(token)
    service = Service(engine, limits or Limits())
    metrics = Metrics(service)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        tidying = asyncio.create_task(_tidy(service))
        yield
        tidying.cancel()
        with suppress(asyncio.CancelledError):
            await tidying
        await asyncio.to_thread(service.stop)

    app = FastAPI(title="MultiRoundSeg worker", version=__version__, lifespan=life, docs_url=None, redoc_url=None)
    answer_in_sentences(app)
    app.include_router(general_routes(service, metrics, login, device), prefix="/v1")
    app.include_router(volume_routes(service, metrics), prefix="/v1", dependencies=[Depends(login)])
    app.include_router(session_routes(service, metrics), prefix="/v1", dependencies=[Depends(login)])
    return app


async def _tidy(service: Service) -> None:
    while True:
        await asyncio.sleep(_TIDY_S)
        service.tidy()
