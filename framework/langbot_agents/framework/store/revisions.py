"""Binding revisions: every document that ever was live, once, by its digest."""

from sqlalchemy import select

from langbot_agents.schemas.records import BindingRevision

from .rows import Shape
from .statements import Cursor, Statement, equal, insert_new
from .tables import binding_revision

_SHAPE = Shape(binding_revision, BindingRevision)
_KEY = ("workspace_id", "digest")
_INSERT = insert_new(binding_revision, *_KEY)
_GET = Statement(select(*_SHAPE.columns).where(*equal(binding_revision, *_KEY)), *_KEY)
_OF_BINDING = Statement(
    select(*_SHAPE.columns)
    .where(*equal(binding_revision, "workspace_id", "binding_id"))
    .order_by(binding_revision.c.created_at.desc(), binding_revision.c.digest),
    "workspace_id",
    "binding_id",
)


def insert(cursor: Cursor, record: BindingRevision) -> bool:
    """Store it; False where it is known, which keeps its first time and origin."""
    return cursor.run(_INSERT, *_SHAPE.row(record)) > 0


def get(cursor: Cursor, workspace_id: str, digest: str) -> BindingRevision | None:
    """The revision of that digest."""
    row = cursor.one(_GET, workspace_id, digest)
    return None if row is None else _SHAPE.record(row)


def of_binding(cursor: Cursor, workspace_id: str, binding_id: str) -> list[BindingRevision]:
    """The revisions of a binding, newest first."""
    return _SHAPE.records(cursor.all(_OF_BINDING, workspace_id, binding_id))
