"""What names a conversation, an actor and a flow."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.identity import conversation_key, flow_key, state_ids
from langbot_agents.schemas.events import AgentEventEnvelope


def happen(**fields: Any) -> AgentEventEnvelope:
    """An event."""
    base: dict[str, Any] = {
        "event_uid": "evt_1",
        "event_type": "message.received",
        "source": {"kind": "webui", "name": "site"},
        "delivery": {"surface": "x"},
    }
    return AgentEventEnvelope.model_validate(base | fields)


def test_flow_key() -> None:
    """The flow is the conversation's; without one the actor's, without that the event's own."""
    everywhere = {"bot_id": "b", "actor": {"actor_id": "u"}}
    in_place = happen(conversation_id="c", thread_id="t", **everywhere)

    assert flow_key(in_place) == flow_key(
        happen(conversation_id="c", thread_id="t", bot_id="b", event_uid="2")
    )
    assert flow_key(happen(**everywhere)) == flow_key(happen(event_uid="evt_2", **everywhere))
    assert flow_key(happen()) != flow_key(happen(event_uid="evt_2"))
    assert len({flow_key(in_place), flow_key(happen(**everywhere)), flow_key(happen(bot_id="b"))}) == 3


def test_a_conversation_cannot_pose_as_an_actor() -> None:
    """A conversation that is called like our own words shares no flow with an actor or an event."""
    posing = [happen(conversation_id=name, thread_id="x") for name in ("actor", "event")]
    real = [happen(actor={"actor_id": "x"}), happen(event_uid="x")]

    assert len({flow_key(event) for event in (*posing, *real)}) == 4


def test_bot_or_source() -> None:
    """The bot heads every identity; without one the source's name does, so bots never mix."""
    assert conversation_key(happen(conversation_id="c")) != conversation_key(
        happen(conversation_id="c", bot_id="b")
    )
    assert conversation_key(happen()) is None


def test_observers_have_lanes_of_their_own() -> None:
    """An observer's flow also has its binding, and so never waits for the answer."""
    event = happen(conversation_id="c")

    assert len({flow_key(event), flow_key(event, observer="o1"), flow_key(event, observer="o2")}) == 3


def test_state_ids() -> None:
    """State has an id for each scope that the event has, and no other."""
    full = happen(
        conversation_id="c", actor={"actor_id": "u"}, subject={"subject_type": "group", "subject_id": "g"}
    )

    assert set(state_ids(full)) == {"conversation", "actor", "subject", "runner", "workspace"}
    assert set(state_ids(happen(actor={"actor_type": "system"}))) == {"runner", "workspace"}


PARTS = st.sampled_from(["a", "b", "actor", "event", '","', '["a"]', "a,b", "evt_1", "null"])


@st.composite
def places(draw: st.DrawFn) -> tuple[Any, ...]:
    """Workspace, bot, conversation, thread and actor."""
    optional = st.none() | PARTS
    return (
        draw(st.sampled_from(["w", "v"])),
        draw(optional),
        draw(optional),
        draw(optional),
        draw(optional),
    )


def event_at(place: tuple[Any, ...]) -> AgentEventEnvelope:
    """An event at a place."""
    workspace, bot, conversation, thread, actor = place
    return happen(
        workspace_id=workspace,
        bot_id=bot,
        conversation_id=conversation,
        thread_id=thread,
        actor={"actor_id": actor} if actor else None,
    )


@given(places(), places())
def test_no_two_places_share_a_flow(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """Two events share a flow only if they share the place that orders them, whatever their ids look like."""

    def identity(place: tuple[Any, ...]) -> tuple[Any, ...]:
        workspace, bot, conversation, thread, actor = place
        head = (workspace, bot or "site")
        if conversation is not None:
            return (*head, "conversation", conversation, thread)
        return (*head, "actor", actor) if actor is not None else (*head, "event")

    same = flow_key(event_at(one)) == flow_key(event_at(other))

    assert same == (identity(one) == identity(other))
