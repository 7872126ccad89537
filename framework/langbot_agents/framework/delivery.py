"""Where output goes: per message one opening, growth while somebody watches, and exactly one close."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import anyio
from anyio.abc import TaskGroup

from langbot_agents.schemas.base import changed, trusted
from langbot_agents.schemas.bindings import AgentBinding, NamedTarget
from langbot_agents.schemas.events import AgentEventEnvelope, ReplyTarget
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.records import DeadLetter, DeliveryRecord, RunRecord
from langbot_agents.schemas.results import AgentRunResult
from langbot_agents.schemas.text import localized

from .clock import utc_now
from .ids import new_id
from .platforms import Content, Outgoing, Surface, Surfaces
from .results import OutputMessage, RunOutput
from .store import Cursor, Database, dead_letters, outbox, runs
from .telemetry import get_logger
from .texts import t

log = get_logger(__name__)

SEND_DEADLINE = 30.0
"""Seconds that a surface may take for one step."""

ERROR_MESSAGE_ID = "host.error"
EMPTY_MESSAGE_ID = "host.empty"


@dataclass(kw_only=True)
class _Item:
    """One message for one place."""

    record: DeliveryRecord
    surface: Surface | None
    intended: bool = False
    """Whether its row was to be committed; whether it was cannot be known after a cancel."""
    opened: bool = False
    shown: int = 0
    """Pieces that were shown."""
    broken: bool = False

    @cached_property
    def outgoing(self) -> Outgoing:
        record = self.record
        return Outgoing(
            delivery_id=record.delivery_id,
            event_uid=record.event_uid,
            run_id=record.run_id,
            message_id=record.message_id,
            target=record.target,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """A place that a binding's output goes to."""

    surface: str
    target: ReplyTarget


def destinations(event: AgentEventEnvelope, binding: AgentBinding) -> tuple[Destination, ...]:
    """Where the policy sends output; nowhere for observers, `none`, and events without a reply target."""
    if binding.mode == "observe":
        return ()
    found: dict[str, Destination] = {}
    for item in binding.delivery_policy.targets:
        if isinstance(item, NamedTarget):
            place = Destination(surface=item.surface, target=item.target)
        elif item == "reply" and event.delivery.reply_target is not None:
            place = Destination(surface=event.delivery.surface, target=event.delivery.reply_target)
        else:
            continue
        found.setdefault(outbox.target_key(place.surface, place.target), place)  # one place, one message
    return tuple(found.values())


class DeliveryController:
    """Begins the delivery of runs, and ends what a crash left unfinished."""

    def __init__(self, db: Database, surfaces: Surfaces) -> None:
        self._db = db
        self._surfaces = surfaces

    def begin(
        self,
        run: RunRecord,
        event: AgentEventEnvelope,
        binding: AgentBinding,
        output: RunOutput,
        tasks: TaskGroup | None = None,
    ) -> "RunDelivery":
        """The delivery of one run; `tasks` is for showing it as it grows."""
        places = [(place, self._surfaces.get(place.surface)) for place in destinations(event, binding)]
        return RunDelivery(self._db, run, binding, output, places=places, tasks=tasks)

    async def recover(self) -> int:
        """After a crash: send again what can be, list the rest as unknown. Gives how many rows were ended."""
        rows = await self._db.read(outbox.unfinished)
        for row in rows:
            surface = self._surfaces.get(row.surface)
            item = _Item(record=row, surface=surface)
            if (
                surface is not None
                and row.content is not None
                and (surface.idempotent_send or row.status == "pending")
            ):
                await _send(self._db, item, _content(row.content))
            else:
                reason = t("the host stopped while this was sent; whether it arrived is not known")
                await self._db.writer.submit(_unknown, row, reason)
        return len(rows)


