"""`run_from_query`: a LangBot query takes the one path, and no key of its Pipeline is lost silently."""

import base64
import json
from collections.abc import AsyncGenerator, Iterator
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from langbot_agents.framework.errors import RunnerError
from langbot_agents.framework.legacy import LegacyRun, project_query
from langbot_agents.schemas.results import AgentRunResult
from langbot_agents.sdk import AgentRunContext, completed, delta, message
from langbot_agents.sdk.testing import FakeOpenAI, FakeReply

from .conftest import House, MakeHouse, Opened

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]
QUERY = {
    "query_id": 7,
    "launcher_type": "person",
    "launcher_id": 1001,
    "sender_id": 1001,
    "bot_uuid": "bot-1",
    "pipeline_uuid": "pipe-1",
    "user_message": {"role": "user", "content": "hello"},
    "variables": {"city": "Oslo", "_hidden": 1, "client": object()},
}
TEMPLATE = {
    "trigger": {
        "group-respond-rules": {"at": True, "prefix": ["ai"], "regexp": [], "random": 0.0},
        "misc": {"combine-quote-message": True},
    },
    "safety": {"rate-limit": {"window-length": 60, "limitation": 60, "strategy": "drop"}},
    "ai": {
        "runner": {"runner": "local-agent", "expire-time": 0},
        "local-agent": {
            "model": {"primary": "small", "fallbacks": ["large"]},
            "max-round": 10,
            "prompt": [{"role": "system", "content": "Be brief."}],
            "knowledge-bases": [],
            "box-session-id-template": "{launcher_type}_{launcher_id}",
            "rerank-model": "",
            "rerank-top-k": 5,
        },
        "dify-service-api": {
            "base-url": "https://api.dify.ai/v1",
            "app-type": "chat",
            "api-key": "your-api-key",
        },
    },
    "output": {
        "long-text-processing": {"threshold": 1000, "strategy": "none", "font-path": ""},
        "misc": {"exception-handling": "show-hint", "failure-hint": "Request failed.", "remove-think": True},
    },
}


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A model server."""
    with FakeOpenAI(models=None) as running:
        yield running


def house_of(make_house: MakeHouse, server: FakeOpenAI, *functions: Any) -> House:
    """A project whose own binding would answer as well; the query must not reach it."""
    models = [{"name": name, "model": name, "base_url": server.base_url} for name in ("small", "large")]
    return make_house(
        *functions, bindings=[{"runner_id": "echo", "priority": 1000}], settings={"models": models}
    )


def pipeline(block: Any, name: str = "local-agent") -> dict[str, Any]:
    """A Pipeline with one legacy block."""
    return {"ai": {"runner": {"runner": name}, name: block}}


async def read(run: LegacyRun) -> list[AgentRunResult]:
    """All results."""
    return [result async for result in run]


async def ask(opened: Opened, config: Any, **fields: Any) -> tuple[LegacyRun, list[AgentRunResult]]:
    """Run one query to its end."""
    run = opened.host.run_from_query({**QUERY, **fields}, config)
    results = await read(run)
    await opened.host.settled()
    return run, results


def text_of(results: list[AgentRunResult]) -> str:
    """What was streamed."""
    return "".join(item.data["chunk"]["content"] for item in results if item.type == "message.delta")


async def test_the_template(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """LangBot's template runs: prompt, model and rounds are used, the log has event, decision and run."""
    server.reply(FakeReply(text="<think>hm</think>Seven geese.", text_split=5))
    async with house_of(make_house, server).open() as opened:
        run, results = await ask(opened, TEMPLATE)
        story = await opened.story(str(run.event_uid))

    request = server.requests[0]
    assert [(item["role"], item["content"]) for item in request.messages] == [
        ("system", "Be brief."),
        ("user", "hello"),
    ]
    assert text_of(results) == "Seven geese."
    assert [item.type for item in results if item.type != "message.delta"] == [
        "message.completed",
        "run.completed",
    ]
    assert [item.sequence for item in results] == list(range(1, len(results) + 1))
    assert run.outcome is not None
    assert run.outcome.status == story.runs[0].status == "completed"
    assert story.runs[0].binding_id == "pipeline-pipe-1"
    assert story.stored.outcome == "matched"
    envelope = story.stored.envelope
    assert (envelope.conversation_id, envelope.conversation_type) == ("person_1001", "private")
    assert (envelope.bot_id, envelope.source.kind, envelope.source.name) == (
        "bot-1",
        "platform_adapter",
        "langbot",
    )


