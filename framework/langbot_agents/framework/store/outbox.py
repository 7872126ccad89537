"""The outbox: one row for each part of a message and place, committed before its first byte."""

from datetime import datetime
from typing import Any

from pydantic_core import to_json
from sqlalchemy import bindparam, func, select, text
from sqlalchemy import update as update_table

from langbot_agents.schemas.events import ReplyTarget
from langbot_agents.schemas.records import DeliveryRecord, DeliveryStatus

from .rows import Shape, dump_json, moment
from .statements import Cursor, Statement, equal, insert_new
from .tables import DELIVERY_UNFINISHED, delivery

_SHAPE = Shape(delivery, DeliveryRecord)
_PLACE = ("workspace_id", "run_id", "message_id", "target_key", "chunk")
_ID = ("workspace_id", "delivery_id")
_INSERT = insert_new(delivery, *_PLACE)
_SELECT = select(*_SHAPE.columns)
# By time first: by the id alone SQLite would walk the primary key, which has the ids in order.
_OLDEST = (delivery.c.created_at, delivery.c.delivery_id)
_GET = Statement(_SELECT.where(*equal(delivery, *_ID)), *_ID)
_FIND = Statement(_SELECT.where(*equal(delivery, *_PLACE)), *_PLACE)
_OF_RUN = Statement(
    _SELECT.where(*equal(delivery, "workspace_id", "run_id")).order_by(*_OLDEST),
    "workspace_id",
    "run_id",
)
_OF_EVENT = Statement(
    _SELECT.where(*equal(delivery, "workspace_id", "event_uid")).order_by(delivery.c.delivery_id),
    "workspace_id",
    "event_uid",
)
_UNFINISHED = Statement(_SELECT.where(text(DELIVERY_UNFINISHED)).order_by(*_OLDEST))
_PAGE = Statement(
    _SELECT.where(*equal(delivery, "workspace_id", "status"), delivery.c.delivery_id < bindparam("before"))
    .order_by(delivery.c.delivery_id.desc())
    .limit(bindparam("count")),
    "workspace_id",
    "status",
    "before",
    "count",
)
_UPDATE = Statement(
    update_table(delivery)
    .where(
        delivery.c.workspace_id == bindparam("in_workspace"),
        delivery.c.delivery_id == bindparam("of_delivery"),
        text("status NOT IN ('sent', 'cancelled')"),
    )
    .values(
        status=bindparam("new_status"),
        updated_at=bindparam("new_updated_at"),
        error=bindparam("new_error"),
        attempts=func.coalesce(bindparam("new_attempts"), delivery.c.attempts),
        platform_message_id=func.coalesce(bindparam("new_platform_id"), delivery.c.platform_message_id),
        content=func.coalesce(bindparam("new_content"), delivery.c.content),
    ),
    "new_status",
    "new_updated_at",
    "new_error",
    "new_attempts",
    "new_platform_id",
    "new_content",
    "in_workspace",
    "of_delivery",
)


def target_key(surface: str, target: ReplyTarget) -> str:
    """The text that names a place: what two deliveries to the same place have in common."""
    return to_json([surface, target.target_type, target.target_id, target.thread_id]).decode()


def insert(cursor: Cursor, record: DeliveryRecord) -> bool:
    """Store a row; False where that part of the message has one for that place already."""
    row = _SHAPE.row(record, target_key=target_key(record.surface, record.target))
    return cursor.run(_INSERT, *row) > 0


def update(
    cursor: Cursor,
    workspace_id: str,
    delivery_id: str,
    status: DeliveryStatus,
    *,
    updated_at: datetime | None = None,
    attempts: int | None = None,
    platform_message_id: str | None = None,
    error: str | None = None,
    content: Any = None,
) -> bool:
    """Change a row; what is None stays, but for `error`.

    False where it was sent or cancelled, which stays so.
    """
    changes = (
        status,
        moment(updated_at),
        error,
        attempts,
        platform_message_id,
        None if content is None else dump_json(content),
    )
    return cursor.run(_UPDATE, *changes, workspace_id, delivery_id) > 0


def get(cursor: Cursor, workspace_id: str, delivery_id: str) -> DeliveryRecord | None:
    """The row of that id."""
    row = cursor.one(_GET, workspace_id, delivery_id)
    return None if row is None else _SHAPE.record(row)


def find(
    cursor: Cursor, workspace_id: str, run_id: str, message_id: str, target: str, *, chunk: int = 0
) -> DeliveryRecord | None:
    """The row of a part of a message for a place, by `target_key`."""
    row = cursor.one(_FIND, workspace_id, run_id, message_id, target, chunk)
    return None if row is None else _SHAPE.record(row)


def of_run(cursor: Cursor, workspace_id: str, run_id: str) -> list[DeliveryRecord]:
    """The rows of a run, oldest first."""
    return _SHAPE.records(cursor.all(_OF_RUN, workspace_id, run_id))


def of_event(cursor: Cursor, workspace_id: str, event_uid: str) -> list[DeliveryRecord]:
    """The rows of an event, oldest first."""
    return _SHAPE.records(cursor.all(_OF_EVENT, workspace_id, event_uid))


def unfinished(cursor: Cursor) -> list[DeliveryRecord]:
    """All that are pending or were being sent, of every workspace, oldest first."""
    return _SHAPE.records(cursor.all(_UNFINISHED))


def page(
    cursor: Cursor, workspace_id: str, *, status: DeliveryStatus, before: str | None = None, limit: int = 50
) -> list[DeliveryRecord]:
    """One page of a status, newest first; `before` is the last id of the page before."""
    row = (workspace_id, status, "~" if before is None else before, limit)
    return _SHAPE.records(cursor.all(_PAGE, *row))
