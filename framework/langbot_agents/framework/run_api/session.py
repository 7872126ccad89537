"""What the host knows of a run while it lives, and the first checks of each call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode
from langbot_agents.schemas.results import Usage
from langbot_agents.sdk import AgentAPIException

from ..authorization import Grant
from ..results import sum_usage
from ..store import state
from ..texts import t


@dataclass(kw_only=True)
class AgentRunSession:
    """What the host knows of a run while it lives."""

    run_id: str
    workspace_id: str
    event_uid: str
    binding_id: str
    grant: Grant
    drawers: dict[StateScope, state.StateKey]
    conversation_key: str | None
    state_expires_at: Callable[[], Any]
    cancel: Callable[[str], None]
    open: bool = True
    models: dict[str, None] = field(default_factory=dict)
    """Names of the models that were called, in the order of their first call."""
    usage: Usage | None = None
    """What the calls of models cost, as far as their providers said."""

    def cost(self, usage: Usage | None) -> None:
        """Add what a call cost."""
        self.usage = sum_usage(self.usage, usage)


class AgentRunSessionRegistry:
    """The runs that live now, by id."""

    def __init__(self) -> None:
        self._sessions: dict[str, AgentRunSession] = {}

    def add(self, session: AgentRunSession) -> None:
        """A run begins."""
        self._sessions[session.run_id] = session

    def end(self, run_id: str) -> None:
        """A run has ended; its id is worth nothing from now on."""
        session = self._sessions.pop(run_id, None)
        if session is not None:
            session.open = False

    def get(self, run_id: str) -> AgentRunSession | None:
        """The run of that id, if it lives."""
        return self._sessions.get(run_id)

    def of_event(self, event_uid: str) -> list[AgentRunSession]:
        """The runs of an event that live."""
        return [session for session in self._sessions.values() if session.event_uid == event_uid]

    def __len__(self) -> int:
        return len(self._sessions)


def check_open(session: AgentRunSession) -> None:
    """Refuse a call of a run that has ended."""
    if not session.open:
        raise refused("unauthorized", t("run {run_id} has ended", run_id=session.run_id))


def check(session: AgentRunSession, resource: str, verb: str) -> None:
    """Refuse a call of a run that has ended, or of a verb that is not granted."""
    check_open(session)
    if not session.grant.allows(resource, verb):
        message = t(
            "{resource}.{verb} is not granted; the manifest must ask for it and the binding allow it",
            resource=resource,
            verb=verb,
        )
        raise refused("unauthorized", message)


def refused(
    code: APIErrorCode,
    message: str,
    *,
    retryable: bool = False,
    details: Mapping[str, Any] | None = None,
) -> AgentAPIException:
    """The exception that a runner gets."""
    return AgentAPIException(
        AgentAPIError(code=code, message=message, retryable=retryable, details=details or {})
    )
