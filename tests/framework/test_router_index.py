"""Decisions never depend on the index: they are those of a router that asks every binding."""

import pytest
from hypothesis import given, settings

from langbot_agents.framework.bindings import BindingEntry, BindingSet
from langbot_agents.framework.router import EventRouter, RoutedEvent

from .routing_worlds import bind, decide_plainly, happen, happenings, worlds

NOON = 1_772_625_600.0
"""2026-03-04 12:00 UTC."""


@settings(max_examples=500, deadline=None)
@given(worlds(), happenings())
def test_decisions_are_those_of_the_plain_law(world: list[BindingEntry], event: RoutedEvent) -> None:
    """The stored decision is the same, byte for byte, with the index, without it, and in an explanation."""
    bindings = BindingSet(world)
    expected = decide_plainly(event, bindings, NOON).model_dump_json()
    router = EventRouter()

    assert router.decide(event, bindings, NOON).model_dump_json() == expected
    assert router.decide_linearly(event, bindings, NOON).model_dump_json() == expected
    assert router.explain(event, bindings, NOON).decision.model_dump_json() == expected


@pytest.mark.parametrize(
    ("literal", "value", "equal"),
    [
        ("`1`", 1, True),
        ("`1`", 1.0, True),
        ("`1.0`", 1, True),
        ("`1`", True, False),
        ("`true`", True, True),
        ("`true`", 1, False),
        ("`0`", False, False),
        ("`false`", False, True),
        ("`false`", None, False),
        ("`null`", None, True),
        ('`"1"`', 1, False),
        ("'1'", "1", True),
        ("''", "", True),
        ("''", None, False),
        ("`[1]`", [1], True),
        ("`9007199254740993`", 9007199254740992.0, False),
    ],
)
def test_equality_by_kind_and_value(literal: str, value: object, equal: bool) -> None:
    """Equality knows kinds: 1 is 1.0 but not true, and null is what is missing."""
    bindings = BindingSet([bind(filters=[f"metadata.k == {literal}"])])
    event = happen(metadata={"k": value})
    decision = EventRouter().decide(event, bindings, NOON)

    assert (decision.winner == "a") is equal
    assert decision == decide_plainly(event, bindings, NOON)


def test_a_false_equality_beside_an_error() -> None:
    """Any false makes false, also where another leg fails; an equality that holds leaves the error."""
    bindings = BindingSet(
        [bind(filters=["abs(input.text) == `1` && metadata.k == 'x'"]), bind("b", filters=["bot_id"])]
    )
    router = EventRouter()
    out = router.decide(happen(input={"text": "t"}, metadata={"k": "y"}, bot_id="z"), bindings, NOON)
    failed = router.decide(happen(input={"text": "t"}, metadata={"k": "x"}, bot_id="z"), bindings, NOON)

    assert [item.binding_id for item in out.entries] == ["b"]
    assert [(item.binding_id, item.code) for item in failed.entries] == [
        ("a", "filter_error"),
        ("b", "filter_error"),
    ]


def test_lists_in_many_fields() -> None:
    """A binding whose lists make more combinations than an index holds takes what it says nevertheless."""
    names = [f"n{number}" for number in range(40)]
    bindings = BindingSet([bind(scope={"bot_id": names, "conversation_id": names, "thread_id": names})])
    router = EventRouter()
    facts = {"bot_id": "n39", "conversation_id": "n0", "thread_id": "n20"}

    assert router.decide(happen(**facts), bindings, NOON).winner == "a"
    for name in facts:
        assert router.decide(happen(**facts | {name: "other"}), bindings, NOON).winner is None


def test_more_fields_than_an_event_has() -> None:
    """Where bindings look at very many fields, those that the event has are gone through instead."""
    entries = [bind(f"b{number}", filters=[f"metadata.k{number} == 'x'"]) for number in range(100)]
    entries.append(bind("actor", filters=["actor.actor_id == 'u'"]))
    bindings = BindingSet(entries)
    event = happen(metadata={"k7": "x", "k8": "y", "list": ["x"]}, actor={"actor_id": "u"})
    decision = EventRouter().decide(event, bindings, NOON)

    assert sorted(item.binding_id for item in decision.entries) == ["actor", "b7"]
    assert decision == decide_plainly(event, bindings, NOON)


def test_hours_of_a_filter_are_those_of_the_decision() -> None:
    """`hour_in` in a binding's filter reads the decision's clock in the root timezone."""
    entry = bind(filters=["hour_in('19:00-21:00')"])
    router = EventRouter()

    assert router.decide(happen(), BindingSet([entry], timezone="Asia/Shanghai"), NOON).winner == "a"
    assert router.decide(happen(), BindingSet([entry]), NOON).winner is None
