"""An event that is only asked about, made whole as the host would make it."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.events import AgentEventEnvelope, ReplyTarget

from ..documents import invalid_event
from ..platforms import HTTP_SURFACE, Surfaces


def envelope_of(
    data: Mapping[str, Any], *, source: str = "local", workspace_id: str = "default"
) -> AgentEventEnvelope:
    """The whole envelope of what was given, from an HTTP source of that name. Raises `InvalidEventError`."""
    filled = dict(data)
    if filled.get("source") is None:
        filled["source"] = {"kind": "http_api", "name": source}
    filled["workspace_id"] = filled.get("workspace_id") or workspace_id
    if filled.get("delivery") is None:
        target = ReplyTarget(target_type="session", target_id=source)
        context = Surfaces().mailboxes[HTTP_SURFACE].context(target)
        filled["delivery"] = context.model_dump(mode="json")
    try:
        envelope = AgentEventEnvelope.model_validate(filled)
    except ValidationError as error:
        raise invalid_event(error, filled) from None
    return envelope.model_copy(update={"event_type": canonical_type(envelope.event_type)})
