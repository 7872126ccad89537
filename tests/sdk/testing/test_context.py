"""Contexts for tests are what a host gives."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.catalogue import sample, standard_types
from langbot_agents.schemas.context import AgentResources, ConversationContext, ResourceItem, StateValue
from langbot_agents.schemas.context import AgentRunContext as WireContext
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.messages import Message
from langbot_agents.sdk import ActorRef, AgentRunAPI, AgentRunContext
from langbot_agents.sdk.testing import HistoryItem, InMemoryApi, RecordedLog, make_context

from .runners import Count, CountConfig, External

TURNS = [(role, f"{role} {turn}") for turn in range(12) for role in ("user", "assistant")]


def test_default_is_a_private_message() -> None:
    """Without arguments it is a whole private message that says hi, with everything a runner reads."""
    ctx = make_context()

    assert ctx.input.to_text() == "hi"
    assert (ctx.event.event_type, ctx.trigger.type) == ("message.received", "message.received")
    assert ctx.event.event_uid == "evt_test"
    assert ctx.actor is not None
    assert ctx.conversation is not None
    assert (ctx.actor.actor_id, ctx.conversation.sender_id) == ("user-1", "user-1")
    assert ctx.conversation.to_legacy_session()["launcher_type"] == "person"
    assert ctx.delivery.reply_target is not None
    assert ctx.runtime.streaming_supported
    assert 59 < ctx.deadline.remaining() <= 60
    assert ctx.to_legacy_query_context()["user_message"] == "hi"
    assert ctx.runtime.metadata["context_packaging"] == ctx.context_packaging.model_dump(mode="json")


@pytest.mark.parametrize("event_type", [each.name for each in standard_types() if not each.pattern])
def test_every_type_of_the_catalogue(event_type: str) -> None:
    """The name of a type gives the context of its sample, which survives the wire."""
    ctx = make_context(event=event_type)
    values = {name: getattr(ctx, name) for name in WireContext.model_fields} | {"config": {}}
    again = WireContext.model_validate_json(WireContext.model_validate(values).model_dump_json())

    assert ctx.event.event_type == event_type
    assert thaw(ctx.event.event_data) == sample(event_type)["metadata"]
    assert again.input == ctx.input


def test_events_come_in_any_form() -> None:
    """An envelope, its JSON, and as little as a type and a text are events."""
    envelope = AgentEventEnvelope.model_validate(sample("message.received"))
    whole = make_context(event=envelope)
    typed = make_context(event="message.received", text="other")
    posted = make_context(event={"event_type": "acme.order_paid", "input": {"data": {"sum": 5}}})

    assert whole.input == envelope.input
    assert (typed.input.to_text(), typed.input.contents) == ("other", ())
    assert (posted.event.source.name, posted.delivery.surface) == ("test", "test")
    assert posted.input.data == {"sum": 5}
    assert posted.conversation is None


def test_unknown_types_and_bad_events_are_refused() -> None:
    """A type that the catalogue does not have, and an envelope that does not hold, are errors."""
    with pytest.raises(LookupError, match="no sample for event type"):
        make_context(event="no.such")
    with pytest.raises(ValidationError):
        make_context(event={"event_type": "Not A Type"})


def test_actor_and_conversation() -> None:
    """Both are an id, JSON or a model."""
    named = make_context(actor="42", conversation="group_7")
    given = make_context(actor={"actor_type": "bot", "actor_id": "9"}, conversation={"title": "Sales"})
    model = make_context(
        actor=ActorRef(actor_type="system"), conversation=ConversationContext(conversation_id="group_1")
    )

    assert named.actor is not None
    assert named.conversation is not None
    assert (named.actor.actor_id, named.conversation.launcher_type) == ("42", "group")
    assert (named.conversation.launcher_id, named.conversation.sender_id) == ("7", "42")
    assert given.conversation is not None
    assert given.actor is not None
    assert (given.actor.actor_type, given.conversation.title) == ("bot", "Sales")
    assert given.conversation.conversation_id == "person_user-1"
    assert model.conversation == ConversationContext(conversation_id="group_1")


async def test_history_is_a_window_and_the_rest_by_cursor() -> None:
    """The last ten turns come along, the receipt says so, and its cursor gives the older ones."""
    ctx = make_context(history=TURNS)
    older, end = await ctx.api.history.page(before=ctx.context_packaging.next_cursor)

    assert [message.to_text() for message in ctx.messages][:2] == ["user 2", "assistant 2"]
    assert len(ctx.messages) == ctx.context_packaging.sent_messages == 20
    assert not ctx.context_packaging.complete
    assert ctx.context_packaging.truncated_by == "rounds"
    assert [message.to_text() for message in older] == ["user 0", "assistant 0", "user 1", "assistant 1"]
    assert end is None
    assert ctx.conversation is not None
    assert ctx.conversation.turn_count == 12


def test_short_history_is_complete() -> None:
    """History that fits is sent whole; its messages may have any form."""
    history: list[HistoryItem] = [("user", "a"), Message(content="b"), {"role": "user", "content": "c"}]
    ctx = make_context(history=history)

    assert [(message.role, message.content) for message in ctx.messages] == [
        ("user", "a"),
        ("assistant", "b"),
        ("user", "c"),
    ]
    assert ctx.context_packaging.complete
    assert ctx.context_packaging.next_cursor is None


def test_runner_shapes_history() -> None:
    """A runner gets as many turns as its manifest wants, and none if it keeps its own."""
    some = make_context(history=TURNS, runner=Count)
    none = make_context(history=TURNS, runner=External())

    assert len(some.messages) == 4
    assert none.messages == ()
    assert none.context_packaging.strategy == "none"
    assert not none.context_packaging.complete
    assert none.context_packaging.truncated_by == "runner"


def test_history_needs_a_conversation() -> None:
    """History for an event that has no conversation is a mistake in the test."""
    with pytest.raises(ValueError, match="has no conversation"):
        make_context(event="schedule.triggered", history=TURNS)

    ctx = make_context(event="schedule.triggered", conversation="group_1", history=TURNS)
    assert len(ctx.messages) == 20


def test_config_is_checked_by_the_runner() -> None:
    """With a runner its Config parses what an admin would write; an instance is taken as it is."""
    made = make_context({"top-k": 5}, runner=Count)
    default = make_context(runner=Count)
    instance: AgentRunContext[CountConfig] = make_context(CountConfig(model="big"))
    loose = make_context({"anything": 1})

    assert isinstance(made.config, CountConfig)
    assert (made.config.top_k, default.config.top_k) == (5, 3)
    assert instance.config.model == "big"
    assert loose.config.anything == 1
    with pytest.raises(ValidationError):
        make_context({"top-k": "many"}, runner=Count)


def test_prompt() -> None:
    """The prompt is what is given, else the config's prompt-editor field."""
    given = make_context(prompt="Be kind.", runner=Count)
    listed = make_context(prompt=[("system", "a"), ("user", "b")])
    edited = make_context({"prompt": "Be loud."}, runner=Count)

    assert given.prompt == (Message(role="system", content="Be kind."),)
    assert [message.role for message in listed.prompt] == ["system", "user"]
    assert edited.prompt == (Message(role="system", content="Be loud."),)
    assert make_context(prompt="", runner=Count).prompt == ()
    assert make_context().prompt == ()


