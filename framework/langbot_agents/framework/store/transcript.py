"""The transcript: what was said in each conversation, in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, text

from langbot_agents.schemas.records import TranscriptEntry

from .rows import Shape
from .statements import Cursor, Row, Statement, equal
from .statements import insert as insert_into
from .tables import USER_TURN, conversation, transcript


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """A stretch of a history, oldest first; `has_more` says whether there is an older part."""

    entries: tuple[TranscriptEntry, ...]
    has_more: bool


_SHAPE = Shape(transcript, TranscriptEntry, {"seq": "sequence"})
_INSERT = insert_into(transcript)
_PLACE = ("workspace_id", "conversation_key")
_HERE = equal(transcript, *_PLACE)
_RESET_MARK = Statement(select(conversation.c.reset_seq).where(*equal(conversation, *_PLACE)), *_PLACE)
_TURN = Statement(
    select(transcript.c.seq)
    .where(
        *_HERE, text(USER_TURN), transcript.c.seq > bindparam("after"), transcript.c.seq < bindparam("before")
    )
    .order_by(transcript.c.seq.desc())
    .limit(bindparam("count")),
    *_PLACE,
    "after",
    "before",
    "count",
)
_NEWEST = Statement(
    select(*_SHAPE.columns)
    .where(*_HERE, transcript.c.seq >= bindparam("start"), transcript.c.seq < bindparam("before"))
    .order_by(transcript.c.seq.desc())
    .limit(bindparam("count")),
    *_PLACE,
    "start",
    "before",
    "count",
)
_OLDER = Statement(
    select(transcript.c.seq)
    .where(*_HERE, transcript.c.seq > bindparam("after"), transcript.c.seq < bindparam("before"))
    .limit(bindparam("count")),
    *_PLACE,
    "after",
    "before",
    "count",
)
_OF_EVENT = Statement(
    select(transcript.c.seq)
    .where(*equal(transcript, "workspace_id", "event_uid", "conversation_key", "role"))
    .limit(bindparam("count")),
    "workspace_id",
    "event_uid",
    "conversation_key",
    "role",
    "count",
)
_END = 2**62


def append(cursor: Cursor, entries: Sequence[TranscriptEntry], retention_class: str = "transcript") -> None:
    """Add entries, in order."""
    cursor.many(_INSERT, [_SHAPE.row(entry, retention_class=retention_class) for entry in entries])


def has_event(cursor: Cursor, workspace_id: str, conversation_key: str, event_uid: str, *, role: str) -> bool:
    """Whether an event already has an entry of that role."""
    return cursor.one(_OF_EVENT, workspace_id, event_uid, conversation_key, role, 1) is not None


def window(
    cursor: Cursor,
    workspace_id: str,
    conversation_key: str,
    *,
    rounds: int,
    before_seq: int | None = None,
    limit: int = 1000,
) -> Window:
    """The newest `rounds` turns, each whole from its user entry on, behind the conversation's reset mark.

    A turn of more than `limit` entries loses its oldest ones. What it costs does not depend on how long the
    history is.
    """
    mark = cursor.one(_RESET_MARK, workspace_id, conversation_key)
    floor = mark[0] if mark else 0
    end = _END if before_seq is None else before_seq
    turns = cursor.all(_TURN, workspace_id, conversation_key, floor, end, rounds) if rounds > 0 else []
    start = turns[-1][0] if turns else end
    rows = cursor.all(_NEWEST, workspace_id, conversation_key, start, end, limit) if turns else []
    rows.reverse()
    if len(rows) == limit:
        rows = _from_a_turn(rows)
    return _window(cursor, (workspace_id, conversation_key), rows, floor=floor, end=start)


def page(
    cursor: Cursor,
    workspace_id: str,
    conversation_key: str,
    *,
    before_seq: int | None = None,
    limit: int = 50,
) -> Window:
    """The newest `limit` entries before a place, of the whole history."""
    end = _END if before_seq is None else before_seq
    rows = cursor.all(_NEWEST, workspace_id, conversation_key, 0, end, limit)
    rows.reverse()
    return _window(cursor, (workspace_id, conversation_key), rows, floor=0, end=end)


def _window(cursor: Cursor, place: tuple[str, str], rows: list[Row], *, floor: int, end: int) -> Window:
    entries = tuple(_SHAPE.records(rows))
    first = entries[0].sequence if entries else end
    older = cursor.one(_OLDER, *place, floor, first, 1)
    return Window(entries=entries, has_more=older is not None)


def _from_a_turn(rows: list[Row]) -> list[Row]:
    """The rows from the first user entry on, where there is one."""
    role = [column.name for column in _SHAPE.columns].index("role")
    for place, row in enumerate(rows):
        if row[role] == "user":
            return rows[place:]
    return rows
