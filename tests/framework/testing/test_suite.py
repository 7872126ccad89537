"""Cases are run: the router's decision, the host's runs, and what did not hold."""

from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from langbot_agents.framework.app import open_host
from langbot_agents.framework.project import Project
from langbot_agents.framework.store import decisions
from langbot_agents.framework.testing import CaseResult, SuiteResult, run_suite
from langbot_agents.framework.testing.expectations import holds, missed_by
from langbot_agents.framework.testing.running import CALLER
from langbot_agents.schemas.binding_tests import TestMessage

from .conftest import Cases, Try

DAY = "2026-03-02T10:00:00+08:00"
REFUND = f"""\
  event: message.received
  set: {{input.text: a refund please}}
  at: {DAY}
"""


def missed(result: CaseResult) -> list[tuple[str, Any, Any]]:
    """What did not hold, as (path, expected, actual)."""
    return [
        (".".join(str(step) for step in item.path[1:]), item.expected, item.actual)
        for item in result.mismatches
    ]


def only(suite: SuiteResult) -> CaseResult:
    """The one result."""
    (result,) = suite.results
    assert result.verdict != "invalid", [finding.render() for finding in suite.findings]
    return result


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("{winner: refunds, observers: [notes], outcome: matched}", []),
        ("{reasons: {everybody: outranked, at-night: inactive, recalls: event_type, notes: observer}}", []),
        ("{reasons: {broken: quarantined}}", []),
        ("{winner: none}", [("winner", "none", "refunds")]),
        ("{winner: everybody}", [("winner", "everybody", "refunds")]),
        ("{observers: []}", [("observers", [], ["notes"])]),
        ("{outcome: unmatched}", [("outcome", "unmatched", "matched")]),
        ("{reasons: {at-night: selected}}", [("reasons.at-night", "selected", "inactive")]),
    ],
)
def test_routing(attempt: Try, expect: str, expected: list[Any]) -> None:
    """The decision is compared with what is expected of it, and no host is started for it."""
    result = only(attempt(f"- name: a\n{REFUND}  expect: {expect}"))

    assert missed(result) == expected
    assert (result.verdict, result.happened) == ("failed" if expected else "passed", None)


def test_reasons_of_a_mismatch(attempt: Try) -> None:
    """A wrong winner is explained by the router's reasons of both bindings, each with its place."""
    result = only(attempt(f"- name: a\n{REFUND}  expect: {{winner: at-night}}"))
    (item,) = result.mismatches

    assert [(line.reason.binding_id, line.reason.code, str(line.place)) for line in result.reasons(item)] == [
        ("at-night", "inactive", "bindings/all.yaml:30"),
        ("refunds", "selected", "bindings/all.yaml:7"),
    ]
    assert str(result.case.place(*item.path)) == "bindings/all.test.yaml:8"


def test_failing_leg_and_value(attempt: Try) -> None:
    """Of a filter it is the leg that failed, and what it looked at."""
    result = only(
        attempt(
            """\
            - name: a
              event: message.received
              set: {input.text: a refund please, actor.actor_type: bot}
              expect: {winner: refunds}
            """
        )
    )
    line = result.reasons(result.mismatches[0])[0]

    assert line.reason.leg is not None
    assert line.reason.leg.leg.text == "actor.actor_type == 'user'"
    assert line.values == {"actor.actor_type": "bot"}


def test_time(attempt: Try) -> None:
    """A case is decided and run at its time."""
    suite = attempt(
        """\
        - name: night
          event: message.received
          set: {input.text: hello}
          at: 2026-03-02T23:00:00+08:00
          expect: {winner: at-night, messages: ["(asleep) hello"]}
        - name: day
          event: message.received
          set: {input.text: hello}
          at: 2026-03-02T15:00:00Z
          expect: {winner: at-night}
        - name: noon
          event: message.received
          at: 2026-03-02T12:00:00+08:00
          expect: {winner: everybody}
        """
    )

    assert [result.verdict for result in suite.results] == ["passed"] * 3
    assert suite.ok


def scripted(expect: str, results: str = "[]", more: str = "") -> str:
    """A case whose runner is scripted."""
    return f"- name: a\n{REFUND}  runner: {{results: {results}{more}}}\n  expect: {expect}"


SAID = (
    "[{type: message.completed, data: {message: {role: assistant, content: Which order?}}}, "
    "{type: action.requested, data: {action: group.mute, payload: {seconds: 60, who: x}}}, "
    "{type: run.completed, data: {finish_reason: stop}}]"
)


