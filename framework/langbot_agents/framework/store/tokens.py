"""Tokens of the HTTP surface: what each may do, under the hash of what is never stored."""

from sqlalchemy import delete as delete_from
from sqlalchemy import select

from langbot_agents.schemas.records import TokenRecord

from .rows import Shape
from .statements import Cursor, Statement, equal, insert_new
from .tables import token

_SHAPE = Shape(token, TokenRecord)
_KEY = ("workspace_id", "name")
_INSERT = insert_new(token, *_KEY)
_ALL = Statement(select(*_SHAPE.columns).order_by(token.c.workspace_id, token.c.name))
_DELETE = Statement(delete_from(token).where(*equal(token, *_KEY)), *_KEY)


def insert(cursor: Cursor, record: TokenRecord) -> bool:
    """Store it; False where the workspace has one of that name."""
    return cursor.run(_INSERT, *_SHAPE.row(record)) > 0


def every(cursor: Cursor) -> list[TokenRecord]:
    """All tokens of all workspaces: there are few, and the host holds them in memory."""
    return _SHAPE.records(cursor.all(_ALL))


def delete(cursor: Cursor, workspace_id: str, name: str) -> bool:
    """End it; False where there is none."""
    return cursor.run(_DELETE, workspace_id, name) > 0
