"""An explanation as a terminal shows it: who answers and why, then every other binding with its reason."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from langbot_agents.schemas.bindings import ActiveWindow

from ..authorization import Grant
from ..explanation import Explained, Line, Outlook, rank_step
from ..texts import t
from . import counts
from .output import Output, Part, one_line

MOST_LINES = 12
"""Bindings of one code that are listed without `--all`."""

_OTHERS = (
    "outranked",
    "inactive",
    "filter_error",
    "filter_false",
    "scope",
    "event_type",
    "disabled",
    "quarantined",
)
_STYLE = {"filter_error": "yellow", "quarantined": "red", "inactive": "cyan"}


def print_explained(out: Output, explained: Explained, *, everything: bool) -> None:
    """The whole explanation."""
    print_header(out, explained)
    out.line()
    for item in explained.outlooks:
        _print_chosen(out, explained, item)
        out.line()
    if explained.explanation.decision.outcome != "matched":
        out.line((_nobody(explained), "bold yellow"))
        out.line()
    _print_others(out, explained, everything=everything)


def print_header(out: Output, explained: Explained) -> None:
    """Which event, when, and how many bindings each stage left."""
    event = explained.event.envelope
    origin = {
        "sample": t("sample of the catalogue"),
        "file": explained.name,
        "stdin": t("from stdin"),
        "log": explained.name,
    }[explained.origin]
    out.line((event.event_type, "bold"), "  ", (origin, "dim"))
    out.line(" · ".join(_facts(explained)), indent=2)
    moment = shown_time(explained.clock, explained.bindings.timezone)
    digest = explained.explanation.decision.set_digest.removeprefix("sha256:")[:12]
    out.line(t("decided for {moment}, bindings {digest}", moment=moment, digest=digest), indent=2)
    out.line(_stages(explained), indent=2)


def headline(explained: Explained) -> tuple[Part, ...]:
    """The decision on one line."""
    decision = explained.explanation.decision
    if decision.winner is None:
        return ((_nobody(explained), "bold yellow"),)
    item = explained.outlooks[0]
    return (*_answers(item), f"  {item.entry.origin}")


def shown_time(clock: float, timezone: str) -> str:
    """A moment with its weekday, in the host's zone."""
    local = datetime.fromtimestamp(clock, UTC).astimezone(ZoneInfo(timezone))
    return f"{local:%Y-%m-%d %H:%M:%S} {timezone} ({local:%a})"


def _facts(explained: Explained) -> Iterator[str]:
    event = explained.event.envelope
    yield f"{event.source.name} ({event.source.kind})"
    if event.workspace_id != "default":
        yield t("workspace {name}", name=event.workspace_id)
    if event.bot_id is not None:
        yield t("bot {name}", name=event.bot_id)
    if event.conversation_id is not None:
        kind = f" ({event.conversation_type})" if event.conversation_type else ""
        yield f"{event.conversation_id}{kind}"
    if event.thread_id is not None:
        yield t("thread {name}", name=event.thread_id)
    if event.actor is not None:
        name = event.actor.actor_name or event.actor.actor_type
        yield f"{name} ({event.actor.actor_id})" if event.actor.actor_id else name
    if event.subject is not None:
        yield t("about a {kind}", kind=event.subject.subject_type)
    if event.input.text is not None:
        yield one_line(event.input.text, 60)


def _stages(explained: Explained) -> str:
    left = explained.stages
    return " → ".join(
        (
            counts.bindings(left["bindings"]),
            t("{count} by event type", count=left["event_type"]),
            t("{count} by scope", count=left["scope"]),
            t("{count} by filters", count=left["filters"]),
            t("{count} active now", count=left["active"]),
            t("{count} winner", count=left["winner"]),
        )
    )


def _nobody(explained: Explained) -> str:
    if explained.explanation.decision.outcome == "observed":
        return t("Nobody answers: only observers take it.")
    return t("Nobody answers: the event would be recorded as unmatched.")


def _answers(item: Outlook) -> tuple[Part, ...]:
    entry = item.entry
    if entry.document.mode == "observe":
        return (
            ("+ ", "cyan"),
            (entry.binding_id, "bold"),
            t(" observes with {runner}", runner=_runner(item)),
        )
    if item.discards:
        return (("→ ", "bold green"), (entry.binding_id, "bold"), t(" takes it and says nothing (discard)"))
    return (
        ("→ ", "bold green"),
        (entry.binding_id, "bold"),
        t(" answers with {runner}", runner=_runner(item)),
    )


def _runner(item: Outlook) -> str:
    aliases = item.entry.runner.aliases
    return aliases[0] if aliases else item.entry.runner.id


def _print_chosen(out: Output, explained: Explained, item: Outlook) -> None:
    out.line(*_answers(item), "  ", (item.entry.origin, "dim"))
    if item.entry.document.description:
        out.line(item.entry.document.description, indent=4)
    rows: list[tuple[str, str]] = []
    if item.loop_guard is not None:
        rows.append((t("but"), t("the loop guard starts nothing: {reason}", reason=item.loop_guard)))
    if item.entry.document.mode == "respond":
        rows += _why_first(explained, item)
    if not item.discards:
        rows.append((t("granted"), shown_grant(item.grant)))
        rows.append((t("order"), _order(explained, item)))
        for place in item.destinations:
            target = f"{place.target.target_type} {place.target.target_id}"
            rows.append((t("delivered"), t("to {target} on {surface}", target=target, surface=place.surface)))
        label = t("but") if item.destinations else t("delivered")
        rows += [(label, downgrade.sentence()) for downgrade in item.downgrades]
    out.table([((name, "dim"), text) for name, text in rows], indent=4)