@pytest.mark.parametrize(
    ("expect", "expected"),
    [
        ("{messages: [Which order?], status: completed, dispatch: started}", []),
        ("{messages: [{contains: order, matches: '^Which'}]}", []),
        ("{actions: [{action: group.mute, payload: {seconds: 60}}]}", []),
        ("{messages: [Which]}", [("messages.0", "Which", "Which order?")]),
        ("{messages: [{contains: x}]}", [("messages.0.contains", {"contains": "x"}, "Which order?")]),
        ("{messages: [{matches: 'x$'}]}", [("messages.0.matches", {"matches": "x$"}, "Which order?")]),
        ("{messages: []}", [("messages", [], ["Which order?"])]),
        (
            "{messages: [Which order?, {contains: more}]}",
            [("messages", ["Which order?", {"contains": "more"}], ["Which order?"])],
        ),
        ("{status: failed, code: x}", [("status", "failed", "completed"), ("code", "x", None)]),
        ("{dispatch: discarded}", [("dispatch", "discarded", "started")]),
        (
            "{actions: [{action: group.mute, payload: {seconds: 61}}]}",
            [
                (
                    "actions.0",
                    {"action": "group.mute", "payload": {"seconds": 61}},
                    {"action": "group.mute", "payload": {"seconds": 60, "who": "x"}},
                )
            ],
        ),
        (
            "{actions: []}",
            [("actions", [], [{"action": "group.mute", "payload": {"seconds": 60, "who": "x"}}])],
        ),
    ],
)
def test_scripted_runner(attempt: Try, expect: str, expected: list[Any]) -> None:
    """The script's results go through the host as those of the runner would, without its secrets."""
    result = only(attempt(scripted(expect, SAID)))

    assert missed(result) == expected


def test_script_that_raises(attempt: Try) -> None:
    """A runner that raises fails, and what `on_failure` says happens: the next candidate answers."""
    result = only(
        attempt(
            scripted(
                "{status: completed, dispatch: started, messages: [a refund please]}", more=", raises: boom"
            )
        )
    )

    assert missed(result) == []


def test_failure_is_told(attempt: Try, project: Project) -> None:
    """How a run failed stands beside the status that was expected; retries do not wait."""
    results = "[{type: run.failed, data: {code: llm.busy, error: try later, retryable: true}}]"
    path = project.root / "bindings" / "all.yaml"
    path.write_text(path.read_text().replace("on_failure: next\n", ""))
    result = only(attempt(scripted("{status: completed}", results)))

    assert missed(result) == [("status", "completed", "failed")]
    assert result.mismatches[0].note == "llm.busy: try later"


def test_warnings_of_a_run(attempt: Try) -> None:
    """What was odd in the script's results is told."""
    result = only(
        attempt(
            scripted(
                "{messages: []}",
                "[{type: mesage.completed}, {type: run.completed, data: {finish_reason: no_reply}}]",
            )
        )
    )

    assert result.verdict == "passed"
    assert result.happened is not None
    assert result.happened.warnings == ("unknown type 'mesage.completed' is ignored",)


def test_runner_that_may_reach_out(attempt: Try) -> None:
    """Without a script the runner of a model is not run, and the case says what to write."""
    result = only(attempt(f"- name: a\n{REFUND}  expect: {{winner: refunds, messages: [x]}}"))

    assert missed(result) == [
        ("messages", "a run of refunds", "local-agent is not run by a test, as it may reach out")
    ]
    assert "runner: real" in (result.mismatches[0].note or "")


def test_real_runner(attempt: Try) -> None:
    """`runner: real` lets it run: here it lacks its secret, so its fallback answers."""
    result = only(attempt(f"- name: a\n{REFUND}  runner: real\n  expect: {{messages: [a refund please]}}"))

    assert missed(result) == []


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        # the bot's own message
        (
            "{event: message.received, set: {actor: {actor_type: bot, actor_id: '7'}, bot_id: '7'}, "
            "expect: {winner: everybody, dispatch: loop_guard, status: none, messages: []}}",
            [],
        ),
        # taken and left without an answer
        ("{event: message.recalled, expect: {dispatch: discarded, status: none, messages: []}}", []),
        # nobody answers, and the observer's runner stays silent
        ("{event: friend.request_received, expect: {outcome: observed, messages: [], actions: []}}", []),
        ("{event: friend.removed, expect: {outcome: unmatched, status: none, messages: []}}", []),
        ("{event: friend.removed, expect: {dispatch: started}}", [("dispatch", "started", None)]),
    ],
)
def test_what_starts_no_run(attempt: Try, case: str, expected: list[Any]) -> None:
    """Where nothing runs, that is what a case can expect."""
    suite = attempt(f"- {case.replace('{event', f'{{at: {DAY}, name: a, event', 1)}")

    assert missed(only(suite)) == expected


