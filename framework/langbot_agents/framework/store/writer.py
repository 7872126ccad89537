"""The one writer: a thread that commits what many tasks submit, together."""

# A waiter is a future of the event loop itself: anyio has no future that a thread can settle, and an
# anyio.Event for each of some ten thousand rows a second would cost more than the row.
import asyncio
import contextlib
import itertools
import logging
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import anyio
import anyio.to_thread

from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.texts import t

from .failures import is_store_wide, store_error
from .statements import Cursor

P = ParamSpec("P")
T = TypeVar("T")
RowT_contra = TypeVar("RowT_contra", contravariant=True)
ResultT_co = TypeVar("ResultT_co", covariant=True)

MAX_BATCH = 512
MAX_WAITING = 4096

_log = logging.getLogger(__name__)


class Batch(Protocol[RowT_contra, ResultT_co]):
    """Rows that go together as one `executemany`."""

    def apply(self, cursor: Cursor, rows: Sequence[RowT_contra], /) -> Sequence[ResultT_co]:
        """Write the rows and give one result for each."""


class _Ticket:
    """One submitted unit, or one row of a batch, and what became of it."""

    __slots__ = ("args", "batch", "error", "future", "kwargs", "unit", "value")

    def __init__(self, future: asyncio.Future[Any] | None) -> None:
        self.future = future
        self.batch: Batch[Any, Any] | None = None
        self.unit: Callable[..., Any] | None = None
        self.args: Any = None
        self.kwargs: dict[str, Any] = {}
        self.value: Any = None
        self.error: BaseException | None = None

    def apply(self, cursor: Cursor) -> None:
        if self.unit is not None:
            self.value = self.unit(cursor, *self.args, **self.kwargs)
        elif self.batch is not None:
            (self.value,) = self.batch.apply(cursor, [self.args])

    def settle(self, on_error: Callable[[BaseException], None]) -> None:
        future = self.future
        if future is None:
            if self.error is not None:
                on_error(self.error)
        elif not future.done():  # done means that its task was cancelled; the unit was committed all the same
            if self.error is not None:
                future.set_exception(self.error)
            else:
                future.set_result(self.value)


