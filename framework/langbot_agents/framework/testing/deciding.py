"""A case's event before the router: the decision, at the case's time."""

from dataclasses import dataclass

from langbot_agents.schemas.records import Decision

from ..bindings import BindingSet
from ..router import EventRouter, RoutedEvent
from .cases import Case


@dataclass(frozen=True, kw_only=True)
class Decided:
    """An event, the time at which it was decided, and the decision."""

    event: RoutedEvent
    clock: float
    decision: Decision


def decide(bindings: BindingSet, case: Case, *, now: float) -> Decided:
    """What a set of bindings does with a case's event, by the router that a host has."""
    if case.event is None:
        raise ValueError(f"{case.name!r} has no event")
    event = RoutedEvent(case.event.envelope)
    clock = now if case.document.at is None else case.document.at.timestamp()
    return Decided(event=event, clock=clock, decision=EventRouter().decide(event, bindings, clock))