def test_program_reads_its_answer(attempt: Try, project: Project) -> None:
    """An event of the HTTP interface has its answer in its mailbox; one without a reply target has none."""
    path = project.root / "bindings" / "more.yaml"
    path.write_text(
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: calls\n"
        "event_types: [api.invoked, schedule.triggered]\nrunner_id: echo\n"
    )
    suite = attempt(
        """\
        - {name: a, event: api.invoked, set: {input.data: 5}, expect: {messages: ["5"]}}
        - {name: b, event: schedule.triggered, expect: {status: completed, messages: []}}
        - {name: c, event: {event_type: api.invoked, input: {data: 6}}, expect: {messages: ["6"]}}
        """
    )

    assert [missed(result) for result in suite.results] == [[], [], []]


def test_each_case_by_itself(attempt: Try, project: Project) -> None:
    """A case sees nothing of another, and nothing of it stays: no store, no change to the bindings."""
    text = scripted("{messages: [Which order?]}", SAID)
    suite = attempt(f"{text}\n{text}")

    assert suite.ok
    assert sorted(path.name for path in project.root.iterdir()) == ["bindings", "langbot-agents.yaml"]
    refunds = project.bindings.get("refunds")
    assert refunds is not None
    assert refunds.runner.id.endswith("local-agent/default")


async def test_same_decision_as_the_host(attempt: Try, project: Project) -> None:
    """What a case is told of an event is what a host of the project decides."""
    result = only(await _in_thread(attempt, f"- name: a\n{REFUND}  expect: {{winner: refunds}}"))
    decided = result.decided
    assert decided is not None

    async with open_host(project, clock=lambda: decided.clock) as host:
        data = decided.event.envelope.model_dump(mode="json")
        accepted = await host.run_from_event(data, CALLER)
        await host.settled()
        decision = await host.db.read(decisions.get, "default", accepted.event_uid)

    assert decision is not None
    ours = decided.decision
    assert (decision.winner, decision.observers, decision.entries) == (
        ours.winner,
        ours.observers,
        ours.entries,
    )


async def _in_thread(attempt: Try, text: str) -> SuiteResult:

    return await to_thread.run_sync(attempt, text)


def test_chosen_cases(project: Project, cases: Cases) -> None:
    """Only chosen cases run, the others are counted; progress is told before and after each."""
    file = cases(
        """\
        - {name: one, event: message.received, expect: {winner: none}}
        - {name: two, event: message.recalled, expect: {winner: recalls}}
        """
    )
    told: list[Any] = []
    suite = run_suite(
        project,
        [file],
        chosen=lambda case: case.name == "two",
        began=lambda case, number, count: told.append((case.name, number, count)),
        ended=lambda result: told.append(result.verdict),
    )

    assert (len(suite.results), suite.deselected, suite.ok) == (1, 1, True)
    assert told == [("two", 1, 1), "passed"]
    assert suite.subjects == {"recalls"}


def test_invalid_cases(attempt: Try) -> None:
    """A case with a finding is not run, and the whole does not hold."""
    suite = attempt("- {name: a, event: message.received, expect: {winner: nobody}}")

    assert [result.verdict for result in suite.results] == ["invalid"]
    assert not suite.ok
    assert suite.as_dict()["findings"][0]["code"] == "LBA320"


def test_nothing(project: Project, tmp_path: Path) -> None:
    """Without a case there is nothing to check."""
    assert run_suite(project, []).nothing


@pytest.mark.parametrize(
    ("wanted", "actual", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {"b": 1}, True),
        ([1, {"a": 1}], [1, {"a": 1, "b": 2}], True),
        ([1], [1, 2], False),
        (1, True, False),
        (None, None, True),
    ],
)
def test_holds(wanted: Any, actual: Any, expected: bool) -> None:
    """An object may hold more than is wanted, a list and a value may not."""
    assert holds(wanted, actual) is expected


def test_endless_pattern() -> None:
    """A pattern that does not come to an end is not found."""
    message = TestMessage.model_validate({"matches": "^(a|a|aa)+$"})

    assert missed_by(message, "a" * 200 + "b") == ("matches", "^(a|a|aa)+$")
