"""What `lba events replay` does: decides logged events again, or sends them anew."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import anyio
import click

from langbot_agents.schemas.events import AgentEventEnvelope

from ..app import open_host
from ..bindings import BindingSet
from ..comparison import Comparison, Move, Side
from ..documents import without_unknown
from ..errors import UsageError
from ..explanation import Places
from ..project import Project
from ..revisions import bindings_at
from ..router import EventRouter
from ..store import Cursor, decisions
from ..store.events import StoredEvent
from ..texts import t
from . import counts
from .compared_sets import named_set
from .diff_text import move_parts, print_cause
from .embedded import EmbeddedHost
from .live_set import live_set
from .loading import find_event, open_project, read_log
from .logged import log_since, routed
from .options import Session
from .progress import progress
from .remote import RemoteHost
from .reply import Reply, ending
from .reviewing import unchanged_in
from .sending import through

_NEW = ("event_uid", "received_at", "event_id", "expires_at", "cause", "traceparent")
"""What a new event does not take over: the id would make it a repeat, and its time was the first one's."""


class _Sets:
    """Sets of then, each built once while events in a row name it."""

    def __init__(self, project: Project, now: Side) -> None:
        self._project = project
        self._now = now
        self._digest: str | None = None
        self._comparison: Comparison | None = None

    def comparison(self, cursor: Cursor, set_digest: str, clock: float) -> Comparison | None:
        """The set of a digest beside that of now; None where the store does not know it."""
        if set_digest != self._digest:
            found: BindingSet | None = bindings_at(cursor, set_digest, self._project.registry, at=clock)
            self._digest = set_digest
            self._comparison = None if found is None else Comparison(self._side(found), self._now)
        return self._comparison

    def _side(self, bindings: BindingSet) -> Side:
        places = Places(self._project.root, unchanged_in(self._project.bindings))
        return Side(bindings=bindings, places=places)


def review_again(
    session: Session, event: str | None, since: float | None, *, workspace: str, other: str | None
) -> int:
    """Decide again, and show what is otherwise; gives the exit code."""
    project = open_project(session)
    out = session.output
    count = moved = 0
    with ExitStack() as stack:
        if other is None:
            now = Side.of(live_set(project), project.root)
        else:
            now = stack.enter_context(named_set(other, project)).side
        sets = _Sets(project, now)
        tell = stack.enter_context(progress()) if since is not None else None
        for stored in _events(project, event, since, workspace, tell):
            count += 1
            row, moves = read_log(project, partial(_again, stored, sets, now.bindings))
            moved += bool(row["differs"])
            if row["differs"] or event is not None:
                _print(session, row, moves)
            out.record("events-replay", row)
    if not count:
        raise UsageError(t("there are no events in that span"), remedy=t("give a longer span"))
    out.note(t("{moved} of {events} are decided otherwise now", moved=moved, events=counts.events(count)))
    return 3 if moved else 0


def _events(
    project: Project, event: str | None, since: float | None, workspace: str, tell: Any = None
) -> Iterator[StoredEvent]:
    if event is not None:
        yield read_log(project, lambda cursor: find_event(cursor, workspace, event))
    elif since is not None:
        yield from log_since(project, since, workspace, tell or (lambda _text: None))


def _again(
    stored: StoredEvent, sets: _Sets, bindings: BindingSet, cursor: Cursor
) -> tuple[dict[str, Any], list[Move]]:
    """One event, its decision of then and of now, and what moves because of what."""
    event, clock, uid = routed(stored)
    old = decisions.get(cursor, stored.envelope.workspace_id, uid)
    if old is not None:
        clock = old.clock
    new = EventRouter().decide(event, bindings, clock)
    moves: list[Move] = []
    known = False
    if old is not None:
        comparison = sets.comparison(cursor, old.set_digest, clock)
        if comparison is not None:
            known, moves = True, comparison.moves(event, clock)
    differs = old is not None and (
        bool(moves) or (old.winner, set(old.observers)) != (new.winner, set(new.observers))
    )
    row = {
        "event_uid": uid,
        "event_type": stored.envelope.event_type,
        "clock": clock,
        "differs": differs,
        "then": None if old is None else _short(old.outcome, old.winner, old.observers, old.set_digest),
        "now": _short(new.outcome, new.winner, new.observers, new.set_digest),
        "set_known": known,
        "moves": [move.as_dict() for move in moves],
    }
    return row, moves


