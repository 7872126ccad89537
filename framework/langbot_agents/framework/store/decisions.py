"""Decisions: one an event, made once."""

from sqlalchemy import bindparam, literal_column, select, update

from langbot_agents.framework.errors import NotFoundError
from langbot_agents.framework.texts import t
from langbot_agents.schemas.records import Decision

from .rows import dump_json
from .statements import Cursor, Statement
from .statements import insert as insert_into
from .tables import decision, event

_INSERT = insert_into(decision)
_KEY = ("workspace_id", "event_uid")
_SEQ = Statement(
    select(event.c.seq).where(*(event.c[name] == bindparam(name) for name in _KEY)),
    *_KEY,
)
_DECIDED = Statement(
    update(event).where(event.c.seq == bindparam("place")).values(decided=literal_column("TRUE")), "place"
)
_GET = Statement(
    select(decision.c.decision).where(*(decision.c[name] == bindparam(name) for name in _KEY)), *_KEY
)


def insert(cursor: Cursor, record: Decision, seq: int | None = None) -> None:
    """Store it; a second one of an event is refused. `seq` is the event's place, if it is known."""
    if not record.decision_id:
        raise ValueError("a decision that is stored has a decision_id")
    if seq is None:
        row = cursor.one(_SEQ, record.workspace_id, record.event_uid)
        if row is None:
            raise NotFoundError(t("no event {event_uid!r}", event_uid=record.event_uid))
        seq = int(row[0])
    cursor.run(
        _INSERT,
        record.workspace_id,
        record.event_uid,
        record.decision_id,
        seq,
        record.outcome,
        dump_json(record),
    )
    cursor.run(_DECIDED, seq)


def get(cursor: Cursor, workspace_id: str, event_uid: str) -> Decision | None:
    """The decision of an event."""
    row = cursor.one(_GET, workspace_id, event_uid)
    return None if row is None else Decision.model_validate_json(row[0])
