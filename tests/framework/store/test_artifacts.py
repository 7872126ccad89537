"""Artifacts: rows and files."""

import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.store import Artifacts, Database, artifacts


@pytest.fixture
def store(db: Database, tmp_path: Path) -> Artifacts:
    """The files of the database."""
    return Artifacts(db, tmp_path / "artifacts")


def files(store: Artifacts) -> list[Path]:
    """Every file that lies on disk."""
    return [path for path in store._directory.rglob("*") if path.is_file()]


async def test_bytes_come_back(store: Artifacts, db: Database) -> None:
    """A file is stored by its digest, with its row, and comes back whole or by range."""
    data = bytes(range(256)) * 1000
    record = await store.create("default", data, name="a.bin", mime_type="x/y", run_id="run_1")

    assert record.digest == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert record.size == len(data)
    assert await db.read(artifacts.get, "default", record.artifact_id) == record
    assert await db.read(artifacts.of_run, "default", "run_1") == [record]
    assert await store.read(record) == data
    assert await store.read(record, 5, 10) == data[5:15]
    assert await store.read(record, len(data) - 1, 10) == data[-1:]
    assert await store.read(record, len(data) + 5) == b""
    assert b"".join([chunk async for chunk in store.stream(record, 1000)]) == data


async def test_only_this_user_may_read_them(store: Artifacts) -> None:
    """Files and their folders are this user's alone, whatever the umask says."""
    before = os.umask(0)
    try:
        await store.create("default", b"secret")
    finally:
        os.umask(before)

    assert files(store)[0].stat().st_mode & 0o777 == 0o600
    folders = [store._directory, *(path for path in store._directory.rglob("*") if path.is_dir())]
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 3


async def test_a_stream_is_stored_piece_by_piece(store: Artifacts) -> None:
    """A file may come in pieces."""

    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"ab", b"", b"c"):
            yield piece

    record = await store.create("default", pieces())

    assert (record.size, await store.read(record)) == (3, b"abc")


async def test_a_stream_that_breaks_leaves_nothing(store: Artifacts, db: Database) -> None:
    """A file that does not arrive whole leaves no row and no file."""

    async def broken() -> AsyncIterator[bytes]:
        yield b"ab"
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        await store.create("default", broken(), run_id="run_1")

    assert files(store) == []
    assert await db.read(artifacts.of_run, "default", "run_1") == []


async def test_a_cancelled_upload_leaves_nothing(store: Artifacts) -> None:
    """An upload that is cancelled leaves no file."""

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await anyio.sleep(0.001)

    with anyio.move_on_after(0.05):
        await store.create("default", endless())

    assert files(store) == []


async def test_equal_bytes_lie_on_disk_once(store: Artifacts) -> None:
    """Equal bytes of a workspace lie on disk once, and go with the last row that names them."""
    one = await store.create("default", b"same", name="one")
    two = await store.create("default", b"same", name="two")
    other = await store.create("other", b"same")

    assert store.path(one) == store.path(two)
    assert store.path(one) != store.path(other)
    assert len(files(store)) == 2
    assert await store.delete("default", one.artifact_id)
    assert not await store.delete("default", one.artifact_id)
    assert not await store.delete("other", two.artifact_id)
    assert await store.read(two) == b"same"
    assert await store.delete("default", two.artifact_id)
    assert files(store) == [store.path(other)]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\0b", "..", "x" * 5000])
@pytest.mark.parametrize("workspace", ["default", "a/../../b", "a:b"])
async def test_a_name_is_never_a_path(store: Artifacts, name: str, workspace: str) -> None:
    """The name of a file, and of a workspace, never says where it lies."""
    record = await store.create(workspace, b"data", name=name)

    (path,) = files(store)
    assert path == store.path(record)
    assert path.resolve().relative_to(store._directory.resolve()).parts[1:] == (path.name[:2], path.name)
    assert record.name == name


async def test_a_record_cannot_point_elsewhere(store: Artifacts) -> None:
    """Only a digest names a file."""
    record = (await store.create("default", b"x")).model_copy(update={"digest": "sha256:../../x"})
    with pytest.raises(ValueError, match="not a digest"):
        await store.read(record)


async def test_a_range_begins_in_the_file(store: Artifacts) -> None:
    """A negative start or length is no range."""
    record = await store.create("default", b"x")
    with pytest.raises(ValueError, match="no range"):
        await store.read(record, -1)
    with pytest.raises(ValueError, match="no range"):
        await store.read(record, 0, -1)


async def test_bytes_that_are_gone_are_named(store: Artifacts) -> None:
    """A file that somebody removed is named, and stored anew when it comes again."""
    record = await store.create("default", b"x")
    store.path(record).unlink()
    with pytest.raises(StoreError, match=f"{store.path(record)}: No such file"):
        await store.read(record)

    again = await store.create("default", b"x")
    assert await store.read(again) == b"x"


async def test_a_row_always_has_its_bytes(store: Artifacts, db: Database) -> None:
    """However creates and deletes of equal bytes meet, a row that is there has its bytes."""

    async def churn(number: int) -> None:
        for _ in range(8):
            record = await store.create("default", b"same", run_id="run_1")
            assert await store.read(record) == b"same"
            if number % 2:
                await store.delete("default", record.artifact_id)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(churn, number)
    rows = await db.read(artifacts.of_run, "default", "run_1")

    assert len(rows) == 32
    assert await store.read(rows[0]) == b"same"
    assert len(files(store)) == 1
