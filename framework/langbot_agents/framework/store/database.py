"""The database: opened, locked, brought up to date, then read by many and written by one."""

import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar
from urllib.parse import quote

import anyio
import anyio.to_thread
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.texts import t

from . import migrations
from .failures import store_error
from .lock import HostLock
from .private import private_file, private_folder
from .statements import Cursor
from .writer import Writer

P = ParamSpec("P")
T = TypeVar("T")

_WRITER_PRAGMAS = """
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = OFF;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -16384;
"""
# Foreign keys are off: retention removes rows in any order, and each check would cost a look-up a row. A
# checkpoint every 16 MB instead of every 4 stops the writer less often.


class Database:
    """One open database; `open` makes it, `close` ends it."""

    def __init__(self, path: Path, *, read_only: bool, busy_timeout: float, readers: int) -> None:
        self.path = path
        self.read_only = read_only
        self._busy_timeout = busy_timeout
        self._readers = readers
        self._limiter = anyio.CapacityLimiter(readers)
        self._idle: deque[sqlite3.Connection] = deque()
        self._lock: HostLock | None = None
        self._writer: Writer | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        url: str,
        *,
        root: Path,
        lock: bool = True,
        read_only: bool = False,
        busy_timeout: float = 5.0,
        readers: int = 4,
        on_error: Callable[[BaseException], None] | None = None,
    ) -> Self:
        """Open it and bring it up to date; a relative path starts at `root`. Blocks.

        `lock=False, read_only=True` reads beside a running host. `on_error` hears of posted writes that
        failed.
        Raises `StoreLockedError` where another host holds it, `StoreError` for whatever else is wrong.
        """
        database = cls(
            sqlite_path(url, root), read_only=read_only, busy_timeout=busy_timeout, readers=readers
        )
        try:
            if read_only:
                database._open_for_reading()
            else:
                database._open_for_writing(lock, on_error)
        except BaseException as error:
            if database._lock is not None:
                database._lock.release()
            if isinstance(error, sqlite3.Error):
                raise database._told(error) from error
            if isinstance(error, OSError):
                raise database._refused(error) from error
            raise
        return database

    @property
    def writer(self) -> Writer:
        """The writer; `StoreError` where the store was opened for reading."""
        if self._writer is None:
            raise StoreError(t("{place}: opened for reading only", place=self.path))
        return self._writer

    async def read(self, fn: Callable[Concatenate[Cursor, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(cursor, ...)` in a thread, on one snapshot."""
        return await anyio.to_thread.run_sync(
            lambda: self.read_now(fn, *args, **kwargs), limiter=self._limiter
        )

    def read_now(self, fn: Callable[Concatenate[Cursor, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn(cursor, ...)` here, blocking."""
        if self._closed:
            raise StoreError(t("{place}: the store is closed", place=self.path))
        connection: sqlite3.Connection | None = None
        try:
            connection = self._borrow()
            connection.execute("BEGIN")
            return fn(Cursor(connection.cursor()), *args, **kwargs)
        except sqlite3.Error as error:
            raise self._told(error) from error
        finally:
            if connection is not None:
                self._give_back(connection)

    async def close(self) -> None:
        """Commit what is queued, then let go of everything."""
        if self._closed:
            return
        if self._writer is not None:
            await self._writer.close()
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        if self._lock is not None:
            self._lock.release()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _open_for_reading(self) -> None:
        if not self.path.is_file():
            raise StoreError(
                t("{place}: there is no such store", place=self.path), remedy=t("start the host once")
            )
        connection = self._borrow()
        try:
            if self._revision(connection) != migrations.HEAD:
                raise StoreError(
                    t("{place}: the store is older than this program", place=self.path),
                    remedy=t("start the host once, which brings it up to date"),
                )
        finally:
            connection.close()

    def _open_for_writing(self, lock: bool, on_error: Callable[[BaseException], None] | None) -> None:
        private_folder(self.path.parent)
        if lock:
            self._lock = HostLock(self.path)
        private_file(self.path)  # the write-ahead log gets the rights of the file
        with closing(self._connect_writer()) as connection:
            # A file that may not be written opens all the same, even for BEGIN IMMEDIATE; a change says so.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("PRAGMA user_version = 0")
            connection.execute("ROLLBACK")
            if self._revision(connection) != migrations.HEAD:
                _migrate(connection)
        self._writer = Writer(self._connect_writer, self.path, on_error=on_error)

    def _revision(self, connection: sqlite3.Connection) -> str | None:
        """The revision of the file; None where it is empty.

        Asked without Alembic, whose import takes long.
        """
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        if not tables:
            return None
        if "alembic_version" not in tables or "event" not in tables:
            raise StoreError(
                t("{place}: a database of something else", place=self.path),
                remedy=t("set another `storage` in langbot-agents.yaml"),
            )
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        revision = str(row[0]) if row else ""
        if revision not in migrations.REVISIONS:
            raise StoreError(
                t(
                    "{place}: made by a newer langbot-agents: revision {revision!r}, ours is {known!r}",
                    place=self.path,
                    revision=revision,
                    known=migrations.HEAD,
                ),
                remedy=t("update langbot-agents, or restore the backup from before the update"),
            )
        return revision

    def _connect(self, mode: str) -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{quote(str(self.path))}?mode={mode}",
            uri=True,
            timeout=self._busy_timeout,
            isolation_level=None,  # we say BEGIN; the driver says nothing
            check_same_thread=False,
            cached_statements=256,
        )

    def _connect_writer(self) -> sqlite3.Connection:
        connection = self._connect("rwc")
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StoreError(
                    t("{place}: the file system cannot hold a write-ahead log", place=self.path),
                    remedy=t("put the store on a local disk"),
                )
            connection.executescript(_WRITER_PRAGMAS)
        except BaseException:
            connection.close()
            raise
        return connection

    def _borrow(self) -> sqlite3.Connection:
        with suppress(IndexError):
            return self._idle.pop()
        connection = self._connect("ro" if self.read_only else "rw")
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            connection.close()  # there was no transaction, so it is of no use
            return
        if self._closed or len(self._idle) >= self._readers:
            connection.close()
        else:
            self._idle.append(connection)

    def _told(self, error: sqlite3.Error) -> StoreError:
        return store_error(error, self.path)

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(
            t("{place}: {cause}", place=error.filename or self.path, cause=error.strerror or error),
            remedy=t(
                "let this user write the file and its folder, or set another `storage` in langbot-agents.yaml"
            ),
        )


def sqlite_path(url: str, root: Path) -> Path:
    """The file that a URL names; `StoreError` for what is no SQLite file."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreError(
            t("storage: {url!r} is not a database URL", url=url),
            remedy=t("write it as sqlite:///data/langbot-agents.db"),
        ) from error
    shown = parsed.render_as_string(hide_password=True)
    if parsed.drivername != "sqlite":
        raise StoreError(
            t("storage: {url!r}: this version stores in SQLite only", url=shown),
            remedy=t("write it as sqlite:///data/langbot-agents.db"),
        )
    if not parsed.database or parsed.database == ":memory:" or parsed.query:
        raise StoreError(
            t("storage: {url!r}: a path alone is wanted, of a file that lasts", url=shown),
            remedy=t("write it as sqlite:///data/langbot-agents.db"),
        )
    return (root / parsed.database).absolute()


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring it to the newest revision, all or nothing."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import StaticPool

    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    event.listen(engine, "begin", lambda begun: begun.exec_driver_sql("BEGIN IMMEDIATE"))
    migrations.upgrade(engine)
