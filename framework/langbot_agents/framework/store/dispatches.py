"""Dispatches: what became of each chosen binding; one that ended never changes again."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, bindparam, select, text, update

from langbot_agents.schemas.records import DispatchOutcome, DispatchRecord

from .rows import Shape, moment
from .statements import Cursor, Statement
from .statements import insert as insert_into
from .tables import DISPATCH_WAITING, dispatch, event

_SHAPE = Shape(dispatch, DispatchRecord)
_INSERT = insert_into(dispatch)
_SELECT = select(*_SHAPE.columns)
_ID = ("workspace_id", "dispatch_id")
_ENDS = ("outcome", "ended_at", "reason", "run_id", "into")
_FINISH = Statement(
    update(dispatch)
    .where(
        dispatch.c.workspace_id == bindparam("in_workspace"),
        dispatch.c.dispatch_id == bindparam("of_dispatch"),
        text(DISPATCH_WAITING),
    )
    .values({name: bindparam(f"new_{name}") for name in _ENDS}),
    *(f"new_{name}" for name in _ENDS),
    "in_workspace",
    "of_dispatch",
)
_GET = Statement(_SELECT.where(*(dispatch.c[name] == bindparam(name) for name in _ID)), *_ID)
_OF_EVENT = Statement(
    _SELECT.where(
        dispatch.c.workspace_id == bindparam("workspace_id"),
        dispatch.c.event_uid == bindparam("event_uid"),
    ).order_by(dispatch.c.created_at, dispatch.c.dispatch_id),
    "workspace_id",
    "event_uid",
)
_WAITING_ROWS = select(dispatch).where(text(DISPATCH_WAITING)).subquery()
# The condition stands alone in the inner query, where its names can mean only one table's columns.
_WAITING = Statement(
    select(*(_WAITING_ROWS.c[column.name] for column in _SHAPE.columns))
    .select_from(
        _WAITING_ROWS.outerjoin(
            event,
            and_(
                event.c.workspace_id == _WAITING_ROWS.c.workspace_id,
                event.c.event_uid == _WAITING_ROWS.c.event_uid,
            ),
        )
    )
    .order_by(event.c.seq, _WAITING_ROWS.c.dispatch_id)
)


def insert(cursor: Cursor, records: Sequence[DispatchRecord]) -> None:
    """Store one for each chosen binding of an event."""
    cursor.many(_INSERT, [_SHAPE.row(record) for record in records])


def finish(
    cursor: Cursor,
    workspace_id: str,
    dispatch_id: str,
    outcome: DispatchOutcome,
    *,
    ended_at: datetime | None = None,
    reason: str | None = None,
    run_id: str | None = None,
    into: str | None = None,
) -> bool:
    """End one that waits; False where it had ended, which stays as it was."""
    if outcome == "waiting":
        raise ValueError("a dispatch does not end as 'waiting'")
    return cursor.run(_FINISH, outcome, moment(ended_at), reason, run_id, into, workspace_id, dispatch_id) > 0


def get(cursor: Cursor, workspace_id: str, dispatch_id: str) -> DispatchRecord | None:
    """The dispatch of that id."""
    row = cursor.one(_GET, workspace_id, dispatch_id)
    return None if row is None else _SHAPE.record(row)


def of_event(cursor: Cursor, workspace_id: str, event_uid: str) -> list[DispatchRecord]:
    """The dispatches of an event, oldest first."""
    return _SHAPE.records(cursor.all(_OF_EVENT, workspace_id, event_uid))


def waiting(cursor: Cursor) -> list[DispatchRecord]:
    """All that wait, of every workspace, in the order in which their events came."""
    return _SHAPE.records(cursor.all(_WAITING))
