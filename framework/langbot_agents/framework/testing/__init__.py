"""Tests beside bindings: events and what must become of them, through the router and the host as they are."""

from .cases import Case, CaseFile, find_test_files, read_cases
from .coverage import BindingCoverage, Coverage, LegCoverage, coverage_of
from .deciding import Decided, decide
from .events import CaseEvent, EventFault, event_of
from .expectations import Happened, Mismatch
from .junit import write_junit
from .mutants import Mutant, mutants_of
from .mutation import Mutation, try_mutants
from .suite import CaseResult, SuiteResult, run_case, run_suite

__all__ = [
    "BindingCoverage",
    "Case",
    "CaseEvent",
    "CaseFile",
    "CaseResult",
    "Coverage",
    "Decided",
    "EventFault",
    "Happened",
    "LegCoverage",
    "Mismatch",
    "Mutant",
    "Mutation",
    "SuiteResult",
    "coverage_of",
    "decide",
    "event_of",
    "find_test_files",
    "mutants_of",
    "read_cases",
    "run_case",
    "run_suite",
    "try_mutants",
    "write_junit",
]
