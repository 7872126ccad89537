"""The one writer: groups, order, isolation, failure, backpressure."""

import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import bindparam, select

from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.store import Cursor, Database, Writer, events
from langbot_agents.framework.store.statements import Statement, insert
from langbot_agents.framework.store.tables import lease
from langbot_agents.schemas.events import AgentEventEnvelope

MakeEvent = Callable[..., AgentEventEnvelope]

INSERT = insert(lease)
ALL = Statement(select(lease.c.flow_key, lease.c.number).order_by(lease.c.number, lease.c.flow_key))
ONE = Statement(select(lease.c.number).where(lease.c.flow_key == bindparam("flow_key")), "flow_key")


def put(cursor: Cursor, key: str, number: int) -> int:
    """Store a row; a repeated key is refused."""
    cursor.run(INSERT, "default", key, "me", number, "2026")
    return number


def kept(cursor: Cursor) -> list[str]:
    """The keys that are stored, by their number."""
    return [row[0] for row in cursor.all(ALL)]


class Rows:
    """A batch of rows."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def apply(self, cursor: Cursor, rows: Sequence[tuple[str, int]]) -> list[int]:
        """Store them as one."""
        self.sizes.append(len(rows))
        cursor.many(INSERT, [("default", key, "me", number, "2026") for key, number in rows])
        return [number for _, number in rows]


class Gate:
    """Keeps the writer busy until it is opened."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._inside = threading.Event()
        self._open = threading.Event()

    def _wait(self, _cursor: Cursor) -> None:
        self._inside.set()
        self._open.wait(10)

    async def __aenter__(self) -> None:
        await self._writer.post(self._wait)
        await anyio.to_thread.run_sync(self._inside.wait)

    async def __aexit__(self, *_error: object) -> None:
        self._open.set()


async def test_a_unit_is_on_disk_when_it_returns(db: Database) -> None:
    """A submitted unit returns after its commit, with what it gave."""
    assert await db.writer.submit(put, "a", 1) == 1

    beside = sqlite3.connect(db.path)
    assert beside.execute("SELECT flow_key FROM lease").fetchall() == [("a",)]
    beside.close()


async def test_what_waits_is_committed_together(db: Database) -> None:
    """Whatever came while the writer was busy goes in one commit, and rows of one batch in one statement."""
    rows = Rows()
    async with anyio.create_task_group() as tasks, Gate(db.writer):
        for number in range(64):
            tasks.start_soon(db.writer.append, rows, (f"k{number}", number))
        await anyio.wait_all_tasks_blocked()
    commits = db.writer.commits

    assert (commits, rows.sizes, db.writer.units) == (2, [64], 65)


async def test_many_producers(db: Database) -> None:
    """64 producers at once: each row is stored once, and each producer gets its own answer."""
    answers: dict[int, int] = {}

    async def produce(producer: int) -> None:
        for number in range(producer, 3200, 64):
            answers[number] = await db.writer.submit(put, f"k{number}", number)

    async with anyio.create_task_group() as tasks:
        for producer in range(64):
            tasks.start_soon(produce, producer)

    assert answers == {number: number for number in range(3200)}
    assert await db.read(kept) == [f"k{number}" for number in range(3200)]
    assert db.writer.commits < 1600


async def test_tasks_wake_in_the_order_in_which_they_submitted(db: Database) -> None:
    """Waiters wake in the order of submission, whatever kind of unit they have."""
    rows, woken = Rows(), list[int]()

    async def submit(number: int) -> None:
        if number % 3:
            await db.writer.append(rows, (f"k{number}", number))
        else:
            await db.writer.submit(put, f"k{number}", number)
        woken.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(1500):
            tasks.start_soon(submit, number)

    assert woken == list(range(1500))


