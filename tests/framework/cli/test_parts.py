"""The parts of an explanation: values of filters, ranks, the loop guard, paths and times."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from langbot_agents.framework.cli.event_set import lay_over
from langbot_agents.framework.cli.moments import parse_moment
from langbot_agents.framework.dispatcher import Dispatcher
from langbot_agents.framework.explanation import loop_guard, rank_step, values_of
from langbot_agents.framework.filters import compile_filter
from langbot_agents.framework.project import load_project
from langbot_agents.framework.router import rank
from langbot_agents.schemas.catalogue import sample
from langbot_agents.schemas.events import AgentEventEnvelope

EVENT = sample("message.received")


@pytest.mark.parametrize(
    ("expr", "paths"),
    [
        ("actor.actor_id == '1'", ["actor.actor_id"]),
        ("contains(input.text || '', 'x')", ["input.text"]),
        ("input.contents[0].type == bot_id", ["input.contents[0].type", "bot_id"]),
        ("input.contents[*].type == `[]`", ["input.contents"]),
        ("input.contents[?type == 'text'] | [0].text == 'x'", ["input.contents"]),
        ("length(metadata.mentions[?@ == 'x']) == `1`", ["metadata.mentions"]),
        ('metadata."a b" == `1`', ['metadata."a b"']),
        ("sort_by(input.contents, &type)[0].type == 'x'", ["input.contents"]),
        ("`1` == `1`", []),
    ],
)
def test_values(expr: str, paths: list[str]) -> None:
    """The values shown are those at the paths from the top of the event that the expression looks at."""
    (leg,) = compile_filter(expr).legs
    found = values_of(leg, EVENT)

    assert list(found) == paths


def test_value() -> None:
    """A value is what the event has there, and null where it has nothing."""
    (leg,) = compile_filter("bot_id == thread_id || input.contents[9].x == 'y'").legs

    assert values_of(leg, EVENT) == {"bot_id": "3889001234", "thread_id": None, "input.contents[9].x": None}


RANKED = """\
apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: {id}
event_types: [{types}]
priority: {priority}
scope: {scope}
filters: ["bot_id == '{id}'"]
runner_id: echo
"""


def test_rank_step_is_the_rank(project: Path) -> None:
    """The step that is shown decides as the router does, for every pair of bindings."""
    scopes = ["{}", "{actor_id: a}", "{actor_id: [a, b]}", "{bot_id: b*}", "{source_kind: webui}"]
    kinds = itertools.product(["message.received", "message.*", "'*'"], [0, 5], scopes)
    documents = [
        RANKED.format(id=f"b{number:02}", types=types, priority=priority, scope=scope)
        for number, (types, priority, scope) in enumerate(kinds)
    ]
    (project / "bindings" / "all.yaml").write_text("---\n".join(documents))
    entries = load_project(project).bindings.entries
    assert len(entries) == len(documents)

    for one, other in itertools.combinations(entries, 2):
        better, worse = sorted((one, other), key=lambda entry: rank(entry, "message.received"))
        step = rank_step(better, worse, "message.received")
        match step.element:
            case "priority" | "scope":
                assert step.better > step.worse
            case "event_type":
                assert (better.document.priority, better.scope_rank) == (
                    worse.document.priority,
                    worse.scope_rank,
                )
            case _:
                assert step.better < step.worse
        assert step.sentence()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"actor": {"actor_type": "bot", "actor_id": "3889001234"}},
        {"actor": {"actor_type": "bot", "actor_id": "other"}},
        {"actor": {"actor_type": "bot", "actor_id": None}, "bot_id": None},
        {"actor": {"actor_type": "bot", "actor_id": "3889001234"}, "event_type": "bot.muted"},
        {"cause": {"depth": 8}},
        {"cause": {"depth": 9}},
        {"actor": None},
    ],
)
def test_loop_guard_is_the_dispatcher_s(change: dict[str, Any]) -> None:
    """What `route` says of the loop guard is what the dispatcher does."""
    event = AgentEventEnvelope.model_validate({**EVENT, **change})
    outcome, reason = Dispatcher._refusal(None, event, None)  # type: ignore[arg-type]

    assert loop_guard(event) == (reason if outcome == "loop_guard" else None)


@pytest.mark.parametrize(
    ("written", "path", "value"),
    [
        ("actor.actor_id=42", ("actor", "actor_id"), "42"),
        ("input.text=42", ("input", "text"), 42),
        ("input.text=a=b", ("input", "text"), "a=b"),
        ("input.text=", ("input", "text"), ""),
        ('input.data={"a": [1]}', ("input", "data"), {"a": [1]}),
        ("metadata.new.deep=true", ("metadata", "new", "deep"), True),
        ("input.contents[1].text=x", ("input", "contents", 1, "text"), "x"),
        ("input.contents.1.text=x", ("input", "contents", 1, "text"), "x"),
        ("thread_id=null", ("thread_id",), None),
    ],
)
def test_set(written: str, path: tuple[str | int, ...], value: Any) -> None:
    """A path leads to the field; an id stays text; the event that was given stays as it is."""
    place: Any = lay_over(EVENT, [written])
    for step in path:
        place = place[step]

    assert place == value
    assert sample("message.received") == EVENT


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1772413200", 1772413200.0),
        ("1772413200.5", 1772413200.5),
        ("2026-03-02T09:00:00+08:00", 1772413200.0),
        ("2026-03-02T01:00:00Z", 1772413200.0),
        ("2026-03-02T01:00:00.250Z", 1772413200.25),
    ],
)
def test_moment(text: str, seconds: float) -> None:
    """A time is RFC 3339 with a zone, or Unix seconds."""
    assert parse_moment(text) == seconds
