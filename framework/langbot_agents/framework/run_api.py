"""The run API: what `ctx.api` reaches, checked call by call, and worth nothing once the run has ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import StateValue
from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode
from langbot_agents.schemas.messages import Message
from langbot_agents.sdk import AgentAPIException

from .authorization import Grant
from .context import read_history
from .results import MAX_STATE_VALUE
from .store import Database, state
from .texts import t


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


class AgentRunAPIProxy:
    """`ctx.api` of one run."""

    def __init__(self, session: AgentRunSession, db: Database) -> None:
        self.state = _State(session, db)
        self.history = _History(session, db)


class _State:
    """`ctx.api.state`."""

    def __init__(self, session: AgentRunSession, db: Database) -> None:
        self._session = session
        self._db = db

    async def get(self, scope: StateScope, key: str) -> StateValue | None:
        """The value with its version, or None."""
        drawer = self._drawer("get", scope)
        _check_key(key)
        found = await self._db.read(state.get, drawer, key)
        return None if found is None else StateValue(value=found.value, version=found.version)

    async def set(self, scope: StateScope, key: str, value: Any, *, version: int | None = None) -> StateValue:
        """Write a value at once; with `version` only if it still is that one, else `conflict`."""
        drawer = self._drawer("set", scope)
        _check_key(key)
        try:
            value = freeze(value)
            size = len(to_json(value))
        except ValueError as error:
            raise refused("invalid_argument", str(error)) from None
        if size > MAX_STATE_VALUE:
            message = t("the value of {key!r} is over {limit} bytes", key=key, limit=MAX_STATE_VALUE)
            raise refused("payload_too_large", message)
        expires = self._session.state_expires_at()
        new: int | None
        if version is None:
            new = await self._db.writer.submit(state.put, drawer, key, value, expires_at=expires)
        else:
            new = await self._db.writer.submit(
                state.compare_and_set, drawer, key, value, expected=version, expires_at=expires
            )
        if new is None:
            raise refused(
                "conflict", t("state key {key!r} is not at version {version}", key=key, version=version)
            )
        return StateValue(value=value, version=new)

    async def list(self, scope: StateScope) -> dict[str, StateValue]:
        """All keys of a scope."""
        found = await self._db.read(state.snapshot, [self._drawer("list", scope)])
        return {
            key: StateValue(value=item.value, version=item.version)
            for key, item in found.get(scope, {}).items()
        }

    def _drawer(self, verb: str, scope: StateScope) -> state.StateKey:
        check(self._session, "state", verb)
        drawer = self._session.drawers.get(scope)
        if drawer is None:
            raise refused("unauthorized", t("state scope {scope!r} is not open to this run", scope=scope))
        return drawer


class _History:
    """`ctx.api.history`."""

    def __init__(self, session: AgentRunSession, db: Database) -> None:
        self._session = session
        self._db = db

    async def page(self, *, before: str | None = None, rounds: int = 10) -> tuple[list[Message], str | None]:
        """Older messages of the run's conversation in whole turns, and the cursor of the ones before."""
        check(self._session, "history", "page")
        if self._session.conversation_key is None:
            return [], None
        if not 1 <= rounds <= 100:
            raise refused("invalid_argument", t("rounds is 1 to 100, got {rounds}", rounds=rounds))
        if before is not None and not (before.isdecimal() and len(before) < 19):
            raise refused("invalid_argument", t("{cursor!r} is not a cursor of ours", cursor=before))
        entries, has_more = await self._db.read(
            read_history,
            self._session.workspace_id,
            self._session.conversation_key,
            rounds=rounds,
            before_seq=int(before) if before else None,
            without=self._session.event_uid,
        )
        messages = [Message(role=entry.role, content=entry.content) for entry in entries]
        return messages, str(entries[0].sequence) if has_more and entries else None


def _check_key(key: str) -> None:
    try:
        fits = 0 < len(key) <= 255 and key.encode() != b""
    except (UnicodeEncodeError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise refused("invalid_argument", t("a state key has 1 to 255 characters"))


def check(session: AgentRunSession, resource: str, verb: str) -> None:
    """Refuse a call of a run that has ended, or of a verb that is not granted."""
    if not session.open:
        raise refused("unauthorized", t("run {run_id} has ended", run_id=session.run_id))
    if not session.grant.allows(resource, verb):
        message = t(
            "{resource}.{verb} is not granted; the manifest must ask for it and the binding allow it",
            resource=resource,
            verb=verb,
        )
        raise refused("unauthorized", message)


def refused(code: APIErrorCode, message: str) -> AgentAPIException:
    """The exception that a runner gets."""
    return AgentAPIException(AgentAPIError(code=code, message=message))
