"""Dead letters: what may have been lost, listed until somebody deals with it."""

from sqlalchemy import bindparam, select
from sqlalchemy import delete as delete_from

from langbot_agents.schemas.records import DeadLetter

from .rows import Shape
from .statements import Cursor, Statement, equal
from .statements import insert as insert_into
from .tables import dead_letter

_SHAPE = Shape(dead_letter, DeadLetter)
_INSERT = insert_into(dead_letter)
_ID = ("workspace_id", "dead_letter_id")
_GET = Statement(select(*_SHAPE.columns).where(*equal(dead_letter, *_ID)), *_ID)
_DELETE = Statement(delete_from(dead_letter).where(*equal(dead_letter, *_ID)), *_ID)
_PAGE = Statement(
    select(*_SHAPE.columns)
    .where(*equal(dead_letter, "workspace_id"), dead_letter.c.dead_letter_id < bindparam("before"))
    .order_by(dead_letter.c.dead_letter_id.desc())
    .limit(bindparam("count")),
    "workspace_id",
    "before",
    "count",
)


def insert(cursor: Cursor, record: DeadLetter) -> None:
    """List one."""
    cursor.run(_INSERT, *_SHAPE.row(record))


def get(cursor: Cursor, workspace_id: str, dead_letter_id: str) -> DeadLetter | None:
    """The one of that id."""
    row = cursor.one(_GET, workspace_id, dead_letter_id)
    return None if row is None else _SHAPE.record(row)


def page(
    cursor: Cursor, workspace_id: str, *, before: str | None = None, limit: int = 50
) -> list[DeadLetter]:
    """One page, newest first; `before` is the last id of the page before."""
    return _SHAPE.records(cursor.all(_PAGE, workspace_id, "~" if before is None else before, limit))


def delete(cursor: Cursor, workspace_id: str, dead_letter_id: str) -> bool:
    """Take one off the list; False where it is not on it."""
    return cursor.run(_DELETE, workspace_id, dead_letter_id) > 0
