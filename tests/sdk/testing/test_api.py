"""The run API in memory keeps the host's rules."""

from typing import Any

import pytest

from langbot_agents.schemas.context import StateValue
from langbot_agents.schemas.messages import Message, ToolCall
from langbot_agents.schemas.models import ModelChunk
from langbot_agents.schemas.results import Usage
from langbot_agents.sdk import AgentAPIException, AgentRunAPI
from langbot_agents.sdk.testing import ALL_SCOPES, InMemoryApi

HELLO = [Message(role="user", content="hello")]


def test_it_is_a_run_api() -> None:
    """It can stand wherever the SDK's protocol is asked for."""
    api: AgentRunAPI = InMemoryApi()

    assert api.state is not None


async def test_versions_rise_and_conflicts_are_told() -> None:
    """A write counts the version up; one against another version is a conflict and changes nothing."""
    api = InMemoryApi()
    first = await api.state.set("actor", "k", "a", version=0)
    second = await api.state.set("actor", "k", "b", version=1)
    with pytest.raises(AgentAPIException) as stale:
        await api.state.set("actor", "k", "c", version=1)
    with pytest.raises(AgentAPIException):
        await api.state.set("actor", "k", "c", version=0)

    assert (first.version, second.version) == (1, 2)
    assert stale.value.code == "conflict"
    assert await api.state.get("actor", "k") == StateValue(value="b", version=2)
    assert await api.state.get("conversation", "k") is None
    assert await api.state.list("actor") == {"k": StateValue(value="b", version=2)}


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("", 1, "invalid_argument"),
        ("k" * 256, 1, "invalid_argument"),
        ("k", object(), "invalid_argument"),
        ("k", float("nan"), "invalid_argument"),
        ("k", "x" * 256 * 1024, "payload_too_large"),
    ],
    ids=["no key", "long key", "object", "nan", "large"],
)
async def test_bad_state_is_refused(key: str, value: Any, code: str) -> None:
    """Keys and values have the host's bounds."""
    api = InMemoryApi()
    with pytest.raises(AgentAPIException) as caught:
        await api.state.set("runner", key, value)

    assert caught.value.code == code
    assert api.state.snapshot()["runner"] == {}


async def test_scopes_can_be_closed() -> None:
    """A scope that is not open is unauthorized, in each verb."""
    api = InMemoryApi(scopes=["actor"])
    for call in (
        api.state.get("runner", "k"),
        api.state.set("runner", "k", 1),
        api.state.list("runner"),
    ):
        with pytest.raises(AgentAPIException) as caught:
            await call

        assert caught.value.code == "unauthorized"
    assert len(ALL_SCOPES) == 5


async def test_history_pages_are_whole_turns() -> None:
    """Each page has the asked turns before its cursor, oldest first, until there are no more."""
    api = InMemoryApi(history=[(role, f"{role} {n}") for n in range(3) for role in ("user", "assistant")])
    seen: list[list[str]] = []
    cursor: str | None = None
    while True:
        page, cursor = await api.history.page(before=cursor, rounds=1)
        seen.append([message.to_text() for message in page])
        if cursor is None:
            break

    assert seen == [["user 2", "assistant 2"], ["user 1", "assistant 1"], ["user 0", "assistant 0"]]
    assert await InMemoryApi().history.page() == ([], None)


@pytest.mark.parametrize("arguments", [{"rounds": 0}, {"rounds": 101}, {"before": "x"}, {"before": "99"}])
async def test_bad_pages_are_refused(arguments: dict[str, Any]) -> None:
    """Rounds and cursors have bounds."""
    with pytest.raises(AgentAPIException) as caught:
        await InMemoryApi().history.page(**arguments)

    assert caught.value.code == "invalid_argument"