def _why_first(explained: Explained, item: Outlook) -> Iterator[tuple[str, str]]:
    following = explained.by_code.get("outranked", [])
    if not following or following[0].entry is None:
        return
    second = following[0].entry
    step = rank_step(item.entry, second, explained.event.envelope.event_type)
    yield (t("before"), t("{binding}: {why}", binding=second.binding_id, why=step.sentence()))


def shown_grant(grant: Grant) -> str:
    """What is granted, in words."""
    parts = [
        f"{kind} {', '.join(sorted(names))} ({', '.join(sorted(grant.verbs[kind]))})"
        for kind, names in grant.named.items()
        if names
    ]
    parts += [
        f"{kind} ({', '.join(sorted(verbs))})"
        for kind, verbs in grant.verbs.items()
        if verbs and kind not in grant.named
    ]
    if grant.state_scopes:
        parts.append(t("its own state ({scopes})", scopes=", ".join(sorted(grant.state_scopes))))
    return " · ".join(parts) or t("nothing")


def _order(explained: Explained, item: Outlook) -> str:
    event = explained.event.envelope
    flow = item.entry.document.flow
    place = event.conversation_id or (event.actor.actor_id if event.actor else None)
    if place is None:
        return t("by itself")
    if flow.overlap == "parallel":
        return t("at once, beside others of {place}", place=place)
    if flow.overlap == "drop":
        return t("dropped while another of {place} is under way", place=place)
    return t("after what is under way in {place}", place=place)


def _print_others(out: Output, explained: Explained, *, everything: bool) -> None:
    rows: list[Sequence[Part]] = []
    cut = 0
    for code in _OTHERS:
        lines = explained.by_code.get(code, [])
        shown = lines if everything else lines[:MOST_LINES]
        cut += len(lines) - len(shown)
        rows += [_row(explained, line) for line in shown]
    if rows:
        out.line((t("All others"), "bold"))
        out.table(rows, indent=2)
    if cut:
        out.line(t("… and {count} more: `--all` lists them", count=cut), indent=2)


def _row(explained: Explained, line: Line) -> Sequence[Part]:
    style = _STYLE.get(line.reason.code, "dim")
    name = line.reason.binding_id or t("(no id)")
    return ((line.reason.code, style), name, (str(line.place), "dim"), because(explained, line))


def because(explained: Explained, line: Line) -> str:
    """Why a binding is not the one, in words, with the value that counted."""
    reason = line.reason
    match reason.code:
        case "outranked":
            return line.step.sentence() if line.step is not None else ""
        case "event_type":
            return t("takes {patterns}", patterns=", ".join(reason.expected))
        case "scope":
            wanted, actual = _terms(reason.expected), reason.actual
            if actual is None:
                return t(
                    "scope.{field} wants {wanted}; the event has none", field=reason.field, wanted=wanted
                )
            return t(
                "scope.{field} wants {wanted}; it is {actual}",
                field=reason.field,
                wanted=wanted,
                actual=actual,
            )
        case "filter_false" | "filter_error":
            return _filter(line)
        case "inactive":
            return _inactive(explained, line)
        case "disabled":
            return t("enabled: false")
        case "quarantined":
            return _without_place(reason.detail or "", line)
    return ""


def _terms(expected: Any) -> str:
    return expected if isinstance(expected, str) else t(" or ").join(map(str, expected or ()))


def _filter(line: Line) -> str:
    leg = line.reason.leg
    if leg is None:
        return ""
    named = f"{line.filter_name}: " if line.filter_name else ""
    values = ", ".join(f"{path} = {one_line(value, 60)}" for path, value in line.values.items())
    if leg.truth == "false":
        told = t("{leg} is false", leg=leg.leg.text)
    else:
        told = t("{leg} fails: {reason}", leg=leg.leg.text, reason=leg.reason)
    return f"{named}{told}" + (f"; {values}" if values else "")


def _inactive(explained: Explained, line: Line) -> str:
    window = line.entry.document.active if line.entry is not None else None
    if window is None:
        return ""
    local = datetime.fromtimestamp(explained.clock, UTC)
    zones = {hours.zone or explained.bindings.timezone for hours in window.hours}
    zone = zones.pop() if len(zones) == 1 else explained.bindings.timezone
    now = local.astimezone(ZoneInfo(zone))
    return t(
        "active {window}; now it is {now}", window=_window(window), now=f"{now:%a %Y-%m-%d %H:%M} {zone}"
    )


def _window(window: ActiveWindow) -> str:
    parts = []
    if window.from_ is not None:
        parts.append(t("from {moment}", moment=window.from_.isoformat()))
    if window.until is not None:
        parts.append(t("until {moment}", moment=window.until.isoformat()))
    parts += [" ".join(filter(None, (item.hours, ",".join(item.days)))) for item in window.hours]
    return ", ".join(parts)


def _without_place(detail: str, line: Line) -> str:
    """A quarantine's reason without the file that stands beside it already."""
    prefix = f"{line.place.file}:"
    return detail.removeprefix(prefix) if detail.startswith(prefix) else detail
