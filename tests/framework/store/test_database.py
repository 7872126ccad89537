"""Opening, locking, reading."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from sqlalchemy import literal_column, select

from langbot_agents.framework.errors import StoreError, StoreLockedError
from langbot_agents.framework.store import Cursor, Database, events
from langbot_agents.framework.store.database import sqlite_path
from langbot_agents.framework.store.statements import Statement
from langbot_agents.schemas.events import AgentEventEnvelope

MakeEvent = Callable[..., AgentEventEnvelope]

ONE = Statement(select(literal_column("1")))


def one(cursor: Cursor) -> int:
    """Ask the database for a 1."""
    row = cursor.one(ONE)
    assert row is not None
    return int(row[0])


async def test_a_relative_path_starts_at_the_root(tmp_path: Path) -> None:
    """A relative path starts at the root document's folder, and its folders are made."""
    async with Database.open("sqlite:///data/deep/x.db", root=tmp_path) as db:
        assert db.path == tmp_path / "data" / "deep" / "x.db"
        assert db.path.is_file()


@pytest.fixture
def umask() -> Iterator[None]:
    """A user whose files everybody may read, and whose group may write them."""
    before = os.umask(0o002)
    yield
    os.umask(before)


async def test_only_this_user_may_read_it(tmp_path: Path, umask: None) -> None:
    """The folders and files of the store are this user's alone, whatever the umask says."""
    async with Database.open("sqlite:///data/deep/x.db", root=tmp_path) as db:
        await db.writer.flush()
        await db.read(one)
        names = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").rglob("*")}

    assert names.pop("deep") == 0o700
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert names == dict.fromkeys(("x.db", "x.db.lock", "x.db-wal", "x.db-shm"), 0o600)


async def test_rights_that_are_there_stay(tmp_path: Path, umask: None) -> None:
    """Who has opened a folder or a file to others has meant it."""
    folder, file = tmp_path / "data", tmp_path / "data" / "x.db"
    folder.mkdir(0o750)
    file.touch(0o640)
    async with Database.open("sqlite:///data/x.db", root=tmp_path):
        assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o750, 0o640)


def test_an_absolute_path_stays(tmp_path: Path) -> None:
    """Four slashes begin an absolute path."""
    assert sqlite_path("sqlite:////var/x.db", tmp_path) == Path("/var/x.db")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@db/x",
        "mysql://db/x",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///x.db?mode=memory",
        "just words",
    ],
)
def test_what_is_no_sqlite_file_is_refused(url: str, tmp_path: Path) -> None:
    """A URL that is not of an SQLite file is refused, with how to write one and without its password."""
    with pytest.raises(StoreError, match=r"storage: [\s\S]*sqlite:///data/langbot-agents\.db") as caught:
        Database.open(url, root=tmp_path)

    assert "secret" not in str(caught.value)