async def test_state_is_in_the_snapshot_and_behind_the_api() -> None:
    """State has versions in both places, and an API of one's own keeps what it has."""
    api = InMemoryApi(state={"actor": {"name": "Ada"}})
    ctx = make_context(state={"conversation": {"count": 2}}, api=api)

    assert ctx.state.get("conversation", "count") == 2
    assert ctx.state.get("actor", "name") == "Ada"
    assert await ctx.api.state.get("conversation", "count") == StateValue(value=2, version=1)
    assert api.calls[0].verb == "get"


def test_state_of_a_scope_that_is_not_open() -> None:
    """State in a scope that the API does not have is a mistake in the test."""
    with pytest.raises(ValueError, match="state scope 'actor' is not open"):
        make_context(state={"actor": {"a": 1}}, api=InMemoryApi(scopes=["runner"]))


def test_an_api_of_another_kind_is_passed_on() -> None:
    """Any run API can be given; history and state are then the snapshot only."""
    api: AgentRunAPI = _Other()
    ctx = make_context(api=api, history=TURNS, state={"runner": {"a": 1}})

    assert ctx.api is api
    assert len(ctx.messages) == 24
    assert ctx.state.get("runner", "a") == 1


def test_the_rest_is_passed_on() -> None:
    """params, resources, streaming and timeout are the context's."""
    item = ResourceItem(id="small", operations=("invoke",))
    ctx = make_context(
        params={"lang": "en"}, resources=AgentResources(models=(item,)), streaming=False, timeout=5
    )

    assert ctx.params["lang"] == "en"
    assert ctx.resources.models == (item,)
    assert make_context(resources={"tools": [{"id": "t"}]}).resources.tools[0].id == "t"
    assert not ctx.runtime.streaming_supported
    assert ctx.deadline.remaining() <= 5
    assert ctx.runtime.deadline_at is not None


def test_log_is_kept() -> None:
    """What a runner logs can be looked at."""
    ctx = make_context()
    for level in ("debug", "info", "warning", "error"):
        getattr(ctx.log, level)("looked_up", number=3)

    assert isinstance(ctx.log, RecordedLog)
    assert [(line.level, line.event, line.values) for line in ctx.log.lines][1:3] == [
        ("info", "looked_up", {"number": 3}),
        ("warning", "looked_up", {"number": 3}),
    ]


class _Other:
    state: Any = None
    history: Any = None
    models: Any = None


class _Strict(BaseModel):
    name: str


def test_types_follow_the_config() -> None:
    """A typed config gives a typed context."""
    ctx = make_context(_Strict(name="x"))

    assert ctx.config.name.upper() == "X"