class RunDelivery:
    """What one run shows: grows with its output, is settled in the run's last commit, then closed."""

    def __init__(
        self,
        db: Database,
        run: RunRecord,
        binding: AgentBinding,
        output: RunOutput,
        *,
        places: Sequence[tuple[Destination, Surface | None]],
        tasks: TaskGroup | None,
    ) -> None:
        self._db = db
        self._tasks = tasks
        self._run = run
        self._policy = binding.delivery_policy
        self._output = output
        self._places = places
        self._items: dict[tuple[str, int], _Item] = {}
        self._stopped = False
        self._signal: anyio.Event | None = None
        """Tells the task that shows growth that there is some; None while there is no such task."""
        self._ended: anyio.Event | None = None
        self._settled: list[tuple[_Item, Content]] = []
        self.opened_any = False
        self._growing = [
            self._policy.streaming != "off" and surface is not None and _can_stream(surface, place.target)
            for place, surface in places
        ]
        self.streams = any(self._growing)
        """Whether pieces are shown as they come, in one place at least."""

    @property
    def idle(self) -> bool:
        """Whether nothing is being shown."""
        return self._ended is None or self._ended.is_set()

    def changed(self, message: OutputMessage) -> None:
        """A message has grown; somebody to show it is there from the first growth that somebody sees."""
        if self._signal is not None:
            self._signal.set()
        elif self.streams and not self._stopped and self._tasks is not None and self._seen(message):
            self._signal, self._ended = anyio.Event(), anyio.Event()
            self._signal.set()
            self._tasks.start_soon(self._pump, self._ended, name=f"delivery of {self._run.run_id}")

    async def _pump(self, ended: anyio.Event) -> None:
        """Show what is new, as long as the run goes on; runs beside it and never holds it."""
        try:
            while not self._stopped and self._signal is not None:
                await self._signal.wait()
                self._signal = anyio.Event()
                for message in list(self._output.messages.values()):
                    await self._grow(message)
        except Exception:  # isolation boundary: what a run shows must not stop the host
            log.exception("delivery_growth_broke", run_id=self._run.run_id)
        finally:
            ended.set()

    async def stop(self) -> None:
        """No more growth; waits for the step under way."""
        self._stopped = True
        if self._signal is not None:
            self._signal.set()
        if self._ended is not None:
            await self._ended.wait()

    def settle(
        self, extra: Iterable[tuple[str, str]] = (), *, whole: bool = True
    ) -> Callable[[Cursor], None] | None:
        """Decide what each place is shown in the end; gives the part of the run's last commit that says so,
        in which the run is marked effectful.

        `extra` are texts of ours as (message_id, text), such as an error. Of a run that is not `whole`
        only what was whole itself or has been shown is delivered. None where there is nothing to do.
        """
        self._settled.clear()
        contents = [(message.message_id, message.content) for message in self.told(whole=whole)]
        contents += list(extra)
        for message_id, content in contents:
            for index in range(len(self._places)):
                self._settled.append((self._item(message_id, index), content))
        if not self._settled:
            return None

        def unit(cursor: Cursor) -> None:
            for item, content in self._settled:
                stored = _jsonable(content)
                record = changed(item.record, status="sending", attempts=1, content=stored)
                if not outbox.insert(cursor, record):  # its opening is on disk already
                    outbox.update(
                        cursor, record.workspace_id, record.delivery_id, "sending", attempts=1, content=stored
                    )

        return unit

    @property
    def settled(self) -> bool:
        """Whether there is something that people get to see in the end."""
        return bool(self._settled)

    def told(self, *, whole: bool) -> list[OutputMessage]:
        """The messages that people get to see: what says something, and what was begun."""
        begun = {message_id for (message_id, _place), item in self._items.items() if item.intended}
        return [
            message
            for message in self._output.messages.values()
            if message.message_id in begun or (message.content and (whole or message.final is not None))
        ]

    async def close(self) -> None:
        """Close each message once, with its whole content; after the commit of `settle`'s part."""
        for item, content in self._settled:
            await _send(self._db, item, content)
        self._settled.clear()

    def _seen(self, message: OutputMessage) -> bool:
        """Whether growth of a message is shown anywhere now."""
        return bool(message.pieces) and any(
            self._policy.streaming == "on" or _watched(surface, self._item(message.message_id, index))
            for index, (_place, surface) in enumerate(self._places)
            if surface is not None and self._growing[index]
        )

    async def _grow(self, message: OutputMessage) -> None:
        if not message.pieces:
            return
        for index, (_place, surface) in enumerate(self._places):
            if self._stopped:
                return
            if surface is None or not self._growing[index]:
                continue
            item = self._item(message.message_id, index)
            if not item.broken:
                await self._show(item, surface, message)

    async def _show(self, item: _Item, surface: Surface, message: OutputMessage) -> None:
        try:
            with anyio.fail_after(SEND_DEADLINE):
                if not item.intended:
                    if not (self._policy.streaming == "on" or surface.watched(item.outgoing)):
                        return
                    item.intended = self.opened_any = True
                    await self._db.writer.submit(self._intend, item)
                    await surface.open(item.outgoing)
                    item.opened = True
                if len(message.pieces) > item.shown:
                    added = "".join(message.pieces[item.shown :])
                    item.shown = len(message.pieces)
                    await surface.grow(item.outgoing, added, lambda: message.streamed)
        except Exception as error:  # isolation boundary: one surface must not stop a run
            item.broken = True
            log.warning(
                "delivery_growth_failed",
                surface=surface.name,
                delivery_id=item.record.delivery_id,
                error=str(error),
            )

    def _intend(self, cursor: Cursor, item: _Item) -> None:
        outbox.insert(cursor, changed(item.record, status="sending", attempts=1))
        runs.mark_effectful(cursor, self._run.workspace_id, self._run.run_id)

    def _item(self, message_id: str, index: int) -> _Item:
        """The message for the place of that index."""
        found = self._items.get((message_id, index))
        if found is not None:
            return found
        place, surface = self._places[index]
        now = utc_now()
        record = trusted(
            DeliveryRecord,
            delivery_id=new_id("dlv"),
            workspace_id=self._run.workspace_id,
            run_id=self._run.run_id,
            event_uid=self._run.event_uid,
            message_id=message_id,
            surface=place.surface,
            target=place.target,
            created_at=now,
            updated_at=now,
        )
        item = self._items[message_id, index] = _Item(record=record, surface=surface)
        return item


