"""`ctx.api.models`: checked by run, name, verb and time, whatever the runner is."""

import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from langbot_agents.framework.project import load_project
from langbot_agents.framework.resources import ModelError, ModelRegistry
from langbot_agents.schemas.content import ArtifactRef, ImagePart
from langbot_agents.schemas.errors import AgentAPIError
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.models import ModelChunk, ModelReply
from langbot_agents.schemas.runners import AgentRunnerPermissions
from langbot_agents.sdk import AgentAPIException, AgentRunContext, completed, hookimpl
from langbot_agents.sdk.testing import FakeOpenAI, FakeReply

from .conftest import House, MakeHouse, runner_class

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
HELLO = [Message(role="user", content="hello")]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A model server."""
    with FakeOpenAI(models=None) as running:
        yield running


def house_of(
    make_house: MakeHouse, server: FakeOpenAI, function: Any, *, verbs: tuple[str, ...] = ("invoke", "stream")
) -> House:
    """A project with models `a` and `b`, and a runner that may use `a`."""
    runner = runner_class("asks", function, permissions=AgentRunnerPermissions(models=verbs))
    models = [{"name": name, "model": name, "base_url": server.base_url} for name in ("a", "b")]
    return make_house(
        runners=[runner],
        bindings=[{"runner_id": "asks", "resource_policy": {"models": ["a"]}}],
        settings={"models": models},
    )


async def refused(awaitable: Any) -> AgentAPIError:
    """Why a call is refused."""
    with pytest.raises(AgentAPIException) as caught:
        await awaitable
    return caught.value.error


async def gathered(stream: AsyncGenerator[ModelChunk, None]) -> str:
    """The text of a stream."""
    return "".join([chunk.to_text() async for chunk in stream])


async def test_named_and_unknown(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A granted name answers; another declared one is `unauthorized`, an unknown one `not_found`."""
    seen: list[Any] = []

    async def asks(ctx: Ctx) -> Results:
        models = ctx.api.models
        seen.append((await models.invoke("a", HELLO)).message.to_text())
        seen.append(await gathered(models.stream("a", HELLO)))
        seen.append((await refused(models.invoke("b", HELLO))).code)
        seen.append((await refused(gathered(models.stream("b", HELLO)))).code)
        seen.append((await refused(models.invoke("c", HELLO))).code)
        seen.append([item.id for item in ctx.resources.models])
        yield completed("ok")

    async with house_of(make_house, server, asks).open() as opened:
        story = await opened.say()

    answer = "You said: hello"
    assert seen == [answer, answer, "unauthorized", "unauthorized", "not_found", ["a"]]
    assert story.runs[0].models == ("a",)
    assert story.runs[0].usage is not None  # the runner said nothing of it, the provider did


