"""What the cases have exercised."""

from pathlib import Path

from langbot_agents.framework.project import Project
from langbot_agents.framework.testing import coverage_of, run_suite

from .conftest import Cases

TEXT = """\
- name: true and true
  event: message.received
  set: {input.text: a refund}
  at: 2026-03-02T10:00:00+08:00
  expect: {winner: refunds}
- name: the first leg false
  event: message.received
  set: {input.text: hello}
  at: 2026-03-02T10:00:00+08:00
  expect: {winner: everybody}
- name: another place, so no filter is asked
  event: message.received
  set: {input.text: a refund, actor.actor_type: bot, conversation_type: private}
  at: 2026-03-02T10:00:00+08:00
  expect: {winner: everybody}
"""


def test_coverage(project: Project, cases: Cases) -> None:
    """Each binding that takes part, whether it was chosen, and both outcomes of each leg, by its place."""
    suite = run_suite(project, [cases(TEXT)])
    decided = [result.decided for result in suite.results if result.decided]
    coverage = coverage_of(project.bindings, decided, project.root)

    assert [(item.binding_id, item.chosen, item.covered, item.items) for item in coverage.bindings] == [
        ("everybody", 2, 1, 1),
        ("refunds", 1, 4, 5),
        ("at-night", 0, 0, 1),
        ("notes", 3, 1, 1),
        ("recalls", 0, 0, 1),
    ]
    legs = coverage.bindings[1].legs
    assert [(leg.text, str(leg.place), leg.place.column, leg.true, leg.false) for leg in legs] == [
        ("contains(input.text || '', 'refund')", "bindings/all.yaml:16", 11, True, True),
        ("actor.actor_type == 'user'", "bindings/all.yaml:16", 51, True, False),
    ]
    assert coverage.percent == 100 * 6 / 9


def test_only_some(project: Project) -> None:
    """Of some bindings nothing else is asked; where there is nothing to see, all of it was seen."""
    assert coverage_of(project.bindings, [], project.root, only={"recalls"}).percent == 0.0
    assert coverage_of(project.bindings, [], Path(), only=set()).percent == 100.0
