"""From plain data to a model, or findings at the place."""

from typing import Literal

import pytest

from langbot_agents.framework.documents import Finding, parse, read_source
from langbot_agents.framework.documents.shapes import homes, model_at, nearest
from langbot_agents.schemas.base import Document
from langbot_agents.schemas.bindings import AgentBinding, EventFilter, NamedTarget

BASE = "binding_id: a\nevent_types: [message.received]\nrunner_id: echo\n"


def findings(text: str) -> list[Finding]:
    """The findings of a binding that has `text` besides what it needs."""
    (document,) = read_source(BASE + text, "a.yaml").documents
    return parse(document, AgentBinding)[1]


def test_a_model_comes_out() -> None:
    """What is right becomes the model, with the shorthands written out."""
    (document,) = read_source(BASE + "filters: [now > `1`]\nlimits: {timeout: 2m}\n", "a.yaml").documents
    model, found = parse(document, AgentBinding)

    assert found == []
    assert model is not None
    assert (model.limits.timeout, model.filters[0].expr) == (120.0, "now > `1`")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scope: {bot_id: 5}", [("scope.bot_id", "LBA143")]),
        ("scope: {bot_id: [a, 5, true]}", [("scope.bot_id[1]", "LBA143"), ("scope.bot_id[2]", "LBA143")]),
        (
            "delivery_policy: {targets: [{surface: 5, target: x}]}",
            [
                ("delivery_policy.targets[0].surface", "LBA143"),
                ("delivery_policy.targets[0].target", "LBA142"),
            ],
        ),
        ("delivery_policy: {quiet_hours: [5]}", [("delivery_policy.quiet_hours[0]", "LBA142")]),
        ("filters: [[a]]", [("filters[0]", "LBA142")]),
        ("active: {from_: 5}", [("active.from_", "LBA140")]),
    ],
)
def test_one_cause_is_one_finding(text: str, expected: list[tuple[str, str]]) -> None:
    """Of a union only the variant that was meant is reported."""
    assert expected == [(finding.path, finding.code) for finding in findings(text)]


def test_sorted_by_place() -> None:
    """The first cause comes first, in the order of the file."""
    found = findings("zzz: 1\npriority: x\nmode: y\nenabled: z\n")

    assert [finding.line for finding in found] == [4, 5, 6, 7]


def test_no_coercion() -> None:
    """A number in quotes is no number, a word no truth value, true no number: editors say the same."""
    found = findings("priority: '5'\nenabled: 'true'\nlimits: {max_results: true, crash_restarts: 1.0}\n")

    assert [finding.code for finding in found] == ["LBA142"] * 4


def test_lists_below_a_shorthand() -> None:
    """The long form of a shorthand takes lists, and mistakes elsewhere are still found beside it."""
    good = "delivery_policy: {quiet_hours: [{hours: '22:00-07:00', days: [mon, tue]}]}\n"

    assert findings(good) == []
    assert [finding.path for finding in findings(good + "enabled: yes\n")] == ["enabled"]


def test_nothing_else_is_a_document() -> None:
    """A document that is no mapping is one finding."""
    (document,) = read_source("[a]", "a.yaml").documents
    model, found = parse(document, AgentBinding)

    assert model is None
    assert [finding.code for finding in found] == ["LBA120"]


def test_own_errors_without_translation() -> None:
    """A rule of a model that the catalogue does not know is still told, without pydantic's prefix."""

    class Odd(Document):
        mode: Literal["a"] = "a"
        hours: str = ""

        def model_post_init(self, _context: object, /) -> None:
            raise ValueError("this is odd; make it even")

    (document,) = read_source("{mode: a}", "a.yaml").documents
    (found,) = parse(document, Odd)[1]

    assert (found.message, found.remedy) == ("this is odd", "make it even")


def test_model_at() -> None:
    """The names that are suggested are those of the model at that place."""
    assert AgentBinding is model_at(AgentBinding, ())
    assert EventFilter is model_at(AgentBinding, ("filters", 3))
    assert NamedTarget is model_at(AgentBinding, ("delivery_policy", "targets", 0))
    assert model_at(AgentBinding, ("runner_config", "model")) is None
    assert homes(AgentBinding)["idle_timeout"] == ("limits.idle_timeout",)


def test_nearest() -> None:
    """A name is suggested when it is near, whatever its case; nothing else is."""
    assert nearest("Event_Type", ["filters", "event_types"]) == "event_types"
    assert nearest("zzz", ["filters", "event_types"]) is None
    assert nearest("", []) is None
