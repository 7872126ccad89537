"""Running cases: the router on each, the host where output is expected, and what did not hold."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import anyio

from langbot_agents.schemas.binding_tests import NOBODY

from ..documents import Finding, by_place
from ..explanation import Explained, Line, explain_event
from ..project import Project
from ..texts import t
from .cases import Case, CaseFile
from .deciding import Decided, decide
from .expectations import Happened, Mismatch, routing_mismatches, running_mismatches
from .running import happened, runs_for_real

Verdict = Literal["passed", "failed", "invalid"]
"""`invalid`: it could not be tried, because of what its file says."""


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """How one case ended."""

    case: Case
    verdict: Verdict
    mismatches: tuple[Mismatch, ...] = ()
    decided: Decided | None = field(default=None, repr=False)
    happened: Happened | None = None
    seconds: float = 0.0
    project: Project | None = field(default=None, repr=False)

    @cached_property
    def explained(self) -> Explained | None:
        """The decision with every reason, worked out when somebody asks."""
        if self.decided is None or self.project is None or self.case.event is None:
            return None
        return explain_event(
            self.decided.event.envelope,
            self.project.bindings,
            self.decided.clock,
            root=self.project.root,
            origin="file" if self.case.event.origin == "inline" else self.case.event.origin,
            name=self.case.event.name,
        )

    def reasons(self, mismatch: Mismatch) -> tuple[Line, ...]:
        """What the router says of the bindings that a mismatch is about."""
        lines = self.explained.lines if self.explained is not None and mismatch.about else ()
        by_id: dict[str, Line] = {}
        for line in lines:
            by_id.setdefault(line.reason.binding_id or "", line)
        return tuple(by_id[name] for name in mismatch.about if name in by_id)

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        decision = None if self.decided is None else self.decided.decision
        return {
            "name": self.case.name,
            **self.case.place().as_dict(),
            "verdict": self.verdict,
            "seconds": round(self.seconds, 6),
            "winner": None if decision is None else decision.winner,
            "observers": [] if decision is None else list(decision.observers),
            "outcome": None if decision is None else decision.outcome,
            "happened": None if self.happened is None else self.happened.as_dict(),
            "mismatches": [self._mismatch(item) for item in self.mismatches],
            "findings": [finding.as_dict() for finding in self.case.findings],
        }

    def _mismatch(self, item: Mismatch) -> dict[str, Any]:
        return {
            "field": item.name,
            **self.case.place(*item.path).as_dict(),
            "expected": item.expected,
            "actual": item.actual,
            "note": item.note,
            "reasons": [line.as_dict() for line in self.reasons(item)],
        }


@dataclass(frozen=True, kw_only=True)
class SuiteResult:
    """How all cases ended."""

    files: tuple[CaseFile, ...]
    results: tuple[CaseResult, ...]
    deselected: int = 0
    """Cases that were not asked for."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong with the test files."""
        return by_place(finding for file in self.files for finding in file.findings)

    def of(self, verdict: Verdict) -> tuple[CaseResult, ...]:
        """The results of one verdict."""
        return tuple(result for result in self.results if result.verdict == verdict)

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to check."""
        return not self.results and not self.findings

    @property
    def ok(self) -> bool:
        """Whether every case held, and every file could be read."""
        errors = any(finding.severity == "error" for finding in self.findings)
        return not errors and all(result.verdict == "passed" for result in self.results)

    @property
    def subjects(self) -> frozenset[str]:
        """The bindings that the cases name; of a case that names none, those that were chosen."""
        found: set[str] = set()
        for result in self.results:
            expect = result.case.document.expect
            named = {expect.winner or NOBODY, *(expect.observers or ()), *(expect.reasons or ())} - {NOBODY}
            if not named and result.decided is not None:
                decision = result.decided.decision
                named = {decision.winner or NOBODY, *decision.observers}
            found |= named
        return frozenset(found - {NOBODY})

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "files": len(self.files),
            "passed": len(self.of("passed")),
            "failed": len(self.of("failed")),
            "invalid": len(self.of("invalid")),
            "deselected": self.deselected,
            "cases": [result.as_dict() for result in self.results],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def run_suite(
    project: Project,
    files: Iterable[CaseFile],
    *,
    chosen: Callable[[Case], bool] = lambda _case: True,
    began: Callable[[Case, int, int], None] = lambda _case, _number, _count: None,
    ended: Callable[[CaseResult], None] = lambda _result: None,
) -> SuiteResult:
    """Run the chosen cases in their order; one host a case, and none for what only routes.

    `began` is told the case, its number and how many there are.
    """
    files = tuple(files)
    everything = [case for file in files for case in file.cases]
    cases = [case for case in everything if chosen(case)]
    now = time.time()
    results = []
    for number, case in enumerate(cases, start=1):
        began(case, number, len(cases))
        result = run_case(project, case, now=now)
        ended(result)
        results.append(result)
    return SuiteResult(files=files, results=tuple(results), deselected=len(everything) - len(cases))


def run_case(project: Project, case: Case, *, now: float) -> CaseResult:
    """Run one case; `now` is its time where it names none."""
    start = time.perf_counter()
    if case.event is None or case.findings:
        return CaseResult(case=case, verdict="invalid")
    decided = decide(project.bindings, case, now=now)
    result = CaseResult(case=case, verdict="passed", decided=decided, project=project)
    expect = case.document.expect
    mismatches = list(routing_mismatches(expect, decided.decision, lambda: _codes(result)))
    outcome: Happened | None = None
    if expect.running:
        winner = project.bindings.get(decided.decision.winner or "")
        if winner is None or runs_for_real(case, winner):
            outcome = anyio.run(happened, project, case, decided)
            mismatches += running_mismatches(expect, outcome)
        else:
            mismatches.append(_not_run(case, winner.binding_id, winner.document.runner_id))
    return replace(
        result,
        verdict="failed" if mismatches else "passed",
        mismatches=tuple(mismatches),
        happened=outcome,
        seconds=time.perf_counter() - start,
    )


def _codes(result: CaseResult) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for reason in result.explained.explanation.reasons if result.explained is not None else ():
        found.setdefault(reason.binding_id or "", reason.code)
    return found


def _not_run(case: Case, binding_id: str, runner_id: str) -> Mismatch:
    """Output is expected of a runner that a test does not let run."""
    stated: Sequence[str] = [
        name
        for name in ("dispatch", "status", "code", "messages", "actions")
        if getattr(case.document.expect, name) is not None
    ]
    return Mismatch(
        path=("expect", stated[0]),
        expected=t("a run of {binding}", binding=binding_id),
        actual=t("{runner} is not run by a test, as it may reach out", runner=runner_id),
        note=t("write what it gives as `runner: {results: […]}`, or `runner: real` to let it run"),
    )