async def test_only_the_guilty_unit_fails(db: Database) -> None:
    """One unit that breaks a rule or raises fails alone; its neighbours of the same commit are stored."""
    rows, outcome = Rows(), dict[str, object]()

    def half_then_fail(cursor: Cursor) -> None:
        put(cursor, "half", 500)
        raise LookupError("mine")

    async def run(name: str, wait: Callable[[], Awaitable[object]]) -> None:
        try:
            outcome[name] = await wait()
        except Exception as error:
            outcome[name] = error

    async with anyio.create_task_group() as tasks, Gate(db.writer):
        for number in range(100):
            row = ("k7" if number == 50 else f"k{number}", number)
            tasks.start_soon(run, f"row{number}", partial(db.writer.append, rows, row))
        tasks.start_soon(run, "raises", partial(db.writer.submit, half_then_fail))
        tasks.start_soon(run, "after", partial(db.writer.submit, put, "after", 200))
        await anyio.wait_all_tasks_blocked()
    guilty = {name: error for name, error in outcome.items() if isinstance(error, Exception)}

    assert set(guilty) == {"row50", "raises"}
    assert isinstance(guilty["row50"], StoreError)
    assert "UNIQUE" in str(guilty["row50"])
    assert isinstance(guilty["raises"], LookupError)
    assert outcome["after"] == 200
    assert await db.read(kept) == [f"k{number}" for number in range(100) if number != 50] + ["after"]
    assert db.writer.healthy


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["new", "repeat", "raise", "batch", "bad batch"]), max_size=40))
def test_a_batch_is_what_its_units_are_alone(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str]
) -> None:
    """Whatever fails in a group, the store ends as if each unit had been committed alone."""

    def fail(cursor: Cursor, number: int) -> None:
        put(cursor, f"x{number}", number)
        raise ValueError(number)

    async def one(writer: Writer, rows: Rows, kind: str, number: int, good: list[str]) -> None:
        try:
            if kind == "new":
                await writer.submit(put, f"k{number}", number)
            elif kind == "repeat":
                await writer.submit(put, "same", number)
            elif kind == "raise":
                await writer.submit(fail, number)
            else:
                await writer.append(rows, ("same" if kind == "bad batch" else f"k{number}", number))
        except (StoreError, ValueError):
            return
        good.append(f"k{number}" if kind in {"new", "batch"} else "same")

    async def main() -> None:
        root, rows, good = tmp_path_factory.mktemp("store"), Rows(), list[str]()
        async with Database.open("sqlite:///x.db", root=root) as db:
            async with anyio.create_task_group() as tasks, Gate(db.writer):
                for number, kind in enumerate(kinds):
                    tasks.start_soon(one, db.writer, rows, kind, number, good)
                await anyio.wait_all_tasks_blocked()

            assert await db.read(kept) == good
        firsts = [n for n, kind in enumerate(kinds) if kind in {"repeat", "bad batch"}][:1]
        expected = [f"k{n}" if k in {"new", "batch"} else "same" for n, k in enumerate(kinds)]
        mine = [n for n, kind in enumerate(kinds) if kind in {"new", "batch"} or n in firsts]
        assert good == [expected[n] for n in mine]

    anyio.run(main)


@pytest.mark.parametrize("error", [StopIteration("s"), SystemExit(3), KeyboardInterrupt()])
async def test_no_unit_can_end_the_writer(db: Database, error: BaseException) -> None:
    """Whatever a unit raises, its caller hears of it and the writer goes on."""

    def fail(_cursor: Cursor) -> None:
        raise error

    with pytest.raises(RuntimeError, match=type(error).__name__):
        await db.writer.submit(fail)

    assert await db.writer.submit(put, "a", 1) == 1


async def test_a_cancelled_waiter_loses_nothing(db: Database) -> None:
    """Cancelling a task that awaits its unit neither loses the unit nor harms its neighbours."""
    got: list[int] = []

    async def submit(number: int) -> None:
        got.append(await db.writer.submit(put, f"k{number}", number))

    async with anyio.create_task_group() as others, Gate(db.writer):
        others.start_soon(submit, 0)
        with anyio.move_on_after(0.05) as scope:
            await db.writer.submit(put, "k1", 1)
        others.start_soon(submit, 2)
        await anyio.wait_all_tasks_blocked()

    assert (scope.cancelled_caught, got) == (True, [0, 2])
    assert await db.read(kept) == ["k0", "k1", "k2"]


