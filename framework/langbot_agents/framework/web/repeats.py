"""An `Idempotency-Key` that comes again: with the same event it is a repeat, with another one a mistake."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from langbot_agents.schemas.events import AgentEventEnvelope

from ..app import Host
from ..gateway import Accepted
from ..media import take_files
from ..store import events
from ..texts import t
from .problems import ProblemError
from .reading import caller_of

_BY_THE_HOST = {"event_uid", "received_at", "delivery"}
"""Fields that differ between an event and its repeat."""


async def check_repeat(request: Request, host: Host, data: Mapping[str, Any], accepted: Accepted) -> None:
    """Refuse a key that another event had before: its caller would wait for what never comes.

    A repeat by `event_id` is the source's own business, which may tell it anew in other words.
    """
    if not accepted.duplicate or "idempotency-key" not in request.headers:
        return
    first = await host.db.read(events.get, accepted.workspace_id, accepted.event_uid)
    again = take_files(host.gateway.complete(data, caller_of(request))).envelope
    if first is not None and _content(again) != _content(first.envelope):
        raise ProblemError(
            409,
            "key_reused",
            t("Idempotency-Key: event {uid} came with this key, and was another one", uid=accepted.event_uid),
            remedy=t("give each event a key of its own; this one was not taken"),
        )


def _content(envelope: AgentEventEnvelope) -> Any:
    return _without_ids(envelope.model_dump(mode="json", exclude=_BY_THE_HOST))


def _without_ids(value: Any) -> Any:
    """The same without the ids of stored files, which are new each time; their digests stay."""
    if isinstance(value, dict):
        return {key: _without_ids(item) for key, item in value.items() if key != "artifact_id"}
    return [_without_ids(item) for item in value] if isinstance(value, list) else value
