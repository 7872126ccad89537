"""After a start: every event and run that the last host left open is taken up again, in order."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import DispatchRecord, RunRecord

from .bindings import ANY_WORKSPACE, BindingEntry, BindingSet, entry_of
from .dispatcher import Dispatcher, Item
from .errors import RunnerError, StoreError
from .gateway import EventGateway
from .orchestrator import RunParts
from .orchestrator.recovery import end_interrupted, may_restart, restarted
from .store import Cursor, decisions, dispatches, events, revisions, runs
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)
PAGE = 500
RecordT = TypeVar("RecordT")


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovered:
    """What was found open at the start."""

    restarted: int = 0
    interrupted: int = 0
    dispatched: int = 0
    decided: int = 0
    deliveries: int = 0

    @property
    def any(self) -> bool:
        """Whether anything was."""
        return bool(self.restarted or self.interrupted or self.dispatched or self.decided or self.deliveries)


class Recovery:
    """Runs once, before the host takes anything new."""

    def __init__(
        self,
        *,
        parts: RunParts,
        dispatcher: Dispatcher,
        gateway: EventGateway,
        bindings: Callable[[], BindingSet],
    ) -> None:
        self._parts = parts
        self._db = parts.db
        self._dispatcher = dispatcher
        self._gateway = gateway
        self._bindings = bindings

    async def recover(self) -> Recovered:
        """Deliveries, then runs, then waiting dispatches, then events without a decision: so order holds."""
        active = await self._db.read(runs.active)
        waiting = await self._db.read(dispatches.waiting)
        deliveries = await self._parts.delivery.recover()
        again = interrupted = 0
        for run in active:
            if await self._alone(self._take_up, run):
                again += 1
            else:
                interrupted += 1
        dispatched = 0
        for record in waiting:
            dispatched += bool(await self._alone(self._dispatch, record))
        decided = 0
        after = 0
        while page := await self._db.read(events.undecided, after_seq=after, limit=PAGE):
            for stored in page:
                after = stored.seq
                decided += bool(await self._alone(self._decide, stored))
        found = Recovered(
            restarted=again,
            interrupted=interrupted,
            dispatched=dispatched,
            decided=decided,
            deliveries=deliveries,
        )
        if found.any:
            log.info("recovered", **{name: getattr(found, name) for name in Recovered.__slots__})
        return found

    async def _alone(self, take_up: Callable[[RecordT], Awaitable[bool]], record: RecordT) -> bool:
        try:
            return await take_up(record)
        except StoreError:
            raise
        except (
            Exception
        ):  # isolation boundary: one record that cannot be read must not keep the host from starting
            log.exception("not_recovered", record=str(record)[:500])
            return False

    async def _decide(self, stored: events.StoredEvent) -> bool:
        await self._gateway.decide_stored(stored)
        return True

    async def _take_up(self, run: RunRecord) -> bool:
        event = await self._event(run.workspace_id, run.event_uid)
        entry = await self._entry(run.workspace_id, run.binding_id, run.revision)
        record = None
        if run.dispatch_id is not None:
            record = await self._db.read(dispatches.get, run.workspace_id, run.dispatch_id)
        document = (
            entry.document if entry is not None else await self._document(run.workspace_id, run.revision)
        )
        if event is None or entry is None or record is None or not may_restart(run, entry.document):
            await end_interrupted(self._parts, run, event, document)
            return False
        fallbacks = await self._fallbacks(record)
        await self._dispatcher.resume(
            Item(event=event, binding=entry, record=record, fallbacks=fallbacks, resume=restarted(run))
        )
        return True

    async def _fallbacks(self, record: DispatchRecord) -> tuple[BindingEntry, ...]:
        """What the stored decision ranks behind the binding, for `on_failure: next`."""
        decision = await self._db.read(decisions.get, record.workspace_id, record.event_uid)
        if decision is None:
            return ()
        ranked = [item for item in decision.entries if item.code in {"selected", "outranked"}]
        names = [item.binding_id for item in ranked]
        if record.binding_id not in names:  # an observer
            return ()
        behind = ranked[names.index(record.binding_id) + 1 :]
        entries = [await self._entry(record.workspace_id, item.binding_id, item.revision) for item in behind]
        return tuple(entry for entry in entries if entry is not None)

    async def _dispatch(self, record: DispatchRecord) -> bool:
        event = await self._event(record.workspace_id, record.event_uid)
        entry = await self._entry(record.workspace_id, record.binding_id, record.revision)
        if event is None or entry is None:
            reason = t("the binding or its runner is no longer there")
            await self._db.writer.submit(
                dispatches.finish, record.workspace_id, record.dispatch_id, "expired", reason=reason
            )
            return False
        fallbacks = await self._fallbacks(record)
        await self._dispatcher.resume(Item(event=event, binding=entry, record=record, fallbacks=fallbacks))
        return True

    async def _event(self, workspace_id: str, event_uid: str) -> AgentEventEnvelope | None:
        stored = await self._db.read(events.get, workspace_id, event_uid)
        return stored.envelope if stored is not None else None

    async def _entry(self, workspace_id: str, binding_id: str, revision: str) -> BindingEntry | None:
        """The binding as it was: the live one if it is the same revision, else the stored one."""
        live = self._bindings().get(binding_id)
        if live is not None and live.revision == revision:
            return live
        document = await self._document(workspace_id, revision)
        if document is None:
            return None
        try:
            return entry_of(document, revision, self._parts.registry)
        except (RunnerError, ValueError) as error:
            log.warning("revision_unusable", binding_id=binding_id, revision=revision, reason=str(error))
            return None

    async def _document(self, workspace_id: str, revision: str) -> AgentBinding | None:
        def find(cursor: Cursor) -> AgentBinding | None:
            for workspace in (workspace_id, ANY_WORKSPACE):
                found = revisions.get(cursor, workspace, revision)
                if found is not None:
                    return AgentBinding.model_validate(dict(found.document))
            return None

        return await self._db.read(find)
