"""Who answers an event: one pure function of (event, binding set, clock), and the reasons behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any

from langbot_agents.schemas.base import FrozenDict
from langbot_agents.schemas.bindings import ActiveWindow
from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DecisionCode, DecisionEntry, ReasonCode

from .bindings import SCOPE_FIELDS, BindingEntry, BindingSet
from .filters import FUNCTION_SET, LegResult, evaluate_all
from .hours import in_hours
from .texts import t

_ORDER: Mapping[str, int] = {"selected": 0, "outranked": 1, "observer": 2, "filter_error": 3, "inactive": 4}


class RoutedEvent:
    """An event with the forms that routing reads, each made once."""

    __slots__ = ("__dict__", "envelope")

    def __init__(self, envelope: AgentEventEnvelope) -> None:
        self.envelope = envelope

    @cached_property
    def event_type(self) -> str:
        """The type by its own name, also where the event has an alias of it."""
        return canonical_type(self.envelope.event_type)

    @cached_property
    def json(self) -> dict[str, Any]:
        """The event's JSON form, which filters see."""
        return self.envelope.model_dump(mode="json")

    @cached_property
    def scope(self) -> tuple[str | None, ...]:
        """The event's value for each field of a scope."""
        event = self.envelope
        return (
            event.actor.actor_id if event.actor else None,
            event.thread_id,
            event.conversation_id,
            event.conversation_type,
            event.subject.subject_type if event.subject else None,
            event.bot_id,
            event.source.name,
            event.source.kind,
            event.workspace_id,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """What became of one binding on one event, and why."""

    binding_id: str | None
    origin: str
    code: ReasonCode
    field: str | None = None
    expected: Any = None
    actual: Any = None
    leg: LegResult | None = None
    detail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """A decision with a reason for every binding."""

    decision: Decision
    reasons: tuple[Reason, ...]


class EventRouter:
    """Decides; holds nothing but the function that the server and every tool share."""

    def decide(
        self, event: RoutedEvent, bindings: BindingSet, clock: float, *, decision_id: str = ""
    ) -> Decision:
        """The decision on an event at a time; same arguments, same decision."""
        found: list[tuple[BindingEntry, DecisionCode, str | None]] = []
        document: dict[str, Any] | None = None
        for entry in bindings.live:
            if entry.type_rank(event.event_type) is None or _scope_miss(entry, event) is not None:
                continue
            leg = None
            if entry.filters:
                document = document or {**event.json, "now": clock}
                leg = evaluate_all(entry.filters, document)
                if leg is not None and leg.truth == "false":
                    continue
            found.append(_coded(entry, leg, bindings, clock))
        return _decision(event, bindings, clock, found, decision_id)

    def explain(self, event: RoutedEvent, bindings: BindingSet, clock: float) -> Explanation:
        """The same decision, with the first reason that applies for every binding."""
        decision = self.decide(event, bindings, clock)
        codes = {(item.binding_id, item.revision): item for item in decision.entries}
        reasons = [
            _reason(entry, event, clock, codes.get((entry.binding_id, entry.revision)))
            for entry in bindings.entries
        ]
        reasons += [
            Reason(binding_id=item.binding_id, origin=item.origin, code="quarantined", detail=item.reason)
            for item in bindings.quarantined
        ]
        return Explanation(decision=decision, reasons=tuple(reasons))


def _coded(
    entry: BindingEntry, leg: LegResult | None, bindings: BindingSet, clock: float
) -> tuple[BindingEntry, DecisionCode, str | None]:
    if leg is not None and leg.truth == "error":
        return entry, "filter_error", f"{leg.leg.text}: {leg.reason}"
    if not is_active(entry.document.active, clock, bindings.timezone):
        return entry, "inactive", None
    return entry, "observer" if entry.document.mode == "observe" else "outranked", None


def _decision(
    event: RoutedEvent,
    bindings: BindingSet,
    clock: float,
    found: list[tuple[BindingEntry, DecisionCode, str | None]],
    decision_id: str,
) -> Decision:
    event_type = event.event_type
    found.sort(key=lambda item: (_ORDER[item[1]], rank(item[0], event_type)))
    entries: list[DecisionEntry] = []
    for index, (entry, code, error) in enumerate(found):
        final: DecisionCode = "selected" if index == 0 and code == "outranked" else code
        entries.append(
            DecisionEntry(binding_id=entry.binding_id, revision=entry.revision, code=final, error=error)
        )
    counts: dict[str, int] = {}
    for item in entries:
        counts[item.code] = counts.get(item.code, 0) + 1
    selected = entries[0].binding_id if entries and entries[0].code == "selected" else None
    return Decision(
        decision_id=decision_id,
        event_uid=event.envelope.event_uid or "",
        workspace_id=event.envelope.workspace_id,
        clock=clock,
        set_digest=bindings.digest,
        function_set=FUNCTION_SET,
        counts=FrozenDict(sorted(counts.items())),
        winner=selected,
        observers=tuple(item.binding_id for item in entries if item.code == "observer"),
        entries=tuple(entries),
    )


def rank(entry: BindingEntry, event_type: str) -> tuple[Any, ...]:
    """Sorts best first: priority, scope from the left, event type pattern, then the id."""
    return (
        -entry.document.priority,
        tuple(-value for value in entry.scope_rank),
        -(entry.type_rank(event_type) or 0),
        entry.binding_id,
    )


def _scope_miss(entry: BindingEntry, event: RoutedEvent) -> int | None:
    for index, (term, actual) in enumerate(zip(entry.scope, event.scope, strict=True)):
        if not term.matches(actual):
            return index
    return None


def _reason(entry: BindingEntry, event: RoutedEvent, clock: float, listed: DecisionEntry | None) -> Reason:
    reason = partial(Reason, binding_id=entry.binding_id, origin=entry.origin)
    if entry.state != "live":
        return reason(code="disabled", detail=_pause_text(entry))
    if entry.type_rank(event.event_type) is None:
        return reason(
            code="event_type",
            field="event_type",
            expected=entry.document.event_types,
            actual=event.envelope.event_type,
        )
    miss = _scope_miss(entry, event)
    if miss is not None:
        name = SCOPE_FIELDS[miss]
        expected = getattr(entry.document.scope, name) or ("default" if name == "workspace_id" else None)
        return reason(code="scope", field=name, expected=expected, actual=event.scope[miss])
    leg = evaluate_all(entry.filters, {**event.json, "now": clock})
    if leg is not None and leg.truth != "true":
        return reason(code="filter_false" if leg.truth == "false" else "filter_error", leg=leg)
    if listed is None:
        raise AssertionError(f"{entry.binding_id}: routing and explanation differ")
    return reason(code=listed.code)


def _pause_text(entry: BindingEntry) -> str | None:
    if entry.state != "paused" or entry.pause is None:
        return None
    return t("paused: {reason}", reason=entry.pause.reason or t("no reason was given"))


def is_active(window: ActiveWindow | None, clock: float, timezone: str) -> bool:
    """Whether a time lies in a binding's active window."""
    if window is None:
        return True
    now = datetime.fromtimestamp(clock, UTC)
    if (window.from_ is not None and now < window.from_) or (
        window.until is not None and now >= window.until
    ):
        return False
    return not window.hours or any(in_hours(hours, now, timezone) for hours in window.hours)