class Writer:
    """Takes units from the event loop and commits up to `MAX_BATCH` of them at a time, in order.

    A unit is `unit(cursor, *args, **kwargs)`. It may run twice (the batch, then alone), so it must have
    no effect but through its cursor. What it raises comes back to its own caller, and nothing of it is kept.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        place: Path,
        *,
        on_error: Callable[[BaseException], None] | None = None,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self.commits = 0
        self.units = 0
        self.last_error: StoreError | None = None
        self._connect = connect
        self._place = place
        self._on_error = on_error or self._log_error
        self._connection: sqlite3.Connection | None = None
        self._queue: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._max_waiting = max_waiting
        self._waiting = 0
        self._turnstile: deque[asyncio.Future[None]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def healthy(self) -> bool:
        """Whether the last commit came through."""
        return self.last_error is None

    async def submit(
        self, unit: Callable[Concatenate[Cursor, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Commit a unit and give what it returned.

        Cancellation before the unit is queued leaves it out; afterwards it is committed all the same.
        """
        await self._enter()
        ticket = _Ticket(self._new_future())
        ticket.unit, ticket.args, ticket.kwargs = unit, args, kwargs
        self._queue.put(ticket)
        result: T = await ticket.future  # type: ignore[misc]
        return result

    async def append(self, batch: Batch[RowT_contra, ResultT_co], row: RowT_contra) -> ResultT_co:
        """Commit one row of a batch and give its result; neighbours of one batch go as one statement."""
        await self._enter()
        ticket = _Ticket(self._new_future())
        ticket.batch, ticket.args = batch, row
        self._queue.put(ticket)
        result: ResultT_co = await ticket.future  # type: ignore[misc]
        return result

    async def post(
        self, unit: Callable[Concatenate[Cursor, P], object], /, *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Queue a unit without awaiting its commit; its error goes to `on_error`."""
        await self._enter()
        ticket = _Ticket(None)
        ticket.unit, ticket.args, ticket.kwargs = unit, args, kwargs
        self._queue.put(ticket)

    def post_now(
        self, unit: Callable[Concatenate[Cursor, P], object], /, *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """The same without waiting for room in the queue; for what comes at a bounded pace."""
        if self._thread is None:
            self._start()
        if self._closed:
            self._on_error(self._closed_error())
            return
        self._waiting += 1
        ticket = _Ticket(None)
        ticket.unit, ticket.args, ticket.kwargs = unit, args, kwargs
        self._queue.put(ticket)

    async def flush(self) -> None:
        """Return when all that was queued before is committed."""
        await self.submit(_nothing)

    async def close(self) -> None:
        """Commit what is queued, then end."""
        if self._closed:
            return
        self._closed = True
        for waiter in self._turnstile:
            if not waiter.done():
                waiter.set_exception(self._closed_error())
        self._turnstile.clear()
        if self._thread is None:
            return
        self._queue.put(None)
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._thread.join)

    def _closed_error(self) -> StoreError:
        return StoreError(t("{place}: the store is closed", place=self._place))

    def _log_error(self, error: BaseException) -> None:
        _log.error("%s: a posted write failed: %s", self._place, error, exc_info=error)

    def _new_future(self) -> asyncio.Future[Any]:
        assert self._loop is not None
        return self._loop.create_future()

    async def _enter(self) -> None:
        """Wait for room in the queue, first come first served."""
        if self._thread is None:
            self._start()
        if self._closed:
            raise self._closed_error()
        if self._waiting < self._max_waiting and not self._turnstile:
            self._waiting += 1
            return
        waiter = self._new_future()
        self._turnstile.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._leave(1)  # it had got its place already
            raise
        finally:
            if waiter in self._turnstile:
                self._turnstile.remove(waiter)
        if self._closed:  # between its turn and now
            self._leave(1)
            raise self._closed_error()

    def _leave(self, count: int) -> None:
        self._waiting -= count
        while self._turnstile and self._waiting < self._max_waiting:
            waiter = self._turnstile.popleft()
            if not waiter.done():
                self._waiting += 1
                waiter.set_result(None)

    def _start(self) -> None:
        if self._closed:
            return
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    # What follows runs in the thread, but for _settle.

    def _run(self) -> None:
        open_ = True
        while open_:
            tickets = self._take()
            if tickets[-1] is None:
                open_ = False
                tickets.pop()
            work = [ticket for ticket in tickets if ticket is not None]
            if work:
                self._write(work)
                self._deliver(work)
        self._disconnect()

    def _take(self) -> list[_Ticket | None]:
        """Everything that is queued, at most `MAX_BATCH`; None, the end, is always the last."""
        tickets = [self._queue.get()]
        try:
            while len(tickets) < MAX_BATCH and tickets[-1] is not None:
                tickets.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        return tickets

    def _deliver(self, tickets: list[_Ticket]) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(self._settle, tickets)
        except RuntimeError:
            # The loop ended without closing the store: nobody waits any more, and the rows are on disk.
            _log.warning("%s: the event loop ended before the store was closed", self._place)

    def _settle(self, tickets: list[_Ticket]) -> None:
        for ticket in tickets:
            try:
                ticket.settle(self._on_error)
            except Exception:  # isolation boundary: an error callback must not keep the others waiting
                _log.exception("%s: on_error failed", self._place)
        self._leave(len(tickets))

    def _write(self, tickets: list[_Ticket]) -> None:
        """Commit them together, else each alone."""
        try:
            self._transaction(self._together, tickets)
        except BaseException as error:  # isolation boundary: whatever a unit raises, the thread goes on
            if is_store_wide(error):
                self._fail(tickets, error)
                return
        else:
            return
        try:
            self._transaction(self._one_by_one, tickets)
        except BaseException as error:  # isolation boundary, as above
            self._fail(tickets, error)

    def _transaction(
        self, work: Callable[[sqlite3.Connection, list[_Ticket]], None], tickets: list[_Ticket]
    ) -> None:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            work(connection, tickets)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # what came first says why
                connection.execute("ROLLBACK")
            raise
        self.commits += 1
        self.units += len(tickets)
        self.last_error = None

    def _together(self, connection: sqlite3.Connection, tickets: list[_Ticket]) -> None:
        cursor = Cursor(connection.cursor())
        for batch, group in itertools.groupby(tickets, key=_batch_of):
            if batch is None:
                for ticket in group:
                    ticket.apply(cursor)
                continue
            members = list(group)
            values = batch.apply(cursor, [ticket.args for ticket in members])
            for ticket, value in zip(members, values, strict=True):
                ticket.value = value

    def _one_by_one(self, connection: sqlite3.Connection, tickets: list[_Ticket]) -> None:
        """Give each unit a savepoint, so that only the guilty one fails."""
        cursor = Cursor(connection.cursor())
        for ticket in tickets:
            connection.execute("SAVEPOINT unit")
            try:
                ticket.apply(cursor)
            except BaseException as error:  # isolation boundary: it belongs to this unit's caller
                if is_store_wide(error):
                    raise
                connection.execute("ROLLBACK TO unit")
                ticket.error = self._own_error(error)
            connection.execute("RELEASE unit")

    def _fail(self, tickets: list[_Ticket], error: BaseException) -> None:
        """Fail all of them, and begin anew with the next batch."""
        for ticket in tickets:
            # One error object each: a traceback grows with every task that raises it.
            ticket.error = ticket.error or self._wide_error(error)
        self.last_error = self._wide_error(error)
        self._disconnect()

    def _own_error(self, error: BaseException) -> BaseException:
        if isinstance(error, sqlite3.Error):
            return store_error(error, self._place)
        if isinstance(error, Exception) and not isinstance(error, StopIteration):
            return error
        # A future refuses StopIteration, and an exit or a cancellation would end a task that caused none.
        made = RuntimeError(f"a unit raised {error!r}")
        made.__cause__ = error
        return made

    def _wide_error(self, error: BaseException) -> StoreError:
        if isinstance(error, sqlite3.Error):
            return store_error(error, self._place)
        made = StoreError(t("{place}: {cause}", place=self._place, cause=error))
        made.__cause__ = error
        return made

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except sqlite3.Error as error:
                _log.warning("%s: %s", self._place, error)


def _batch_of(ticket: _Ticket) -> Batch[Any, Any] | None:
    return ticket.batch


def _nothing(_cursor: Cursor) -> None:
    """The unit of `flush`."""
