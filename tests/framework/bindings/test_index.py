"""The index of a set: who is a candidate, sets changed step by step, and what it cannot tell apart."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.framework.bindings import (
    BindingEntry,
    BindingIndex,
    BindingSet,
    EventKeys,
    Quarantined,
    check_bindings,
)
from langbot_agents.framework.clock import utc_now
from langbot_agents.framework.documents import load_bindings
from langbot_agents.framework.filters import compile_filter, conjuncts, parse
from langbot_agents.framework.filters.equality import Equality, equalities, equality_of
from langbot_agents.framework.router import EventRouter, RoutedEvent
from langbot_agents.schemas.records import BindingPause

from ..routing_worlds import FILTERS, REGISTRY, bind, bindings, happen, happenings

NOON = 1_772_625_600.0
NAMES = [f"b{number}" for number in range(6)]


def candidates(index: BindingIndex, event: RoutedEvent) -> list[str]:
    """The ids of those that could take the event."""
    keys = EventKeys(event.scope, lambda: {**event.json, "now": NOON})
    return sorted(entry.binding_id for entry in index.candidates(event.event_type, keys))


def pause(binding_id: str) -> BindingPause:
    """A pause."""
    return BindingPause(binding_id=binding_id, reason="r", created_at=utc_now())


def test_candidates() -> None:
    """Type, scope values and the equalities of filters leave out whoever cannot take the event."""
    index = BindingIndex(
        [
            bind("any"),
            bind("pattern", scope={"bot_id": "b*"}),
            bind("bot", scope={"bot_id": ["b1", "b2"]}),
            bind("mixed", scope={"bot_id": ["zz", "*1"]}),
            bind("other-bot", scope={"bot_id": "b2"}),
            bind("equal", filters=["metadata.k == 'x' && contains(input.text, 'a')"]),
            bind("not-equal", filters=["'y' == metadata.k"]),
            bind("type", event_types=["message.edited"]),
            bind("types", event_types=["message.edited", "message.*", "*"]),
            bind("workspace", scope={"workspace_id": "w"}),
        ]
    )

    assert candidates(index, happen(bot_id="b1", metadata={"k": "x"})) == [
        "any",
        "bot",
        "equal",
        "mixed",
        "pattern",
        "types",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a == 'x'", [(("a",), "x")]),
        ("a.b=='x y' && `2` == c", [(("a", "b"), "x y"), (("c",), 2)]),
        ("(a == 'x' && b == `true`) && d", [(("a",), "x"), (("b",), ("bool", True))]),
        ("metadata.\"a-b\" == 'it\\'s'", [(("metadata", "a-b"), "it's")]),
        ("a == `null`", []),
        ("a == `[1]`", []),
        ("a == `NaN`", []),
        ("a == b", []),
        ("a[0] == 'x'", []),
        ("a == 'x' || b == 'y'", []),
        ("!(a == 'x')", []),
        ("a != 'x'", []),
        ("a == 'x' == `true`", []),
    ],
)
def test_equalities(text: str, expected: list[Equality]) -> None:
    """Only a plain path that must equal a text, a number or a truth value can be looked up."""
    assert list(equalities([compile_filter(text)])) == expected


@settings(max_examples=300, deadline=None)
@given(FILTERS)
def test_equalities_of_the_tree(text: str) -> None:
    """What is read off the text of a leg is what the parsed expression says."""
    expected = [found for part in conjuncts(parse(text)) if (found := equality_of(part)) is not None]

    assert list(equalities([compile_filter(text)])) == expected


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(NAMES).flatmap(bindings)),
        st.tuples(st.just("remove"), st.sampled_from(NAMES)),
        st.tuples(st.just("pause"), st.sets(st.sampled_from([*NAMES, "nobody"]))),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(STEPS, st.lists(happenings(), min_size=1, max_size=3))
def test_changed_step_by_step(steps: Iterable[tuple[str, object]], events: list[RoutedEvent]) -> None:
    """A set that was changed again and again is the set that is made at once; those of before stay."""
    made = BindingSet([])
    before: list[tuple[BindingSet, str, list[list[str]]]] = []
    for name, what in steps:
        if isinstance(what, BindingEntry):
            made = made.changed([what])
        elif isinstance(what, str):
            made = made.changed(removed=[what])
        else:
            assert name == "pause"
            assert isinstance(what, set)
            made = made.with_pauses({binding_id: pause(binding_id) for binding_id in what})
        before.append((made, made.digest, [candidates(made.index, event) for event in events]))
    at_once = BindingSet(made.entries)

    assert made.entries == at_once.entries
    assert made.live == at_once.live
    assert made.digest == at_once.digest
    assert [made.get(name) for name in NAMES] == [at_once.get(name) for name in NAMES]
    router = EventRouter()
    for event in events:
        assert candidates(made.index, event) == candidates(at_once.index, event)
        assert router.decide(event, made, NOON) == router.decide(event, at_once, NOON)
    for old, digest, found in before:
        assert BindingSet(old.entries).digest == digest
        assert [candidates(old.index, event) for event in events] == found


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(NAMES).flatmap(bindings), max_size=5),
    st.lists(st.sampled_from(NAMES).flatmap(bindings), max_size=5),
    st.lists(st.sampled_from(NAMES), max_size=4),
    happenings(),
)
def test_changed_in_one_step(
    first: list[BindingEntry], added: list[BindingEntry], removed: list[str], event: RoutedEvent
) -> None:
    """Many changes at once: what is removed goes first, and of two of one id the last counts."""
    start = {entry.binding_id: entry for entry in first}
    end = {name: entry for name, entry in start.items() if name not in removed}
    end |= {entry.binding_id: entry for entry in added}
    made, at_once = BindingSet(start.values()).changed(added, removed), BindingSet(end.values())

    assert made.entries == at_once.entries
    assert made.digest == at_once.digest
    assert candidates(made.index, event) == candidates(at_once.index, event)


def test_what_a_change_keeps() -> None:
    """A change keeps what stays out, unless told otherwise, and the timezone and the functions."""
    out = [Quarantined(binding_id="q", file="q.yaml", line=1, reason="r")]
    made = BindingSet([bind()], out, timezone="Asia/Shanghai", function_set="f")
    changed = made.changed([bind("b")])

    assert (changed.quarantined, changed.timezone, changed.function_set) == (tuple(out), "Asia/Shanghai", "f")
    assert changed.changed(quarantined=[]).quarantined == ()
    assert made.with_pauses({"nobody": pause("nobody")}) is made


def test_digest_names_the_set() -> None:
    """Whatever can change a decision changes the digest; the order and the places of documents do not."""
    first, second = bind("a"), bind("b")
    made = BindingSet([first, second])
    others = [
        BindingSet([first]),
        BindingSet([first, bind("b", priority=1)]),
        BindingSet([first, second], timezone="Asia/Shanghai"),
        BindingSet([first, second], function_set="other"),
        made.with_pauses({"a": pause("a")}),
        made.with_pauses({"b": pause("b")}),
    ]

    assert BindingSet([second, first]).digest == made.digest
    assert len({made.digest, *(other.digest for other in others)}) == 1 + len(others)


def test_workspaces_share() -> None:
    """What concerns a workspace is the set itself where all of it does."""
    made = BindingSet([bind(), bind("any", scope={"workspace_id": "*"})])

    assert made.of_workspace("default") is made
    assert [entry.binding_id for entry in made.of_workspace("other").entries] == ["any"]


def test_crowds() -> None:
    """Bindings with filters that nothing tells apart are found by type and what they share."""
    crowd = [
        bind(f"b{n}", filters=[f"contains(input.text, '{n}')"], scope={"bot_id": "b1"}) for n in range(4)
    ]
    told_apart = [bind(f"c{n}", filters=[f"metadata.k == '{n}' && now > `0`"]) for n in range(4)]
    without = [bind(f"d{n}", scope={"bot_id": "b2"}) for n in range(4)]
    index = BindingIndex([*crowd, *told_apart, *without])
    (found,) = index.crowds(3)

    assert found.event_type == "message.received"
    assert dict(found.demands) == {("bot_id",): "b1", ("workspace_id",): "default"}
    assert [entry.binding_id for entry in found.entries] == ["b0", "b1", "b2", "b3"]
    assert list(index.crowds(4)) == []


def test_a_crowd_is_a_finding(tmp_path: Path) -> None:
    """Over 500 bindings whose filters are all tested on every event are worth one warning, at the first."""
    text = (
        "apiVersion: langbot-agents/v1\nkind: AgentBinding\nbinding_id: o{number}\nrunner_id: echo\n"
        "mode: observe\nevent_types: [message.received]\nfilters:\n"
        "  - contains_any(input.text, ['order {number}'])\n"
    )
    (tmp_path / "a.yaml").write_text("---\n".join(text.format(number=number) for number in range(500)))
    few = check_bindings(load_bindings(tmp_path, ["*.yaml"]), REGISTRY, timezone="UTC")
    (tmp_path / "b.yaml").write_text(text.format(number=500))
    (found,) = check_bindings(load_bindings(tmp_path, ["*.yaml"]), REGISTRY, timezone="UTC").findings

    assert few.findings == ()
    assert (found.code, found.severity, found.file, found.line, found.path) == (
        "LBA313",
        "warning",
        "a.yaml",
        7,
        "filters",
    )
    assert found.message == (
        "501 bindings with filters take 'message.received' and differ in nothing that can be looked up"
    )
