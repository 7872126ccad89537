"""The way in: an event is made whole, refused if it is malformed, and on disk before it is acknowledged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from pydantic import ValidationError

from langbot_agents.schemas.base import changed, trusted
from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.events import AgentEventEnvelope, ReplyTarget

from .access import Caller
from .dispatcher import DirectRoute, Dispatcher
from .documents import check_keys, invalid_event
from .errors import HostBusyError, InvalidEventError
from .media import TakenFiles, take_files
from .platforms import Surface, Surfaces
from .plugins import PluginHost
from .store import Artifacts, Database, events
from .telemetry import get_logger
from .texts import t

__all__ = ["Accepted", "Caller", "EventGateway"]

log = get_logger(__name__)

HOST_FIELDS = ("event_uid", "received_at")
"""Fields that only the host sets; what a caller says of them is dropped."""

POSTING_KINDS = frozenset({"http_api", "webui"})
"""Sources whose events people and programs write: there an unknown key is a misspelt one. What an adapter
says beyond what this host knows is kept and passed on."""

RETRY_AFTER = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """What an acknowledged event is answered with."""

    event_uid: str
    workspace_id: str
    duplicate: bool
    deduplicated: bool
    """Whether a repeat would have been noticed: the event has an `event_id`."""

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON data."""
        return {"event_uid": self.event_uid, "duplicate": self.duplicate, "deduplicated": self.deduplicated}


class EventGateway:
    """Takes events in from every source; there is no other way."""

    def __init__(
        self,
        *,
        db: Database,
        artifacts: Artifacts,
        dispatcher: Dispatcher,
        plugins: PluginHost,
        surfaces: Surfaces,
        max_pending: int,
    ) -> None:
        self._db = db
        self._artifacts = artifacts
        self._dispatcher = dispatcher
        self._plugins = plugins
        self._surfaces = surfaces
        self._max_pending = max_pending
        self._order = anyio.Lock()
        self._entering = 0
        self._closed = False

    async def accept(
        self,
        data: Mapping[str, Any],
        caller: Caller,
        *,
        before_append: Callable[[str], None] | None = None,
        direct: DirectRoute | None = None,
    ) -> Accepted:
        """Append an event, then decide it. Returns once it is on disk and decided.

        `before_append` is called with the `event_uid`, so that a listener misses nothing. With `direct`
        its bindings are the only candidates. Raises `InvalidEventError`, `ForbiddenError`, `HostBusyError`
        or `StoreError`; then nothing was acknowledged.
        """
        self._refuse_when_busy()
        taken = take_files(self.complete(data, caller))
        envelope = taken.envelope
        self._entering += 1
        try:
            if before_append is not None:
                before_append(envelope.event_uid or "")
            # what may be on disk is decided even if the caller goes away now
            with anyio.CancelScope(shield=True):
                appended = await self._append(taken)
                if not appended.duplicate:
                    await self._decide(envelope, appended.seq, direct)
            return Accepted(
                event_uid=appended.event_uid,
                workspace_id=envelope.workspace_id,
                duplicate=appended.duplicate,
                deduplicated=envelope.event_id is not None,
            )
        finally:
            self._entering -= 1

    async def _append(self, taken: TakenFiles) -> events.Appended:
        """The files of an event before the event itself, so that no event names a file that is not there."""
        kept = False
        try:
            await taken.store(self._artifacts)
            appended = await events.append(self._db.writer, taken.envelope)
            kept = not appended.duplicate
        finally:
            if not kept:
                await taken.forget(self._artifacts)
        return appended

    def close(self) -> None:
        """Take nothing more; what was taken goes on."""
        self._closed = True

    def _refuse_when_busy(self) -> None:
        if self._closed:
            raise HostBusyError(t("the host is stopping"), retry_after=RETRY_AFTER)
        if self._dispatcher.pending + self._entering >= self._max_pending:
            raise HostBusyError(
                t("{count} events wait, which is all this host takes", count=self._max_pending),
                retry_after=RETRY_AFTER,
                remedy=t("try again later, or raise limits.max_pending"),
            )

    def complete(self, data: Mapping[str, Any], caller: Caller) -> AgentEventEnvelope:
        """The whole envelope of what was posted, with what the host sets.

        Raises `InvalidEventError`, and `ForbiddenError` for what this caller may not state.
        """
        filled = {key: value for key, value in data.items() if key not in HOST_FIELDS}
        if caller.kind in POSTING_KINDS:
            check_keys(filled)
        caller.check_claims(filled)
        if filled.get("source") is None:
            filled["source"] = {"kind": caller.kind, "name": caller.name}
        if not caller.impersonate and filled.get("actor") is None:
            filled["actor"] = caller.actor
        filled["workspace_id"] = filled.get("workspace_id") or caller.workspace_id
        stated = filled.get("delivery")
        known = (
            caller.impersonate
            and isinstance(stated, Mapping)
            and (caller.kind == "system" or self._is_real_surface(stated.get("surface")))
        )
        if not known:
            filled["delivery"] = self._surface(caller).context(None)
        try:
            envelope = events.stamped(AgentEventEnvelope.model_validate(filled))
        except ValidationError as error:
            raise invalid_event(error, filled) from None
        update: dict[str, Any] = {"event_type": canonical_type(envelope.event_type)}
        if not known:
            target = trusted(ReplyTarget, target_type="session", target_id=envelope.event_uid)
            update["delivery"] = changed(envelope.delivery, reply_target=target)
        return changed(envelope, **update)

    async def decide_stored(self, stored: events.StoredEvent) -> None:
        """Decide an event that was acknowledged before a crash."""
        await self._decide(stored.envelope, stored.seq)

    async def _decide(
        self, envelope: AgentEventEnvelope, seq: int, direct: DirectRoute | None = None
    ) -> None:
        if not self._plugins.has("event_received"):
            await self._dispatcher.offer(envelope, seq, direct=direct)
            return
        async with self._order:  # a slow hook must not let a later event overtake
            veto = None
            for answer in await self._plugins.acall("event_received", event=envelope):
                if isinstance(answer.value, str) and answer.value:
                    veto = f"{answer.plugin}: {answer.value}"
                    break
            await self._dispatcher.offer(envelope, seq, veto=veto, direct=direct)

    def _is_real_surface(self, name: Any) -> bool:
        return (
            isinstance(name, str)
            and name not in self._surfaces.mailboxes
            and self._surfaces.get(name) is not None
        )

    def _surface(self, caller: Caller) -> Surface:
        surface = self._surfaces.get(caller.surface)
        if surface is None:
            raise InvalidEventError(t("surface {name!r} is not configured", name=caller.surface))
        return surface
