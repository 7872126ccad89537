"""The event log: every event in the order of arrival, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Select, bindparam, literal_column, select, text

from langbot_agents.framework.clock import rfc3339, utc_now
from langbot_agents.framework.identity import conversation_key
from langbot_agents.framework.ids import new_id
from langbot_agents.schemas.base import changed
from langbot_agents.schemas.events import AgentEventEnvelope

from .rows import dump_json
from .statements import Cursor, Row, Statement, insert_new
from .tables import EVENT_UNDECIDED, decision, event
from .writer import Writer


@dataclass(frozen=True, kw_only=True, slots=True)
class Appended:
    """What an append is answered with; of a repeat, the first one's `event_uid` and `seq`."""

    event_uid: str
    seq: int
    duplicate: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredEvent:
    """An event of the log; `outcome` is its decision's, None while it has none."""

    seq: int
    envelope: AgentEventEnvelope
    outcome: str | None


_DEDUP = ("workspace_id", "event_id", "source_kind", "source_name", "bot_id_key")
_INSERT = insert_new(event, *_DEDUP, where=text("event_id IS NOT NULL"))
_WORKSPACE = _INSERT.names.index("workspace_id")
_UID = _INSERT.names.index("event_uid")
_KEY = tuple(_INSERT.names.index(name) for name in _DEDUP)
_SEQ = Statement(
    select(event.c.seq).where(
        event.c.workspace_id == bindparam("workspace_id"), event.c.event_uid == bindparam("event_uid")
    ),
    "workspace_id",
    "event_uid",
)
_FIRST = Statement(
    select(event.c.event_uid, event.c.seq).where(*(event.c[name] == bindparam(name) for name in _DEDUP)),
    *_DEDUP,
)


class _Log:
    """The batch of appends."""

    def apply(self, cursor: Cursor, rows: Sequence[Row]) -> list[Appended]:
        if cursor.many(_INSERT, rows) != len(rows):
            return [_settled(cursor, row) for row in rows]
        # All are new, and SQLite numbers the rows of one transaction without a gap.
        last = rows[-1]
        found = cursor.one(_SEQ, last[_WORKSPACE], last[_UID])
        assert found is not None
        first = found[0] - len(rows) + 1
        return [
            Appended(event_uid=row[_UID], seq=seq, duplicate=False) for seq, row in enumerate(rows, first)
        ]


def _settled(cursor: Cursor, row: Row) -> Appended:
    own = cursor.one(_SEQ, row[_WORKSPACE], row[_UID])
    if own is not None:
        return Appended(event_uid=row[_UID], seq=own[0], duplicate=False)
    first = cursor.one(_FIRST, *(row[place] for place in _KEY))
    assert first is not None
    return Appended(event_uid=first[0], seq=first[1], duplicate=True)


LOG = _Log()


def stamped(envelope: AgentEventEnvelope) -> AgentEventEnvelope:
    """The envelope with `event_uid` and `received_at`, which stay where they are given."""
    if envelope.event_uid is not None and envelope.received_at is not None:
        return envelope
    return changed(
        envelope,
        event_uid=envelope.event_uid or new_id("evt"),
        received_at=envelope.received_at or utc_now(),
    )


def _row(envelope: AgentEventEnvelope, retention_class: str) -> Row:
    envelope = stamped(envelope)
    assert envelope.received_at is not None
    return (
        envelope.workspace_id,
        envelope.event_uid,
        envelope.event_id,
        envelope.event_type,
        envelope.source.kind,
        envelope.source.name,
        envelope.bot_id or "",
        conversation_key(envelope),
        rfc3339(envelope.received_at),
        retention_class,
        False,
        dump_json(envelope),
    )


async def append(writer: Writer, envelope: AgentEventEnvelope, retention_class: str = "event") -> Appended:
    """Put an event on disk; what the source is told that it was taken by."""
    return await writer.append(LOG, _row(envelope, retention_class))


def insert(cursor: Cursor, envelope: AgentEventEnvelope, retention_class: str = "event") -> Appended:
    """The same, as part of a unit."""
    return LOG.apply(cursor, [_row(envelope, retention_class)])[0]


