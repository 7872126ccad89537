"""Bindings that an operator has paused."""

from sqlalchemy import delete as delete_from
from sqlalchemy import select

from langbot_agents.schemas.records import BindingPause

from .rows import Shape
from .statements import Cursor, Statement, equal, insert_new
from .tables import binding_pause

_SHAPE = Shape(binding_pause, BindingPause)
_KEY = ("workspace_id", "binding_id")
_INSERT = insert_new(binding_pause, *_KEY)
_ALL = Statement(select(*_SHAPE.columns).order_by(binding_pause.c.workspace_id, binding_pause.c.binding_id))
_DELETE = Statement(delete_from(binding_pause).where(*equal(binding_pause, *_KEY)), *_KEY)


def insert(cursor: Cursor, record: BindingPause) -> bool:
    """Pause it; False where it is paused already."""
    return cursor.run(_INSERT, *_SHAPE.row(record)) > 0


def every(cursor: Cursor) -> list[BindingPause]:
    """All that are paused."""
    return _SHAPE.records(cursor.all(_ALL))


def delete(cursor: Cursor, workspace_id: str, binding_id: str) -> bool:
    """Lift it; False where it is not paused."""
    return cursor.run(_DELETE, workspace_id, binding_id) > 0
