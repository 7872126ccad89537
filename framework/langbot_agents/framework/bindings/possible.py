"""Which values the fields of a scope can have at all: what can never match is found before it is missed."""

from collections.abc import Mapping
from functools import lru_cache
from typing import get_args

from pydantic import ValidationError

from langbot_agents.schemas.content import ActorRef
from langbot_agents.schemas.events import ConversationType, EventSource, SourceKind, SubjectRef

CLOSED: Mapping[str, tuple[str, ...]] = {
    "source_kind": get_args(SourceKind),
    "conversation_type": get_args(ConversationType),
}
"""The fields that have one of a few values."""


@lru_cache(maxsize=4096)
def is_possible(name: str, value: str) -> bool:
    """Whether some event has this value in this field of its scope."""
    if name in CLOSED:
        return value in CLOSED[name]
    try:
        if name == "subject_type":
            SubjectRef(subject_type=value)
        elif name in {"source_name", "workspace_id"}:
            EventSource(kind="system", name=value)
        else:
            ActorRef(actor_id=value)
    except ValidationError:
        return False
    return True
