"""Sets of bindings as spans: each can be read again as it was."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langbot_agents.framework.store import Cursor, Database, binding_sets
from langbot_agents.framework.store.binding_sets import Member

pytestmark = pytest.mark.anyio
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def member(name: str, revision: str = "1", **fields: Any) -> Member:
    """A member of a set."""
    values: dict[str, Any] = {"workspace_id": "default", "file": "b.yaml", "line": 1} | fields
    return Member(binding_id=name, revision=revision, **values)


def insert(
    cursor: Cursor,
    digest: str,
    *,
    left: tuple[str, ...] = (),
    joined: tuple[Member, ...] = (),
    seconds: int = 0,
    quarantined: tuple[dict[str, Any], ...] = (),
) -> int:
    """Store a set that went live so many seconds after the first."""
    return binding_sets.insert(
        cursor,
        digest=digest,
        timezone="UTC",
        function_set="1",
        quarantined=quarantined,
        created_at=BEGIN + timedelta(seconds=seconds),
        left=[("default", name) for name in left],
        joined=joined,
    )


async def test_each_set_can_be_read_again(db: Database) -> None:
    """A set is stored as its difference to the one before, and read as it was."""
    paused = member("a", pause={"reason": "tired"})
    first = await db.writer.submit(insert, "one", joined=(member("a"), member("b")))
    second = await db.writer.submit(insert, "two", left=("a",), joined=(paused, member("c")))
    third = await db.writer.submit(insert, "three", left=("a", "b", "c"), joined=(member("b", "2"),))

    def members(cursor: Cursor) -> list[dict[str, Member]]:
        sets = [binding_sets.members(cursor, seq) for seq in (first, second, third)]
        return [{item.binding_id: item for item in (*each,)} for each in (*sets, binding_sets.live(cursor))]

    assert await db.read(members) == [
        {"a": member("a"), "b": member("b")},
        {"a": paused, "b": member("b"), "c": member("c")},
        {"b": member("b", "2")},
        {"b": member("b", "2")},
    ]


async def test_a_set_that_was_live_twice(db: Database) -> None:
    """One digest may have been live several times, each with other documents that stayed out."""
    broken = {"binding_id": "x", "reason": "high"}
    first = await db.writer.submit(insert, "one", joined=(member("a"),))
    await db.writer.submit(insert, "two", left=("a",), seconds=10)
    third = await db.writer.submit(insert, "one", joined=(member("a"),), seconds=20, quarantined=(broken,))

    def found(cursor: Cursor) -> list[tuple[int, tuple[Any, ...]]]:
        moments = [None, *(BEGIN.timestamp() + seconds for seconds in (-1, 0, 15, 20, 99))]
        sets = [binding_sets.get(cursor, "one", at=at) for at in moments]
        return [(item.seq, item.quarantined) for item in sets if item is not None]

    assert await db.read(found) == [(first, ())] * 4 + [(third, (broken,))] * 2
    assert await db.read(binding_sets.get, "none") is None
    newest = await db.read(binding_sets.newest)
    assert newest is not None
    assert newest.seq == third
