"""`discard`: a named way to answer with nothing."""

import pytest

from langbot_agents.builtin_runners import Discard
from langbot_agents.sdk.testing import make_context


@pytest.fixture
def anyio_backend() -> str:
    """Asyncio, which the host runs on."""
    return "asyncio"


async def test_says_nothing() -> None:
    """A run of it says nothing, and says that it meant to."""
    found = [item async for item in Discard().run(make_context())]

    assert [(item.type, item.data["finish_reason"]) for item in found] == [("run.completed", "no_reply")]
