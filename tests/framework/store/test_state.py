"""State that runners keep."""

import dataclasses
import sqlite3
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from langbot_agents.framework.store import Cursor, Database, state
from langbot_agents.framework.store.state import StateKey, StateValue
from langbot_agents.framework.store.tables import METADATA

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DRAWER = StateKey(
    workspace_id="default", namespace="helper", runner_id="r", scope="conversation", scope_id="c"
)


async def test_a_value_has_a_version(db: Database) -> None:
    """Each set counts the version; the last writer wins."""
    assert await db.read(state.get, DRAWER, "k") is None
    assert await db.writer.submit(state.put, DRAWER, "k", {"a": [1, None]}) == 1
    assert await db.writer.submit(state.put, DRAWER, "k", None) == 2
    assert await db.read(state.get, DRAWER, "k") == StateValue(value=None, version=2)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(StateKey)])
async def test_drawers_never_mix(db: Database, field: str) -> None:
    """Workspaces, namespaces, runners, scopes and ids never mix."""
    other = dataclasses.replace(DRAWER, **{field: "other"})
    await db.writer.submit(state.put, DRAWER, "k", 1)

    assert await db.read(state.get, other, "k") is None
    assert await db.read(state.snapshot, [other]) == {other.scope: {}}
    assert not await db.writer.submit(state.delete, other, "k")


async def test_compare_and_set(db: Database) -> None:
    """A compare-and-set stores only over the version that was read; 0 means that there was none."""
    assert await db.writer.submit(state.compare_and_set, DRAWER, "k", "a", expected=1) is None
    assert await db.writer.submit(state.compare_and_set, DRAWER, "k", "a", expected=0) == 1
    assert await db.writer.submit(state.compare_and_set, DRAWER, "k", "b", expected=0) is None
    assert await db.writer.submit(state.compare_and_set, DRAWER, "k", "b", expected=1) == 2
    assert await db.read(state.get, DRAWER, "k") == StateValue(value="b", version=2)


async def test_of_many_that_compare_one_wins(db: Database) -> None:
    """Of tasks that compare-and-set the same version at once, exactly one wins."""
    won: list[int] = []

    async def race(number: int) -> None:
        if await db.writer.submit(state.compare_and_set, DRAWER, "k", number, expected=0):
            won.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(32):
            tasks.start_soon(race, number)
    value = await db.read(state.get, DRAWER, "k")

    assert value is not None
    assert won == [value.value]


async def test_what_has_expired_is_gone(db: Database) -> None:
    """An expired value is as if it were not there, and whoever read it cannot take a new one for it."""
    soon, after = NOW + timedelta(seconds=1), NOW + timedelta(seconds=2)
    await db.writer.submit(state.put, DRAWER, "k", 1, expires_at=soon, now=NOW)
    await db.writer.submit(state.put, DRAWER, "stays", 2, now=NOW)

    assert await db.read(state.get, DRAWER, "k", now=NOW) == StateValue(value=1, version=1, expires_at=soon)
    assert await db.read(state.get, DRAWER, "k", now=after) is None
    assert await db.read(state.keys, DRAWER, now=after) == ["stays"]
    assert list((await db.read(state.snapshot, [DRAWER], now=after))["conversation"]) == ["stays"]
    lost = await db.writer.submit(state.compare_and_set, DRAWER, "k", 3, expected=1, now=after)
    assert lost is None
    assert await db.writer.submit(state.compare_and_set, DRAWER, "k", 3, expected=0, now=after) == 2
    assert await db.read(state.get, DRAWER, "k", now=after) == StateValue(value=3, version=2)


async def test_expired_values_are_purged(db: Database) -> None:
    """Only what has expired is purged."""
    await db.writer.submit(state.put, DRAWER, "old", 1, expires_at=NOW, now=NOW)
    await db.writer.submit(state.put, DRAWER, "later", 1, expires_at=NOW + timedelta(seconds=1), now=NOW)
    await db.writer.submit(state.put, DRAWER, "ever", 1, now=NOW)

    assert await db.writer.submit(state.purge, now=NOW) == 1
    assert await db.read(state.keys, DRAWER, now=NOW) == ["ever", "later"]


async def test_a_prefix_is_a_prefix(db: Database) -> None:
    """Keys are listed and removed by a prefix to the letter: case counts, `%` and `_` are letters."""
    for key in ("external.a", "external_b", "External.c", "external.%", "x.external."):
        await db.writer.submit(state.put, DRAWER, key, 1)

    assert await db.read(state.keys, DRAWER, prefix="external.") == ["external.%", "external.a"]
    assert await db.writer.submit(state.delete_prefix, DRAWER, "external.") == 2
    assert await db.read(state.keys, DRAWER) == ["External.c", "external_b", "x.external."]


class StateModel(RuleBasedStateMachine):
    """State against a dict."""

    keys = st.sampled_from(["a", "b", "external.x"])
    values = st.none() | st.integers(-5, 5) | st.lists(st.text(st.characters(codec="utf-8")), max_size=2)

    def __init__(self) -> None:
        super().__init__()
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute(str(CreateTable(METADATA.tables["state"]).compile(dialect=sqlite.dialect())))
        self.cursor = Cursor(self.connection.cursor())
        self.model: dict[str, StateValue] = {}

    def teardown(self) -> None:
        self.connection.close()

    @rule(key=keys, value=values)
    def put(self, key: str, value: object) -> None:
        version = self.model[key].version + 1 if key in self.model else 1
        assert state.put(self.cursor, DRAWER, key, value) == version
        self.model[key] = StateValue(value=value, version=version)

    @rule(key=keys, value=values, expected=st.integers(0, 3))
    def compare_and_set(self, key: str, value: object, expected: int) -> None:
        version = self.model[key].version if key in self.model else 0
        got = state.compare_and_set(self.cursor, DRAWER, key, value, expected=expected)
        assert got == (version + 1 if version == expected else None)
        if got is not None:
            self.model[key] = StateValue(value=value, version=got)

    @rule(key=keys)
    def delete(self, key: str) -> None:
        assert state.delete(self.cursor, DRAWER, key) == (self.model.pop(key, None) is not None)

    @rule()
    def delete_external(self) -> None:
        gone = [key for key in self.model if key.startswith("external.")]
        assert state.delete_prefix(self.cursor, DRAWER, "external.") == len(gone)
        for key in gone:
            del self.model[key]

    @invariant()
    def same(self) -> None:
        assert state.snapshot(self.cursor, [DRAWER]) == {"conversation": self.model}


TestStateModel = StateModel.TestCase
TestStateModel.settings = settings(max_examples=30, deadline=None)