def test_a_second_host_is_refused(tmp_path: Path) -> None:
    """One host a SQLite file: a second one is told which process holds which file."""
    code = (
        "import pathlib, sys, time\n"
        "from langbot_agents.framework.store import Database\n"
        "db = Database.open('sqlite:///x.db', root=pathlib.Path(sys.argv[1]))\n"
        "print('open', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "open\n"
        with pytest.raises(StoreLockedError, match=rf"x\.db: .*process {host.pid}\n.*end that process"):
            Database.open("sqlite:///x.db", root=tmp_path)
        host.kill()

    Database.open("sqlite:///x.db", root=tmp_path)._lock.release()  # type: ignore[union-attr]


async def test_closing_lets_the_next_host_in(tmp_path: Path) -> None:
    """The lock ends with the host."""
    for _ in range(2):
        async with Database.open("sqlite:///x.db", root=tmp_path) as db:
            assert await db.read(one) == 1


async def test_reading_beside_a_running_host(db: Database, make_event: MakeEvent) -> None:
    """The commands read beside a running host, see what it commits, and cannot write."""
    root = db.path.parent
    beside = Database.open("sqlite:///store.db", root=root, lock=False, read_only=True)
    appended = await events.append(db.writer, make_event("a"))

    assert beside.read_now(events.get, "default", appended.event_uid) is not None
    with pytest.raises(StoreError, match="for reading only"):
        _ = beside.writer
    await beside.close()


async def test_reading_with_no_host_running(tmp_path: Path) -> None:
    """With none running, reads work on the store."""
    async with Database.open("sqlite:///x.db", root=tmp_path):
        pass
    async with Database.open("sqlite:///x.db", root=tmp_path, lock=False, read_only=True) as db:
        assert await db.read(one) == 1


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    """Reading makes no store."""
    with pytest.raises(StoreError, match=r"x\.db: there is no such store\n.*start the host"):
        Database.open("sqlite:///x.db", root=tmp_path, read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A file that is no database is left alone, and the message says what to do."""
    (tmp_path / "x.db").write_text("these are not the bytes of a database\n" * 50)
    with pytest.raises(StoreError, match=r"x\.db: file is not a database\n.*restore it"):
        Database.open("sqlite:///x.db", root=tmp_path)

    assert (tmp_path / "x.db").read_text().startswith("these are")


def test_a_database_of_something_else(tmp_path: Path) -> None:
    """Another program's database is refused, and nothing is put into it."""
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE pipelines (id)")
    connection.close()
    with pytest.raises(StoreError, match=r"x\.db: a database of something else\n.*another `storage`"):
        Database.open("sqlite:///x.db", root=tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A folder that cannot be made is named, with cause and remedy."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file.*: (File exists|Not a directory)\n.*write the file"):
        Database.open("sqlite:///file/x.db", root=tmp_path)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that other users reach."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_files_of_another_user(public_folder: Path) -> None:
    """A folder, and a file, that this user may not write is named, with cause and remedy."""
    os.seteuid(65534)
    try:
        with pytest.raises(StoreError, match=r"x\.db\.lock: Permission denied\n.*let this user write"):
            Database.open("sqlite:///x.db", root=public_folder)
    finally:
        os.seteuid(0)
    anyio.run(Database.open("sqlite:///x.db", root=public_folder).close)
    public_folder.chmod(0o777)
    (public_folder / "x.db.lock").unlink()
    (public_folder / "x.db").chmod(0o644)
    os.seteuid(65534)
    try:
        with pytest.raises(StoreError, match=r"x\.db: attempt to write a readonly database\n.*let this user"):
            Database.open("sqlite:///x.db", root=public_folder)
    finally:
        os.seteuid(0)


async def test_a_read_is_of_one_moment(db: Database, make_event: MakeEvent) -> None:
    """All that one read sees is of one moment, whatever is written meanwhile."""
    began, written = anyio.Event(), anyio.Event()

    def twice(cursor: Cursor) -> tuple[int, int]:
        before = len(events.page(cursor, "default"))
        anyio.from_thread.run_sync(began.set)
        anyio.from_thread.run(written.wait)
        return before, len(events.page(cursor, "default"))

    async def write() -> None:
        await began.wait()
        await events.append(db.writer, make_event("a"))
        written.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        seen = await db.read(twice)

    assert seen == (0, 0)
    assert len(await db.read(events.page, "default")) == 1


async def test_reads_run_at_once_and_reuse_their_connections(db: Database) -> None:
    """More reads than readers wait for their turn; none is refused."""
    got: list[int] = []

    async def read() -> None:
        got.append(await db.read(one))

    async with anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(read)

    assert got == [1] * 100
    assert len(db._idle) <= 4


async def test_a_read_that_fails_gives_its_connection_back(db: Database) -> None:
    """What a read raises comes back unchanged, and the next read works."""

    def fail(_cursor: Cursor) -> None:
        raise LookupError("mine")

    for _ in range(10):
        with pytest.raises(LookupError, match="mine"):
            await db.read(fail)

    assert await db.read(one) == 1


async def test_readers_cannot_write(db: Database, make_event: MakeEvent) -> None:
    """Only the writer writes."""
    with pytest.raises(StoreError, match="readonly"):
        await db.read(events.insert, make_event("a"))


async def test_a_closed_store_says_so(tmp_path: Path, make_event: MakeEvent) -> None:
    """After the end, reads and writes say that the store is closed."""
    async with Database.open("sqlite:///x.db", root=tmp_path) as db:
        pass
    with pytest.raises(StoreError, match="closed"):
        await db.read(one)
    with pytest.raises(StoreError, match="closed"):
        await events.append(db.writer, make_event("a"))
