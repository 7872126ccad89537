"""`local-agent` in a real host, against a model server over real HTTP."""

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import anyio
import pytest

from langbot_agents.framework.app import EventStory
from langbot_agents.framework.cli.chat_ending import REASONS
from langbot_agents.framework.run_api.models import API_CODES
from langbot_agents.sdk.models import FAILURE_CODES, ProviderErrorKind
from langbot_agents.sdk.testing import FakeOpenAI, FakeReply, RecordedRequest
from langbot_agents.sdk.testing.openai_server import echo

from .conftest import House, MakeHouse, until

pytestmark = pytest.mark.anyio
CAPTURES = Path("/work/shared/data/service-transcripts/openai-compatible")
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PICTURE = "data:image/png;base64," + base64.b64encode(PNG).decode()
LONG = "Seven geese fly over the lake."


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    """A model server that knows two models and one key."""
    with FakeOpenAI(models=["small", "large"], api_key="the-key") as running:
        yield running


def agent_house(make_house: MakeHouse, base_url: str, *, api_key: str = "the-key", **fields: Any) -> House:
    """A project with two models and one binding of `local-agent`."""
    models = [
        {"name": name, "model": name, "base_url": base_url, "api_key": api_key} for name in ("small", "large")
    ]
    config = {"model": "small", **fields.pop("runner_config", {})}
    return make_house(
        bindings=[{"runner_id": "local-agent", "runner_config": config, **fields}],
        settings={"models": models, **fields.pop("settings", {})},
    )


def said(story: EventStory) -> list[Any]:
    """What people got to read."""
    return [item.content for item in story.deliveries]


def asked(request: RecordedRequest) -> list[tuple[str, Any]]:
    """The messages of a request, by role and content."""
    return [(message["role"], message["content"]) for message in request.messages]


