"""`echo`: says back what came in, word by word."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from langbot_agents.builtin_runners import Echo, EchoConfig
from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.results import AgentRunResult
from langbot_agents.sdk.testing import make_context


async def results(config: EchoConfig | None = None, **values: Any) -> list[AgentRunResult]:
    """All that a run gives."""
    context = make_context(config or EchoConfig(), **values)
    return [item async for item in Echo().run(context)]


def said(found: list[AgentRunResult]) -> tuple[str, str]:
    """The pieces joined, and the whole."""
    pieces = "".join(item.data["chunk"]["content"] for item in found if item.type == "message.delta")
    (whole,) = (item.data["message"]["content"] for item in found if item.type == "message.completed")
    return pieces, whole


@pytest.fixture
def anyio_backend() -> str:
    """Asyncio, which the host runs on."""
    return "asyncio"


@settings(deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=200), st.sampled_from(["", "> ", "[urgent] "])
)
def test_pieces_are_the_message(text: str, prefix: str) -> None:
    """The pieces joined are the message, whatever was written, and the run ends once."""
    import anyio

    async def run() -> list[AgentRunResult]:
        return await results(EchoConfig(prefix=prefix), text=text)

    found = anyio.run(run)
    pieces, whole = said(found)

    assert pieces == whole == prefix + text
    assert [item.type for item in found[-2:]] == ["message.completed", "run.completed"]
    assert {item.type for item in found[:-2]} == {"message.delta"}


async def test_word_by_word() -> None:
    """Each piece is a word with the space that follows it."""
    found = await results(text="one  two\nthree")

    assert [item.data["chunk"]["content"] for item in found[:-2]] == ["one  ", "two\n", "three"]


@pytest.mark.parametrize("event_type", [item.name for item in standard_types() if not item.pattern])
async def test_every_event(event_type: str) -> None:
    """Every standard event has an answer; one without text is named, or its payload is said."""
    pieces, whole = said(await results(event=event_type))

    assert pieces == whole != ""


async def test_payload() -> None:
    """The payload of an event without text is said as JSON."""
    context = make_context(EchoConfig(), event="api.invoked")
    _, whole = said([item async for item in Echo().run(context)])

    assert json.loads(whole) == context.input.model_dump(mode="json")["data"]


@pytest.mark.parametrize("config", [{"delay": -1}, {"delay": 61}, {"prefx": "a"}])
def test_config(config: dict[str, Any]) -> None:
    """Settings that mean nothing are refused."""
    with pytest.raises(ValidationError):
        EchoConfig.model_validate(config)
