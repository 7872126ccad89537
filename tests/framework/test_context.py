"""What a runner is given: a bounded window of whole turns with its receipt, its prompt, its parameters."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from langbot_agents.schemas.context import ContextPackagingMetadata
from langbot_agents.schemas.runners import AgentContextRequest, AgentRunnerPermissions
from langbot_agents.sdk import AgentRunContext, completed, delta, failed, hookimpl, message

from .conftest import MakeHouse, runner_class

pytestmark = pytest.mark.anyio
Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]


class Recorder:
    """A runner that keeps each context it is given, and answers in two messages."""

    def __init__(self) -> None:
        self.contexts: list[Ctx] = []

    async def run(self, ctx: Ctx) -> Results:
        """Answer in two messages, the first streamed."""
        self.contexts.append(ctx)
        yield delta("re ")
        yield delta(ctx.input.to_text())
        yield message("and", message_id="second")
        yield completed()

    @property
    def texts(self) -> list[str]:
        """The messages of the last context."""
        return [item.to_text() for item in self.contexts[-1].messages]

    @property
    def receipt(self) -> ContextPackagingMetadata:
        """The receipt of the last context."""
        return self.contexts[-1].context_packaging


async def test_window_is_cut_by_whole_turns_with_a_receipt(make_house: MakeHouse) -> None:
    """`messages` holds the last `history_rounds` whole turns, with a receipt; the rest comes by cursor."""
    recorder = Recorder()
    older: list[Any] = []

    async def _page(ctx: Ctx) -> Results:
        async for result in recorder.run(ctx):
            yield result
        if ctx.context_packaging.next_cursor is not None:
            older.append(await ctx.api.history.page(before=ctx.context_packaging.next_cursor, rounds=1))

    async with make_house(_page, limits={"history_rounds": 2}).open() as opened:
        for text in "abcd":
            await opened.say(text)

    assert recorder.texts == ["b", "re b", "and", "c", "re c", "and"]
    assert (recorder.receipt.strategy, recorder.receipt.sent_messages) == ("window", 6)
    assert (recorder.receipt.complete, recorder.receipt.truncated_by) == (False, "rounds")
    assert recorder.contexts[-1].runtime.metadata["context_packaging"]["sent_messages"] == 6
    ((messages, cursor),) = older
    assert [item.to_text() for item in messages] == ["a", "re a", "and"]
    assert cursor is None
    assert recorder.contexts[2].context_packaging.complete
    assert recorder.contexts[2].context_packaging.next_cursor is None


async def test_current_message_is_not_in_its_own_history(make_house: MakeHouse) -> None:
    """The message being answered is the input, never part of `messages`, nor of a page of the history."""
    recorder = Recorder()
    pages: list[Any] = []

    async def _page(ctx: Ctx) -> Results:
        pages.append(await ctx.api.history.page(rounds=1))
        async for result in recorder.run(ctx):
            yield result

    async with make_house(_page).open() as opened:
        await opened.say("a")
        await opened.say("b")

    assert recorder.texts == ["a", "re a", "and"]
    assert [[item.to_text() for item in messages] for messages, _ in pages] == [[], ["a", "re a", "and"]]


async def test_history_survives_a_restart(make_house: MakeHouse) -> None:
    """History belongs to the conversation, also after a restart and whatever binding answered."""
    recorder = Recorder()

    async def _keep(ctx: Ctx) -> Results:
        async for result in recorder.run(ctx):
            yield result

    house = make_house(_keep, bindings=[{}, {"priority": 1, "filters": ["input.text == 'x'"]}])
    async with house.open() as opened:
        await opened.say("x")
    async with house.open() as opened:
        await opened.say("b")
        await opened.say("c", conversation_id="person_2")
        elsewhere = recorder.texts
        await opened.say("d", source={"kind": "webui", "name": "other"})

    assert [item.to_text() for item in recorder.contexts[1].messages] == ["x", "re x", "and"]
    assert elsewhere == []
    assert recorder.texts == []


@pytest.mark.parametrize(
    ("runner", "fields", "cut_by"),
    [
        ({"capabilities": {"self_managed_context": True}}, {}, "runner"),
        ({"context_request": AgentContextRequest(strategy="none")}, {}, "runner"),
        ({}, {"limits": {"history_rounds": 0}}, "runner"),
        ({}, {"resource_policy": {"history": False}}, "runner"),
    ],
)
async def test_who_gets_no_history(
    make_house: MakeHouse, runner: dict[str, Any], fields: dict[str, Any], cut_by: str
) -> None:
    """`self_managed_context`, a runner that wants none, and a policy without history get no messages."""
    recorder = Recorder()

    async with make_house(runners=[runner_class("r", recorder.run, **runner)], **fields).open() as opened:
        await opened.say("a")
        await opened.say("b")

    assert recorder.texts == []
    assert (recorder.receipt.strategy, recorder.receipt.complete) == ("none", False)
    assert recorder.receipt.truncated_by == cut_by


async def test_runner_may_ask_for_fewer_rounds(make_house: MakeHouse) -> None:
    """A runner's `rounds` narrows the binding's, and never widens it."""
    recorder = Recorder()
    runner = runner_class("r", recorder.run, context_request=AgentContextRequest(strategy="window", rounds=1))

    async with make_house(runners=[runner]).open() as opened:
        for text in "abc":
            await opened.say(text)

    assert recorder.texts == ["b", "re b", "and"]


async def test_transcript_has_each_turn_once_and_whole(make_house: MakeHouse) -> None:
    """The transcript has the user's turn once and the whole reply, streamed or not."""

    async def _stream(ctx: Ctx) -> Results:
        yield delta("one ")
        yield delta("two")

    house = make_house(_stream, bindings=[{}, {"mode": "observe"}])
    async with house.open() as opened:
        await opened.say("hello")
        history = await opened.history()

    assert [(item.role, item.content) for item in history] == [("user", "hello"), ("assistant", "one two")]


