"""Flow control: each chosen binding to its outcome, in order in a conversation, side by side across them."""

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup

from langbot_agents.schemas.base import trusted
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DispatchOutcome, DispatchRecord, RunRecord

from .bindings import BindingEntry, BindingSet
from .clock import utc_now
from .errors import LangbotAgentsError, StoreError
from .identity import flow_key
from .ids import new_id
from .orchestrator import AgentRunOrchestrator, RunHandle
from .platforms import Surfaces
from .router import EventRouter, RoutedEvent
from .store import Cursor, Database, decisions, dispatches
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)

DISCARD = "plugin:langbot-agents/discard/default"
MAX_CAUSE_DEPTH = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class DirectRoute:
    """Bindings that are the only candidates for an event, and what else its caller brings to the run."""

    bindings: BindingSet
    params: Mapping[str, Any] = field(default_factory=dict)
    started: Callable[[RunHandle], None] | None = None
    """Given the run of the binding that answers."""
    refused: Callable[[DispatchOutcome, str | None], None] | None = None
    """Told why there is no run."""


@dataclass(kw_only=True, eq=False)
class Item:
    """One chosen binding of one event, on its way to a run."""

    event: AgentEventEnvelope
    binding: BindingEntry
    record: DispatchRecord
    fallbacks: tuple[BindingEntry, ...] = ()
    resume: RunRecord | None = None
    direct: DirectRoute | None = None
    first: bool = False
    """Whether no other binding can have taken the event's words into the history."""
    gone: bool = False
    """Whether it has its outcome, or its run is about to be written down."""
    expires: float = 0.0
    """When it has waited too long, on the loop's clock."""


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
        self._stale = 0  # of these, how many wait no more
        self._counter = itertools.count()
        self._expiry_set = anyio.Event()
        self._idle = anyio.Event()
        self._idle.set()
        self.pending = 0
        """Chosen bindings that have no outcome yet, or whose run goes on."""

    async def offer(
        self,
        event: AgentEventEnvelope,
        seq: int,
        *,
        veto: str | None = None,
        direct: DirectRoute | None = None,
    ) -> Decision:
        """Decide an event that is on disk, at `seq` of the log, and send its chosen bindings on their way."""
        bindings = self._bindings() if direct is None else direct.bindings
        decision = self._router.decide(RoutedEvent(event), bindings, self._clock(), decision_id=new_id("dec"))
        if veto is not None:
            decision = decision.model_copy(update={"veto": veto})
        items = self._items(event, decision, bindings)
        for item in items:
            item.direct = direct
        outcome, reason = self._refusal(event, veto)
        if outcome is not None:
            ended = {"outcome": outcome, "reason": reason, "ended_at": utc_now()}
            records = [item.record.model_copy(update=ended) for item in items]
            items = []
        else:
            records = [item.record for item in items]
        self._admit(decision.event_uid, len(items))
        try:
            await self._db.writer.post(_write, decision, seq, records)
        except BaseException:
            for item in items:
                self._done(item)
            raise
        for item in items:
            await self._enqueue(item)
        if not items:
            self._surfaces.end(decision.event_uid)
        if direct is not None and direct.refused is not None and not items:
            direct.refused(outcome or "discarded", reason)
        return decision

    async def resume(self, item: Item) -> None:
        """Take up again what a crash left; called at the start, in order, before anything is offered."""
        self._admit(item.record.event_uid)
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
                if item.gone:
                    self._stale -= 1
                    continue
                self._leave_lane(item)
                self._settle(item, timed=False)
                try:
                    await self._record(item, "expired", t("it waited longer than flow.max_wait"))
                except StoreError as error:
                    log.error("dispatch_stopped", dispatch_id=item.record.dispatch_id, error=str(error))
            pause = self._expiries[0][0] - anyio.current_time() if self._expiries else None
            with anyio.move_on_after(pause):
                await self._expiry_set.wait()

    def _items(self, event: AgentEventEnvelope, decision: Decision, bindings: BindingSet) -> list[Item]:
        ranked = [item.binding_id for item in decision.entries if item.code in {"selected", "outranked"}]
        candidates = [entry for name in ranked if (entry := bindings.get(name)) is not None]
        items = []
        if decision.winner is not None:
            item = self._item(event, candidates[0], fallbacks=tuple(candidates[1:]))
            item.first = True
            items.append(item)
        for name in decision.observers:
            entry = bindings.get(name)
            if entry is not None:
                items.append(self._item(event, entry))
        return items

    def _item(
        self, event: AgentEventEnvelope, entry: BindingEntry, fallbacks: tuple[BindingEntry, ...] = ()
    ) -> Item:
        observer = entry.binding_id if entry.document.mode == "observe" else None
        record = trusted(
            DispatchRecord,
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
        """Start an item or let it wait; `admit` is for what had its place before a crash."""
        # its place is found without an await: a lane that was looked at must not end before it is used
        for ended, outcome, reason in self._place(item, admit=admit):
            await self._record(ended, outcome, reason)

    def _place(self, item: Item, *, admit: bool) -> list[tuple[Item, DispatchOutcome, str]]:
        """Give it its place; tells which items have none any more."""
        self._time(item)
        flow = item.binding.document.flow
        lane = self._lanes.get(item.record.flow_key)
        if flow.overlap == "parallel":
            self._tasks.start_soon(self._run, item, name=item.record.dispatch_id)
            return []
        if lane is None:
            lane = self._lanes[item.record.flow_key] = _Lane()
            self._tasks.start_soon(self._work, lane, item, name=item.record.dispatch_id)
            return []
        if flow.overlap == "drop" and not admit:
            self._settle(item)
            return [(item, "overlap_dropped", t("another event of the conversation was under way"))]
        ended: list[tuple[Item, DispatchOutcome, str]] = []
        while len(lane.waiting) >= flow.max_queue and not admit:
            # a run that a crash cut off has its outcome already, and keeps its place
            oldest = next((waiting for waiting in lane.waiting if waiting.resume is None), None)
            if flow.overflow == "reject" or oldest is None:
                self._settle(item)
                reason = t("{count} events waited already", count=len(lane.waiting))
                return [*ended, (item, "queue_full", reason)]
            lane.waiting.remove(oldest)
            self._settle(oldest)
            ended.append((oldest, "queue_full", t("a newer event took its place")))
        lane.waiting.append(item)
        return ended

    def _time(self, item: Item) -> None:
        """From now on it may wait too long; what waited before a crash counts."""
        if item.resume is not None:
            item.expires = math.inf
        else:
            waited = max(0.0, (utc_now() - item.record.created_at).total_seconds())
            item.expires = anyio.current_time() + item.binding.document.flow.max_wait - waited
        heapq.heappush(self._expiries, (item.expires, next(self._counter), item))
        if self._expiries[0][2] is item:
            self._expiry_set.set()

    def _leave_lane(self, item: Item) -> None:
        lane = self._lanes.get(item.record.flow_key)
        if lane is not None and item in lane.waiting:
            lane.waiting.remove(item)

    def _settle(self, item: Item, *, timed: bool = True) -> None:
        """It waits no more; `timed` says whether its time is still kept."""
        item.gone = True
        self._stale += timed
        if 2 * self._stale > len(self._expiries):
            self._expiries = [entry for entry in self._expiries if not entry[2].gone]
            heapq.heapify(self._expiries)
            self._stale = 0

    async def _work(self, lane: _Lane, first: Item) -> None:
        """Run a lane's items one after the other; nothing is awaited between its last item and its end."""
        key = first.record.flow_key
        try:
            await self._run(first)
            while lane.waiting:
                await self._run(lane.waiting.popleft())
        finally:
            if self._lanes.get(key) is lane:
                del self._lanes[key]

    async def _run(self, item: Item) -> None:
        """See an item to its end, and the ones that are tried in its place."""
        following: Item | None = item
        while following is not None:
            item, following = following, None
            try:
                if item.binding.runner.id == DISCARD and not item.gone:
                    await self._end(item, "discarded", None)
                    continue
                following = await self._in_turn(item)
            except LangbotAgentsError as error:
                # it stays on disk as it is, and the next start goes on with it
                log.error("dispatch_stopped", dispatch_id=item.record.dispatch_id, error=str(error))
            except Exception:  # isolation boundary: one event's fault must not stop the host
                log.exception("dispatch_broke", dispatch_id=item.record.dispatch_id)

    async def _in_turn(self, item: Item) -> Item | None:
        """Answer it once the binding and the host have room for one more run."""
        # its own binding's slot first, so that nobody holds a place of the host while waiting for it
        own = self._binding_slot(item.binding)
        await _enter(own, item)
        try:
            await _enter(self._slots, item)
            try:
                return None if item.gone else await self._answer(item)
            finally:
                self._slots.release_on_behalf_of(item)
        finally:
            if own is not None:
                own.release_on_behalf_of(item)

    async def _answer(self, item: Item) -> Item | None:
        if item.resume is None and item.event.expires_at is not None and item.event.expires_at <= utc_now():
            await self._end(item, "expired", t("the event had expired"))
            return None
        self._settle(item)  # from here on it has its outcome, `started`
        try:
            return await self._start(item)
        finally:
            self._done(item)

    async def _start(self, item: Item) -> Item | None:
        """Run it; gives the item that was put in its place, if one was."""
        following: Item | None = None
        if item.binding.document.on_failure == "next" and item.fallbacks:
            following = self._item(item.event, item.fallbacks[0], item.fallbacks[1:])
            # it takes the place of the failed one in the lane, whatever its own key would be
            following.record = following.record.model_copy(update={"flow_key": item.record.flow_key})
        outcome = await self._orchestrator.complete(
            item.event,
            item.binding,
            dispatch_id=item.record.dispatch_id,
            resume=item.resume,
            follow=None if following is None else partial(_write_following, record=following.record),
            first=item.first,
            params=None if item.direct is None else item.direct.params,
            started=None if item.direct is None else item.direct.started,
        )
        if following is None or not outcome.followed:
            return None
        following.record = following.record.model_copy(update={"created_at": utc_now()})
        self._admit(item.record.event_uid)
        self._time(following)
        return following

    def _binding_slot(self, entry: BindingEntry) -> anyio.CapacityLimiter | None:
        limit = entry.document.flow.concurrency
        slot = self._binding_slots.get(entry.binding_id)
        if slot is None:
            if limit is None:
                return None
            slot = self._binding_slots[entry.binding_id] = anyio.CapacityLimiter(limit)
        slot.total_tokens = limit or math.inf
        return slot

    async def _end(self, item: Item, outcome: DispatchOutcome, reason: str | None) -> None:
        self._settle(item)
        await self._record(item, outcome, reason)

    async def _record(self, item: Item, outcome: DispatchOutcome, reason: str | None) -> None:
        try:
            await self._db.writer.post(
                dispatches.finish, item.record.workspace_id, item.record.dispatch_id, outcome, reason=reason
            )
        finally:
            self._done(item)
            if item.direct is not None and item.direct.refused is not None:
                item.direct.refused(outcome, reason)

    def _admit(self, event_uid: str, count: int = 1) -> None:
        if count == 0:
            return
        if self.pending == 0:
            self._idle = anyio.Event()
        self.pending += count
        self._open[event_uid] = self._open.get(event_uid, 0) + count

    def _done(self, item: Item) -> None:
        uid = item.record.event_uid
        self._open[uid] -= 1
        if self._open[uid] == 0:
            del self._open[uid]
            self._surfaces.end(uid)
        self.pending -= 1
        if self.pending == 0:
            self._idle.set()


async def _enter(slots: anyio.CapacityLimiter | None, item: Item) -> None:
    """Take a place, without giving up the turn where there is room."""
    if slots is None:
        return
    try:
        slots.acquire_on_behalf_of_nowait(item)
    except anyio.WouldBlock:
        await slots.acquire_on_behalf_of(item)


def _write(cursor: Cursor, decision: Decision, seq: int, records: list[DispatchRecord]) -> None:
    decisions.insert(cursor, decision, seq)
    dispatches.insert(cursor, records)


def _write_following(cursor: Cursor, record: DispatchRecord) -> None:
    dispatches.insert(cursor, [record.model_copy(update={"created_at": utc_now()})])