_SELECT = select(event.c.seq, event.c.envelope, decision.c.outcome).select_from(
    event.outerjoin(
        decision,
        (decision.c.workspace_id == event.c.workspace_id) & (decision.c.event_uid == event.c.event_uid),
    )
)
_GET = Statement(
    _SELECT.where(
        event.c.workspace_id == bindparam("workspace_id"), event.c.event_uid == bindparam("event_uid")
    ),
    "workspace_id",
    "event_uid",
)
# `seq + 0` keeps SQLite from walking the whole log by its number instead of a small index.
_PLACE = event.c.seq + literal_column("0")
_FIND = Statement(
    _SELECT.where(
        event.c.workspace_id == bindparam("workspace_id"), event.c.event_id == bindparam("event_id")
    ).order_by(_PLACE),
    "workspace_id",
    "event_id",
)
_UNDECIDED = Statement(
    select(event.c.seq, event.c.envelope, literal_column("NULL"))
    .where(text(EVENT_UNDECIDED), bindparam("after") < _PLACE)
    .order_by(_PLACE)
    .limit(bindparam("count")),
    "after",
    "count",
)


def _stored(row: Row) -> StoredEvent:
    seq, envelope, outcome = row
    return StoredEvent(seq=seq, envelope=AgentEventEnvelope.model_validate_json(envelope), outcome=outcome)


def get(cursor: Cursor, workspace_id: str, event_uid: str) -> StoredEvent | None:
    """The event of that uid."""
    row = cursor.one(_GET, workspace_id, event_uid)
    return None if row is None else _stored(row)


def find(cursor: Cursor, workspace_id: str, event_id: str) -> list[StoredEvent]:
    """The events that sources gave that id; more than one where several sources did."""
    return [_stored(row) for row in cursor.all(_FIND, workspace_id, event_id)]


def undecided(cursor: Cursor, *, after_seq: int = 0, limit: int = 500) -> list[StoredEvent]:
    """The oldest events without a decision, of every workspace, in the order of arrival."""
    return [_stored(row) for row in cursor.all(_UNDECIDED, after_seq, limit)]


@cache
def page_statement(rising: bool, outcome: bool, event_type: bool, conversation: bool) -> Statement:
    """The statement of `page` for one choice of conditions."""
    query: Select[tuple[int, str, str]] = _SELECT.where(event.c.workspace_id == bindparam("workspace_id"))
    place = event.c.seq
    if outcome:
        # From the decisions, which have an index by outcome: a rare one need not be searched for.
        place = decision.c.event_seq
        query = (
            select(event.c.seq, event.c.envelope, decision.c.outcome)
            .select_from(decision.join(event, event.c.seq == decision.c.event_seq))
            .where(
                decision.c.workspace_id == bindparam("workspace_id"),
                decision.c.outcome == bindparam("outcome"),
            )
        )
    if event_type:
        query = query.where(event.c.event_type == bindparam("event_type"))
    if conversation:
        query = query.where(event.c.conversation_key == bindparam("conversation_key"))
    if rising:
        query = query.where(place > bindparam("seq")).order_by(place)
    else:
        query = query.where(place < bindparam("seq")).order_by(place.desc())
    given = [("outcome", outcome), ("event_type", event_type), ("conversation_key", conversation)]
    names = [name for name, present in given if present]
    return Statement(query.limit(bindparam("count")), "workspace_id", *names, "seq", "count")


def page(
    cursor: Cursor,
    workspace_id: str,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 50,
    event_type: str | None = None,
    outcome: str | None = None,
    conversation_key: str | None = None,
) -> list[StoredEvent]:
    """One page by `seq`: newest first, or with `after` oldest first."""
    conditions = [value for value in (outcome, event_type, conversation_key) if value is not None]
    statement = page_statement(
        after is not None, outcome is not None, event_type is not None, conversation_key is not None
    )
    start = after if after is not None else (before if before is not None else 2**62)
    return [_stored(row) for row in cursor.all(statement, workspace_id, *conditions, start, limit)]
