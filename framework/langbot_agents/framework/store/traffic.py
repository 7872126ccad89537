"""Where events went: how many each binding answered or observed, by event type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, literal_column, select

from .statements import Cursor, Statement
from .tables import decision, dispatch, event

_SINCE = (event.c.workspace_id == bindparam("workspace_id"), event.c.received_at >= bindparam("since"))
_DECIDED = and_(decision.c.workspace_id == event.c.workspace_id, decision.c.event_uid == event.c.event_uid)
_CHOSEN = and_(dispatch.c.workspace_id == event.c.workspace_id, dispatch.c.event_uid == event.c.event_uid)
_COUNT: ColumnElement[int] = literal_column("count(*)")
_SQLITE_WINNER = func.json_extract(decision.c.decision, literal_column("'$.winner'"))
_POSTGRES_WINNER: ColumnElement[Any] = literal_column("(decision.decision::json ->> 'winner')")


def _by(winner: ColumnElement[Any]) -> Select[Any]:
    return (
        select(event.c.event_type, winner, decision.c.outcome, _COUNT)
        .select_from(event.join(decision, _DECIDED))
        .where(*_SINCE)
        .group_by(event.c.event_type, winner, decision.c.outcome)
    )


_WINNERS = Statement(_by(_SQLITE_WINNER), "workspace_id", "since", other=_by(_POSTGRES_WINNER))
_DISPATCHES = Statement(
    select(dispatch.c.binding_id, _COUNT)
    .select_from(event.join(dispatch, _CHOSEN))
    .where(*_SINCE)
    .group_by(dispatch.c.binding_id),
    "workspace_id",
    "since",
)


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """The events of a span: how many, and where they went."""

    events: int
    """Those that are decided."""
    unmatched: int
    won: Mapping[tuple[str, str], int]
    """(event type, binding) to the events of the type that the binding won."""
    chosen: Mapping[str, int]
    """Binding to the events for which it was chosen, as an observer or to answer."""


def traffic_since(cursor: Cursor, workspace_id: str, since: str) -> Traffic:
    """Where the events of a workspace went that came at or after a time (RFC 3339)."""
    total = unmatched = 0
    won: dict[tuple[str, str], int] = {}
    for event_type, winner, outcome, count in cursor.all(_WINNERS, workspace_id, since):
        total += count
        if outcome == "unmatched":
            unmatched += count
        if winner is not None:
            won[event_type, winner] = won.get((event_type, winner), 0) + count
    chosen = {str(name): int(count) for name, count in cursor.all(_DISPATCHES, workspace_id, since)}
    return Traffic(events=total, unmatched=unmatched, won=won, chosen=chosen)
