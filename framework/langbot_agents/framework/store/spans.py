"""The events of a span of time, in the order of their coming."""

from sqlalchemy import bindparam, func, select

from .statements import Cursor, Statement
from .tables import event

_SINCE = (event.c.workspace_id == bindparam("workspace_id"), event.c.received_at >= bindparam("since"))
_SPAN = Statement(
    select(func.min(event.c.seq), func.max(event.c.seq), func.count()).where(*_SINCE),
    "workspace_id",
    "since",
)
_LAST = Statement(
    select(func.coalesce(func.max(event.c.seq), 0)).where(event.c.workspace_id == bindparam("workspace_id")),
    "workspace_id",
)


def span(cursor: Cursor, workspace_id: str, since: str) -> tuple[int, int, int]:
    """First and last `seq` of what came at or after a time (RFC 3339), and the count; zeros of none."""
    row = cursor.one(_SPAN, workspace_id, since)
    if row is None or row[0] is None:
        return (0, 0, 0)
    first, last, count = row
    return (int(first), int(last), int(count))


def last(cursor: Cursor, workspace_id: str) -> int:
    """The `seq` of the newest event; 0 of an empty log."""
    row = cursor.one(_LAST, workspace_id)
    return 0 if row is None else int(row[0])
