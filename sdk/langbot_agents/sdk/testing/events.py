"""The event of a test: a whole envelope from as little as a text or a type's name."""

from collections.abc import Mapping
from typing import Any

from langbot_agents.schemas.catalogue import canonical_type, sample
from langbot_agents.schemas.content import ActorRef
from langbot_agents.schemas.events import AgentEventEnvelope, AgentInput

EVENT_UID = "evt_test"
DEFAULT_TEXT = "hi"

_DEFAULTS: Mapping[str, Any] = {
    "source": {"kind": "webui", "name": "test"},
    "delivery": {"surface": "test", "supports_streaming": True},
}
_MESSAGE: Mapping[str, Any] = {
    **_DEFAULTS,
    "event_id": "message:test",
    "event_type": "message.received",
    "event_time": 1772413200.0,
    "bot_id": "bot-1",
    "conversation_id": "person_user-1",
    "actor": {"actor_id": "user-1", "actor_name": "Ada"},
    "subject": {"subject_type": "message", "subject_id": "message-1"},
    "delivery": {
        "surface": "test",
        "reply_target": {"target_type": "person", "target_id": "user-1"},
        "supports_streaming": True,
        "supports_edit": True,
    },
    "metadata": {"platform_event": "test", "chat_type": "private"},
}

EventLike = AgentEventEnvelope | Mapping[str, Any] | str | None
ActorLike = ActorRef | Mapping[str, Any] | str | None


def make_event(
    event: EventLike = None,
    *,
    text: str | None = None,
    actor: ActorLike = None,
    conversation_id: str | None = None,
) -> AgentEventEnvelope:
    """A whole envelope of an envelope, of its JSON, of a type of the catalogue, or of a text alone."""
    envelope = _whole(event, text)
    update: dict[str, Any] = {"event_type": canonical_type(envelope.event_type)}
    if envelope.event_uid is None:
        update["event_uid"] = EVENT_UID
    if text is not None and event is not None:
        update["input"] = envelope.input.model_copy(update={"text": text, "contents": ()})
    if actor is not None:
        update["actor"] = ActorRef.model_validate({"actor_id": actor} if isinstance(actor, str) else actor)
    if conversation_id is not None:
        update["conversation_id"] = conversation_id
    return envelope.model_copy(update=update)


def _whole(event: EventLike, text: str | None) -> AgentEventEnvelope:
    if event is None:
        said = AgentInput(text=DEFAULT_TEXT if text is None else text)
        return AgentEventEnvelope.model_validate({**_MESSAGE, "input": said})
    if isinstance(event, AgentEventEnvelope):
        return event
    if isinstance(event, str):
        return AgentEventEnvelope.model_validate(sample(event))
    return AgentEventEnvelope.model_validate({**_DEFAULTS, **event})
