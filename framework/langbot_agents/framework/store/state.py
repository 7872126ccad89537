"""State that runners keep: small JSON values with a version, in drawers by scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import and_, bindparam, func, or_, select, text, update
from sqlalchemy import delete as delete_from

from langbot_agents.framework.clock import from_rfc3339

from .rows import dump_json, load_json, moment, optional_moment
from .statements import Cursor, Row, Statement, equal
from .statements import insert as insert_into
from .tables import EXTERNAL_KEY, state


@dataclass(frozen=True, kw_only=True, slots=True)
class StateKey:
    """One drawer: the values of one runner in one scope."""

    workspace_id: str
    namespace: str
    runner_id: str
    scope: str
    scope_id: str

    @property
    def row(self) -> Row:
        """Its columns, in order."""
        return self.workspace_id, self.namespace, self.runner_id, self.scope, self.scope_id


@dataclass(frozen=True, kw_only=True, slots=True)
class StateValue:
    """A value and the number of times that it was set."""

    value: Any
    version: int
    expires_at: datetime | None = None


_DRAWER = ("workspace_id", "namespace", "runner_id", "scope", "scope_id")
_CELL = (*_DRAWER, "key")
_INSERT = insert_into(state)
_ALIVE = or_(state.c.expires_at.is_(None), state.c.expires_at > bindparam("now"))
_VALUE = (state.c.key, state.c.value, state.c.version, state.c.expires_at)
_GET = Statement(select(*_VALUE).where(*equal(state, *_CELL), _ALIVE), *_CELL, "now")
_VERSION = Statement(
    select(state.c.version, state.c.expires_at).where(*equal(state, *_CELL)),
    *_CELL,
)
_SET = Statement(
    update(state)
    .where(*(state.c[name] == bindparam(f"at_{name}") for name in _CELL))
    .values({name: bindparam(f"new_{name}") for name in ("value", "version", "updated_at", "expires_at")}),
    "new_value",
    "new_version",
    "new_updated_at",
    "new_expires_at",
    *(f"at_{name}" for name in _CELL),
)
_DELETE = Statement(delete_from(state).where(*equal(state, *_CELL)), *_CELL)
# `substr` and not LIKE: a key may hold % and _, and SQLite's LIKE takes a for A.
_PREFIXED = func.substr(state.c.key, 1, func.length(bindparam("prefix"))) == bindparam("prefix")
_KEYS = Statement(
    select(state.c.key).where(*equal(state, *_DRAWER), _PREFIXED, _ALIVE).order_by(state.c.key),
    *_DRAWER,
    "prefix",
    "now",
)
_DELETE_PREFIX = Statement(
    delete_from(state).where(*equal(state, *_DRAWER), _PREFIXED),
    *_DRAWER,
    "prefix",
)
# Not one DELETE, for which SQLite does not use a partial index; nor one for what the primary key covers.
_EXTERNAL = Statement(
    select(*(state.c[name] for name in _CELL), state.c.version).where(
        *equal(state, "workspace_id", "scope", "scope_id"), text(EXTERNAL_KEY)
    ),
    "workspace_id",
    "scope",
    "scope_id",
)
_PURGE = Statement(
    delete_from(state).where(and_(state.c.expires_at.is_not(None), state.c.expires_at <= bindparam("now"))),
    "now",
)


def _value(row: Row) -> StateValue:
    _, value, version, expires_at = row
    return StateValue(
        value=load_json(value),
        version=version,
        expires_at=None if expires_at is None else from_rfc3339(expires_at),
    )


@cache
def snapshot_statement(count: int) -> Statement:
    """The statement of `snapshot` for so many drawers."""
    names = [tuple(f"{name}_{number}" for name in _DRAWER) for number in range(count)]
    one_of = or_(
        *(
            and_(*(state.c[column] == bindparam(name) for column, name in zip(_DRAWER, row, strict=True)))
            for row in names
        )
    )
    query = select(state.c.scope, *_VALUE).where(one_of, _ALIVE).order_by(state.c.scope, state.c.key)
    return Statement(query, *(name for row in names for name in row), "now")


def snapshot(
    cursor: Cursor, drawers: Sequence[StateKey], *, now: datetime | None = None
) -> dict[str, dict[str, StateValue]]:
    """Every value of these drawers, one a scope, that has not expired, by scope and key."""
    found: dict[str, dict[str, StateValue]] = {drawer.scope: {} for drawer in drawers}
    if drawers:
        row = [value for drawer in drawers for value in drawer.row]
        for scope, *value in cursor.all(snapshot_statement(len(drawers)), *row, moment(now)):
            found[scope][value[0]] = _value(tuple(value))
    return found


def get(cursor: Cursor, drawer: StateKey, key: str, *, now: datetime | None = None) -> StateValue | None:
    """One value, unless it has expired."""
    row = cursor.one(_GET, *drawer.row, key, moment(now))
    return None if row is None else _value(row)


def keys(cursor: Cursor, drawer: StateKey, *, prefix: str = "", now: datetime | None = None) -> list[str]:
    """The keys of a drawer that begin with `prefix`, sorted."""
    return [key for (key,) in cursor.all(_KEYS, *drawer.row, prefix, moment(now))]


def put(
    cursor: Cursor,
    drawer: StateKey,
    key: str,
    value: Any,
    *,
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> int:
    """Set a value and give its new version; the last one wins."""
    row = cursor.one(_VERSION, *drawer.row, key)
    stored = row[0] if row else 0
    return _store(cursor, drawer, key, dump_json(value), stored=stored, expires_at=expires_at, now=now)


def compare_and_set(
    cursor: Cursor,
    drawer: StateKey,
    key: str,
    value: Any,
    *,
    expected: int,
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> int | None:
    """Set a value if its version is still `expected` (0: there is none).

    Gives its new version, or None where it was not.
    """
    row = cursor.one(_VERSION, *drawer.row, key)
    stored = row[0] if row else 0
    alive = row is not None and (row[1] is None or row[1] > moment(now))
    if expected != (stored if alive else 0):
        return None
    return _store(cursor, drawer, key, dump_json(value), stored=stored, expires_at=expires_at, now=now)


def _store(
    cursor: Cursor,
    drawer: StateKey,
    key: str,
    value: str,
    *,
    stored: int,
    expires_at: datetime | None,
    now: datetime | None,
) -> int:
    # An expired value's version counts on, so that nobody who read it can take the new one for it.
    cell = (*drawer.row, key)
    row = (value, stored + 1, moment(now), optional_moment(expires_at))
    if stored:
        cursor.run(_SET, *row, *cell)
    else:
        cursor.run(_INSERT, *cell, *row)
    return stored + 1


def delete(cursor: Cursor, drawer: StateKey, key: str) -> bool:
    """Remove a value; False where there was none."""
    return cursor.run(_DELETE, *drawer.row, key) > 0


def delete_prefix(cursor: Cursor, drawer: StateKey, prefix: str) -> int:
    """Remove the values whose keys begin with `prefix`, such as `external.`, and give their number."""
    return cursor.run(_DELETE_PREFIX, *drawer.row, prefix)


def forget_external(cursor: Cursor, workspace_id: str, scope: str, scope_id: str) -> int:
    """Remove the `external.` keys of every runner for one conversation or actor, and give their number."""
    found = cursor.all(_EXTERNAL, workspace_id, scope, scope_id)
    return cursor.many(_DELETE, [row[:-1] for row in found]) if found else 0


def purge(cursor: Cursor, *, now: datetime | None = None) -> int:
    """Remove what has expired, of every workspace, and give its number."""
    return cursor.run(_PURGE, moment(now))