async def test_the_queue_is_bounded(tmp_path: Path) -> None:
    """A full queue makes submitters wait, in order; a waiter that is cancelled gives its place up."""
    async with Database.open("sqlite:///x.db", root=tmp_path) as db:
        writer = Writer(db._connect_writer, db.path, max_waiting=4)
        got: list[int] = []

        async def submit(number: int) -> None:
            got.append(await writer.submit(put, f"k{number}", number))

        async with anyio.create_task_group() as tasks, Gate(writer):
            for number in range(20):
                tasks.start_soon(submit, number)
            await anyio.wait_all_tasks_blocked()
            with anyio.move_on_after(0.05) as scope:
                await writer.submit(put, "never", 99)
            waiting = writer._queue.qsize()
        await writer.close()

        assert (scope.cancelled_caught, waiting, got) == (True, 3, list(range(20)))
        assert await db.read(kept) == [f"k{number}" for number in range(20)]
        assert writer._waiting == 0


async def test_posted_units_are_observed(tmp_path: Path) -> None:
    """A posted unit is not awaited; its failure is told to `on_error`, and `flush` waits for all of them."""
    failures: list[BaseException] = []
    async with Database.open("sqlite:///x.db", root=tmp_path, on_error=failures.append) as db:
        for number in range(10):
            await db.writer.post(put, "k1" if number == 5 else f"k{number}", number)
        await db.writer.flush()

        assert [type(error) for error in failures] == [StoreError]
        assert await db.read(kept) == ["k0", "k1", "k2", "k3", "k4", "k6", "k7", "k8", "k9"]


async def test_what_is_posted_at_once_does_not_wait(tmp_path: Path) -> None:
    """`post_now` waits for nothing and keeps the order; after the end it tells `on_error`."""
    failures: list[BaseException] = []
    async with Database.open("sqlite:///x.db", root=tmp_path, on_error=failures.append) as db:
        writer = db.writer
        await writer.flush()
        writer._max_waiting = 2
        async with Gate(writer):
            for number in range(5):
                writer.post_now(put, f"k{number}", number)
        await writer.submit(put, "k5", 5)

        assert await db.read(kept) == [f"k{number}" for number in range(6)]
        await writer.close()
        writer.post_now(put, "late", 9)

        assert [str(error).rpartition(": ")[2] for error in failures] == ["the store is closed"]


async def test_an_error_callback_that_fails_harms_nobody(tmp_path: Path) -> None:
    """A broken `on_error` does not keep anybody waiting."""

    def broken(_error: BaseException) -> None:
        raise ValueError("broken")

    async with Database.open("sqlite:///x.db", root=tmp_path, on_error=broken) as db:
        await db.writer.post(put, "a", 1)
        await db.writer.post(put, "a", 1)

        assert await db.writer.submit(put, "b", 2) == 2


async def test_closing_commits_what_waits(tmp_path: Path) -> None:
    """The end commits what is queued; who comes later is refused."""
    got: list[int] = []

    async def submit(number: int) -> None:
        got.append(await db.writer.submit(put, f"k{number}", number))

    async with anyio.create_task_group() as tasks:
        db = Database.open("sqlite:///x.db", root=tmp_path)
        for number in range(100):
            tasks.start_soon(submit, number)
        await anyio.lowlevel.checkpoint()
        await db.close()
        with pytest.raises(StoreError, match="closed"):
            await db.writer.submit(put, "late", 1)

    assert got == list(range(100))


async def test_who_waits_for_room_at_the_end_is_told(tmp_path: Path) -> None:
    """A submitter that still waits for room when the store closes is refused, and none hangs."""
    async with Database.open("sqlite:///x.db", root=tmp_path) as db:
        writer = Writer(db._connect_writer, db.path, max_waiting=2)
        outcome: list[str] = []

        async def submit(number: int) -> None:
            try:
                await writer.submit(put, f"k{number}", number)
                outcome.append("stored")
            except StoreError:
                outcome.append("refused")

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                for number in range(6):
                    tasks.start_soon(submit, number)
                await anyio.lowlevel.checkpoint()
                await writer.close()

        assert sorted(outcome) == ["refused"] * 4 + ["stored"] * 2


