"""Mutants of bindings, and which of them cases notice."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from langbot_agents.framework.bindings import BindingSet
from langbot_agents.framework.explanation import Places
from langbot_agents.framework.filters import STANDARD, FilterFunction, Parameter, compile_filter
from langbot_agents.framework.project import Project, load_project
from langbot_agents.framework.router import EventRouter
from langbot_agents.framework.testing import (
    CaseResult,
    Mutant,
    SuiteResult,
    mutants_of,
    read_cases,
    run_suite,
    try_mutants,
)
from langbot_agents.framework.testing.expectations import routing_mismatches
from langbot_agents.framework.testing.mutants import _texts

from .conftest import Cases, Try

SHIPPED = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (
            "a == 'x'",
            [
                "0 a == 'x' is left out: None",
                "0 a == 'x' is negated: !(a == 'x')",
                "5 'x' becomes 'x~': a == 'x~'",
            ],
        ),
        (
            "a < `5` && b",
            [
                "0 a < `5` is left out: (b)",
                "0 a < `5` is negated: !(a < `5`) && (b)",
                "2 a < `5` becomes … <= …: a <= `5` && b",
                "4 `5` becomes `6`: a < `6` && b",
                "11 b is left out: (a < `5`)",
                "11 b is negated: (a < `5`) && !(b)",
            ],
        ),
        (
            "(a == `true` || contains(b || '', 'x'))",
            [
                "0 (a == `true` || contains(b || '', 'x')) is left out: None",
                "0 (a == `true` || contains(b || '', 'x')) is negated: "
                "!((a == `true` || contains(b || '', 'x')))",
                "0 a == `true` is left out of the `||`: (contains(b || '', 'x'))",
                "0 contains(b || '', 'x') is left out of the `||`: (a == `true`)",
                "3 a == `true` becomes … != …: (a != `true` || contains(b || '', 'x'))",
                "6 `true` becomes `false`: (a == `false` || contains(b || '', 'x'))",
                "34 'x' becomes 'x~': (a == `true` || contains(b || '', 'x~'))",
            ],
        ),
    ],
)
def test_changes_of_a_filter(expr: str, expected: list[str]) -> None:
    """Each leg is left out and negated, comparators and literals change; a default in `||` does not."""
    found = [f"{offset} {change}: {text}" for offset, change, text in _texts(expr)]

    assert found == expected
    for _offset, _change, text in _texts(expr):
        assert text is None or compile_filter(text).legs


def test_changes_of_a_binding(project: Project) -> None:
    """Beside the filter: the binding itself, types, scope, priority, mode and hours, each by its place."""

    def told(name: str) -> list[tuple[str, str, str, int]]:
        entry = project.bindings.get(name)
        assert entry is not None
        return [
            (item.kind, item.change, str(item.place), item.place.column)
            for item in mutants_of(entry, project.bindings, Places(project.root))
            if item.kind != "filter"
        ]

    assert told("refunds") == [
        ("disabled", "the binding is left out", "bindings/all.yaml:7", 1),
        ("event_type", "event type 'message.received' is left out", "bindings/all.yaml:10", 15),
        ("event_type", "event type 'message.edited' is left out", "bindings/all.yaml:10", 33),
        ("scope", "scope.conversation_type is left out", "bindings/all.yaml:13", 22),
        ("mode", "it observes instead of answering", "bindings/all.yaml:7", 1),
    ]
    assert told("at-night") == [
        ("disabled", "the binding is left out", "bindings/all.yaml:24", 1),
        ("priority", "priority is left out", "bindings/all.yaml:28", 11),
        ("mode", "it observes instead of answering", "bindings/all.yaml:24", 1),
        ("active", "it is always active", "bindings/all.yaml:30", 3),
    ]
    assert told("notes")[-1][:2] == ("mode", "it answers instead of observing")


def test_survivors(project: Project, cases: Cases) -> None:
    """What no expectation notices is listed, in the order of the files."""
    suite = run_suite(
        project,
        [
            cases(
                """\
                - name: a
                  event: message.received
                  set: {input.text: a refund}
                  at: 2026-03-02T10:00:00+08:00
                  expect: {winner: refunds}
                - name: b
                  event: message.received
                  set: {input.text: hello}
                  at: 2026-03-02T10:00:00+08:00
                  expect: {winner: everybody}
                """
            )
        ],
    )
    found = try_mutants(project.bindings, suite.results, project.root, only=suite.subjects)

    assert [(item.original.binding_id, item.change) for item in found.survivors] == [
        ("refunds", "event type 'message.edited' is left out"),
        ("refunds", "scope.conversation_type is left out"),
        ("refunds", "actor.actor_type == 'user' is left out"),
    ]
    assert (found.tried, round(found.percent, 1)) == (13, 76.9)


def test_cases_that_do_not_count(attempt: Try, project: Project) -> None:
    """A case that failed notices nothing, and neither does one that expects no decision."""
    suite = attempt(
        """\
        - {name: a, event: message.recalled, expect: {winner: everybody}}
        - {name: b, event: message.recalled, expect: {messages: []}}
        """
    )
    found = try_mutants(project.bindings, suite.results, project.root, only={"recalls"})

    assert (found.tried, len(found.survivors)) == (3, 3)


def test_nothing_to_change(project: Project) -> None:
    """Without a binding all changes are noticed."""
    assert try_mutants(project.bindings, [], project.root, only=set()).percent == 100.0


def naive(bindings: BindingSet, results: tuple[CaseResult, ...], mutant: Mutant) -> bool:
    """Whether a mutant is noticed, by asking every case of the whole set."""
    entries = [mutant.entry if each is mutant.original else each for each in bindings.entries]
    changed = BindingSet(entries, bindings.quarantined, timezone=bindings.timezone)
    router = EventRouter()
    for result in results:
        assert result.decided is not None
        explanation = router.explain(result.decided.event, changed, result.decided.clock)
        codes = {reason.binding_id or "": str(reason.code) for reason in explanation.reasons}
        if any(routing_mismatches(result.case.document.expect, explanation.decision, lambda: codes)):  # noqa: B023
            return True
    return False


@pytest.fixture
def shipped() -> tuple[Project, SuiteResult]:
    """The project that ships, with its tests run; those of routing alone."""
    project = load_project(SHIPPED)
    file = read_cases(SHIPPED / "bindings" / "bindings.test.yaml", SHIPPED, project.bindings)
    return project, run_suite(project, [file], chosen=lambda case: not case.document.expect.running)


def test_shortcuts_change_nothing(shipped: tuple[Project, SuiteResult]) -> None:
    """For every mutant and every pair of cases the answer is that of asking the whole set each time."""
    project, suite = shipped
    places = Places(project.root)
    mutants = [
        item for entry in project.bindings.live for item in mutants_of(entry, project.bindings, places)
    ]
    noticed = 0
    for results in itertools.combinations(suite.results, 2):
        survivors = {
            (item.original.binding_id, item.kind, item.change)
            for item in try_mutants(project.bindings, results, project.root).survivors
        }
        for item in mutants:
            expected = naive(project.bindings, results, item)
            noticed += expected
            assert ((item.original.binding_id, item.kind, item.change) not in survivors) is expected

    assert noticed > 100


def test_shipped_bindings_are_noticed() -> None:
    """The tests that ship hold, and notice every change of the bindings that ship."""
    project = load_project(SHIPPED)
    file = read_cases(SHIPPED / "bindings" / "bindings.test.yaml", SHIPPED, project.bindings)
    suite = run_suite(project, [file])

    assert suite.ok, [result.as_dict() for result in suite.results if result.verdict != "passed"]
    assert try_mutants(project.bindings, suite.results, project.root).survivors == ()


def test_function_of_a_package(project: Project) -> None:
    """A text with a function that only a package brings is no mutant; the rest of the binding is changed."""
    words = FilterFunction(
        name="words",
        parameters=(Parameter(name="text"),),
        returns=("number",),
        implementation=lambda _frame, text: len(str(text).split()),
    )
    entry = project.bindings.get("refunds")
    assert entry is not None
    functions = STANDARD.with_more("acme-1", [words])
    foreign = replace(entry, filters=(compile_filter("words(input.text) > `3`", functions),))
    found = list(mutants_of(foreign, project.bindings, Places(project.root)))

    assert [(item.kind, item.change) for item in found if item.kind == "filter"] == [
        ("filter", "words(input.text) > `3` is left out")
    ]
    assert {item.kind for item in found} == {"disabled", "filter", "event_type", "scope", "mode"}
