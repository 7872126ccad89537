"""Flow control: what becomes of each chosen binding, in order within a conversation, side by side across them."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DispatchOutcome, DispatchRecord, RunRecord

from .bindings import BindingEntry, BindingSet
from .clock import utc_now
from .errors import LangbotAgentsError
from .identity import flow_key
from .ids import new_id
from .orchestrator import AgentRunOrchestrator
from .platforms import Surfaces
from .router import EventRouter, RoutedEvent
from .store import Cursor, Database, decisions, dispatches
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)

DISCARD = "plugin:langbot-agents/discard/default"
MAX_CAUSE_DEPTH = 8


@dataclass(kw_only=True, eq=False)
class Item:
    """One chosen binding of one event, on its way to a run."""

    event: AgentEventEnvelope
    binding: BindingEntry
    record: DispatchRecord
    fallbacks: tuple[BindingEntry, ...] = ()
    resume: RunRecord | None = None
    gone: bool = False


@dataclass(kw_only=True)
class _Lane:
    """The items of one flow key: one runs, the others wait in order."""

    waiting: deque[Item] = field(default_factory=deque)


class Dispatcher:
    """Takes decided events and sees each chosen binding to its outcome."""

    def __init__(
        self,
        *,
        db: Database,
        orchestrator: AgentRunOrchestrator,
        surfaces: Surfaces,
        router: EventRouter,
        bindings: Callable[[], BindingSet],
        clock: Callable[[], float],
        concurrency: int,
        tasks: TaskGroup,
    ) -> None:
        self._db = db
        self._orchestrator = orchestrator
        self._surfaces = surfaces
        self._router = router
        self._bindings = bindings
        self._clock = clock
        self._tasks = tasks
        self._lanes: dict[str, _Lane] = {}
        self._slots = anyio.CapacityLimiter(concurrency)
        self._binding_slots: dict[str, anyio.CapacityLimiter] = {}
        self._open: dict[str, int] = {}
        self._expiries: list[tuple[float, int, Item]] = []
        self._counter = itertools.count()
        self._expiry_set = anyio.Event()
        self._idle = anyio.Event()
        self._idle.set()
        self.pending = 0
        """Chosen bindings that have no outcome yet, or whose run goes on."""

    async def offer(self, event: AgentEventEnvelope, *, veto: str | None = None) -> Decision:
        """Decide an event that is on disk, and send its chosen bindings on their way."""
        bindings = self._bindings()
        decision = self._router.decide(RoutedEvent(event), bindings, self._clock(), decision_id=new_id("dec"))
        if veto is not None:
            decision = decision.model_copy(update={"veto": veto})
        items = self._items(event, decision, bindings)
        outcome, reason = self._refusal(event, veto)
        if outcome is not None:
            ended = {"outcome": outcome, "reason": reason, "ended_at": utc_now()}
            records = [item.record.model_copy(update=ended) for item in items]
            items = []
        else:
            records = [item.record for item in items]
        await self._db.writer.post(_write, decision, records)
        log.debug(
            "decided",
            event_uid=decision.event_uid,
            event_type=event.event_type,
            outcome=outcome or decision.outcome,
            binding_id=decision.winner,
            observers=list(decision.observers),
        )
        self._open[decision.event_uid] = self._open.get(decision.event_uid, 0) + len(items)
        for item in items:
            await self._enqueue(item)
        self._close_if_done(decision.event_uid)
        return decision

    async def resume(self, item: Item) -> None:
        """Take up again what a crash left; called at the start, in order, before anything is offered."""
        uid = item.record.event_uid
        self._open[uid] = self._open.get(uid, 0) + 1
        await self._enqueue(item, admit=True)

    def is_open(self, event_uid: str) -> bool:
        """Whether something of the event is still under way."""
        return event_uid in self._open

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self.pending:
            await self._idle.wait()

    async def expire(self) -> None:
        """Give items that waited longer than `flow.max_wait` their outcome; runs as long as the host does."""
        while True:
            self._expiry_set = anyio.Event()
            while self._expiries and self._expiries[0][0] <= anyio.current_time():
                item = heapq.heappop(self._expiries)[2]
                if not item.gone:
                    await self._end(item, "expired", t("it waited longer than flow.max_wait"))
            pause = self._expiries[0][0] - anyio.current_time() if self._expiries else None
            with anyio.move_on_after(pause):
                await self._expiry_set.wait()

    def _items(self, event: AgentEventEnvelope, decision: Decision, bindings: BindingSet) -> list[Item]:
        ranked = [item.binding_id for item in decision.entries if item.code in {"selected", "outranked"}]
        candidates = [entry for name in ranked if (entry := bindings.get(name)) is not None]
        items = []
        if decision.winner is not None:
            items.append(self._item(event, candidates[0], fallbacks=tuple(candidates[1:])))
        for name in decision.observers:
            entry = bindings.get(name)
            if entry is not None:
                items.append(self._item(event, entry))
        return items

    def _item(
        self, event: AgentEventEnvelope, entry: BindingEntry, fallbacks: tuple[BindingEntry, ...] = ()
    ) -> Item:
        observer = entry.binding_id if entry.document.mode == "observe" else None
        record = DispatchRecord(
            dispatch_id=new_id("dsp"),
            event_uid=event.event_uid or "",
            workspace_id=event.workspace_id,
            binding_id=entry.binding_id,
            revision=entry.revision,
            flow_key=flow_key(event, observer=observer),
            created_at=utc_now(),
        )
        return Item(event=event, binding=entry, record=record, fallbacks=fallbacks)

    def _refusal(
        self, event: AgentEventEnvelope, veto: str | None
    ) -> tuple[DispatchOutcome | None, str | None]:
        depth = event.cause.depth if event.cause else 0
        if depth > MAX_CAUSE_DEPTH:
            return "loop_guard", t("cause.depth {depth} is over {limit}", depth=depth, limit=MAX_CAUSE_DEPTH)
        actor = event.actor
        own = (
            actor is not None
            and actor.actor_type == "bot"
            and actor.actor_id is not None
            and actor.actor_id == event.bot_id
        )
        if own and event.event_type.startswith("message."):
            return "loop_guard", t("the message is the bot's own")
        if veto is not None:
            return "vetoed", veto
        return None, None

    async def _enqueue(self, item: Item, *, admit: bool = False) -> None:
        self._admit()
        flow = item.binding.document.flow
        if flow.overlap == "parallel":
            self._tasks.start_soon(self._run, item, name=item.record.dispatch_id)
            return
        lane = self._lanes.get(item.record.flow_key)
        if lane is None:
            lane = self._lanes[item.record.flow_key] = _Lane()
            lane.waiting.append(item)
            self._tasks.start_soon(self._work, item.record.flow_key, lane, name=item.record.dispatch_id)
            return
        if admit:
            lane.waiting.append(item)
            return
        if flow.overlap == "drop":
            await self._end(item, "overlap_dropped", t("another event of the conversation was under way"))
            return
        while len(lane.waiting) >= flow.max_queue:
            if flow.overflow == "reject":
                await self._end(
                    item, "queue_full", t("{count} events waited already", count=len(lane.waiting))
                )
                return
            oldest = lane.waiting.popleft()
            if not oldest.gone:
                await self._end(oldest, "queue_full", t("a newer event took its place"))
        lane.waiting.append(item)
        heapq.heappush(self._expiries, (anyio.current_time() + flow.max_wait, next(self._counter), item))
        self._expiry_set.set()

    async def _work(self, key: str, lane: _Lane) -> None:
        """Run a lane's items one after the other; nothing is awaited between its last item and its end."""
        try:
            while lane.waiting:
                item = lane.waiting.popleft()
                if not item.gone:
                    await self._run(item)
        finally:
            if self._lanes.get(key) is lane:
                del self._lanes[key]

    async def _run(self, item: Item) -> None:
        item_expired = item.event.expires_at is not None and item.event.expires_at <= utc_now()
        try:
            if item_expired and item.resume is None:
                await self._end(item, "expired", t("the event had expired"))
            elif item.binding.runner.id == DISCARD:
                await self._end(item, "discarded", None)
            else:
                item.gone = True  # from here on it has its outcome, `started`
                async with self._slots, self._binding_slot(item.binding):
                    await self._start(item)
                self._done(item)
        except LangbotAgentsError as error:
            # it stays on disk as it is, and the next start goes on with it
            log.error("dispatch_stopped", dispatch_id=item.record.dispatch_id, error=str(error))
            self._done(item)

    async def _start(self, item: Item) -> None:
        falls = item.binding.document.on_failure == "next" and bool(item.fallbacks)
        handle = self._orchestrator.run(
            item.event,
            item.binding,
            dispatch_id=item.record.dispatch_id,
            resume=item.resume,
            falls_through=falls,
        )
        outcome = await handle.wait()
        if falls and outcome.status in {"failed", "timeout"} and not outcome.effectful:
            following = self._item(item.event, item.fallbacks[0], item.fallbacks[1:])
            # it takes the place of the failed one in the lane, whatever its own key would be
            following.record = following.record.model_copy(update={"flow_key": item.record.flow_key})
            await self._db.writer.submit(dispatches.insert, [following.record])
            uid = item.record.event_uid
            self._open[uid] = self._open.get(uid, 0) + 1
            self._admit()
            await self._run_in_place(following)

    async def _run_in_place(self, item: Item) -> None:
        if item.binding.runner.id == DISCARD:
            await self._end(item, "discarded", None)
            return
        item.gone = True
        try:
            await self._start(item)
        finally:
            self._done(item)

    def _binding_slot(self, entry: BindingEntry) -> anyio.CapacityLimiter:
        limit = entry.document.flow.concurrency or 1_000_000
        slot = self._binding_slots.get(entry.binding_id)
        if slot is None:
            slot = self._binding_slots[entry.binding_id] = anyio.CapacityLimiter(limit)
        if slot.total_tokens != limit:
            slot.total_tokens = limit
        return slot

    async def _end(self, item: Item, outcome: DispatchOutcome, reason: str | None) -> None:
        item.gone = True
        self._done(item)
        await self._db.writer.post(
            dispatches.finish, item.record.workspace_id, item.record.dispatch_id, outcome, reason=reason
        )

    def _admit(self) -> None:
        if self.pending == 0:
            self._idle = anyio.Event()
        self.pending += 1

    def _done(self, item: Item) -> None:
        self.pending -= 1
        if self.pending == 0:
            self._idle.set()
        uid = item.record.event_uid
        self._open[uid] -= 1
        self._close_if_done(uid)

    def _close_if_done(self, event_uid: str) -> None:
        if self._open.get(event_uid) == 0:
            del self._open[event_uid]
            self._surfaces.end(event_uid)


def _write(cursor: Cursor, decision: Decision, records: list[DispatchRecord]) -> None:
    decisions.insert(cursor, decision)
    dispatches.insert(cursor, records)
