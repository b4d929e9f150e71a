"""What tests in several rooms share."""

from collections.abc import Iterator

import pytest
from chat_endpoint import Endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.hold.set()
    made.server.shutdown()
    made.server.server_close()
