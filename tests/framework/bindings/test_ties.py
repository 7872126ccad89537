"""Pairs of bindings that only their names can tell apart, each with an event that shows it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework.bindings import (
    SCOPE_FIELDS,
    BindingEntry,
    BindingSet,
    Tie,
    Wildcard,
    entry_of,
    find_ties,
    shared_texts,
)
from langbot_agents.framework.documents import model_digest
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import EventRouter, RoutedEvent, rank
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope

PACKAGE = PluginInfo(name="test", distribution="langbot-agents", version="1", state="ready")
REGISTRY = AgentRunnerRegistry()
REGISTRY.add(Echo, aliases=("echo",), plugin=PACKAGE)


def bind(binding_id: str, **fields: Any) -> BindingEntry:
    """A binding that takes `message.received`, unless told otherwise."""
    values: dict[str, Any] = {"event_types": ["message.received"], "runner_id": "echo"} | fields
    document = AgentBinding.model_validate({"binding_id": binding_id, **values})
    return entry_of(document, model_digest(document), REGISTRY)


def tie(first: Mapping[str, Any], second: Mapping[str, Any]) -> Tie | None:
    """The tie of two bindings, if there is one."""
    found = find_ties([bind("b", **second), bind("a", **first)])
    assert len(found) <= 1
    return found[0] if found else None


def event_of(witness: Mapping[str, Any]) -> RoutedEvent:
    """The event that a witness describes."""
    facts = dict(witness)
    values: dict[str, Any] = {"event_type": facts.pop("event_type"), "delivery": {"surface": "x"}}
    values["source"] = {
        "kind": facts.pop("source_kind", "system"),
        "name": facts.pop("source_name", "anything"),
    }
    if "actor_id" in facts:
        values["actor"] = {"actor_id": facts.pop("actor_id")}
    if "subject_type" in facts:
        values["subject"] = {"subject_type": facts.pop("subject_type")}
    return RoutedEvent(AgentEventEnvelope.model_validate(values | facts))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {}),
        ({"event_types": ["message.*"]}, {"event_types": ["message.*", "group.*"]}),
        ({"event_types": ["message.*", "message.received"]}, {"event_types": ["message.*"]}),
        ({"event_types": ["*", "message.*"]}, {"event_types": ["*"]}),
        ({"event_types": ["acme.*", "acme.example1"]}, {"event_types": ["acme.*", "acme.example2"]}),
        ({"event_types": ["message.deleted"]}, {"event_types": ["message.recalled"]}),
        ({"scope": {"bot_id": ["x", "y"]}}, {"scope": {"bot_id": ["y", "z"]}}),
        ({"scope": {"bot_id": "x*"}}, {"scope": {"bot_id": "*y"}}),
        ({"scope": {"bot_id": "a*b*"}}, {"scope": {"bot_id": "*c*d"}}),
        ({"scope": {"bot_id": ["x*", "q"]}}, {"scope": {"bot_id": ["q", "z*"]}}),
        ({"scope": {"bot_id": "**"}}, {"scope": {"bot_id": "***"}}),
        ({"scope": {"source_kind": "platform*"}}, {"scope": {"source_kind": "*adapter"}}),
        ({"scope": {"source_name": "*-bot"}}, {"scope": {"source_name": "*t"}}),
        ({"scope": {"workspace_id": "*"}}, {"scope": {"workspace_id": "*"}}),
        ({"filters": ["a == 'b'", "c == 'd'"]}, {"filters": ["c == 'd' && a == 'b'"]}),
        ({"active": {"hours": ["09:00-17:00"]}}, {"active": {"hours": ["09:00-17:00"]}}),
    ],
)
def test_decidable(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Two bindings with the same filters or none tie where an event is taken by both with the same rank."""
    found = tie(first, second)

    assert found is not None
    assert found.decidable
    assert (found.first.binding_id, found.second.binding_id) == ("a", "b")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"priority": 1}, {}),
        ({"mode": "observe"}, {}),
        ({"enabled": False}, {}),
        ({"event_types": ["message.received"]}, {"event_types": ["message.*"]}),
        ({"event_types": ["message.received"]}, {"event_types": ["message.edited"]}),
        ({"event_types": ["a.b.c.d.e.*"]}, {"event_types": ["a.b.c.d.e.*"]}),
        ({"scope": {"bot_id": "x"}}, {"scope": {"bot_id": "y"}}),
        ({"scope": {"bot_id": "x"}}, {"scope": {"actor_id": "x"}}),
        ({"scope": {"bot_id": "x"}}, {"scope": {"bot_id": "x*"}}),
        ({"scope": {"bot_id": "x*"}}, {"scope": {"bot_id": "y*"}}),
        ({"scope": {"workspace_id": "x"}}, {}),
        ({"scope": {"source_kind": "p*"}}, {"scope": {"source_kind": "w*"}}),
        ({"scope": {"source_kind": "p*"}}, {"scope": {"source_kind": "*"}}),
        ({"scope": {"subject_type": "A*"}}, {"scope": {"subject_type": "*A*"}}),
        ({"filters": ["a == 'b'"]}, {"filters": ["a == 'c'"]}),
        ({"filters": ["a == 'b' && x"]}, {"filters": ["y", "'c' == a"]}),
    ],
)
def test_no_tie(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Bindings that rank differently, or that no event can reach both, do not tie."""
    assert tie(first, second) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"filters": ["a == 'b'"]}, {}),
        ({"filters": ["a == 'b'"]}, {"filters": ["c == 'c'"]}),
        ({"active": {"hours": ["09:00-17:00"]}}, {}),
    ],
)
def test_undecidable(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Different filters or windows may or may not meet: that is a warning, not an error."""
    found = tie(first, second)

    assert found is not None
    assert not found.decidable


PATTERNS = st.text(alphabet="ab*", min_size=1, max_size=5)
SCOPES = PATTERNS | st.lists(PATTERNS, min_size=1, max_size=2)
KINDS = st.sampled_from(["webui", "system", "s*", "*", "*i", ["webui", "system"], ["system", "http_api"]])
TYPES = st.sampled_from(
    ["*", "a.*", "a.b.*", "a.b", "a.b.c", "message.*", "message.deleted", "message.recalled"]
)
BINDINGS = st.fixed_dictionaries(
    {
        "event_types": st.lists(TYPES, min_size=1, max_size=2),
        "scope": st.fixed_dictionaries(
            {},
            optional={name: SCOPES for name in SCOPE_FIELDS if not name.startswith("source_k")}
            | {"source_kind": KINDS, "conversation_type": st.sampled_from(["group", "g*", "*p"])},
        ),
    }
)


@settings(max_examples=1000, deadline=None)
@given(BINDINGS, BINDINGS)
def test_witness(first: dict[str, Any], second: dict[str, Any]) -> None:
    """The event that a tie shows is really taken by both, with nothing but their names between them."""
    found = tie(first, second)
    if found is None:
        return
    event = event_of(found.witness)
    decision = EventRouter().decide(event, BindingSet([found.first, found.second]), 0)

    assert [(item.binding_id, item.code) for item in decision.entries] == [
        ("a", "selected"),
        ("b", "outranked"),
    ]
    assert rank(found.first, event.event_type)[:-1] == rank(found.second, event.event_type)[:-1]


@st.composite
def events(draw: st.DrawFn) -> RoutedEvent:
    """Some event that the bindings above may take."""
    text = st.text(alphabet="ab", min_size=1, max_size=3)
    facts = {name: draw(text) for name in SCOPE_FIELDS if name not in ("conversation_type", "source_kind")}
    return event_of(
        facts
        | {
            "event_type": draw(st.sampled_from(["a.b", "a.b.c", "a.c", "message.recalled", "x.y"])),
            "conversation_type": draw(st.sampled_from(["group", "private"])),
            "source_kind": draw(st.sampled_from(["webui", "system", "http_api"])),
        }
    )


@settings(max_examples=1000, deadline=None)
@given(BINDINGS, BINDINGS, events())
def test_no_tie_is_missed(first: dict[str, Any], second: dict[str, Any], event: RoutedEvent) -> None:
    """Where two bindings take an event with the same rank, their tie is found."""
    entries = [bind("a", **first), bind("b", **second)]
    decision = EventRouter().decide(event, BindingSet(entries), 0)
    same = rank(entries[0], event.event_type)[:-1] == rank(entries[1], event.event_type)[:-1]
    if len(decision.entries) == 2 and same:
        assert tie(first, second) is not None


TEXTS = st.text(alphabet="ab*\n", max_size=6)


@settings(max_examples=500)
@given(TEXTS, st.text(alphabet="ab\n", max_size=4))
@example("a*a", "a")
@example("a*ab*b", "aab")
def test_wildcard(pattern: str, text: str) -> None:
    """A `*` stands for any characters, and nothing else is special."""
    expected = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None

    assert Wildcard(pattern).matches(text) is expected


@settings(max_examples=500)
@given(TEXTS, TEXTS, st.text(alphabet="ab", max_size=4))
def test_shared_texts(one: str, other: str, text: str) -> None:
    """What two patterns share is matched by both; where they share nothing, no text is matched by both."""
    found = list(shared_texts(one, other))

    assert all(Wildcard(one).matches(each) and Wildcard(other).matches(each) for each in found)
    if Wildcard(one).matches(text) and Wildcard(other).matches(text):
        assert found
        assert len(found[0]) <= len(text)


@pytest.mark.parametrize(
    ("differ", "ties"),
    [
        (lambda n: {"filters": [f"contains(a, '{n}')"]}, 299),
        (lambda n: {"filters": [f"a == '{n}'"]}, 0),
        (lambda n: {"scope": {"conversation_id": [f"a{n}", f"b{n}"]}}, 0),
        (lambda n: {"scope": {"conversation_id": f"room-{n}-*"}}, 0),
        (lambda n: {"scope": {"conversation_id": [f"a{n}", f"a{n + 1}"]}}, 299),
    ],
    ids=["filters", "equal", "lists", "patterns", "overlapping"],
)
def test_many_of_one_rank(differ: Callable[[int], dict[str, Any]], ties: int) -> None:
    """Of many with one rank each that may tie is told of once, and each decidable pair is."""
    found = find_ties([bind(f"b{number:03}", **differ(number)) for number in range(300)])

    assert len(found) == ties
    assert len({tie.second.binding_id for tie in found}) == ties
