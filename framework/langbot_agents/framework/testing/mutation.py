"""Which mutants of the bindings the routing expectations of the cases notice."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langbot_agents.schemas.binding_tests import TestExpectation
from langbot_agents.schemas.records import DecisionCode

from ..bindings import BindingEntry, BindingSet
from ..explanation import Places
from ..router import EventRouter, RoutedEvent
from .coverage import reaches_filters
from .expectations import routing_mismatches
from .mutants import Mutant, mutants_of
from .suite import CaseResult

_ROUTER = EventRouter()


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """All mutants that were tried, and those that no case noticed."""

    tried: int
    survivors: tuple[Mutant, ...]

    @property
    def percent(self) -> float:
        """How many were noticed, of a hundred."""
        return 100.0 * (self.tried - len(self.survivors)) / self.tried if self.tried else 100.0

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "tried": self.tried,
            "noticed": self.tried - len(self.survivors),
            "percent": round(self.percent, 1),
            "survivors": [mutant.as_dict() for mutant in self.survivors],
        }


@dataclass(frozen=True, kw_only=True)
class _Judge:
    """One case that held, ready to be asked again."""

    expect: TestExpectation
    event: RoutedEvent
    clock: float


def try_mutants(
    bindings: BindingSet,
    results: Iterable[CaseResult],
    root: Path,
    *,
    only: Collection[str] | None = None,
    began: Callable[[str, int, int], None] = lambda _name, _number, _count: None,
) -> Mutation:
    """Try the mutants of every binding that takes part on the cases that held and expect a decision.

    `only` are the ids of the bindings that are changed; all where it is left out.

    `began` is told the binding, its number and how many there are.
    """
    judges = [
        _Judge(
            expect=result.case.document.expect,
            event=result.decided.event,
            clock=result.decided.clock,
        )
        for result in results
        if result.verdict == "passed" and result.decided is not None and result.case.document.expect.routing
    ]
    places = Places(root)
    survivors: list[Mutant] = []
    tried = 0
    entries = [entry for entry in bindings.live if only is None or entry.binding_id in only]
    for number, entry in enumerate(entries, start=1):
        began(entry.binding_id, number, len(entries))
        alone = _alone(entry, bindings)
        stands = [_Stand(judge, entry, alone) for judge in judges]
        for mutant in mutants_of(entry, bindings, places):
            tried += 1
            if not _noticed(mutant, bindings, stands):
                survivors.append(mutant)
    survivors.sort(key=lambda item: (item.place.file, item.place.line, item.place.column))
    return Mutation(tried=tried, survivors=tuple(survivors))


class _Stand:
    """Where a binding stands with one case, if it were the only binding."""

    __slots__ = ("code", "judge", "reached", "told")

    def __init__(self, judge: _Judge, entry: BindingEntry, alone: BindingSet) -> None:
        self.judge = judge
        self.reached = reaches_filters(entry, judge.event)
        self.code = _code(alone, judge) if self.reached else None
        self.told = entry.binding_id in (judge.expect.reasons or ())
        """Whether the case expects something of the binding by name."""


def _noticed(mutant: Mutant, bindings: BindingSet, stands: Iterable[_Stand]) -> bool:
    """Whether an expectation fails with it; the whole set is asked only where the binding itself matters."""
    changed: BindingSet | None = None
    alone = _alone(mutant.entry, bindings)
    reaches_as_before = mutant.kind not in {"event_type", "scope"}
    for stand in stands:
        if not stand.told:
            reached = stand.reached if reaches_as_before else reaches_filters(mutant.entry, stand.judge.event)
            code = _code(alone, stand.judge) if reached else None
            if stand.code == code and (code is None or mutant.kind in {"filter", "active"}):
                continue
        if changed is None:
            changed = bindings.changed([mutant.entry])
        if _fails(stand.judge, changed):
            return True
    return False


def _alone(entry: BindingEntry, bindings: BindingSet) -> BindingSet:
    return BindingSet([entry], timezone=bindings.timezone, function_set=bindings.function_set)


def _code(alone: BindingSet, judge: _Judge) -> DecisionCode | None:
    entries = _ROUTER.decide_linearly(judge.event, alone, judge.clock).entries
    return entries[0].code if entries else None


def _fails(judge: _Judge, bindings: BindingSet) -> bool:
    def codes() -> dict[str, str]:
        explanation = _ROUTER.explain(judge.event, bindings, judge.clock)
        return {reason.binding_id or "": reason.code for reason in explanation.reasons}

    decision = _ROUTER.decide(judge.event, bindings, judge.clock)
    return any(routing_mismatches(judge.expect, decision, codes))