async def test_every_other_key_is_named(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Each key that has no effect is a note with its reason and what to do; what is used has none."""
    async with house_of(make_house, server).open() as opened:
        notes = opened.host.run_from_query(QUERY, TEMPLATE).notes

    assert {note.key for note in notes} == {
        "trigger.group-respond-rules.at",
        "trigger.group-respond-rules.prefix",
        "trigger.group-respond-rules.regexp",
        "trigger.group-respond-rules.random",
        "trigger.misc.combine-quote-message",
        "safety.rate-limit.window-length",
        "safety.rate-limit.limitation",
        "safety.rate-limit.strategy",
        "ai.runner.expire-time",
        "ai.local-agent.box-session-id-template",
        "ai.dify-service-api",
        "output.long-text-processing.threshold",
        "output.long-text-processing.strategy",
        "output.long-text-processing.font-path",
        "output.misc.exception-handling",
        "output.misc.failure-hint",
    }
    assert all(note.reason and note.remedy for note in notes)


@pytest.mark.parametrize(
    ("block", "system", "models", "limit"),
    [
        ({"model": "small", "prompt": "One."}, ["One."], ["small"], None),
        ({"model": "small", "base-prompt": ["Two."]}, ["Two."], ["small"], None),
        ({"model": "small", "base_prompt": "Three."}, ["Three."], ["small"], None),
        ({"model": {"primary": "large", "fallbacks": []}, "max_tokens": "9"}, None, ["large"], 9),
        ({"model": "small", "prompt": ["Four."], "max-round": "0"}, ["Four."], ["small"], None),
    ],
)
async def test_spellings(
    make_house: MakeHouse,
    server: FakeOpenAI,
    block: Any,
    system: list[str] | None,
    models: list[str],
    limit: int | None,
) -> None:
    """Hyphens and underscores, one text in a list, numbers as text, a model by itself."""
    async with house_of(make_house, server).open() as opened:
        run, results = await ask(opened, pipeline(block))

    request = server.requests[0]
    said = [item["content"] for item in request.messages if item["role"] == "system"]
    assert said == (system or ["You are a helpful assistant."])
    assert [item.body["model"] for item in server.requests] == models
    assert request.body.get("max_tokens") == limit
    assert results[-1].type == "run.completed"
    assert run.notes == ()


async def test_what_this_version_cannot_use(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Knowledge bases, reasoning levels, unknown keys and models that nobody declared are named."""
    block = {
        "model": {"primary": "small", "fallbacks": ["gone"], "reasoning": {"small": "low"}},
        "knowledge-bases": ["kb-1"],
        "rerank-model": "rr-1",
        "timeout": "soon",
        "max-round": "many",
        "enable-all-tools": True,
    }
    async with house_of(make_house, server).open() as opened:
        run, results = await ask(opened, pipeline(block))

    assert {note.key.removeprefix("ai.local-agent.") for note in run.notes} == {
        "model",
        "model.reasoning",
        "knowledge-bases",
        "rerank-model",
        "timeout",
        "max-round",
        "enable-all-tools",
    }
    assert results[-1].type == "run.completed"


async def test_runner_id_with_its_config(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """`runner.id` decides, with `runner_config[id]`; the config may be JSON text, or a row that holds it."""
    runner_id = "plugin:langbot-team/LocalAgent/default"
    config = {
        "ai": {
            "runner": {"id": runner_id, "runner": "dify-service-api"},
            "runner_config": {runner_id: {"model": "large", "prompt": "New."}, "plugin:a/b/c": {}},
            "local-agent": {"model": "small"},
        }
    }
    async with house_of(make_house, server).open() as opened:
        for number, shape in enumerate(
            (config, json.dumps(config), {"config": config}, SimpleNamespace(config=json.dumps(config)))
        ):
            run, results = await ask(opened, shape, launcher_id=number)

    assert [item.body["model"] for item in server.requests] == ["large"] * 4
    assert {note.key for note in run.notes} == {
        "ai.runner.runner",
        "ai.runner_config.plugin:a/b/c",
        "ai.local-agent",
    }
    assert results[-1].type == "run.completed"


async def test_a_runner_of_a_package(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Another runner gets its block as it is: text is never interpolated; variables are params."""
    seen: list[Any] = []

    async def shout(ctx: Ctx) -> Results:
        seen.append((ctx.config.model_dump(), dict(ctx.params), ctx.to_legacy_query_context()))
        yield delta("A")
        yield message("A!")
        yield completed()

    block = {"key": "${env:HOME} and ${", "base-prompt": ["x"]}
    config = {
        "ai": {
            "runner": {"id": "plugin:test/shout/default"},
            "runner_config": {"plugin:test/shout/default": block},
        }
    }
    async with house_of(make_house, server, shout).open() as opened:
        run, results = await ask(opened, config)

    given, params, query = seen[0]
    assert given == {"key": "${env:HOME} and ${", "base-prompt": "x"}
    assert params == {"city": "Oslo"}
    assert [item.type for item in results] == ["message.delta", "message.completed", "run.completed"]
    assert run.notes == ()
    assert {name: query[name] for name in list(query)[:6]} == {
        "query_id": "7",
        "launcher_type": "person",
        "launcher_id": "1001",
        "sender_id": "1001",
        "bot_uuid": "bot-1",
        "pipeline_uuid": "pipe-1",
    }
    assert query["session"]["session_id"] == "person_1001"
    assert (query["user_message"], query["variables"]) == ("hello", {"city": "Oslo"})


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (pipeline({}, "dify-service-api"), "this version has no runner 'dify-service-api' yet"),
        (pipeline({}, "n8n-service-api"), "it comes with a later version"),
        (pipeline({}, "locl-agent"), "no runner 'locl-agent' is installed"),
        ({"ai": {"runner": {"id": "plugin:a/b/c"}}}, "no runner 'plugin:a/b/c' is installed"),
        ({"ai": {"runner": {"id": ""}}}, "the Pipeline names no runner"),
        ({}, "the Pipeline names no runner"),
        ("no json", "the Pipeline names no runner"),
        (None, "the Pipeline names no runner"),
    ],
)
async def test_no_such_runner(make_house: MakeHouse, server: FakeOpenAI, config: Any, words: str) -> None:
    """A runner that is not there is refused by name, with what will come, before anything is on disk."""
    async with house_of(make_house, server).open() as opened:
        run = opened.host.run_from_query(QUERY, config)
        with pytest.raises(RunnerError) as caught:
            await read(run)

    assert words in str(caught.value)
    assert run.event_uid is None


async def test_a_repeat(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A query of a message that was run already gives nothing, and says so."""
    chain = [{"type": "Source", "id": "m1"}, {"type": "Plain", "text": "hello"}]
    async with house_of(make_house, server).open() as opened:
        first, given = await ask(opened, pipeline({"model": "small"}), message_chain=chain)
        again, nothing = await ask(opened, pipeline({"model": "small"}), message_chain=chain)

    assert given
    assert (again.duplicate, nothing) == (True, [])
    assert again.event_uid == first.event_uid


async def test_leaving_early_cancels(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A caller that stops reading cancels the run, and the model server sees it."""
    server.reply(FakeReply(text="a long answer " * 50, text_split=4, chunk_delay=0.02))
    async with house_of(make_house, server).open() as opened:
        run = opened.host.run_from_query(QUERY, pipeline({"model": "small"}))
        results: Any = aiter(run)
        await anext(results)
        await results.aclose()
        await opened.host.settled()

        assert await server.requests[0].ended() == "disconnected"
    assert run.outcome is not None
    assert run.outcome.status == "cancelled"


async def test_discard_and_a_failure(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A runner that takes the query and says nothing ends the iteration; a failure is its last result."""
    server.fail("invalid_api_key")
    async with house_of(make_house, server).open() as opened:
        quiet, nothing = await ask(opened, pipeline({}, "discard"))
        _run, results = await ask(opened, pipeline({"model": "small"}))

    assert (quiet.dispatch, nothing) == ("discarded", [])
    assert (results[-1].type, results[-1].data["code"]) == ("run.failed", "model.auth")


class Launcher(Enum):
    """LangBot's kinds of conversation."""

    GROUP = "group"


class Adapter:
    """An adapter that cannot stream."""

    async def is_stream_output_supported(self) -> bool:
        """It says so."""
        return False


async def test_an_object_with_everything(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A query may be LangBot's object: a group, a chain with a picture, an adapter that cannot stream."""
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    query = SimpleNamespace(
        **{
            **QUERY,
            "user_message": None,
            "launcher_type": Launcher.GROUP,
            "launcher_id": 55,
            "adapter": Adapter(),
            "message_event": SimpleNamespace(
                time=1_700_000_000_000, sender=SimpleNamespace(id=1001, member_name="Ann")
            ),
            "message_chain": SimpleNamespace(
                root=[
                    SimpleNamespace(type="Source", id=3),
                    SimpleNamespace(type="At", target=99),
                    SimpleNamespace(type="Plain", text="look "),
                    SimpleNamespace(type="Image", base64=png, url=None),
                    SimpleNamespace(type="Quote", id=2, origin=[SimpleNamespace(type="Plain", text="old")]),
                    SimpleNamespace(type="Face", face_id=1),
                ]
            ),
        }
    )
    async with house_of(make_house, server).open() as opened:
        run = opened.host.run_from_query(query, pipeline({"model": "small"}))
        results = await read(run)
        await opened.host.settled()
        envelope = (await opened.story(str(run.event_uid))).stored.envelope

    assert [item.type for item in results] == ["message.completed", "run.completed"]
    assert (envelope.conversation_id, envelope.event_time) == ("group_55", 1_700_000_000)
    assert envelope.actor is not None
    assert (envelope.actor.actor_id, envelope.actor.actor_name) == ("1001", "Ann")
    assert envelope.metadata["adapter"] == "Adapter"
    assert [part.type for part in envelope.input.contents] == ["mention", "text", "image", "quote"]
    assert server.requests[0].messages[-1]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{png}"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("plain", {"text": "plain"}),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], {"text": "ab"}),
        (
            [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}],
            {"contents": [{"type": "image", "url": "https://example.org/a.png"}]},
        ),
        (
            [{"type": "file_url", "file_url": "https://example.org/a", "file_name": "a"}],
            {"contents": [{"type": "file", "url": "https://example.org/a", "name": "a"}]},
        ),
        (None, {}),
        ([{"type": "tool"}, 5, None], {}),
    ],
)
async def test_user_messages(content: Any, expected: dict[str, Any]) -> None:
    """A user message is text, or parts of LangBot's kinds."""
    query = await project_query({**QUERY, "user_message": {"content": content}})

    assert query.event["input"] == expected
