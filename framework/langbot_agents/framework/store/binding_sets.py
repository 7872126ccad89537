"""Sets of bindings that were live, by digest; members are kept as spans, so that a small change is small."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, or_, select, text, update
from sqlalchemy import bindparam as given

from langbot_agents.framework.clock import from_rfc3339, rfc3339

from .rows import dump_json, load_json
from .statements import Cursor, Row, Statement, equal
from .statements import insert as insert_into
from .tables import MEMBER_LIVE, binding_member, binding_set

HOUSE = "*"
"""A set is that of the whole host, so its rows belong to no one workspace."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One binding of a set: its revision, where it was written, and its pause as JSON data."""

    workspace_id: str
    binding_id: str
    revision: str
    file: str
    line: int
    pause: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredSet:
    """A set that went live at `created_at`; `quarantined` is what stayed out then, as JSON data."""

    seq: int
    digest: str
    timezone: str
    function_set: str
    quarantined: tuple[Mapping[str, Any], ...]
    created_at: datetime


_SET_COLUMNS = tuple(
    binding_set.c[name] for name in ("seq", "digest", "timezone", "function_set", "quarantined", "created_at")
)
_MEMBER_COLUMNS = tuple(
    binding_member.c[name] for name in ("workspace_id", "binding_id", "revision", "file", "line", "pause")
)
_OF_DIGEST = select(*_SET_COLUMNS).where(*equal(binding_set, "workspace_id", "digest")).limit(1)
_INSERT = insert_into(binding_set)
_NEWEST = Statement(
    select(*_SET_COLUMNS)
    .where(*equal(binding_set, "workspace_id"), binding_set.c.seq > 0)
    .order_by(binding_set.c.seq.desc())
    .limit(1),
    "workspace_id",
)
_UP_TO = Statement(
    _OF_DIGEST.where(binding_set.c.created_at <= given("at")).order_by(binding_set.c.seq.desc()),
    "workspace_id",
    "digest",
    "at",
)
_FIRST = Statement(_OF_DIGEST.order_by(binding_set.c.seq), "workspace_id", "digest")
_JOIN = insert_into(binding_member)
_LEAVE = Statement(
    update(binding_member)
    .where(*equal(binding_member, "workspace_id", "binding_id"), text(MEMBER_LIVE))
    .values(until=given("seq")),
    "workspace_id",
    "binding_id",
    "seq",
)
_LIVE = Statement(select(*_MEMBER_COLUMNS).where(text(MEMBER_LIVE)))
_AT = Statement(
    select(*_MEMBER_COLUMNS).where(
        and_(
            binding_member.c.since <= given("seq"),
            or_(text(MEMBER_LIVE), binding_member.c.until > given("seq")),
        )
    ),
    "seq",
)


def insert(
    cursor: Cursor,
    *,
    digest: str,
    timezone: str,
    function_set: str,
    quarantined: Sequence[Mapping[str, Any]],
    created_at: datetime,
    left: Iterable[tuple[str, str]],
    joined: Iterable[Member],
) -> int:
    """Write down that a set is live from now on, as its difference to the one before; gives its number.

    `left` names (workspace, binding) of who is in it no more, or in another form; `joined` who is new.
    """
    out = dump_json(list(quarantined))
    cursor.run(_INSERT, HOUSE, digest, timezone, function_set, out, rfc3339(created_at))
    made = newest(cursor)
    if made is None:
        raise AssertionError("the row is not there")
    cursor.many(_LEAVE, [(workspace, name, made.seq) for workspace, name in left])
    cursor.many(_JOIN, [_member_row(member, made.seq) for member in joined])
    return made.seq


def newest(cursor: Cursor) -> StoredSet | None:
    """The set that went live last."""
    return _stored(cursor.one(_NEWEST, HOUSE))


def get(cursor: Cursor, digest: str, *, at: float | None = None) -> StoredSet | None:
    """The set of a digest as it was live at `at`, in Unix seconds, or the first time; None if it never was.

    The same set can be live several times, each with other documents that stayed out.
    """
    if at is not None:
        found = _stored(cursor.one(_UP_TO, HOUSE, digest, rfc3339(at)))
        if found is not None:
            return found
    return _stored(cursor.one(_FIRST, HOUSE, digest))


def members(cursor: Cursor, seq: int) -> list[Member]:
    """The members of the set of that number."""
    return [_member(row) for row in cursor.all(_AT, seq)]


def live(cursor: Cursor) -> list[Member]:
    """The members of the set that went live last."""
    return [_member(row) for row in cursor.all(_LIVE)]


def _stored(row: Row | None) -> StoredSet | None:
    if row is None:
        return None
    seq, digest, timezone, function_set, quarantined, created_at = row
    return StoredSet(
        seq=seq,
        digest=digest,
        timezone=timezone,
        function_set=function_set,
        quarantined=tuple(load_json(quarantined)),
        created_at=from_rfc3339(created_at),
    )


def _member(row: Row) -> Member:
    workspace_id, binding_id, revision, file, line, pause = row
    return Member(
        workspace_id=workspace_id,
        binding_id=binding_id,
        revision=revision,
        file=file,
        line=line,
        pause=None if pause is None else load_json(pause),
    )


def _member_row(member: Member, seq: int) -> Row:
    pause = None if member.pause is None else dump_json(dict(member.pause))
    place = (member.revision, member.file, member.line)
    return (member.workspace_id, member.binding_id, seq, None, *place, pause)
