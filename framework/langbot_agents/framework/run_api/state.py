"""`ctx.api.state`: values that outlive the run."""

from typing import Any

from pydantic_core import to_json

from langbot_agents.schemas.base import freeze
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.context import StateValue

from ..results import MAX_STATE_VALUE
from ..store import Database, state
from ..texts import t
from .session import AgentRunSession, check, refused


class StateCalls:
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


def _check_key(key: str) -> None:
    try:
        fits = 0 < len(key) <= 255 and key.encode() != b""
    except (UnicodeEncodeError, TypeError, AttributeError):
        fits = False
    if not fits:
        raise refused("invalid_argument", t("a state key has 1 to 255 characters"))