def _watched(surface: Surface, item: _Item) -> bool:
    try:
        return surface.watched(item.outgoing)
    except Exception as error:  # isolation boundary: one surface must not stop a run
        log.warning("surface_watched_failed", surface=surface.name, error=str(error))
        return False


def _can_stream(surface: Surface, target: ReplyTarget) -> bool:
    try:
        return surface.context(target).supports_streaming
    except Exception as error:  # isolation boundary: one surface must not stop a run
        log.warning("surface_context_failed", surface=surface.name, error=str(error))
        return False


async def _send(db: Database, item: _Item, content: Content) -> None:
    record = item.record
    if item.surface is None:
        reason = t("surface {name!r} is not configured", name=record.surface)
        await db.writer.submit(_failed, record, reason)
        return
    try:
        with anyio.fail_after(SEND_DEADLINE):
            platform_id = await item.surface.close(item.outgoing, content, opened=item.opened)
    except TimeoutError:
        await db.writer.submit(
            _unknown, record, t("surface {name!r} did not answer in time", name=record.surface)
        )
    except Exception as error:  # isolation boundary: one surface must not stop a run
        await db.writer.submit(_failed, record, f"{type(error).__name__}: {error}")
    else:
        await db.writer.post(
            outbox.update, record.workspace_id, record.delivery_id, "sent", platform_message_id=platform_id
        )


def _failed(cursor: Cursor, record: DeliveryRecord, reason: str) -> None:
    outbox.update(cursor, record.workspace_id, record.delivery_id, "failed", error=reason)
    dead_letters.insert(cursor, _dead(record, "delivery.failed", reason))


def _unknown(cursor: Cursor, record: DeliveryRecord, reason: str) -> None:
    outbox.update(cursor, record.workspace_id, record.delivery_id, "unknown", error=reason)
    dead_letters.insert(cursor, _dead(record, "delivery.unknown", reason))


def _dead(record: DeliveryRecord, code: str, reason: str) -> DeadLetter:
    return DeadLetter(
        dead_letter_id=new_id("dlt"),
        workspace_id=record.workspace_id,
        kind="delivery",
        event_uid=record.event_uid,
        run_id=record.run_id,
        delivery_id=record.delivery_id,
        code=code,
        reason=reason,
        created_at=utc_now(),
    )


def _jsonable(content: Content) -> Any:
    return (
        content
        if isinstance(content, str)
        else [part.model_dump(mode="json", exclude_none=True) for part in content]
    )


def _content(stored: Any) -> Content:
    return Message.model_validate({"content": stored}).content


def error_text(binding: AgentBinding, end: AgentRunResult, locale: str) -> str | None:
    """What a person sees of a failed run, by `on_error`; None for nothing."""
    policy = binding.delivery_policy
    if policy.on_error == "hide":
        return None
    if policy.on_error == "error":
        code, public = end.data.get("code", "runner.error"), end.data.get("error", "")
        return f"{code}: {public}" if public else str(code)
    return localized(policy.hint_text, locale) or t(
        "Something went wrong. Please try again later.", lang=locale
    )


def empty_text(binding: AgentBinding, locale: str) -> str | None:
    """What a person sees of a run that said nothing, by `on_empty`; None for nothing."""
    if binding.delivery_policy.on_empty == "silent":
        return None
    return t("There is no answer to this.", lang=locale)
