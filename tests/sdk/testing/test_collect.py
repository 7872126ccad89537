"""What a runner gave, gathered as a host would see it."""

from collections.abc import AsyncGenerator
from typing import Any

import anyio
import pytest

from langbot_agents.schemas.results import Usage
from langbot_agents.sdk import (
    AgentRunner,
    AgentRunnerManifest,
    AgentRunResult,
    action,
    completed,
    delta,
    failed,
    message,
    no_reply,
    state_updated,
)
from langbot_agents.sdk.testing import Collected, InMemoryApi, collect, make_context

from .runners import Count, Emitting, External


async def gathered(*results: Any, strict: bool = False) -> Collected:
    """What is made of these results."""

    async def give() -> AsyncGenerator[Any, None]:
        for result in results:
            yield result

    return await collect(give(), strict=strict)


async def test_a_runner_from_context_to_end() -> None:
    """A runner asks its model with prompt, history and input; what it gave is at hand, by kind."""
    api = InMemoryApi()
    api.models.reply("Seven geese.")
    ctx = make_context(
        runner=Count,
        api=api,
        text="How many?",
        history=[("user", "a"), ("assistant", "b")],
        state={"conversation": {"count": 4}},
    )
    given = await collect(Count(), ctx, strict=True)

    assert given.text == "Seven geese."
    assert given.deltas == ["Seven", " geese."]
    assert [(state.key, state.value) for state in given.states] == [("count", 5)]
    assert given.types[-1] == "run.completed"
    assert given.terminal is given.results[-1]
    assert (given.finish_reason, given.failure) == ("stop", None)
    assert [asked.to_text() for asked in api.models.requests[0].messages] == [
        "Be brief.",
        "a",
        "b",
        "How many?",
    ]


async def test_class_instance_and_generator() -> None:
    """A runner's class, its instance without a context, and a bare generator can be collected."""
    assert (await collect(External)).text == "0"
    assert (await collect(External())).text == "0"
    assert (await gathered(delta("a"), completed())).text == "a"


async def test_what_is_emitted_counts_in_its_place() -> None:
    """Results given by ctx.emit are in the order in which they were given."""
    given = await collect(Emitting, make_context(), strict=True)

    assert sorted(given.deltas[:2]) == ["a", "b"]
    assert given.deltas[2] == "c"
    assert given.finish_reason == "stop"


async def test_whole_message_replaces_its_pieces() -> None:
    """The text is the whole message where one came, else the pieces, message by message."""
    given = await gathered(
        delta("dra", message_id="one"),
        delta("other", message_id="two"),
        delta("ft", message_id="one"),
        message("final", message_id="one"),
        completed("ignored"),
    )

    assert given.text == "final\nother"
    assert (await gathered(delta("draft"), completed("closing"))).text == "closing"
    assert (await gathered(no_reply())).messages == []


async def test_kinds_of_results() -> None:
    """Actions, failures and usage are read from the results."""
    given = await gathered(
        action("kick", target={"actor_id": "1"}),
        message("a", usage=Usage(total_tokens=3)),
        message("b", usage=Usage(total_tokens=4, prompt_tokens=1)),
        failed("broken", code="runner.bad", retryable=True),
        strict=True,
    )

    assert given.actions[0].target == {"actor_id": "1"}
    assert given.usage == Usage(total_tokens=7, prompt_tokens=1)
    assert given.failure is not None
    assert (given.failure.code, given.failure.retryable) == ("runner.bad", True)
    assert given.deliveries == []
    assert (await gathered(completed())).usage is None


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([delta("a")], "no end"),
        ([], "no end"),
        ([completed(), delta("late")], r"result 2 \(message.delta\): came after the end"),
        ([completed(), completed()], "came after the end"),
        ([AgentRunResult(type="message.delta", data={}), completed()], "chunk: Field required"),
        ([AgentRunResult(type="acme.own", data={}), completed()], "unknown type"),
        (["text", completed()], "an AgentRunResult or an object, got str"),
        ([{"data": {}}, completed()], "type: Field required"),
        ([state_updated("conversation", "", 1), completed()], "key: "),
    ],
)
async def test_breaches_are_told_and_raise_when_asked(results: list[Any], words: str) -> None:
    """What breaks the protocol is listed; with `strict` it is an AssertionError that lists it too."""
    given = await gathered(*results)

    assert len(given.errors) == 1
    with pytest.raises(AssertionError, match=words):
        await gathered(*results, strict=True)


async def test_results_may_be_plain_objects() -> None:
    """A result may be JSON, as it is on the wire."""
    given = await gathered(
        {"type": "message.delta", "data": {"chunk": "a"}}, {"type": "run.completed"}, strict=True
    )

    assert given.text == "a"


async def test_what_a_runner_raises_goes_through() -> None:
    """A test sees the runner's own error."""

    async def give() -> AsyncGenerator[AgentRunResult, None]:
        yield delta("a")
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await collect(give())


async def test_a_runner_that_does_not_end() -> None:
    """After its time a runner is closed, and the error says what came; its own time-outs are its own."""
    closed: list[str] = []

    async def give() -> AsyncGenerator[AgentRunResult, None]:
        try:
            yield delta("a")
            await anyio.sleep_forever()
        finally:
            closed.append("closed")

    async def own() -> AsyncGenerator[AgentRunResult, None]:
        yield delta("a")
        with anyio.fail_after(0):
            await anyio.sleep(1)

    with pytest.raises(TimeoutError, match=r"no end within 0.05 s; so far \['message.delta'\]"):
        await collect(give(), timeout=0.05)
    with pytest.raises(TimeoutError) as caught:
        await collect(own())

    assert closed == ["closed"]
    assert "no end within" not in str(caught.value)


async def test_run_without_yield() -> None:
    """A `run` that is no generator is named, with the remedy."""

    class Plain(AgentRunner):
        manifest = AgentRunnerManifest(id="plugin:tests/plain/default")

        async def run(self, ctx: Any) -> None:  # type: ignore[override]
            return None

    with pytest.raises(TypeError, match=r"Plain\.run gave a coroutine"):
        await collect(Plain)
