"""Statements as text: compiled once from the tables for each dialect, then run with plain tuples."""

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

from sqlalchemy import BindParameter, ClauseElement, ColumnElement, Table, TextClause, bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect

Row = tuple[Any, ...]
DialectName = Literal["sqlite", "postgresql"]


class RawCursor(Protocol):
    """What we use of a DBAPI cursor."""

    @property
    def rowcount(self) -> int:
        """Rows that the last statement changed."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Any:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Any:
        """Run one statement for each row."""

    def fetchone(self) -> Any:
        """The next row."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


def dialect(name: DialectName) -> Dialect:
    """The dialect whose parameters are positional."""
    build: Callable[..., Dialect] = sqlite.dialect if name == "sqlite" else postgresql.dialect
    return build(paramstyle="qmark" if name == "sqlite" else "format")


class Statement:
    """One statement; `names` is the order in which its callers give the parameters.

    `other` is the clause for PostgreSQL where it has to be built by that dialect's own construct.
    """

    def __init__(self, clause: ClauseElement, *names: str, other: ClauseElement | None = None) -> None:
        self._clauses = {"sqlite": clause, "postgresql": clause if other is None else other}
        self.names = names

    def compile(self, name: DialectName) -> tuple[str, Callable[[Row], Row] | None]:
        """The text, and what reorders a row for it, or None where the callers' order is the text's."""
        compiled: Any = self._clauses[name].compile(dialect=dialect(name))
        wanted: list[str] = compiled.positiontup or []
        if tuple(wanted) == self.names:
            return str(compiled), None
        constants = {key: value for key, value in compiled.params.items() if key not in self.names}
        places = {key: place for place, key in enumerate([*self.names, *constants])}
        tail = tuple(constants.values())
        pick = operator.itemgetter(*(places[key] for key in wanted), 0)
        # The extra item makes itemgetter give a tuple also for a single parameter.
        return str(compiled), lambda row: pick((*row, *tail))[:-1]

    @cached_property
    def sqlite(self) -> tuple[str, Callable[[Row], Row] | None]:
        """The compiled form for SQLite."""
        return self.compile("sqlite")


class Cursor:
    """Runs statements in one transaction; what every function of the store takes first."""

    __slots__ = ("_raw",)

    def __init__(self, raw: RawCursor) -> None:
        self._raw = raw

    def run(self, statement: Statement, *row: Any) -> int:
        """Run it and give the number of rows that it changed."""
        text, order = statement.sqlite
        self._raw.execute(text, order(row) if order else row)
        return self._raw.rowcount

    def many(self, statement: Statement, rows: Sequence[Row]) -> int:
        """Run it for each row and give the number of rows that changed in all."""
        text, order = statement.sqlite
        self._raw.executemany(text, map(order, rows) if order else rows)
        return self._raw.rowcount

    def one(self, statement: Statement, *row: Any) -> Row | None:
        """Its first row."""
        text, order = statement.sqlite
        self._raw.execute(text, order(row) if order else row)
        found: Row | None = self._raw.fetchone()
        return found

    def all(self, statement: Statement, *row: Any) -> list[Row]:
        """All its rows."""
        text, order = statement.sqlite
        self._raw.execute(text, order(row) if order else row)
        return self._raw.fetchall()


def insert(table: Table) -> Statement:
    """An insert of all columns but a number that the database gives, in the table's order."""
    names = column_names(table)
    return Statement(table.insert().values({name: bindparam(name) for name in names}), *names)


def insert_new(table: Table, *key: str, where: TextClause | None = None) -> Statement:
    """An insert that does nothing where `key` (a unique index, `where` its condition) is taken."""
    names = column_names(table)
    values: dict[str, BindParameter[Any]] = {name: bindparam(name) for name in names}
    ours = sqlite.insert(table).values(values)
    theirs = postgresql.insert(table).values(values)
    return Statement(
        ours.on_conflict_do_nothing(index_elements=key, index_where=where),
        *names,
        other=theirs.on_conflict_do_nothing(index_elements=key, index_where=where),
    )


def column_names(table: Table) -> tuple[str, ...]:
    """The columns that an insert gives."""
    return tuple(column.name for column in table.columns if column.name != "seq")


def equal(table: Table, *names: str) -> tuple[ColumnElement[bool], ...]:
    """The conditions that these columns equal the parameters of their names."""
    return tuple(table.c[name] == bindparam(name) for name in names)