async def test_verbs(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A verb that the manifest does not ask for is refused."""
    seen: list[str] = []

    async def asks(ctx: Ctx) -> Results:
        seen.append((await refused(ctx.api.models.invoke("a", HELLO))).code)
        seen.append(await gathered(ctx.api.models.stream("a", HELLO)))
        yield completed("ok")

    async with house_of(make_house, server, asks, verbs=("stream",)).open() as opened:
        await opened.say()

    assert seen == ["unauthorized", "You said: hello"]


@pytest.mark.parametrize(
    ("messages", "options"),
    [
        ([], {}),
        ([{"role": "nobody"}], {}),
        (["text"], {}),
        (HELLO, {"timeout": "soon"}),
        (HELLO, {"timeout": -1}),
        (HELLO, {"timeout": True}),
        (HELLO, {"timeout": float("nan")}),
        (HELLO, {"stream": True}),
        (HELLO, {"extra_headers": {"authorization": "x"}}),
        (HELLO, {"stop": object()}),
    ],
)
async def test_malformed_calls(
    make_house: MakeHouse, server: FakeOpenAI, messages: Any, options: dict[str, Any]
) -> None:
    """What makes no sense, or is not a runner's to set, is `invalid_argument`, and nothing is sent."""
    seen: list[str] = []

    async def asks(ctx: Ctx) -> Results:
        stream: Any = ctx.api.models.stream
        invoke: Any = ctx.api.models.invoke
        seen.append((await refused(invoke("a", messages, **options))).code)
        seen.append((await refused(gathered(stream("a", messages, **options)))).code)
        yield completed("ok")

    async with house_of(make_house, server, asks).open() as opened:
        await opened.say()

    assert seen == ["invalid_argument"] * 2
    assert server.requests == []


async def test_details(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """The kind of a failure, its status and the wait that the service asks for are in the details."""
    seen: list[AgentAPIError] = []
    server.fail("rate_limit", retry_after=2.5, times=1)
    server.fail("context_length", times=1)

    async def asks(ctx: Ctx) -> Results:
        seen.append(await refused(ctx.api.models.invoke("a", HELLO)))
        seen.append(await refused(ctx.api.models.invoke("a", HELLO)))
        yield completed("ok")

    async with house_of(make_house, server, asks).open() as opened:
        await opened.say()

    assert [(item.code, item.retryable) for item in seen] == [
        ("rate_limited", True),
        ("payload_too_large", False),
    ]
    assert dict(seen[0].details) == {"kind": "rate_limited", "status": 429, "retry_after": 2.5}


async def test_timeouts(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A call ends with its own `timeout`, whole or streamed, and never after the run."""
    server.reply(FakeReply(text="seven geese", first_delay=5))
    seen: list[AgentAPIError] = []

    async def asks(ctx: Ctx) -> Results:
        seen.append(await refused(ctx.api.models.invoke("a", HELLO, timeout=0.2)))
        seen.append(await refused(gathered(ctx.api.models.stream("a", HELLO, timeout=0.2))))
        yield completed("ok")

    async with house_of(make_house, server, asks).open() as opened:
        with anyio.fail_after(3):
            await opened.say()

    assert [(item.code, item.retryable) for item in seen] == [("deadline_exceeded", True)] * 2
    assert {item.details["kind"] for item in seen} == {"timeout"}


async def test_leaving_a_stream_early(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A runner that has enough closes the stream, and the service sees that."""
    server.reply(FakeReply(text="a long answer " * 50, text_split=4, chunk_delay=0.02))

    async def asks(ctx: Ctx) -> Results:
        async with aclosing(ctx.api.models.stream("a", HELLO)) as stream:
            async for chunk in stream:
                yield completed(chunk.to_text())
                return

    async with house_of(make_house, server, asks).open() as opened:
        story = await opened.say()

        assert await server.requests[0].ended() == "disconnected"
    assert story.runs[0].status == "completed"


async def test_after_the_run(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Once a run has ended its hands are worth nothing."""
    kept: list[Ctx] = []

    async def asks(ctx: Ctx) -> Results:
        kept.append(ctx)
        yield completed("ok")

    async with house_of(make_house, server, asks).open() as opened:
        await opened.say()
        late = await refused(kept[0].api.models.invoke("a", HELLO))

    assert late.code == "unauthorized"
    assert "has ended" in late.message


async def test_pictures_of_other_conversations(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A picture is read only if it is the conversation's own, whoever names it."""
    seen: list[str] = []
    pictures: list[ArtifactRef] = []
    png = "data:image/png;base64,iVBORw0KGgo="

    async def asks(ctx: Ctx) -> Results:
        mine: Any = ctx.input.contents[0]
        pictures.append(mine.artifact)
        for picture in pictures:
            asked = [Message(role="user", content=(ImagePart(artifact=picture),))]
            try:
                seen.append((await ctx.api.models.invoke("a", asked)).message.to_text())
            except AgentAPIException as error:
                seen.append(error.code)
        yield completed("ok")

    given = {"contents": [{"type": "image", "url": png}]}
    async with house_of(make_house, server, asks).open() as opened:
        await opened.say(None, input=given)
        await opened.say(None, input=given, conversation_id="person_2")
        await opened.say(None, input=given, conversation_id=None)

    ok = "You said:  (images: 1)"
    assert seen == [ok, "not_found", ok, "not_found", "not_found", ok]


class Broken:
    """A provider of a package that does not know what it does."""

    async def invoke(self, messages: Any, options: Any, *, timeout: float) -> ModelReply:
        raise KeyError("secret inside")

    async def stream(
        self, messages: Any, options: Any, *, timeout: float
    ) -> AsyncGenerator[ModelChunk, None]:
        yield ModelChunk(content="a")
        raise KeyError("secret inside")

    async def aclose(self) -> None:
        raise RuntimeError("cannot close")

    @hookimpl
    def register_model_providers(self, register: Any) -> None:
        register("broken", lambda endpoint: self)


async def test_a_broken_provider(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A provider that raises anything is `runtime_error`, without what it said; the host goes on."""
    seen: list[AgentAPIError] = []

    async def asks(ctx: Ctx) -> Results:
        seen.append(await refused(ctx.api.models.invoke("a", HELLO)))
        seen.append(await refused(gathered(ctx.api.models.stream("a", HELLO))))
        yield completed("ok")

    house = house_of(make_house, server, asks)
    house.settings["models"][0]["provider"] = "broken"
    project = house.project()
    project.plugins.add("broken", Broken())
    project.models.discover(project.plugins)
    house.project = lambda: project  # type: ignore[method-assign]  # with the provider of the test
    async with house.open() as opened:
        story = await opened.say()

    assert [item.code for item in seen] == ["runtime_error"] * 2
    assert not any("secret" in item.message for item in seen)
    assert story.runs[0].status == "completed"


async def test_unknown_provider_and_secret(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A model that cannot be used fails its call with what to do, and nothing else."""
    seen: list[AgentAPIError] = []

    async def asks(ctx: Ctx) -> Results:
        seen.append(await refused(ctx.api.models.invoke("a", HELLO)))
        yield completed("ok")

    house = house_of(make_house, server, asks)
    house.settings["models"][0]["api_key"] = "${env:NO_SUCH_KEY_OF_THE_TESTS}"
    async with house.open() as opened:
        await opened.say()

    assert seen[0].code == "runtime_error"
    assert "NO_SUCH_KEY_OF_THE_TESTS" in seen[0].message


async def test_without_the_extra(make_house: MakeHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the `openai` package is not installed, the failure says which extra to install."""
    monkeypatch.setitem(sys.modules, "openai", None)
    root = make_house(settings={"models": [{"name": "a", "model": "a"}]}).project().root
    models: ModelRegistry = load_project(root).models

    with pytest.raises(ModelError) as caught:
        await models.get("a").invoke(HELLO, {}, timeout=1)

    assert caught.value.remedy == "pip install 'langbot-agents[openai]'"
