"""Events of the log as a terminal shows them."""

from typing import Any

from langbot_agents.schemas.records import Decision

from ..app import EventStory
from ..store.events import StoredEvent
from ..texts import t
from .output import Output, Part, one_line
from .run_warnings import print_warnings

_OUTCOME_STYLE = {"matched": "green", "observed": "cyan", "unmatched": "yellow"}
_BAD = {"failed", "timeout", "cancelled", "interrupted", "unknown", "queue_full", "expired"}


def listed(item: StoredEvent) -> dict[str, Any]:
    """One event of a list as JSON data."""
    event = item.envelope
    return {
        "seq": item.seq,
        "event_uid": event.event_uid,
        "event_id": event.event_id,
        "event_type": event.event_type,
        "received_at": None if event.received_at is None else event.received_at.isoformat(),
        "source": event.source.model_dump(mode="json"),
        "bot_id": event.bot_id,
        "conversation_id": event.conversation_id,
        "actor_id": event.actor.actor_id if event.actor else None,
        "outcome": item.outcome,
    }


def print_events(out: Output, page: list[StoredEvent]) -> None:
    """A table of events."""
    if not page:
        out.line((t("no events"), "dim"))
        return
    head = [t("received"), t("outcome"), t("event type"), t("where"), t("uid")]
    rows: list[list[Part]] = [[(name, "dim") for name in head]]
    for item in page:
        event = item.envelope
        rows.append(
            [
                out.moment(event.received_at),
                outcome_part(item.outcome),
                event.event_type,
                event.conversation_id or event.source.name,
                event.event_uid or "",
            ]
        )
    out.table(rows)


def outcome_part(outcome: str | None) -> Part:
    """A decision's outcome, in its colour."""
    return (outcome or t("undecided"), _OUTCOME_STYLE.get(outcome or "", "magenta"))


def print_story(out: Output, story: EventStory, decision: Decision | None) -> None:
    """An event and what became of it, in the order in which it happened."""
    event = story.stored.envelope
    out.line((event.event_type, "bold"), "  ", event.event_uid or "")
    rows: list[list[Part]] = [
        [(t("received"), "dim"), out.moment(event.received_at)],
        [(t("source"), "dim"), f"{event.source.name} ({event.source.kind})"],
    ]
    facts = (
        (t("event id"), event.event_id),
        (t("workspace"), event.workspace_id),
        (t("bot"), event.bot_id),
        (t("conversation"), event.conversation_id),
        (t("actor"), event.actor and (event.actor.actor_id or event.actor.actor_type)),
        (t("subject"), event.subject and event.subject.subject_type),
        (t("text"), None if event.input.text is None else one_line(event.input.text)),
        (t("data"), None if event.input.data is None else one_line(event.input.data)),
    )
    rows += [[(name, "dim"), str(value)] for name, value in facts if value is not None]
    out.table(rows, indent=2)
    _print_decision(out, decision)
    _print_work(out, story)


def _print_decision(out: Output, decision: Decision | None) -> None:
    out.line()
    if decision is None:
        out.line((t("decision"), "bold"), "  ", t("none yet: the next start of the host makes it"))
        return
    out.line((t("decision"), "bold"), "  ", outcome_part(decision.outcome))
    if decision.veto is not None:
        out.line(t("stopped by a hook: {reason}", reason=decision.veto), indent=2)
    out.table(
        [(entry.code, entry.binding_id, (entry.error or "", "yellow")) for entry in decision.entries],
        indent=2,
    )


def _print_work(out: Output, story: EventStory) -> None:
    if story.dispatches:
        out.line()
        out.line((t("dispatches"), "bold"))
        out.table(
            [
                (item.binding_id, _status(item.outcome), (item.reason or "", "dim"))
                for item in story.dispatches
            ],
            indent=2,
        )
    if story.runs:
        out.line()
        out.line((t("runs"), "bold"))
        rows: list[list[Part]] = []
        for run in story.runs:
            why = ": ".join(filter(None, (run.code, run.reason)))
            took = ""
            if run.started_at is not None and run.ended_at is not None:
                took = f"{(run.ended_at - run.started_at).total_seconds():.2f} s"
            attempt = t("attempt {number}", number=run.attempt)
            rows.append([run.binding_id, _status(run.status), took, attempt, run.run_id, (why, "dim")])
        out.table(rows, indent=2)
        for run in story.runs:
            print_warnings(out, run.binding_id, run.warnings, indent=2)
    if story.deliveries:
        out.line()
        out.line((t("deliveries"), "bold"))
        out.table(
            [
                (item.surface, _status(item.status), item.error or one_line(item.content, 80))
                for item in story.deliveries
            ],
            indent=2,
        )


def _status(status: str) -> Part:
    return (status, "red" if status in _BAD else "green" if status in {"completed", "sent"} else "")
