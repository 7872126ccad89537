"""One fake server for the tests of a module, and the real `openai` client against it."""

from collections.abc import Iterator

import pytest
from openai import OpenAI

from langbot_agents.sdk.testing import FakeOpenAI

from .asking import Asker


@pytest.fixture(scope="module")
def running() -> Iterator[FakeOpenAI]:
    """A server that serves one model."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture
def server(running: FakeOpenAI) -> FakeOpenAI:
    """The server, with nothing scripted and nothing recorded."""
    running.reset()
    return running


@pytest.fixture
def ask(server: FakeOpenAI) -> Iterator[Asker]:
    """The client, which does not try again by itself."""
    with OpenAI(base_url=server.base_url, api_key="test-key", max_retries=0, timeout=10) as client:
        yield Asker(client)