async def test_calls_are_noted_and_can_be_refused() -> None:
    """A verb can be refused with any code, always or so many times; each call is noted all the same."""
    api = InMemoryApi()
    api.refuse("state", "set", code="rate_limited", retryable=True, times=1)
    api.refuse("history", message="no history here")
    with pytest.raises(AgentAPIException) as limited:
        await api.state.set("actor", "k", 1)
    with pytest.raises(AgentAPIException, match="no history here") as refused:
        await api.history.page()
    await api.state.set("actor", "k", 2)

    assert (limited.value.code, limited.value.retryable) == ("rate_limited", True)
    assert refused.value.code == "unauthorized"
    assert [(call.resource, call.verb) for call in api.calls] == [
        ("state", "set"),
        ("history", "page"),
        ("state", "set"),
    ]
    assert api.calls[2].arguments == {"scope": "actor", "key": "k", "value": 2, "version": None}


async def test_scripted_text_is_streamed_word_by_word() -> None:
    """A text comes in pieces that join to it, then a last one with reason and usage."""
    api = InMemoryApi()
    api.models.reply("Seven grey  geese.\n", reasoning="Count.", usage={"total_tokens": 9})
    chunks = [chunk async for chunk in api.models.stream("small", HELLO, temperature=0)]

    assert [chunk.to_text() for chunk in chunks] == ["", "Seven", " grey", "  geese.", "\n", ""]
    assert chunks[0].reasoning == "Count."
    assert (chunks[-1].finish_reason, chunks[-1].is_final) == ("stop", True)
    assert chunks[-1].usage == Usage(total_tokens=9)
    assert api.models.requests[0].streamed
    assert api.models.requests[0].options == {"temperature": 0}
    assert api.models.requests[0].text == "hello"


async def test_the_same_script_can_be_invoked() -> None:
    """Asked whole, the pieces are one reply with everything that they say."""
    api = InMemoryApi()
    call = ToolCall(id="c1", name="sum", arguments={"a": 1})
    api.models.reply(["Let ", "me."], reasoning="Hm.", tool_calls=[call], usage=Usage(total_tokens=3))
    reply = await api.models.invoke("small", HELLO)

    assert (reply.message.content, reply.message.tool_calls) == ("Let me.", (call,))
    assert (reply.reasoning, reply.finish_reason, reply.model) == ("Hm.", "tool_calls", "small")
    assert reply.usage == Usage(total_tokens=3)
    assert not api.models.requests[0].streamed


async def test_own_chunks_stay_as_they_are() -> None:
    """Chunks that say their own end get none added."""
    api = InMemoryApi()
    chunks = [ModelChunk(content="a"), ModelChunk(content="b", finish_reason="length")]
    api.models.reply(chunks)

    assert [chunk async for chunk in api.models.stream("m", HELLO)] == chunks


async def test_models_fail_by_script() -> None:
    """A failure comes at once or after pieces; a reply for one model waits for that model."""
    api = InMemoryApi()
    api.models.fail(code="rate_limited", message="later", retryable=True, model="first")
    api.models.reply("second speaks", model="second")
    api.models.fail(after_chunks=2, chunks=["a"])
    with pytest.raises(AgentAPIException, match="later") as limited:
        await api.models.invoke("first", HELLO)
    second = await api.models.invoke("second", HELLO)
    stream = api.models.stream("third", HELLO)
    got = [(await anext(stream)).to_text() for _ in range(2)]
    with pytest.raises(AgentAPIException) as broken:
        await anext(stream)

    assert (limited.value.code, limited.value.retryable) == ("rate_limited", True)
    assert second.message.content == "second speaks"
    assert got == ["a", "piece 2 "]
    assert broken.value.code == "runtime_error"
    assert [request.model for request in api.models.requests] == ["first", "second", "third"]


async def test_unscripted_call_is_an_error_of_the_test() -> None:
    """A call that nobody scripted says which, and how to."""
    api = InMemoryApi()
    with pytest.raises(AssertionError, match=r"call 1 of the models, to 'm', .* api\.models\.reply"):
        await api.models.invoke("m", HELLO)


async def test_models_can_be_refused() -> None:
    """Refusals hold for models too."""
    api = InMemoryApi()
    api.models.reply("x")
    api.refuse("models", "stream")
    with pytest.raises(AgentAPIException) as caught:
        await anext(api.models.stream("m", HELLO))

    assert caught.value.code == "unauthorized"
    assert (await api.models.invoke("m", HELLO)).message.content == "x"
