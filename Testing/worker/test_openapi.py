"""The OpenAPI document says what the worker does: whatever fits it is answered, and never with a failure of ours."""

import schemathesis
from fakes import echo
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

from MultiRoundSegLib.wire import MEDIA_TYPE
from MultiRoundSegLib.worker.app import make_app


@schemathesis.serializer(MEDIA_TYPE)
def as_bytes(context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


APP = make_app(echo())
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP)


@SCHEMA.parametrize()
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_request_is_answered_as_the_document_says(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=[not_a_server_error])


def test_every_path_of_the_protocol_is_in_the_document() -> None:
    from MultiRoundSegLib import wire

    assert wire.__doc__
    for path in APP.openapi()["paths"]:
        words = [word for word in path.removeprefix("/v1").split("/") if word and "{" not in word]
        assert all(word in wire.__doc__ for word in words), path
