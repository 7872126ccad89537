"""What names a conversation, an actor and a flow: the same names for flow keys, history and state."""

import json

from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.events import AgentEventEnvelope

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _key(*parts: str | None) -> str:
    # a JSON list, so that no id can pose as two
    return _encode(parts)


def bot_or_source(event: AgentEventEnvelope) -> str:
    """The bot, or else the source's name: the head of every identity, so that bots never mix."""
    return event.bot_id or event.source.name


def conversation_key(event: AgentEventEnvelope) -> str | None:
    """Identity of the conversation within its workspace, or None where there is none."""
    if event.conversation_id is None:
        return None
    return _key(bot_or_source(event), event.conversation_id, event.thread_id)


def flow_key(event: AgentEventEnvelope, *, observer: str | None = None) -> str:
    """What orders events: the conversation, else the actor, else the event itself."""
    place = conversation_key(event)
    # null where a conversation has its id, so that none can pose as an actor
    if place is None and event.actor is not None and event.actor.actor_id is not None:
        place = _key(bot_or_source(event), None, "actor", event.actor.actor_id)
    if place is None:
        place = _key(bot_or_source(event), None, "event", event.event_uid)
    return _key(event.workspace_id, place, observer)


def state_ids(event: AgentEventEnvelope) -> dict[StateScope, str]:
    """The id of each state scope that the event has; all but runner and workspace begin with the bot."""
    head = bot_or_source(event)
    ids: dict[StateScope, str] = {"runner": "", "workspace": ""}
    if (conversation := conversation_key(event)) is not None:
        ids["conversation"] = conversation
    if event.actor is not None and event.actor.actor_id is not None:
        ids["actor"] = _key(head, event.actor.actor_id)
    if event.subject is not None and event.subject.subject_id is not None:
        ids["subject"] = _key(head, event.subject.subject_type, event.subject.subject_id)
    return ids
