"""Conversations: their identity, and from where on their history counts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from langbot_agents.framework.clock import from_rfc3339
from langbot_agents.schemas.events import AgentEventEnvelope

from . import state
from .rows import moment, optional_moment
from .statements import Cursor, Row, Statement, column_names, equal
from .tables import conversation, transcript


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """One conversation; its history counts from behind `reset_seq` on."""

    workspace_id: str
    conversation_key: str
    bot_id: str | None
    source_name: str
    conversation_id: str
    conversation_type: str | None
    thread_id: str | None
    title: str | None
    turn_count: int
    reset_at: datetime | None
    reset_seq: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


_NAMES = column_names(conversation)
_KEY = ("workspace_id", "conversation_key")


def _upsert(insert: Any) -> Any:
    made = insert(conversation).values({name: bindparam(name) for name in _NAMES})
    new = made.excluded
    return made.on_conflict_do_update(
        index_elements=list(_KEY),
        set_={
            "turn_count": conversation.c.turn_count + new.turn_count,
            "title": func.coalesce(new.title, conversation.c.title),
            "conversation_type": func.coalesce(new.conversation_type, conversation.c.conversation_type),
            "updated_at": new.updated_at,
            "expires_at": new.expires_at,
        },
    )


_TOUCH = Statement(_upsert(sqlite.insert), *_NAMES, other=_upsert(postgresql.insert))
_GET = Statement(select(conversation).where(*equal(conversation, *_KEY)), *_KEY)
_PAGE = Statement(
    select(conversation)
    .where(
        *equal(conversation, "workspace_id"),
        tuple_(conversation.c.updated_at, conversation.c.conversation_key)
        < tuple_(bindparam("before_time"), bindparam("before_key")),
    )
    .order_by(conversation.c.updated_at.desc(), conversation.c.conversation_key.desc())
    .limit(bindparam("count")),
    "workspace_id",
    "before_time",
    "before_key",
    "count",
)
_RESET = Statement(
    update(conversation)
    .where(
        conversation.c.workspace_id == bindparam("in_workspace"),
        conversation.c.conversation_key == bindparam("of_key"),
    )
    .values(
        reset_at=bindparam("at"),
        turn_count=0,
        reset_seq=select(func.coalesce(func.max(transcript.c.seq), 0))
        .where(
            transcript.c.workspace_id == bindparam("in_workspace"),
            transcript.c.conversation_key == bindparam("of_key"),
        )
        .scalar_subquery(),
    ),
    "at",
    "in_workspace",
    "of_key",
)


def touch(
    cursor: Cursor,
    workspace_id: str,
    key: str,
    *,
    envelope: AgentEventEnvelope,
    turns: int = 0,
    title: str | None = None,
    expires_at: datetime | None = None,
    now: datetime | None = None,
) -> None:
    """Note that something happened in it; the first time makes it, `turns` are added."""
    at = moment(now)
    cursor.run(
        _TOUCH,
        workspace_id,
        key,
        envelope.bot_id,
        envelope.source.name,
        envelope.conversation_id,
        envelope.conversation_type,
        envelope.thread_id,
        title,
        turns,
        None,
        0,
        at,
        at,
        optional_moment(expires_at),
    )


def get(cursor: Cursor, workspace_id: str, key: str) -> Conversation | None:
    """The conversation of that key."""
    row = cursor.one(_GET, workspace_id, key)
    return None if row is None else _conversation(row)


def page(
    cursor: Cursor,
    workspace_id: str,
    *,
    before: Conversation | tuple[str, str] | None = None,
    limit: int = 50,
) -> list[Conversation]:
    """One page, the last that changed first; `before` is the last one of the page before, or its place."""
    if isinstance(before, Conversation):
        before = place(before)
    return [_conversation(row) for row in cursor.all(_PAGE, workspace_id, *(before or ("~", "")), limit)]


def place(item: Conversation) -> tuple[str, str]:
    """Where a conversation stands among the others, as text: when it changed, and its key."""
    return moment(item.updated_at), item.conversation_key


def _conversation(row: Row) -> Conversation:
    values = dict(zip(_NAMES, row, strict=True))
    times = {
        name: None if values[name] is None else from_rfc3339(values[name])
        for name in ("reset_at", "created_at", "updated_at", "expires_at")
    }
    return Conversation(**{**values, **times})


def reset(cursor: Cursor, workspace_id: str, key: str, *, now: datetime | None = None) -> bool:
    """Let the history begin anew from here, and forget the `external.` keys; nothing else changes.

    False where there is no such conversation.
    """
    if not cursor.run(_RESET, moment(now), workspace_id, key):
        return False
    state.forget_external(cursor, workspace_id, "conversation", key)
    return True