async def test_a_locked_database_fails_everybody_and_passes(tmp_path: Path) -> None:
    """While another program locks the file every unit fails with what to do; then the writer goes on."""
    async with Database.open("sqlite:///x.db", root=tmp_path, busy_timeout=0.05) as db:
        other = sqlite3.connect(db.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            StoreError, match=r"x\.db: database is locked\n.*end the program that holds a lock"
        ):
            await db.writer.submit(put, "a", 1)

        assert not db.writer.healthy
        assert "locked" in str(db.writer.last_error)
        other.execute("ROLLBACK")
        other.close()
        assert await db.writer.submit(put, "a", 1) == 1
        assert (db.writer.healthy, db.writer.last_error) == (True, None)


DISK = """
import anyio, pathlib, resource, sys
from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.store import Database, events
from langbot_agents.schemas.events import AgentEventEnvelope

def make(number):
    return AgentEventEnvelope(event_id=str(number), event_type='a.b', source={'kind': 'webui', 'name': 'w'},
        delivery={'surface': 'w'}, metadata={'filler': 'x' * 5000})

async def main():
    stored, failed = [], []
    async with Database.open('sqlite:///x.db', root=pathlib.Path(sys.argv[1])) as db:
        async def produce(producer):
            for number in range(producer, 400, 8):
                try:
                    stored.append((await events.append(db.writer, make(number))).event_uid)
                except StoreError as error:
                    failed.append(str(error))
        resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
        async with anyio.create_task_group() as tasks:
            for producer in range(8):
                tasks.start_soon(produce, producer)
        sick = db.writer.healthy
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        stored.append((await events.append(db.writer, make(1000))).event_uid)
        found = {event.envelope.event_uid for event in await db.read(events.page, 'default', limit=9999)}
        print(bool(failed), sick, db.writer.healthy, found == set(stored))
        print(failed[0])

anyio.run(main)
"""


def test_a_full_disk_fails_everybody_and_passes(tmp_path: Path) -> None:
    """When the disk takes no more, nobody is told that an event is stored which is not; and it passes."""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    done = subprocess.run(
        [sys.executable, "-c", DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert (done.stdout.splitlines()[:1], done.stderr) == (["True False True True"], "")
    assert f"{tmp_path / 'x.db'}: disk I/O error" in done.stdout


CRASH = """
import anyio, pathlib, sys
from langbot_agents.framework.store import Database, events
from langbot_agents.schemas.events import AgentEventEnvelope

async def main():
    db = Database.open('sqlite:///x.db', root=pathlib.Path(sys.argv[1]))
    async def produce(producer):
        number = 0
        while True:
            number += 1
            event = AgentEventEnvelope(event_id=f'{producer}-{number}', event_type='a.b',
                source={'kind': 'webui', 'name': 'w'}, delivery={'surface': 'w'})
            appended = await events.append(db.writer, event)
            print(appended.event_uid, appended.seq, flush=True)
    async with anyio.create_task_group() as tasks:
        for producer in range(64):
            tasks.start_soon(produce, producer)

anyio.run(main)
"""


@pytest.mark.parametrize("lines", [1, 700, 5000])
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, lines: int) -> None:
    """An acknowledged event is on disk, also across `kill -9`, under the number that was told."""
    told: dict[str, int] = {}
    with subprocess.Popen(
        [sys.executable, "-c", CRASH, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        for _ in range(lines):
            uid, seq = host.stdout.readline().split()
            told[uid] = int(seq)
        host.kill()
        for line in host.stdout.read().splitlines(keepends=True):
            if line.endswith("\n"):
                uid, seq = line.split()
                told[uid] = int(seq)

    async def stored() -> dict[str | None, int]:
        async with Database.open("sqlite:///x.db", root=tmp_path) as db:
            found = await db.read(events.undecided, limit=1_000_000)
        return {event.envelope.event_uid: event.seq for event in found}

    found = anyio.run(stored)
    assert {uid: found.get(uid) for uid in told} == told


async def test_writes_go_on_while_readers_read(db: Database, make_event: MakeEvent) -> None:
    """A long read holds no writer up."""
    began, done = anyio.Event(), anyio.Event()

    def long_read(cursor: Cursor) -> int:
        anyio.from_thread.run_sync(began.set)
        anyio.from_thread.run(done.wait)
        return len(events.page(cursor, "default"))

    async def write() -> None:
        await began.wait()
        for number in range(20):
            await events.append(db.writer, make_event(str(number)))
        done.set()

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await db.read(long_read)
