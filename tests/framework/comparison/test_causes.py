"""Each kind of change is named as the cause, with what it was and is."""

from pathlib import Path
from typing import Any

import pytest

from langbot_agents.framework.bindings import BindingSet, Quarantined
from langbot_agents.framework.comparison import Comparison, Move, Side

from ..routing_worlds import bind, happen

NOON = 1_772_625_600.0
NOWHERE = Path("/nowhere")


def moves(old: BindingSet, new: BindingSet, **fields: Any) -> list[Move]:
    """What moves for one message."""
    comparison = Comparison(Side.of(old, NOWHERE), Side.of(new, NOWHERE))
    event = happen(**({"bot_id": "x", "input": {"text": "x"}} | fields))
    return comparison.moves(event, NOON)


@pytest.mark.parametrize(
    ("old", "new", "code", "key", "was", "now"),
    [
        ({}, {"filters": ["input.text == 'y'"]}, "filter", "filters[0]", None, "input.text == 'y'"),
        (
            {"filters": [{"name": "n", "expr": "bot_id == 'x'"}]},
            {"filters": ["now > `0`", {"name": "n", "expr": "bot_id == 'z' && now > `0`"}]},
            "filter",
            "filters[1]",
            "bot_id == 'x'",
            "bot_id == 'z'",
        ),
        ({}, {"filters": ["abs(bot_id) == `1`"]}, "filter", "filters[0]", None, "abs(bot_id) == `1`"),
        ({"scope": {"bot_id": "x"}}, {"scope": {"bot_id": "y"}}, "scope", "scope.bot_id", "x", "y"),
        (
            {},
            {"event_types": ["message.edited"]},
            "event_type",
            "event_types",
            "message.received",
            "message.edited",
        ),
        ({}, {"enabled": False}, "disabled", "enabled", "live", "disabled"),
        ({}, {"mode": "observe"}, "mode", "mode", "respond", "observe"),
        ({}, {"priority": -1}, "priority", "priority", "0", "-1"),
        ({"scope": {"actor_id": "u"}}, {}, "scope", "scope.actor_id", "u", None),
    ],
)
def test_a_binding_that_lets_go(
    old: dict[str, Any], new: dict[str, Any], code: str, key: str, was: str | None, now: str | None
) -> None:
    """An event goes from one binding to another because of what changed in the first; and back again."""
    other = bind("b", priority=0, scope={"bot_id": ["x", "y", "z"]} if "actor_id" in str(old) else {})
    actor = {"actor_id": "u"}
    before, after = BindingSet([bind("a", **old), other]), BindingSet([bind("a", **new), other])
    (move,) = [item for item in moves(before, after, actor=actor) if item.kind == "answer"]

    assert (move.before, move.after) == ("a", "b")
    assert (move.cause.code, move.cause.binding_id) == (code, "a")
    assert (move.cause.key, move.cause.was, move.cause.now) == (key, was, now)

    (back,) = [item for item in moves(after, before, actor=actor) if item.kind == "answer"]

    assert (back.before, back.after, back.cause.binding_id) == ("b", "a", "a")
    assert (back.cause.was, back.cause.now) == (now, was)


def test_added_and_removed() -> None:
    """A binding that is only in one of the sets."""
    with_it, without = BindingSet([bind("a"), bind("b")]), BindingSet([bind("b")])
    (gone,), (come,) = moves(with_it, without), moves(without, with_it)

    assert (gone.before, gone.after, gone.cause.code, gone.cause.binding_id) == ("a", "b", "removed", "a")
    assert (come.before, come.after, come.cause.code, come.cause.binding_id) == ("b", "a", "added", "a")


def test_quarantined() -> None:
    """A binding whose new document is broken is named with the reason, and where that stands."""
    out = Quarantined(binding_id="a", file="a.yaml", line=7, reason="it is broken")
    (move,) = moves(BindingSet([bind("a")]), BindingSet([], [out]))

    assert (move.before, move.after) == ("a", None)
    assert (move.cause.code, move.cause.now, str(move.cause.new)) == (
        "quarantined",
        "it is broken",
        "a.yaml:7",
    )

    (back,) = moves(BindingSet([], [out]), BindingSet([bind("a")]))

    assert back.cause.code == "restored"


def test_settings() -> None:
    """Where no binding changed, the timezone did."""
    night = [bind("a", active={"hours": ["11:00-13:00"]})]
    (move,) = moves(BindingSet(night), BindingSet(night, timezone="Asia/Tokyo"))

    assert (move.before, move.after, move.cause.code) == ("a", None, "settings")
    assert move.cause.now is not None
    assert "Asia/Tokyo" in move.cause.now


def test_handling() -> None:
    """The same binding answers, otherwise: the keys that say how are named, and a description is none."""
    old = BindingSet([bind("a", limits={"timeout": "5s"})])
    (move,) = moves(old, BindingSet([bind("a", limits={"timeout": "6s"}, flow={"overlap": "drop"})]))

    assert (move.kind, move.before, move.after) == ("handling", "a", "a")
    assert move.cause.key == "flow, limits"
    assert moves(old, BindingSet([bind("a", description="x", limits={"timeout": "5s"})])) == []


def test_observers() -> None:
    """An observer that comes or goes is a move of its own."""
    one, two = BindingSet([bind("a")]), BindingSet([bind("a"), bind("o", mode="observe")])
    (come,), (gone,) = moves(one, two), moves(two, one)

    assert (come.kind, come.before, come.after, come.cause.code) == ("observer", None, "o", "added")
    assert (gone.kind, gone.before, gone.after, gone.cause.code) == ("observer", "o", None, "removed")