async def test_a_conversation(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """The prompt comes first, then what was said before, then the message; usage and model are recorded."""
    server.reply(FakeReply(text=echo, text_split=4, chunk_delay=0.02), times=1)
    house = agent_house(make_house, server.base_url, runner_config={"prompt": "Be brief."})
    async with house.open() as opened:
        frames, first = await opened.listen("I am Ann.")
        second = await opened.say("Who am I?")

    assert said(second) == ["You said: Who am I?\nBefore that you said: I am Ann."]
    assert asked(server.requests[1]) == [
        ("system", "Be brief."),
        ("user", "I am Ann."),
        ("assistant", "You said: I am Ann."),
        ("user", "Who am I?"),
    ]
    assert "".join(frame.text for frame in frames if frame.kind == "delta") == "You said: I am Ann."
    assert len([frame for frame in frames if frame.kind == "delta"]) > 1
    run = first.runs[0]
    assert (run.status, run.models) == ("completed", ("small",))
    assert run.usage is not None
    assert run.usage.total_tokens == sum((run.usage.prompt_tokens or 0, run.usage.completion_tokens or 0))


async def test_the_default_prompt(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Where a binding says no prompt, the one of the runner's schema is sent; an empty one sends none."""
    async with agent_house(make_house, server.base_url).open() as opened:
        await opened.say("one")
    async with agent_house(make_house, server.base_url, runner_config={"prompt": ""}).open() as opened:
        await opened.say("two", conversation_id="person_2")

    assert asked(server.requests[0]) == [("system", "You are a helpful assistant."), ("user", "one")]
    assert asked(server.requests[1]) == [("user", "two")]


async def test_a_prompt_of_messages(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A prompt may be a list of messages with roles, as LangBot writes it."""
    prompt = [{"role": "system", "content": "One."}, {"role": "assistant", "content": "Two."}]
    async with agent_house(make_house, server.base_url, runner_config={"prompt": prompt}).open() as opened:
        await opened.say("three")

    assert asked(server.requests[0]) == [("system", "One."), ("assistant", "Two."), ("user", "three")]


async def test_history_is_bounded(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """The window has `limits.history_rounds` turns, and a reply to each; what is older is not sent."""
    server.reply("ok")
    house = agent_house(make_house, server.base_url, limits={"history_rounds": 2})
    async with house.open() as opened:
        for number in range(5):
            await opened.say(f"message {number}")

    assert [content for role, content in asked(server.requests[-1]) if role == "user"] == [
        "message 2",
        "message 3",
        "message 4",
    ]


async def test_not_streaming(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Where nothing is shown as it comes, the model is asked for the whole answer; usage comes with it."""
    house = agent_house(make_house, server.base_url, delivery_policy={"streaming": "off"})
    async with house.open() as opened:
        story = await opened.say("hello")

    assert not server.requests[0].body.get("stream")
    assert said(story) == ["You said: hello"]
    assert story.runs[0].usage is not None


async def test_options(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Temperature and length go to the model, and what the model's declaration adds with each call."""
    house = agent_house(make_house, server.base_url, runner_config={"temperature": 0.5, "max-tokens": 9})
    house.settings["models"][0]["extra"] = {"top_p": 0.9, "extra_headers": {"x-team": "a"}}
    async with house.open() as opened:
        await opened.say("hello")

    request = server.requests[0]
    assert {name: request.body[name] for name in ("temperature", "max_tokens", "top_p")} == {
        "temperature": 0.5,
        "max_tokens": 9,
        "top_p": 0.9,
    }
    assert request.headers["x-team"] == "a"


STREAMED = [True, False]
FAILURES: Sequence[tuple[str, dict[str, Any], str, bool, str]] = (
    ("invalid_api_key", {}, "model.auth", False, "refused the key (401); check its api_key"),
    ("rate_limit", {"retry_after": 7}, "model.rate_limited", True, "takes no more requests just now"),
    ("insufficient_quota", {}, "model.quota", False, "has no quota left"),
    ("context_length", {}, "model.context_overflow", False, "the conversation is too long"),
    ("content_policy", {}, "model.refused", False, "refused the request (400): The request was refused"),
    ("model_not_found", {}, "model.not_found", False, "is not known there"),
    ("server_error", {}, "model.server", True, "has a fault of its own (500)"),
    ("bad_gateway", {}, "model.server", True, "has a fault of its own (502)"),
    ("gateway_timeout", {}, "model.timeout", True, "did not answer in time"),
    ("permission_denied", {}, "model.auth", False, "refused the key (403)"),
    ("no_answer", {}, "model.unreachable", True, "cannot be reached at"),
)


@pytest.mark.parametrize("streamed", STREAMED)
@pytest.mark.parametrize(
    ("kind", "how", "code", "retryable", "words"), FAILURES, ids=lambda item: str(item)[:20]
)
async def test_failures(
    make_house: MakeHouse,
    server: FakeOpenAI,
    kind: Any,
    how: dict[str, Any],
    code: str,
    retryable: bool,
    words: str,
    streamed: bool,
) -> None:
    """Each way in which a service fails has its code and a sentence; nothing is asked twice by itself."""
    server.fail(kind, **how)
    policy = {"on_error": "error", "streaming": "auto" if streamed else "off"}
    async with agent_house(make_house, server.base_url, delivery_policy=policy).open() as opened:
        story = await opened.say("hello")
        end = (await opened.results(story.runs[0]))[-1]

    assert (story.runs[0].status, story.runs[0].code) == ("failed", code)
    assert words in str(story.runs[0].reason)
    assert end.data.get("retryable") is retryable
    assert said(story) == [f"{code}: {story.runs[0].reason}"]
    assert "the-key" not in str(said(story))
    assert "<html" not in str(said(story)).lower()
    assert len(server.requests) == 1


BROKEN: Sequence[tuple[str, FakeReply, str, str]] = (
    ("dropped", FakeReply(text=LONG, drop_after=3), "model.incomplete", "broke off before the end"),
    ("no answer in it", FakeReply(end_after=0), "model.incomplete", "broke off before the end"),
    ("ends early", FakeReply(text=LONG, end_after=3), "model.incomplete", "broke off before the end"),
    ("says an error", FakeReply(text=LONG, error_after=3), "model.server", "The server had an error"),
)


@pytest.mark.parametrize(("name", "reply", "code", "words"), BROKEN, ids=[item[0] for item in BROKEN])
async def test_broken_streams(
    make_house: MakeHouse, server: FakeOpenAI, name: str, reply: FakeReply, code: str, words: str
) -> None:
    """A stream that ends without its end is a failure; what was shown of it is closed as it was."""
    server.reply(reply)
    async with agent_house(make_house, server.base_url).open() as opened:
        frames, story = await opened.listen("hello")

    closes = {frame.message_id: frame.content for frame in frames if frame.kind == "close"}
    assert (story.runs[0].status, story.runs[0].code) == ("failed", code)
    assert words in str(story.runs[0].reason)
    assert closes.pop("host.error") == "Something went wrong. Please try again later."
    shown = "".join(frame.text for frame in frames if frame.kind == "delta")
    assert closes == ({"main": shown} if shown else {})
    assert LONG.startswith(shown)


NO_ANSWERS: Sequence[tuple[str, str, str]] = (
    ("a page", "text/html", "<html><body>Welcome</body></html>"),
    ("no JSON", "application/json", "{seven geese"),
    ("another JSON", "application/json", '{"choices": [{"geese": 7}]}'),
    ("a list", "application/json", "[7]"),
    ("a stream of something else", "text/event-stream", 'data: {"choices": [{"delta": 7}]}\n\n'),
    ("a stream of no JSON", "text/event-stream", "data: seven geese\n\n"),
)


@pytest.mark.parametrize("streamed", STREAMED)
@pytest.mark.parametrize(("name", "media", "body"), NO_ANSWERS, ids=[item[0] for item in NO_ANSWERS])
async def test_answers_that_are_none(
    make_house: MakeHouse, tmp_path: Path, name: str, media: str, body: str, streamed: bool
) -> None:
    """What answers with 200 and is no model is told apart from a model that broke off."""
    capture = tmp_path / "answer.json"
    response = {
        "status_line": "HTTP/1.1 200 OK",
        "headers": [["content-type", media]],
        "framing": "content-length",
        "chunks": [{"t_ms": 0, "text": body}],
        "ended": "length reached",
    }
    request = {"method": "POST", "path": "/v1/chat/completions"}
    capture.write_text(json.dumps({"request": request, "response": response}))
    policy = {"streaming": "auto" if streamed else "off"}
    with FakeOpenAI(replay=capture) as server:
        async with agent_house(make_house, server.base_url, delivery_policy=policy).open() as opened:
            story = await opened.say("hello")
            end = (await opened.results(story.runs[0]))[-1]

    assert (story.runs[0].status, story.runs[0].code) == ("failed", "model.malformed")
    assert "check base_url" in str(story.runs[0].reason)
    assert end.data["retryable"] is False


def test_each_kind_of_failure_has_its_code_and_its_words() -> None:
    """No two kinds share a code, the host gives each a code of the API, and the chat has words for each."""
    kinds = set(get_args(ProviderErrorKind))

    assert set(FAILURE_CODES) == set(API_CODES) == kinds
    assert len(set(FAILURE_CODES.values())) == len(kinds)
    assert set(FAILURE_CODES.values()) | {"model.fault", "model.unusable"} <= set(REASONS)


async def test_timeout_of_the_binding(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """`runner_config.timeout` ends a call that takes longer, also between two pieces; the server sees it."""
    server.reply(FakeReply(text=LONG, chunk_delay=0.3))
    house = agent_house(make_house, server.base_url, runner_config={"timeout": 0.8})
    async with house.open() as opened:
        story = await opened.say("hello")

        assert await server.requests[0].ended() == "disconnected"
    assert (story.runs[0].status, story.runs[0].code) == ("failed", "model.timeout")
    assert story.runs[0].reason == "model 'small' did not answer in time"


async def test_timeout_of_the_run(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """The run's own limit ends it, whatever its runner waits for."""
    server.reply(FakeReply(text=LONG, first_delay=20))
    async with agent_house(make_house, server.base_url, limits={"timeout": 0.5}).open() as opened:
        story = await opened.say("hello")

        assert await server.requests[0].ended() == "disconnected"
    assert (story.runs[0].status, story.runs[0].code) == ("timeout", "runner.timeout")


async def test_cancel(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A cancel ends the run at once, and the model server sees that nobody listens any more."""
    server.reply(FakeReply(text=LONG * 20, chunk_delay=0.05))
    async with agent_house(make_house, server.base_url).open() as opened:
        accepted = await opened.accept("hello")
        session = await opened.session(accepted.event_uid)
        await until(lambda: server.requests and server.requests[0].chunks_sent > 3)
        with anyio.fail_after(2):
            session.cancel("not wanted")
            await opened.host.settled()
        story = await opened.story(accepted.event_uid)

        assert await server.requests[0].ended() == "disconnected"
    assert (story.runs[0].status, story.runs[0].reason) == ("cancelled", "not wanted")
    assert story.runs[0].models == ("small",)


async def test_fallback_before_the_first_piece(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """While nothing of an answer has come the next model is asked; both are recorded."""
    server.fail("unavailable", times=1)
    model = {"primary": "small", "fallbacks": ["large"]}
    async with agent_house(make_house, server.base_url, runner_config={"model": model}).open() as opened:
        story = await opened.say("hello")

    assert said(story) == ["You said: hello"]
    assert [request.body["model"] for request in server.requests] == ["small", "large"]
    assert story.runs[0].models == ("small", "large")


@pytest.mark.parametrize("streamed", STREAMED)
async def test_fallback_after_an_empty_answer(
    make_house: MakeHouse, server: FakeOpenAI, streamed: bool
) -> None:
    """A model that ends well and says nothing has failed, as far as the next one is concerned."""
    server.reply("", times=1)
    model = {"primary": "small", "fallbacks": ["large"]}
    policy = {"streaming": "auto" if streamed else "off"}
    house = agent_house(make_house, server.base_url, runner_config={"model": model}, delivery_policy=policy)
    async with house.open() as opened:
        story = await opened.say("hello")

    assert said(story) == ["You said: hello"]


async def test_no_fallback_after_the_first_piece(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Once a model has begun to answer no other one takes its place."""
    server.reply(FakeReply(text=LONG, drop_after=3))
    model = {"primary": "small", "fallbacks": ["large"]}
    async with agent_house(make_house, server.base_url, runner_config={"model": model}).open() as opened:
        story = await opened.say("hello")

    assert story.runs[0].status == "failed"
    assert len(server.requests) == 1


async def test_nothing_is_said(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A model that says nothing ends the run well, and the person is told by `on_empty`."""
    server.reply("")
    async with agent_house(make_house, server.base_url).open() as opened:
        story = await opened.say("hello")

    assert story.runs[0].status == "completed"
    assert said(story) == ["There is no answer to this."]


@pytest.mark.parametrize("size", [1, 3, 7, 0])
@pytest.mark.parametrize("streamed", STREAMED)
async def test_remove_think(make_house: MakeHouse, server: FakeOpenAI, size: int, streamed: bool) -> None:
    """Text between think tags is left out, wherever a stream cuts them; without the setting it stays."""
    text = "<think>\nGeese, then.\n</think>\n\nSeven <b>geese</b> < eight."
    server.reply(FakeReply(text=text, text_split=size))
    policy = {"streaming": "auto" if streamed else "off"}
    house = agent_house(
        make_house, server.base_url, runner_config={"remove-think": True}, delivery_policy=policy
    )
    async with house.open() as opened:
        story = await opened.say("how many?")
    house = agent_house(make_house, server.base_url, delivery_policy=policy)
    async with house.open() as opened:
        kept = await opened.say("how many?", conversation_id="person_2")

    assert said(story) == ["Seven <b>geese</b> < eight."]
    assert said(kept) == [text]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_apart(make_house: MakeHouse, server: FakeOpenAI, field: Any) -> None:
    """What a service gives as reasoning is never part of the answer."""
    server.reply(FakeReply(text="Seven.", reasoning="Let me count.", reasoning_field=field))
    async with agent_house(make_house, server.base_url).open() as opened:
        frames, story = await opened.listen("how many?")

    assert said(story) == ["Seven."]
    assert "count" not in "".join(frame.text for frame in frames)


async def test_usage_unknown(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """Where a service does not say what it cost, that is unknown, not nothing."""
    server.reply(FakeReply(text="ok", usage="never"))
    async with agent_house(make_house, server.base_url).open() as opened:
        story = await opened.say("hello")

    assert story.runs[0].usage is None


async def test_usage_of_a_runner_that_does_not_say(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """What the provider said is recorded, with all that it adds."""
    numbers = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7, "cached": 2}
    server.reply(FakeReply(text="ok", usage_numbers=numbers))
    async with agent_house(make_house, server.base_url).open() as opened:
        story = await opened.say("hello")

    assert story.runs[0].usage is not None
    assert story.runs[0].usage.model_dump(exclude_none=True) == numbers


async def test_pictures(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A picture in the input is given to the model, and again with the history; the log keeps a reference."""
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image", "url": PICTURE, "name": "a.png"}]
    async with agent_house(make_house, server.base_url).open() as opened:
        story = await opened.say(None, input={"contents": parts})
        await opened.say("And now?")

    image = {"type": "image_url", "image_url": {"url": PICTURE}}
    content = [{"type": "text", "text": "What is it?"}, image]
    assert asked(server.requests[0])[-1] == ("user", content)
    assert asked(server.requests[1])[1] == ("user", content)
    assert said(story) == ["You said: What is it? (images: 1)"]
    stored = story.stored.envelope.input.contents[1]
    assert PICTURE not in stored.model_dump_json()


async def test_attached_pictures(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A picture that came as an attachment is given to the model too, once, and again with the history."""
    attachments = [
        {"type": "image", "id": "file-7", "url": PICTURE, "name": "a.png"},
        {"type": "file", "url": "data:application/pdf;base64,JVBERi0xLjQ=", "name": "b.pdf"},
    ]
    async with agent_house(make_house, server.base_url).open() as opened:
        await opened.say("What is it?", input={"text": "What is it?", "attachments": attachments})
        await opened.say("And now?")
        await opened.say(
            None, input={"contents": [{"type": "image", "url": PICTURE}], "attachments": attachments[:1]}
        )

    image = {"type": "image_url", "image_url": {"url": PICTURE}}
    words = [{"type": "text", "text": "What is it?"}, image, {"type": "text", "text": "[file: b.pdf]"}]
    assert asked(server.requests[0])[-1] == ("user", words)
    assert asked(server.requests[1])[1] == ("user", words)
    assert asked(server.requests[2])[-1] == ("user", [image])


async def test_events_that_are_no_messages(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A model is told what happened, though nobody wrote anything; the event's own text stays null."""
    house = agent_house(make_house, server.base_url, event_types=["group.member_joined"])
    async with house.open() as opened:
        story = await opened.say(
            None,
            event_type="group.member_joined",
            actor={"actor_type": "user", "actor_id": "u7", "actor_name": "Mia"},
            input={},
        )

    assert asked(server.requests[0])[-1] == ("user", "[group.member_joined]\nby: Mia")
    assert story.stored.envelope.input.text is None


async def test_retry_of_the_binding(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """`limits.retry` repeats what may go through later, here a rate limit, while nothing was shown."""
    server.fail("rate_limit", times=1)
    house = agent_house(make_house, server.base_url, limits={"retry": {"max_attempts": 2, "backoff": 0.01}})
    async with house.open() as opened:
        story = await opened.say("hello")

    assert (story.runs[0].status, story.runs[0].attempt) == ("completed", 2)
    assert said(story) == ["You said: hello"]


@pytest.mark.parametrize("model", ["", "__none__", {"primary": "__none__"}])
async def test_no_model(make_house: MakeHouse, server: FakeOpenAI, model: Any) -> None:
    """LangBot's ways to say that no model is chosen end as `runner.no_model`."""
    async with agent_house(make_house, server.base_url, runner_config={"model": model}).open() as opened:
        story = await opened.say("hello")

    assert (story.runs[0].status, story.runs[0].code) == ("failed", "runner.no_model")


async def test_a_model_that_the_policy_leaves_out(make_house: MakeHouse, server: FakeOpenAI) -> None:
    """A policy that narrows wins over the selection."""
    house = agent_house(make_house, server.base_url, resource_policy={"models": ["large"]})
    async with house.open() as opened:
        story = await opened.say("hello")

    assert (story.runs[0].status, story.runs[0].code) == ("failed", "runner.no_model")
    assert server.requests == []


@pytest.mark.parametrize("name", ["chat-stream", "chat-stream-usage", "chat-stream-utf8", "chat-stream-stop"])
async def test_captures_of_a_stream(make_house: MakeHouse, name: str) -> None:
    """What a real llama-cpp server streamed is read as it was meant."""
    capture = CAPTURES / f"{name}.json"
    if not capture.is_file():
        pytest.skip(f"no capture at {capture}")
    with FakeOpenAI(replay=capture) as server:
        async with agent_house(make_house, server.base_url).open() as opened:
            story = await opened.say("hello")

    assert story.runs[0].status == "completed"
    assert said(story)[0]
    assert story.runs[0].usage is None  # that server gives none in a stream, not even when asked


@pytest.mark.parametrize(
    ("name", "streaming", "words"),
    [
        ("error-overlong-stream", "auto", "broke off before the end"),
        ("error-overlong", "off", "the conversation is too long"),
        ("error-bad-role", "off", "has a fault of its own (500)"),
        ("chat-plain", "off", ""),
        ("chat-stop", "off", ""),
    ],
)
async def test_captures_of_the_rest(make_house: MakeHouse, name: str, streaming: str, words: str) -> None:
    """The whole answers and the failures of a real llama-cpp server are read as they were meant."""
    capture = CAPTURES / f"{name}.json"
    if not capture.is_file():
        pytest.skip(f"no capture at {capture}")
    with FakeOpenAI(replay=capture) as server:
        house = agent_house(make_house, server.base_url, delivery_policy={"streaming": streaming})
        async with house.open() as opened:
            story = await opened.say("hello")

    assert story.runs[0].status == ("failed" if words else "completed")
    assert words in str(story.runs[0].reason)