def _short(outcome: str, winner: str | None, observers: tuple[str, ...], digest: str) -> dict[str, Any]:
    return {"outcome": outcome, "winner": winner, "observers": list(observers), "set_digest": digest}


def _print(session: Session, row: Mapping[str, Any], moves: list[Move]) -> None:
    out, nobody = session.output, t("nobody")
    then, now = row["then"], row["now"]
    before = t("undecided") if then is None else then["winner"] or nobody
    out.line(
        (row["event_uid"], "bold"),
        f"  {row['event_type']}  ",
        f"{before} → {now['winner'] or nobody}",
        ("" if row["differs"] else f"  {t('as it was')}", "dim"),
    )
    for move in moves:
        if move.kind != "answer":
            out.line(*move_parts(move), indent=4)
        print_cause(out, move, indent=4)


def deliver_again(
    session: Session, event: str | None, since: float | None, *, workspace: str, yes: bool
) -> int:
    """Send each as a new event, one after the other; gives the exit code."""
    project = open_project(session)
    chosen = [item.envelope.event_uid or "" for item in _events(project, event, since, workspace)]
    if not chosen:
        raise UsageError(t("there are no events in that span"), remedy=t("give a longer span"))
    if len(chosen) > 1 and not yes:
        _confirm(len(chosen))
    host = RemoteHost.find(project)
    if host is None:
        return anyio.run(_in_process, session, project, chosen, workspace)
    try:
        bad = sum(not _over_http(session, project, host, uid, workspace) for uid in chosen)
    finally:
        host.close()
    return 1 if bad else 0


def _confirm(count: int) -> None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            t("{events} would be sent again", events=counts.events(count)),
            remedy=t("say --yes if you mean it"),
        )
    if not click.confirm(t("Send {events} again?", events=counts.events(count)), err=True):
        raise click.Abort


def anew(envelope: AgentEventEnvelope) -> dict[str, Any]:
    """A logged event as a new one, whose cause is the first."""
    data = without_unknown(envelope.model_dump(mode="json"))
    depth = envelope.cause.depth if envelope.cause is not None else 0
    kept = {name: value for name, value in data.items() if name not in _NEW}
    return {**kept, "cause": {"event_uid": envelope.event_uid, "depth": depth + 1}}


def _stored(project: Project, uid: str, workspace: str) -> AgentEventEnvelope:
    return read_log(project, lambda cursor: find_event(cursor, workspace, uid)).envelope


def _over_http(session: Session, project: Project, host: RemoteHost, uid: str, workspace: str) -> bool:
    reply = Reply(out=session.output)
    try:
        for step in host.send(anew(_stored(project, uid, workspace))):
            reply.take(step)
    finally:
        reply.end()
    decision = host.ask(
        "GET", f"/v1/events/{reply.accepted['event_uid']}/decision", query={"workspace": workspace}
    )
    return _told(session, uid, reply, decision)


async def _in_process(session: Session, project: Project, chosen: list[str], workspace: str) -> int:
    bad = 0
    async with open_host(project) as host:
        for uid in chosen:
            reply = Reply(out=session.output)
            data = anew(_stored(project, uid, workspace))
            decision = await through(EmbeddedHost(host), data, reply)
            bad += not _told(session, uid, reply, decision)
    return 1 if bad else 0


def _told(session: Session, uid: str, reply: Reply, decision: Mapping[str, Any]) -> bool:
    result = ending(reply.done, decision)
    if not session.output.as_json:
        new = str(reply.accepted.get("event_uid"))
        session.output.note(result.mark, result.sentence, "  ", (f"{uid} → {new}", "dim"))
    session.output.record(
        "events-replay",
        {
            **reply.accepted,
            "replays": uid,
            "ended_well": result.well,
            "sentence": result.sentence,
            "winner": decision.get("winner"),
            "messages": reply.messages,
            **reply.done,
        },
    )
    return result.well
