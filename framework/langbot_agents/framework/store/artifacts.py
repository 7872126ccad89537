"""Artifacts: files by their digest under one folder, and a row for each that names them."""

import hashlib
import os
import re
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

import anyio
from anyio.to_thread import run_sync
from sqlalchemy import delete as delete_from
from sqlalchemy import select

from langbot_agents.framework.clock import utc_now
from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.ids import new_id
from langbot_agents.framework.texts import t
from langbot_agents.schemas.content import ArtifactAccess
from langbot_agents.schemas.records import ArtifactRecord

from .database import Database
from .private import private_folder
from .rows import Shape
from .statements import Cursor, Statement, equal
from .statements import insert as insert_into
from .tables import artifact

T = TypeVar("T")

_SHAPE = Shape(artifact, ArtifactRecord)
_INSERT = insert_into(artifact)
_ID = ("workspace_id", "artifact_id")
_GET = Statement(select(*_SHAPE.columns).where(*equal(artifact, *_ID)), *_ID)
_DELETE = Statement(delete_from(artifact).where(*equal(artifact, *_ID)), *_ID)
_NAMED = Statement(
    select(artifact.c.artifact_id).where(*equal(artifact, "workspace_id", "digest")), "workspace_id", "digest"
)
_OF_RUN = Statement(
    select(*_SHAPE.columns)
    .where(*equal(artifact, "workspace_id", "run_id"))
    .order_by(artifact.c.artifact_id),
    "workspace_id",
    "run_id",
)
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")


def insert(cursor: Cursor, record: ArtifactRecord, retention_class: str = "artifact") -> None:
    """Store the row of a file that lies in its place."""
    cursor.run(_INSERT, *_SHAPE.row(record, retention_class=retention_class))


def get(cursor: Cursor, workspace_id: str, artifact_id: str) -> ArtifactRecord | None:
    """The row of that id."""
    row = cursor.one(_GET, workspace_id, artifact_id)
    return None if row is None else _SHAPE.record(row)


def of_run(cursor: Cursor, workspace_id: str, run_id: str) -> list[ArtifactRecord]:
    """The rows of a run, oldest first."""
    return _SHAPE.records(cursor.all(_OF_RUN, workspace_id, run_id))


def _delete(cursor: Cursor, workspace_id: str, artifact_id: str, digest: str) -> tuple[bool, bool]:
    """Remove a row: whether there was one, and whether another still names the file."""
    deleted = cursor.run(_DELETE, workspace_id, artifact_id) > 0
    return deleted, cursor.one(_NAMED, workspace_id, digest) is not None


class Artifacts:
    """The files of one store. Equal bytes of one workspace lie on disk once."""

    def __init__(self, database: Database, directory: Path) -> None:
        self._database = database
        self._directory = directory
        # One at a time for each digest: else a delete could take the file from under a row that is being
        # written.
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def create(
        self,
        workspace_id: str,
        data: bytes | AsyncIterable[bytes],
        *,
        artifact_id: str | None = None,
        mime_type: str = "application/octet-stream",
        name: str | None = None,
        run_id: str | None = None,
        conversation_key: str | None = None,
        access: ArtifactAccess = "run",
        expires_at: datetime | None = None,
        retention_class: str = "artifact",
    ) -> ArtifactRecord:
        """Put bytes on disk, then their row; `name` is only ever shown, never a path."""
        folder = self._folder(workspace_id)
        file = await self._guarded(folder, lambda: _Upload(folder))
        try:
            if isinstance(data, bytes):
                await self._guarded(folder, lambda: file.write(data))
            else:
                async for chunk in data:
                    await self._guarded(folder, file.writer(chunk))
            digest, size = await self._guarded(folder, file.finish)
            record = ArtifactRecord(
                artifact_id=artifact_id or new_id("art"),
                workspace_id=workspace_id,
                run_id=run_id,
                conversation_key=conversation_key,
                name=name,
                mime_type=mime_type,
                size=size,
                digest=digest,
                access=access,
                created_at=utc_now(),
                expires_at=expires_at,
            )
            place = self.path(record)
            async with self._lock_of(place):
                await self._guarded(place, lambda: file.move(place))
                await self._database.writer.submit(insert, record, retention_class)
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(file.discard)
        return record

    async def read(self, record: ArtifactRecord, start: int = 0, length: int | None = None) -> bytes:
        """The bytes from `start` on, at most `length`."""
        if start < 0 or (length is not None and length < 0):
            raise ValueError(f"no range: start {start!r}, length {length!r}")
        path = self.path(record)

        def read_range() -> bytes:
            with path.open("rb") as file:
                file.seek(start)
                return file.read(-1 if length is None else length)

        return await self._guarded(path, read_range)

    async def stream(self, record: ArtifactRecord, chunk_size: int = 65536) -> AsyncIterator[bytes]:
        """The bytes piece by piece."""
        for start in range(0, record.size, chunk_size):
            yield await self.read(record, start, chunk_size)

    async def delete(self, workspace_id: str, artifact_id: str) -> bool:
        """Remove a row, and the bytes with the last row that names them; False where there is no such row."""
        record = await self._database.read(get, workspace_id, artifact_id)
        if record is None:
            return False
        place = self.path(record)
        async with self._lock_of(place):
            deleted, named = await self._database.writer.submit(
                _delete, workspace_id, artifact_id, record.digest
            )
            if not named:
                await self._guarded(place, lambda: place.unlink(missing_ok=True))
        return deleted

    def path(self, record: ArtifactRecord) -> Path:
        """Where the bytes lie: by workspace and digest alone."""
        match = _DIGEST.fullmatch(record.digest)
        if match is None:
            raise ValueError(f"{record.digest!r} is not a digest")
        key = match[1]
        return self._folder(record.workspace_id) / key[:2] / key

    def _folder(self, workspace_id: str) -> Path:
        # A workspace's name may hold slashes; quoted, it is one folder, and with `w-` before it never `..`.
        return self._directory / f"w-{quote(workspace_id, safe='')}"

    def _lock_of(self, place: Path) -> anyio.Lock:
        return self._locks.setdefault(str(place), anyio.Lock())

    async def _guarded(self, place: Path, work: Callable[[], T]) -> T:
        try:
            return await run_sync(work)
        except OSError as error:
            raise StoreError(
                t("{place}: {cause}", place=error.filename or place, cause=error.strerror or error),
                remedy=t("look at the disk and at the system's log"),
            ) from error


class _Upload:
    """A file on its way: written under a name of its own, then moved to that of its digest."""

    def __init__(self, folder: Path) -> None:
        private_folder(folder)
        handle, path = tempfile.mkstemp(prefix="upload-", dir=folder)
        self._path = Path(path)
        self._file: BinaryIO = os.fdopen(handle, "wb")
        self._hash = hashlib.sha256()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._hash.update(chunk)
        self._size += len(chunk)

    def writer(self, chunk: bytes) -> Callable[[], None]:
        return lambda: self.write(chunk)

    def finish(self) -> tuple[str, int]:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return f"sha256:{self._hash.hexdigest()}", self._size

    def move(self, place: Path) -> None:
        if place.is_file() and place.stat().st_size == self._size:
            return
        private_folder(place.parent)
        self._path.replace(place)
        # The name itself is on disk only once its folder is, and the folder's once its parent is.
        for folder in (place.parent, place.parent.parent):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def discard(self) -> None:
        """Remove what was not moved."""
        self._file.close()
        self._path.unlink(missing_ok=True)
