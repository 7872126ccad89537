"""The store's shape: what the migrations make, and how it is read."""

import importlib
import io
import pkgutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from langbot_agents.framework import store
from langbot_agents.framework.errors import StoreError
from langbot_agents.framework.store import Database, events, migrations, runs, state
from langbot_agents.framework.store.statements import Statement
from langbot_agents.framework.store.tables import METADATA

# Small by their condition, so a walk through them is right.
WALKED = {
    "binding_member_live",
    "delivery_unfinished",
    "dispatch_waiting",
    "event_undecided",
    "run_active",
    "state_expiry",
}
# Few rows are left when they are sorted: those of one event, run, binding or id, or what is unfinished.
SORTED = {
    "dispatches._OF_EVENT",
    "dispatches._WAITING",
    "events._FIND",
    "events._UNDECIDED",
    "outbox._OF_RUN",
    "outbox._UNFINISHED",
    "revisions._OF_BINDING",
    "runs._ACTIVE",
    *(f"state.snapshot[{count}]" for count in range(1, 6)),
}


COUNTS = ("spans.", "traffic.")
"""Modules that count what a span of time holds, for a person who asked for it; they read what is counted."""

WHOLE = {"binding_sets._AT", "pauses._ALL", "tokens._ALL"}
"""Small tables that are read whole: at the start of the host, or for the set of bindings of some day."""


def every_statement() -> Iterator[tuple[str, Statement]]:
    """Every statement of the store, by name."""
    for module in pkgutil.iter_modules(store.__path__):
        names = vars(importlib.import_module(f"{store.__name__}.{module.name}"))
        yield from ((f"{module.name}.{k}", v) for k, v in names.items() if isinstance(v, Statement))
    for choice in range(16):
        flags = [bool(choice & bit) for bit in (1, 2, 4, 8)]
        yield f"events.page{flags}", events.page_statement(*flags)
    for count in range(1, 6):
        yield f"state.snapshot[{count}]", state.snapshot_statement(count)
    for names_ in ((), ("binding_id",), ("status",), ("binding_id", "status")):
        yield f"runs.page{names_}", runs.page_statement(*names_)


async def test_migrations_make_the_tables(db: Database) -> None:
    """A migrated database has the shape that the code expects, with nothing over."""
    engine = create_engine(f"sqlite:///{db.path}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})

        assert compare_metadata(context, METADATA) == []
    engine.dispose()


def test_the_newest_revision_is_known_without_alembic() -> None:
    """The list of revisions in the code is Alembic's."""
    script = ScriptDirectory.from_config(migrations.configuration())
    chain = [revision.revision for revision in script.walk_revisions()]

    assert list(migrations.REVISIONS) == chain[::-1]


def test_the_shape_is_also_postgresql() -> None:
    """Every table, index and migration can be said to PostgreSQL."""
    output = io.StringIO()
    migrations.upgrade_sql("postgresql", output)

    sql = output.getvalue()
    for table in METADATA.tables.values():
        assert f"CREATE TABLE {table.name} (" in sql
        assert str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
        for index in table.indexes:
            assert f"INDEX {index.name} ON {table.name}" in sql


def test_the_workspace_leads_every_key_and_index() -> None:
    """The workspace leads every key and index, but for the two that number rows."""
    for table in METADATA.tables.values():
        keys = [[column.name for column in index.columns] for index in table.indexes]
        if "seq" not in table.columns:
            keys.append([column.name for column in table.primary_key.columns])

        assert {key[0] for key in keys} == {"workspace_id"}, table.name


def test_every_statement_is_also_postgresql() -> None:
    """Every statement can be said to PostgreSQL."""
    for _, statement in every_statement():
        assert statement.compile("postgresql")[0]


async def test_every_statement_goes_by_an_index(db: Database) -> None:
    """No read or change walks a table, and none sorts more than a handful of rows."""
    connection = sqlite3.connect(db.path)
    for name, statement in every_statement():
        sql, _ = statement.sqlite
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [1] * sql.count("?"))]
        for step in steps:
            if step.startswith("SCAN") and name not in WHOLE:
                assert step.split()[-1] in WALKED, f"{name}: {step}"
            if "B-TREE" in step:
                assert name in SORTED or name.startswith(COUNTS), f"{name}: {step}"
            # One workspace may hold everything, so its rows alone are no choice.
            if "seq" not in step and "_page" not in name.lower() and not name.startswith(COUNTS):
                assert not step.endswith("(workspace_id=?)"), f"{name}: {step}"
    connection.close()


def test_a_failed_migration_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration is all or nothing."""
    path = tmp_path / "store.db"

    def fail(_config: object, _revision: str, **_options: object) -> None:
        original(_config, _revision)  # type: ignore[arg-type]
        raise OSError("the power went")

    original = command.upgrade
    monkeypatch.setattr(command, "upgrade", fail)
    with pytest.raises(StoreError, match="the power went"):
        Database.open("sqlite:///store.db", root=tmp_path)

    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()


async def test_a_store_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    """A store of any older revision opens with its rows, and has the newest shape then."""
    path = tmp_path / "store.db"
    for revision in migrations.REVISIONS[:-1]:
        path.unlink(missing_ok=True)
        engine = create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            config = migrations.configuration()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            names = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(run)")]
            given: dict[str, Any] = dict.fromkeys(names, "0") | {
                "status": "completed",
                "models": "[]",
                "usage": None,
            }
            given |= {name: "2026-01-01T00:00:00.000000Z" for name in names if name.endswith("_at")}
            given |= {"workspace_id": "default", "run_id": "run_1", "attempt": 1, "crash_restarts": 0}
            given |= {name: "[]" for name in names if name == "warnings"}
            marks = ",".join("?" * len(names))
            connection.exec_driver_sql(f"INSERT INTO run VALUES ({marks})", tuple(given.values()))
        engine.dispose()

        async with Database.open("sqlite:///store.db", root=tmp_path) as db:
            run = await db.read(runs.get, "default", "run_1")

        assert run is not None
        assert (run.status, run.warnings) == ("completed", ())


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """A database newer than the code is refused; the message names its revision and the remedy."""
    async with Database.open("sqlite:///store.db", root=tmp_path) as db:
        path = db.path
    connection = sqlite3.connect(path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()

    with pytest.raises(StoreError, match=r"store\.db: made by a newer .*'9999'[\s\S]*update langbot-agents"):
        Database.open("sqlite:///store.db", root=tmp_path)


async def test_a_current_database_is_opened_without_alembic(tmp_path: Path) -> None:
    """A start on a current database does not import Alembic."""
    async with Database.open("sqlite:///store.db", root=tmp_path):
        pass
    code = (
        "import anyio, pathlib, sys\n"
        "from langbot_agents.framework.store import Database\n"
        "async def main():\n"
        "    async with Database.open('sqlite:///store.db', root=pathlib.Path(sys.argv[1])): pass\n"
        "anyio.run(main)\n"
        "print([name for name in sys.modules if name.startswith('alembic')])\n"
    )
    done = subprocess.run(  # noqa: ASYNC221
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
