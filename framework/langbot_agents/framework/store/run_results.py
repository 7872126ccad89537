"""The results of runs, deltas joined to ranges."""

from collections.abc import Sequence

from sqlalchemy import bindparam, func, select

from langbot_agents.schemas.records import RunResultRecord

from .rows import Shape
from .statements import Cursor, Statement, equal, insert
from .tables import run_result

_SHAPE = Shape(run_result, RunResultRecord)
_INSERT = insert(run_result)
_AFTER = Statement(
    select(*_SHAPE.columns)
    .where(*equal(run_result, "workspace_id", "run_id"), run_result.c.sequence > bindparam("after"))
    .order_by(run_result.c.sequence)
    .limit(bindparam("count")),
    "workspace_id",
    "run_id",
    "after",
    "count",
)
_LAST = Statement(
    select(func.max(run_result.c.sequence)).where(*equal(run_result, "workspace_id", "run_id")),
    "workspace_id",
    "run_id",
)


def append(cursor: Cursor, workspace_id: str, records: Sequence[RunResultRecord]) -> None:
    """Store results, or ranges of deltas, of runs of one workspace."""
    cursor.many(_INSERT, [_SHAPE.row(record, workspace_id=workspace_id) for record in records])


def after(
    cursor: Cursor, workspace_id: str, run_id: str, *, after_sequence: int = 0, limit: int = 1000
) -> list[RunResultRecord]:
    """The results behind a place, in order; a range that the place lies in comes whole."""
    return _SHAPE.records(cursor.all(_AFTER, workspace_id, run_id, after_sequence, limit))


def last_sequence(cursor: Cursor, workspace_id: str, run_id: str) -> int:
    """The place of a run's last result; 0 where it has none."""
    row = cursor.one(_LAST, workspace_id, run_id)
    return (row[0] if row else 0) or 0
