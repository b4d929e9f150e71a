"""The worker on several GPUs or machines: replicas behind Ray Serve.

    pip install ".[worker]" "ray[serve]" mmh3
    serve run deploy.ray_serve:application engine=reasoner replicas=2 gpus=0

All requests of a client's session carry one X-Session-Id, by which Ray Serve sends them to the same replica. When the
number of replicas changes, some sessions reach another one; it does not know them, and the client opens them again.
The token is read from MULTIROUNDSEG_TOKEN on the machine that starts the application.
"""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI
from ray import serve
from ray.serve.config import RequestRouterConfig

from MultiRoundSegLib.engines import Engine, create_engine
from MultiRoundSegLib.worker.app import make_app
from MultiRoundSegLib.worker.command import read_token

ROUTER = "ray.serve.experimental.consistent_hash_router:ConsistentHashRouter"
REQUESTS_AT_ONCE = 1000
"""A replica's own line says when it is busy; listening for events takes a request as long as a question takes."""


def application(arguments: dict[str, str]) -> serve.Application:
    """What `serve run` starts.

    Args:
        arguments: "engine", "replicas", "gpus" per replica; all others are the engine's settings.
    """
    settings = dict(arguments)
    name = settings.pop("engine", "reasoner")
    replicas, gpus = int(settings.pop("replicas", "1")), float(settings.pop("gpus", "0"))
    return replicated(lambda: create_engine(name, **settings), replicas, gpus)


def replicated(make_engine: Callable[[], Engine], replicas: int, gpus: float = 0.0) -> serve.Application:
    """An application whose replicas each serve an engine of their own.

    Args:
        make_engine: makes the engine of a replica, in the replica.
        replicas: how many.
        gpus: for each of them.
    """
    token = read_token(None)

    def build() -> FastAPI:
        return make_app(make_engine(), token=token, device="cuda" if gpus else "cpu")

    deployment = serve.deployment(
        serve.ingress(build)(),
        name="MultiRoundSeg",
        num_replicas=replicas,
        max_ongoing_requests=REQUESTS_AT_ONCE,
        ray_actor_options={"num_gpus": gpus},
        request_router_config=RequestRouterConfig(
            request_router_class=ROUTER, request_router_kwargs={"num_fallback_replicas": 0}
        ),
    )
    return deployment.bind()