async def test_event_that_is_no_message_is_never_a_user_turn(make_house: MakeHouse) -> None:
    """A non-message event gets no invented user text and no user turn; its answer is in the history."""
    recorder = Recorder()

    async def _keep(ctx: Ctx) -> Results:
        async for result in recorder.run(ctx):
            yield result

    async with make_house(_keep, event_types=["*"]).open() as opened:
        await opened.say(None, event_type="group.member_joined")
        history = await opened.history()
        await opened.say("hi")

    assert recorder.contexts[0].input.text is None
    assert {item.role for item in history} == {"assistant"}
    assert recorder.texts == ["re ", "and"]


async def test_parameters_leave_out_private_names_and_secrets(make_house: MakeHouse) -> None:
    """`params` leaves out keys that begin with `_` and values that are secrets."""
    recorder = Recorder()

    async def _keep(ctx: Ctx) -> Results:
        async for result in recorder.run(ctx):
            yield result

    async with make_house(_keep).open() as opened:
        story = await opened.say("a")
        entry = opened.host.bindings.get("b0")
        assert entry is not None
        params = {"lang": "en", "_trace": 1, "api_key": "sk-123", "n": [1]}
        await opened.host.orchestrator.run(story.stored.envelope, entry, params=params).wait()

    assert dict(recorder.contexts[-1].params) == {"lang": "en", "n": (1,)}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("be brief", [("system", "be brief")]),
        ("", []),
        (
            [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
            [("system", "a"), ("user", "b")],
        ),
    ],
)
async def test_prompt_comes_from_the_prompt_editor(
    make_house: MakeHouse, prompt: Any, expected: list[tuple[str, str]]
) -> None:
    """`ctx.prompt` is made from the runner's `prompt-editor` field: text, or a list of {role, content}."""
    recorder = Recorder()
    schema = {"type": "object", "properties": {"prompt": {"x-selector": "prompt-editor"}}}
    runner = runner_class("r", recorder.run, config_schema=schema)

    async with make_house(runners=[runner], runner_config={"prompt": prompt}).open() as opened:
        await opened.say()

    assert [(item.role, item.to_text()) for item in recorder.contexts[0].prompt] == expected


class Rewriter:
    """Replaces the prompt and the messages, and masks what goes out."""

    @hookimpl
    def input_prepared(self, run: Any, prompt: Any, messages: Any, input: Any) -> Any:
        """Give another prompt."""
        return {
            "prompt": [{"role": "system", "content": "from the hook"}],
            "messages": [],
            "input": None or input,
        }

    @hookimpl
    def output_prepared(self, run: Any, message: Any) -> Any:
        """Mask a word."""
        return message.model_copy(update={"content": message.to_text().replace("secret", "***")})


async def test_hooks_see_prompt_and_whole_messages(make_house: MakeHouse) -> None:
    """`input_prepared` may replace the prompt; `output_prepared` sees whole messages, streamed ones too."""
    recorder = Recorder()

    async def _keep(ctx: Ctx) -> Results:
        recorder.contexts.append(ctx)
        yield delta("the sec")
        yield delta("ret", message_id=None)
        yield message("a secret", message_id="second")

    async with make_house(_keep, plugins={"rewriter": Rewriter()}).open() as opened:
        story = await opened.say()
        history = await opened.history()

    assert [item.to_text() for item in recorder.contexts[0].prompt] == ["from the hook"]
    assert [item.content for item in story.deliveries] == ["the ***", "a ***"]
    assert [item.content for item in history] == ["hello", "the ***", "a ***"]


async def test_hook_brings_no_half_message_of_a_failed_run_to_light(make_house: MakeHouse) -> None:
    """Pieces that nobody saw of a run that failed stay unseen, also where a hook looks at what goes out."""

    async def _fail(ctx: Ctx) -> Results:
        yield delta("half an ans")
        yield failed("no")

    house = make_house(_fail, plugins={"rewriter": Rewriter()}, delivery_policy={"on_error": "hide"})
    async with house.open() as opened:
        story = await opened.say()
        history = await opened.history()

    assert story.deliveries == ()
    assert [item.role for item in history] == ["user"]


async def test_context_names_the_run_its_binding_and_its_deadline(make_house: MakeHouse) -> None:
    """The context says which binding and revision answer, for which event, until when."""
    recorder = Recorder()
    permissions = AgentRunnerPermissions()
    runner = runner_class("r", recorder.run, permissions=permissions)

    async with make_house(runners=[runner], limits={"timeout": 30}).open() as opened:
        story = await opened.say("hi", conversation_id="group_7", bot_id="bot-1", metadata={"x": 1})
        await opened.say("more", conversation_id="group_7", bot_id="bot-1")

    ctx = recorder.contexts[0]
    assert ctx.run_id == story.runs[0].run_id
    assert (ctx.trigger.binding_id, ctx.trigger.binding_revision) == ("b0", story.runs[0].revision)
    assert ctx.event.event_uid == story.stored.envelope.event_uid
    assert ctx.event.event_data == {"x": 1}
    assert ctx.conversation is not None
    assert (ctx.conversation.launcher_type, ctx.conversation.launcher_id) == ("group", "7")
    assert 0 < ctx.deadline.remaining() <= 30
    assert recorder.contexts[1].conversation is not None
    assert recorder.contexts[1].conversation.turn_count == 2
