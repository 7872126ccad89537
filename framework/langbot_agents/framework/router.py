"""Who answers an event: one pure function of (event, binding set, clock), and the reasons behind it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from typing import Any

from langbot_agents.schemas.base import FrozenDict, trusted
from langbot_agents.schemas.bindings import ActiveWindow
from langbot_agents.schemas.catalogue import canonical_type
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DecisionCode, DecisionEntry, ReasonCode

from .bindings import SCOPE_FIELDS, BindingEntry, BindingSet, EventKeys
from .filters import CompiledFilter, Frame, LegResult, evaluate_all
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
        """The decision on an event at a time; same arguments, same decision.

        The index only spares it the bindings that cannot take the event.
        """
        moment = _Moment(event, bindings, clock)
        keys = EventKeys(event.scope, lambda: moment.document)
        return moment.decision(bindings.index.candidates(event.event_type, keys), decision_id)

    def decide_linearly(self, event: RoutedEvent, bindings: BindingSet, clock: float) -> Decision:
        """The same decision, by asking every binding: what the index is measured against."""
        return _Moment(event, bindings, clock).decision(bindings.live, "")

    def explain(self, event: RoutedEvent, bindings: BindingSet, clock: float) -> Explanation:
        """The same decision, with the first reason that applies for every binding."""
        moment = _Moment(event, bindings, clock)
        decision = moment.decision(bindings.live, "")
        codes = {item.binding_id: item for item in decision.entries}
        reasons = [moment.reason(entry, codes.get(entry.binding_id)) for entry in bindings.entries]
        reasons += [
            Reason(binding_id=item.binding_id, origin=item.origin, code="quarantined", detail=item.reason)
            for item in bindings.quarantined
        ]
        return Explanation(decision=decision, reasons=tuple(reasons))


_Found = tuple[BindingEntry, DecisionCode, str | None]


class _Moment:
    """An event at a time among some bindings; each filter is evaluated once, whoever has it."""

    def __init__(self, event: RoutedEvent, bindings: BindingSet, clock: float) -> None:
        self._event = event
        self._bindings = bindings
        self._clock = float(clock)
        self._results: dict[CompiledFilter, LegResult | None] = {}

    @cached_property
    def document(self) -> dict[str, Any]:
        """What filters see."""
        return {**self._event.json, "now": self._clock}

    def decision(self, candidates: Iterable[BindingEntry], decision_id: str) -> Decision:
        """The decision among bindings that are live, in whatever order."""
        event_type = self._event.event_type
        found: list[_Found] = []
        for entry in candidates:
            if entry.type_rank(event_type) is None or _scope_miss(entry, self._event.scope) is not None:
                continue
            leg = self._leg(entry.filters)
            if leg is None or leg.truth != "false":
                found.append(self._coded(entry, leg))
        found.sort(key=lambda item: (_ORDER[item[1]], rank(item[0], event_type)))
        if found and found[0][1] == "outranked":
            found[0] = (found[0][0], "selected", None)
        counts = Counter(code for _, code, _ in found)
        entries = tuple(
            trusted(
                DecisionEntry, binding_id=entry.binding_id, revision=entry.revision, code=code, error=error
            )
            for entry, code, error in found
        )
        return trusted(
            Decision,
            decision_id=decision_id,
            event_uid=self._event.envelope.event_uid or "",
            workspace_id=self._event.envelope.workspace_id,
            clock=self._clock,
            set_digest=self._bindings.digest,
            function_set=self._bindings.function_set,
            counts=FrozenDict(sorted(counts.items())),
            winner=entries[0].binding_id if entries and entries[0].code == "selected" else None,
            observers=tuple(entry.binding_id for entry, code, _ in found if code == "observer"),
            entries=entries,
        )

    def reason(self, entry: BindingEntry, listed: DecisionEntry | None) -> Reason:
        """What became of a binding; `listed` is its place in the decision."""
        reason = partial(Reason, binding_id=entry.binding_id, origin=entry.origin)
        event = self._event
        if entry.state != "live":
            return reason(code="disabled", detail=_pause_text(entry))
        if listed is not None and listed.code != "filter_error":
            return reason(code=listed.code)
        if entry.type_rank(event.event_type) is None:
            return reason(
                code="event_type",
                field="event_type",
                expected=entry.document.event_types,
                actual=event.envelope.event_type,
            )
        miss = _scope_miss(entry, event.scope)
        if miss is not None:
            name = SCOPE_FIELDS[miss]
            expected = getattr(entry.document.scope, name) or ("default" if name == "workspace_id" else None)
            return reason(code="scope", field=name, expected=expected, actual=event.scope[miss])
        leg = self._leg(entry.filters)
        if leg is None or leg.truth == "true":
            raise AssertionError(f"{entry.binding_id}: routing and explanation differ")
        return reason(code="filter_false" if leg.truth == "false" else "filter_error", leg=leg)

    def _leg(self, filters: Sequence[CompiledFilter]) -> LegResult | None:
        """The deciding leg over all of them, by the same law as `evaluate_all`."""
        deciding: LegResult | None = None
        for compiled in filters:
            found = self._result(compiled)
            if found is None or found.truth == "false":
                return found
            if deciding is None or deciding.truth == "true":
                deciding = found
        return deciding

    def _result(self, compiled: CompiledFilter) -> LegResult | None:
        # filters of the same text are one object
        if compiled not in self._results:
            frame = Frame(self.document, now=self._clock, timezone=self._bindings.timezone)
            self._results[compiled] = evaluate_all((compiled,), self.document, frame)
        return self._results[compiled]

    def _coded(self, entry: BindingEntry, leg: LegResult | None) -> _Found:
        if leg is not None and leg.truth == "error":
            return entry, "filter_error", f"{leg.leg.text}: {leg.reason}"
        if not is_active(entry.document.active, self._clock, self._bindings.timezone):
            return entry, "inactive", None
        return entry, "observer" if entry.document.mode == "observe" else "outranked", None


def rank(entry: BindingEntry, event_type: str) -> tuple[Any, ...]:
    """Sorts best first: priority, scope from the left, event type pattern, then the id."""
    return (
        -entry.document.priority,
        _descending(entry.scope_rank),
        -(entry.type_rank(event_type) or 0),
        entry.binding_id,
    )


@lru_cache(maxsize=4096)
def _descending(scope_rank: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-value for value in scope_rank)


def _scope_miss(entry: BindingEntry, values: Sequence[str | None]) -> int | None:
    """The first field of the scope that does not take the event's value."""
    for index, (term, actual) in enumerate(zip(entry.scope, values, strict=True)):
        # most terms are omitted or single values, which need no call
        if term.specificity and actual not in term.values and not term.matches(actual):
            return index
    return None


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
