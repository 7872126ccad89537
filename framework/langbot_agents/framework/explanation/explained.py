"""A decision explained: the router's own reasons, with the place in the files and the values behind each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.events import AgentEventEnvelope

from ..bindings import SCOPE_FIELDS, BindingEntry, BindingSet
from ..clock import rfc3339
from ..router import EventRouter, Explanation, Reason, RoutedEvent
from .outlook import Outlook, outlook
from .places import Place, Places, filter_name
from .rank import RankStep, rank_step
from .values import values_of

STAGES = ("event_type", "scope", "filters", "active")
_STAGE_OF: Mapping[str, int] = {
    "disabled": -1,
    "quarantined": -1,
    "event_type": 0,
    "scope": 1,
    "filter_false": 2,
    "filter_error": 2,
    "inactive": 3,
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """What became of one binding, and everything behind it."""

    reason: Reason
    entry: BindingEntry | None
    place: Place
    filter_name: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    step: RankStep | None = None
    """For an outranked one: what the winner has better."""

    def as_dict(self) -> dict[str, Any]:
        """The line as JSON data."""
        reason, entry = self.reason, self.entry
        data: dict[str, Any] = {"binding_id": reason.binding_id, "code": reason.code, **self.place.as_dict()}
        if entry is not None:
            data |= {
                "mode": entry.document.mode,
                "runner_id": entry.runner.id,
                "priority": entry.document.priority,
                "revision": entry.revision,
            }
        if reason.field is not None:
            data |= {"field": reason.field, "expected": thaw(reason.expected), "actual": reason.actual}
        if reason.leg is not None:
            data["filter"] = {
                "name": self.filter_name,
                "leg": reason.leg.leg.text,
                "truth": reason.leg.truth,
                "reason": reason.leg.reason,
                "values": dict(self.values),
            }
        if reason.code == "inactive" and entry is not None and entry.document.active is not None:
            data["expected"] = entry.document.active.model_dump(mode="json", by_alias=True)
        if reason.detail is not None:
            data["reason"] = reason.detail
        if self.step is not None:
            data["outranked_by"] = self.step.as_dict()
        return data


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One event, one clock, and a line for every binding."""

    origin: str
    """Where the event is from: `sample`, `file`, `stdin`, `log` or `http`."""
    name: str
    event: RoutedEvent
    clock: float
    bindings: BindingSet
    explanation: Explanation
    lines: tuple[Line, ...]
    outlooks: tuple[Outlook, ...]

    @cached_property
    def by_code(self) -> dict[str, list[Line]]:
        """The lines of each code, the outranked ones best first."""
        order = {item.binding_id: index for index, item in enumerate(self.explanation.decision.entries)}
        found: dict[str, list[Line]] = {}
        for line in sorted(self.lines, key=lambda line: order.get(line.reason.binding_id or "", len(order))):
            found.setdefault(line.reason.code, []).append(line)
        return found

    @property
    def facts(self) -> dict[str, str | None]:
        """The event's value for each field of a scope."""
        return dict(zip(SCOPE_FIELDS, self.event.scope, strict=True))

    @cached_property
    def stages(self) -> dict[str, int]:
        """How many bindings are left after each stage."""
        left = {"bindings": len(self.lines)}
        for number, name in enumerate(STAGES):
            left[name] = sum(
                1 for line in self.lines if _STAGE_OF.get(line.reason.code, len(STAGES)) > number
            )
        left["winner"] = 0 if self.explanation.decision.winner is None else 1
        return left

    def as_dict(self) -> dict[str, Any]:
        """The whole explanation as JSON data."""
        decision = self.explanation.decision
        envelope = self.event.envelope
        return {
            "event": {
                "event_type": envelope.event_type,
                "event_uid": envelope.event_uid,
                "event_id": envelope.event_id,
                "origin": self.origin,
                "name": self.name,
                "facts": self.facts,
            },
            "at": rfc3339(self.clock),
            "clock": self.clock,
            "set_digest": decision.set_digest,
            "function_set": decision.function_set,
            "outcome": decision.outcome,
            "winner": decision.winner,
            "observers": list(decision.observers),
            "stages": self.stages,
            "counts": dict(decision.counts),
            "bindings": [line.as_dict() for line in self.lines],
            "chosen": [item.as_dict() for item in self.outlooks],
        }


def explain_event(
    envelope: AgentEventEnvelope,
    bindings: BindingSet,
    clock: float,
    *,
    root: Path,
    origin: str,
    name: str,
    set_digest: str | None = None,
    trusted: Callable[[BindingEntry], bool] | None = None,
) -> Explained:
    """Explain what a set would do with an event at a time; `root` is where its files lie.

    `set_digest` names the whole set, where `bindings` is only what the asker may see of it. For a set of
    before, `trusted` tells for which entries the files still say the same.
    """
    event = RoutedEvent(envelope)
    explanation = EventRouter().explain(event, bindings, clock)
    decision = explanation.decision
    if set_digest is not None:
        decision = decision.model_copy(update={"set_digest": set_digest})
        explanation = replace(explanation, decision=decision)
    winner = bindings.get(decision.winner) if decision.winner is not None else None
    places = Places(root, trusted)
    document = {**event.json, "now": clock}
    lines = tuple(_line(reason, bindings, places, document, winner) for reason in explanation.reasons)
    chosen = [entry for name in decision.observers if (entry := bindings.get(name)) is not None]
    if winner is not None:
        chosen.insert(0, winner)
    return Explained(
        origin=origin,
        name=name,
        event=event,
        clock=clock,
        bindings=bindings,
        explanation=explanation,
        lines=lines,
        outlooks=tuple(outlook(event.envelope, entry) for entry in chosen),
    )


def _line(
    reason: Reason,
    bindings: BindingSet,
    places: Places,
    document: Mapping[str, Any],
    winner: BindingEntry | None,
) -> Line:
    # a quarantined document may bear the id of one that is live
    entry = bindings.get(reason.binding_id or "") if reason.code != "quarantined" else None
    if entry is None:
        file, _, line = reason.origin.rpartition(":")
        return Line(reason=reason, entry=None, place=Place(file=file, line=int(line)))
    outranked = reason.code == "outranked" and winner is not None
    return Line(
        reason=reason,
        entry=entry,
        place=places.of(entry, reason),
        filter_name=filter_name(entry, reason),
        values=values_of(reason.leg.leg, document) if reason.leg is not None else {},
        step=rank_step(winner, entry, str(document["event_type"])) if outranked and winner else None,
    )
