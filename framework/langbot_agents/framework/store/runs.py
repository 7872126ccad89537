"""The run ledger; a run that ended never changes again."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from sqlalchemy import bindparam, func, literal_column, select, text, update

from langbot_agents.schemas.records import RunRecord, RunStatus, RunWarning
from langbot_agents.schemas.results import Usage

from .rows import Shape, dump_json, moment
from .statements import Cursor, Statement
from .statements import insert as insert_into
from .tables import RUN_ACTIVE, run

_SHAPE = Shape(run, RunRecord)
_INSERT = insert_into(run)
_STATUS, _ATTEMPT, _STARTED = (_INSERT.names.index(name) for name in ("status", "attempt", "started_at"))
_SELECT = select(*_SHAPE.columns)
_ID = ("in_workspace", "of_run")
_LIVE = (
    run.c.workspace_id == bindparam("in_workspace"),
    run.c.run_id == bindparam("of_run"),
    text(RUN_ACTIVE),
)
_START = Statement(
    update(run)
    .where(*_LIVE)
    .values(
        status=literal_column("'running'"),
        attempt=bindparam("new_attempt"),
        started_at=func.coalesce(run.c.started_at, bindparam("new_started_at")),
        crash_restarts=func.coalesce(bindparam("new_crash_restarts"), run.c.crash_restarts),
    ),
    "new_attempt",
    "new_started_at",
    "new_crash_restarts",
    *_ID,
)
_EFFECTFUL = Statement(update(run).where(*_LIVE).values(effectful=literal_column("TRUE")), *_ID)
_ENDS = ("status", "ended_at", "code", "reason", "usage", "models", "warnings")
_FINISH = Statement(
    update(run)
    .where(*_LIVE)
    .values(
        {name: bindparam(f"new_{name}") for name in _ENDS}
        | {
            "retention_class": func.coalesce(bindparam("new_retention_class"), run.c.retention_class),
            "effectful": func.coalesce(bindparam("new_effectful"), run.c.effectful),
        }
    ),
    *(f"new_{name}" for name in _ENDS),
    "new_retention_class",
    "new_effectful",
    *_ID,
)
_GET = Statement(
    _SELECT.where(run.c.workspace_id == bindparam("in_workspace"), run.c.run_id == bindparam("of_run")), *_ID
)
_OF_EVENT = Statement(
    _SELECT.where(
        run.c.workspace_id == bindparam("workspace_id"), run.c.event_uid == bindparam("event_uid")
    ).order_by(run.c.run_id),
    "workspace_id",
    "event_uid",
)
_ACTIVE = Statement(_SELECT.where(text(RUN_ACTIVE)).order_by(run.c.created_at, run.c.run_id))


def create(
    cursor: Cursor, record: RunRecord, retention_class: str = "run_ok", *, attempt: int | None = None
) -> None:
    """Store a new run; with `attempt` as one whose attempt of that number begins now."""
    row = list(_SHAPE.row(record, retention_class=retention_class))
    if attempt is not None:
        row[_STATUS], row[_ATTEMPT], row[_STARTED] = "running", attempt, moment()
    cursor.run(_INSERT, *row)


def start_attempt(
    cursor: Cursor,
    workspace_id: str,
    run_id: str,
    *,
    attempt: int,
    started_at: datetime | None = None,
    crash_restarts: int | None = None,
) -> bool:
    """Number an attempt before its runner is called; False where the run had ended."""
    row = (attempt, moment(started_at), crash_restarts, workspace_id, run_id)
    return cursor.run(_START, *row) > 0


def mark_effectful(cursor: Cursor, workspace_id: str, run_id: str) -> bool:
    """Note the intent to show or change something, before the effect; False where the run had ended."""
    return cursor.run(_EFFECTFUL, workspace_id, run_id) > 0


def finish(
    cursor: Cursor,
    workspace_id: str,
    run_id: str,
    status: RunStatus,
    *,
    ended_at: datetime | None = None,
    code: str | None = None,
    reason: str | None = None,
    usage: Usage | None = None,
    models: Sequence[str] = (),
    warnings: Sequence[RunWarning] = (),
    retention_class: str | None = None,
    effectful: bool = False,
) -> bool:
    """End a run; False where it had ended, which stays as it was. `effectful` adds the mark."""
    if status in {"queued", "running"}:
        raise ValueError(f"a run does not end as {status!r}")
    if retention_class is None and status != "completed":
        retention_class = "run_failed"
    used = None if usage is None else dump_json(usage)
    lists = (dump_json(list(models)) if models else "[]", dump_json(list(warnings)) if warnings else "[]")
    row = (status, moment(ended_at), code, reason, used, *lists, retention_class, effectful or None)
    return cursor.run(_FINISH, *row, workspace_id, run_id) > 0


def get(cursor: Cursor, workspace_id: str, run_id: str) -> RunRecord | None:
    """The run of that id."""
    row = cursor.one(_GET, workspace_id, run_id)
    return None if row is None else _SHAPE.record(row)


def of_event(cursor: Cursor, workspace_id: str, event_uid: str) -> list[RunRecord]:
    """The runs of an event, oldest first."""
    return _SHAPE.records(cursor.all(_OF_EVENT, workspace_id, event_uid))


def active(cursor: Cursor) -> list[RunRecord]:
    """All that have not ended, of every workspace, oldest first."""
    return _SHAPE.records(cursor.all(_ACTIVE))


@cache
def page_statement(*filters: str) -> Statement:
    """The statement of `page` for one choice of conditions."""
    query = _SELECT.where(
        run.c.workspace_id == bindparam("workspace_id"),
        *(run.c[name] == bindparam(name) for name in filters),
        run.c.run_id < bindparam("before"),
    )
    query = query.order_by(run.c.run_id.desc()).limit(bindparam("count"))
    return Statement(query, "workspace_id", *filters, "before", "count")


def page(
    cursor: Cursor,
    workspace_id: str,
    *,
    before: str | None = None,
    limit: int = 50,
    binding_id: str | None = None,
    status: RunStatus | None = None,
) -> list[RunRecord]:
    """One page, newest first; `before` is the last run id of the page before."""
    given = {"binding_id": binding_id, "status": status}
    given = {name: value for name, value in given.items() if value is not None}
    row = (workspace_id, *given.values(), "~" if before is None else before, limit)
    return _SHAPE.records(cursor.all(page_statement(*given), *row))
