"""Who answers an event: candidates, rank, modes, windows, and a reason for every binding."""

import random
from datetime import datetime
from itertools import combinations, product
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework.bindings import SCOPE_FIELDS, BindingEntry, BindingSet, Quarantined, entry_of
from langbot_agents.framework.documents import model_digest
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import EventRouter, Explanation, RoutedEvent, rank
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DecisionCode, ReasonCode

PACKAGE = PluginInfo(name="test", distribution="langbot-agents", version="1", state="ready")
REGISTRY = AgentRunnerRegistry()
REGISTRY.add(Echo, aliases=("echo",), plugin=PACKAGE)
NOON = datetime(2026, 3, 4, 12, tzinfo=ZoneInfo("UTC")).timestamp()
"""A Wednesday."""

FULL: dict[str, Any] = {
    "event_type": "message.received",
    "workspace_id": "default",
    "source": {"kind": "platform_adapter", "name": "telegram"},
    "bot_id": "b1",
    "conversation_id": "group_1",
    "conversation_type": "group",
    "thread_id": "t1",
    "actor": {"actor_id": "u1"},
    "subject": {"subject_type": "message"},
    "input": {"text": "hello"},
    "delivery": {"surface": "telegram"},
}
VALUES = {
    "actor_id": "u1",
    "thread_id": "t1",
    "conversation_id": "group_1",
    "conversation_type": "group",
    "subject_type": "message",
    "bot_id": "b1",
    "source_name": "telegram",
    "source_kind": "platform_adapter",
    "workspace_id": "default",
}


def bind(binding_id: str = "a", **fields: Any) -> BindingEntry:
    """A binding that takes `message.received`, unless told otherwise."""
    values: dict[str, Any] = {"event_types": ["message.received"], "runner_id": "echo"} | fields
    document = AgentBinding.model_validate({"binding_id": binding_id, **values})
    return entry_of(document, model_digest(document), REGISTRY)


def happen(**fields: Any) -> RoutedEvent:
    """An event that has every fact, unless told otherwise."""
    return RoutedEvent(AgentEventEnvelope.model_validate(FULL | fields))


def decide(event: RoutedEvent, *entries: BindingEntry, at: float = NOON, zone: str = "UTC") -> Decision:
    """The decision on an event."""
    return EventRouter().decide(event, BindingSet(entries, timezone=zone), at)


def codes(explanation: Explanation) -> dict[str | None, ReasonCode]:
    """Each binding's reason."""
    return {reason.binding_id: reason.code for reason in explanation.reasons}


def explained(event: RoutedEvent, *entries: BindingEntry, at: float = NOON, zone: str = "UTC") -> Explanation:
    """The explanation of a decision."""
    return EventRouter().explain(event, BindingSet(entries, timezone=zone), at)


# candidates


@pytest.mark.parametrize(
    ("pattern", "event_type", "taken"),
    [
        ("message.received", "message.received", True),
        ("message.received", "message.edited", False),
        ("message.*", "message.received", True),
        ("message.*", "message.a.b.c", True),
        ("message.*", "messages.received", False),
        ("platform.*", "platform.telegram.poll-closed", True),
        ("platform.telegram.*", "platform.telegram.poll-closed", True),
        ("platform.telegram.*", "platform.telegrams.poll", False),
        ("*", "anything.at.all", True),
        ("message.deleted", "message.recalled", True),
        ("message.recalled", "message.deleted", True),
        ("message.deleted", "message.deleted", True),
    ],
)
def test_event_types(pattern: str, event_type: str, taken: bool) -> None:
    """`event_types` are exact, `ns.*` at any depth, or `*`; an alias is the type it stands for."""
    decision = decide(happen(event_type=event_type), bind(event_types=[pattern]))

    assert (decision.winner == "a") is taken


@pytest.mark.parametrize("name", SCOPE_FIELDS)
@pytest.mark.parametrize("shape", ["value", "list of one", "list", "pattern", "list with a pattern"])
def test_scope_shapes(name: str, shape: str) -> None:
    """A scope field is a value, a list of values, or a pattern; it takes the events that have one of them."""
    value = VALUES[name]
    stated: Any = {
        "value": value,
        "list of one": [value],
        "list": ["other", value],
        "pattern": value[:2] + "*",
        "list with a pattern": ["other", "*" + value[-2:]],
    }[shape]
    entry = bind(scope={"workspace_id": "*"} | {name: stated})
    other = bind(
        scope={"workspace_id": "*"} | {name: ["zzz", "*zzz"] if "pattern" in shape else ["zz", "yy"]}
    )

    assert decide(happen(), entry).winner == "a"
    assert decide(happen(), other).winner is None


@pytest.mark.parametrize("name", SCOPE_FIELDS[:6])
def test_null_fields(name: str) -> None:
    """Only an omitted scope field, or `*`, matches a null field of the event."""
    nothing: dict[str, Any] = {"actor_id": {"actor": None}, "subject_type": {"subject": None}}.get(
        name, {name: None}
    )
    event = happen(**nothing)

    assert decide(event, bind()).winner == "a"
    assert decide(event, bind(scope={name: "*"})).winner == "a"
    for stated in (VALUES[name], [VALUES[name], "x"], VALUES[name] + "*", ["*", "x"], "**"):
        assert decide(event, bind(scope={name: stated})).winner is None


@pytest.mark.parametrize(
    ("stated", "workspace", "taken"),
    [
        (None, "default", True),
        (None, "acme", False),
        ("acme", "acme", True),
        ("acme", "default", False),
        ("acme-*", "acme-eu", True),
        ("acme-*", "acme", False),
        (["acme", "default"], "default", True),
        ("*", "acme", True),
        ("*", "default", True),
    ],
)
def test_workspaces(stated: Any, workspace: str, taken: bool) -> None:
    """An omitted `workspace_id` means `default`; nothing reaches across workspaces unless it is written."""
    scope = {} if stated is None else {"workspace_id": stated}
    decision = decide(happen(workspace_id=workspace), bind(scope=scope))

    assert (decision.winner == "a") is taken
    assert decision.workspace_id == workspace


def test_wildcards_take_time_in_proportion() -> None:
    """A pattern with many `*` takes no more time on a long id than its length warrants."""
    entry = bind(scope={"conversation_id": "*a" * 200 + "*b"})

    assert decide(happen(conversation_id="a" * 512), entry).winner is None
    assert decide(happen(conversation_id="a" * 511 + "b"), entry).winner == "a"


# rank


def test_priority_first() -> None:
    """The higher priority answers, however specific the other is."""
    decision = decide(happen(), bind("a", scope=VALUES), bind("b", priority=1, event_types=["*"]))

    assert [(item.binding_id, item.code) for item in decision.entries] == [
        ("b", "selected"),
        ("a", "outranked"),
    ]


SHAPES = (3, 2, 1, 0)


def shape_of(name: str, number: int) -> Any:
    """A stated value of this specificity that takes the event."""
    value = VALUES[name]
    return {3: value, 2: [value, "other"], 1: value[:1] + "*", 0: "*"}[number]


@pytest.mark.parametrize(("better", "worse"), list(combinations(SCOPE_FIELDS, 2)))
def test_scope_is_compared_from_the_left(better: str, worse: str) -> None:
    """The least in a field further to the left is worth more than the most in a field to the right."""
    anywhere = {"workspace_id": "*"}
    left = bind("z", scope=anywhere | {better: shape_of(better, 1)})
    right = bind("a", scope=anywhere | {worse: shape_of(worse, 3)})

    assert decide(happen(), left, right).winner == "z"


@pytest.mark.parametrize(("name", "pair"), list(product(SCOPE_FIELDS, combinations(SHAPES, 2))))
def test_scope_specificity(name: str, pair: tuple[int, int]) -> None:
    """In one field a value or a list of one is before a list, a list before a pattern, that before `*`."""
    anywhere = {"workspace_id": "*"}
    high, low = (anywhere | {name: shape_of(name, number)} for number in pair)

    assert decide(happen(), bind("z", scope=high), bind("a", scope=low)).winner == "z"


@pytest.mark.parametrize(
    ("stated", "number"),
    [
        ("x", 3),
        (["x"], 3),
        (["x", "y"], 2),
        ("x*", 1),
        (["x*"], 1),
        (["x", "y*"], 1),
        ("*", 0),
        (["*"], 0),
        (None, 0),
    ],
)
def test_specificity_numbers(stated: Any, number: int) -> None:
    """Each is 3 for a value or a list of one, 2 for a list, 1 where there is a pattern, 0 for the rest."""
    scope = {"bot_id": stated, "workspace_id": "*"}

    assert bind(scope=scope).scope_rank == (0, 0, 0, 0, 0, number, 0, 0, 0)


def test_omitted_workspace_counts_as_a_value() -> None:
    """An omitted `workspace_id` counts as the value `default`: before a list, a pattern and `*`."""
    assert bind().scope_rank == (0, 0, 0, 0, 0, 0, 0, 0, 3)
    for stated in (["default", "acme"], "def*", "*"):
        assert decide(happen(), bind("z"), bind("a", scope={"workspace_id": stated})).winner == "z"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (["platform.telegram.poll"], ["platform.telegram.*"]),
        (["platform.telegram.*"], ["platform.*"]),
        (["platform.*"], ["*"]),
        (["*", "platform.telegram.*"], ["platform.*", "message.received"]),
        (["platform.telegram.poll"], ["*"]),
    ],
)
def test_event_type_prefix(better: list[str], worse: list[str]) -> None:
    """Then the longer literal prefix of the matching pattern counts, exact above all."""
    event = happen(event_type="platform.telegram.poll")
    entries = bind("z", event_types=better), bind("a", event_types=worse)

    assert decide(event, *entries).winner == "z"


def test_scope_before_event_type() -> None:
    """A more specific scope is worth more than a more specific event type."""
    assert decide(happen(), bind("z", event_types=["*"], scope={"bot_id": "b1"}), bind("a")).winner == "z"


def test_binding_id_last() -> None:
    """Where all else is the same, the smaller `binding_id` answers."""
    assert decide(happen(), bind("b"), bind("a"), bind("c")).winner == "a"


# modes


def test_observers() -> None:
    """Any number of observers run beside the one that answers; they are never outranked."""
    observers = [bind(name, mode="observe", priority=9) for name in ("o2", "o1")]
    decision = decide(happen(), *observers, bind("b"), bind("a"))

    assert decision.winner == "a"
    assert decision.observers == ("o1", "o2")
    assert decision.counts == {"observer": 2, "outranked": 1, "selected": 1}


def test_observers_alone() -> None:
    """An event that only observers take has no answer."""
    decision = decide(happen(), bind("o", mode="observe"))

    assert (decision.winner, decision.observers) == (None, ("o",))


def test_no_default() -> None:
    """An event that no binding takes has no winner and no entry: there is no implicit default."""
    decision = decide(happen(event_type="group.member_joined"), bind(), bind("off", enabled=False))

    assert (decision.winner, decision.observers, decision.entries) == (None, (), ())


# active windows


def at(text: str, zone: str = "UTC") -> float:
    """A wall-clock time as Unix seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


@pytest.mark.parametrize(
    ("window", "moment", "active"),
    [
        ({"from": "2026-03-04T12:00:00Z"}, at("2026-03-04T12:00:00"), True),
        ({"from": "2026-03-04T12:00:00Z"}, at("2026-03-04T11:59:59"), False),
        ({"until": "2026-03-04T12:00:00Z"}, at("2026-03-04T11:59:59"), True),
        ({"until": "2026-03-04T12:00:00Z"}, at("2026-03-04T12:00:00"), False),
        ({"from": "2026-03-04T20:00:00+08:00"}, at("2026-03-04T12:00:00"), True),
        ({"hours": ["09:00-17:00"]}, at("2026-03-04T09:00:00"), True),
        ({"hours": ["09:00-17:00"]}, at("2026-03-04T17:00:00"), False),
        ({"hours": ["22:00-07:00"]}, at("2026-03-04T23:00:00"), True),
        ({"hours": ["22:00-07:00"]}, at("2026-03-05T06:59:00"), True),
        ({"hours": ["22:00-07:00"]}, at("2026-03-05T07:00:00"), False),
        ({"hours": ["00:00-24:00"]}, at("2026-03-04T00:00:00"), True),
        ({"hours": ["17:00-24:00"]}, at("2026-03-04T23:59:59"), True),
        ({"hours": ["17:00-24:00"]}, at("2026-03-05T00:00:00"), False),
        ({"hours": ["08:00-09:00", "22:00-23:00"]}, at("2026-03-04T22:30:00"), True),
        # the window of Friday night goes on on Saturday morning, and the one of Saturday does not begin
        ({"hours": [{"hours": "22:00-07:00", "days": ["fri"]}]}, at("2026-03-06T23:00:00"), True),
        ({"hours": [{"hours": "22:00-07:00", "days": ["fri"]}]}, at("2026-03-07T06:00:00"), True),
        ({"hours": [{"hours": "22:00-07:00", "days": ["fri"]}]}, at("2026-03-07T23:00:00"), False),
        ({"hours": [{"hours": "22:00-07:00", "days": ["fri"]}]}, at("2026-03-06T06:00:00"), False),
        ({"hours": [{"hours": "09:00-17:00", "zone": "Asia/Shanghai"}]}, at("2026-03-04T02:00:00"), True),
        ({"hours": [{"hours": "09:00-17:00", "zone": "Asia/Shanghai"}]}, at("2026-03-04T10:00:00"), False),
        # Sunday begins in Shanghai while it is Saturday in UTC
        (
            {"hours": [{"hours": "00:00-06:00", "days": ["sun"], "zone": "Asia/Shanghai"}]},
            at("2026-03-07T17:00:00"),
            True,
        ),
        ({"from": "2026-01-01T00:00:00Z", "hours": ["09:00-10:00"]}, at("2026-03-04T12:00:00"), False),
    ],
)
def test_active_window(window: dict[str, Any], moment: float, active: bool) -> None:
    """A binding is a candidate only in its window: from, until, hours (over midnight too), days, a zone."""
    decision = decide(happen(), bind(active=window), at=moment)

    assert (decision.winner == "a") is active
    assert [item.code for item in decision.entries] == (["selected"] if active else ["inactive"])


def test_hours_default_zone() -> None:
    """Hours without a zone are those of the root timezone."""
    entry = bind(active={"hours": ["09:00-17:00"]})
    moment = at("2026-03-04T10:00:00", "America/New_York")

    assert decide(happen(), entry, at=moment, zone="America/New_York").winner == "a"
    assert decide(happen(), entry, at=at("2026-03-04T08:00:00"), zone="America/New_York").winner is None


def test_hours_follow_the_clocks() -> None:
    """Hours are those on the wall, on both sides of the change to summer time."""
    entry = bind(active={"hours": [{"hours": "02:30-03:30", "zone": "Europe/Berlin"}]})

    assert decide(happen(), entry, at=at("2026-03-29T01:10:00")).winner == "a"  # 03:10 in summer time
    assert decide(happen(), entry, at=at("2026-03-29T01:40:00")).winner is None
    assert decide(happen(), entry, at=at("2026-03-28T01:40:00")).winner == "a"  # 02:40 in winter time


def test_inactive_does_not_hold_the_place() -> None:
    """Outside of its window a binding leaves the event to the next candidate."""
    decision = decide(happen(), bind("a", priority=5, active={"hours": ["01:00-02:00"]}), bind("b"))

    assert [(item.binding_id, item.code) for item in decision.entries] == [
        ("b", "selected"),
        ("a", "inactive"),
    ]


# filters in routing


def test_filter_error_is_no_match() -> None:
    """A filter that fails is no match, and the decision says why."""
    decision = decide(happen(), bind(filters=["abs(input.text) == `1`"]), bind("b"))

    assert decision.winner == "b"
    assert [item.code for item in decision.entries] == ["selected", "filter_error"]
    assert decision.entries[1].error == "abs(input.text) == `1`: abs() wants number for `value`, got string"


def test_filter_error_is_always_text() -> None:
    """A filter that makes half a character in its error still gives a decision."""
    decision = decide(happen(), bind(filters=['abs(`"\\ud800"`) == `1`']))

    assert [item.code for item in decision.entries] == ["filter_error"]


def test_now_is_the_clock() -> None:
    """Filters have `now`, the time of the decision."""
    entry = bind(filters=[f"now == `{NOON}`"])

    assert decide(happen(), entry).winner == "a"
    assert decide(happen(), entry, at=NOON + 1).winner is None


def test_event_type_by_its_own_name() -> None:
    """An event that came with an alias is explained with what was written."""
    reasons = explained(happen(event_type="message.deleted"), bind(event_types=["group.*"])).reasons

    assert (reasons[0].code, reasons[0].actual) == ("event_type", "message.deleted")


# reasons

ORDER: tuple[ReasonCode, ...] = (
    "disabled",
    "event_type",
    "scope",
    "filter_false",
    "filter_error",
    "inactive",
    "outranked",
)
TROUBLES: dict[str, dict[str, Any]] = {
    "disabled": {"enabled": False},
    "event_type": {"event_types": ["group.member_joined"]},
    "scope": {"scope": {"bot_id": "b2"}},
    "filter_false": {"filters": ["input.text == 'bye'"]},
    "filter_error": {"filters": ["abs(input.text) == `1`"]},
    "inactive": {"active": {"hours": ["01:00-02:00"]}},
    "outranked": {"priority": -1},
}


def test_the_order_is_the_one_of_the_schema() -> None:
    """The reasons and their order are those that the records name."""
    assert tuple(code for code in get_args(ReasonCode) if code in ORDER) == ORDER


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_first_reason_that_applies(first: int) -> None:
    """A binding with several troubles has the first of them in the stated order as its reason."""
    fields: dict[str, Any] = {}
    for code in ORDER[first:]:
        more = TROUBLES[code]
        fields |= more if code != "filter_error" else {"filters": fields.get("filters", []) + more["filters"]}
    found = codes(explained(happen(), bind("x", **fields), bind("winner")))

    assert found == {"x": ORDER[first], "winner": "selected"}


def test_quarantined_reason() -> None:
    """A document that is out is listed with why, also beside a live one."""
    bindings = BindingSet([bind()], [Quarantined(binding_id="q", file="q.yaml", line=3, reason="broken")])
    reasons = EventRouter().explain(happen(), bindings, NOON).reasons

    assert [(item.binding_id, item.code, item.origin, item.detail) for item in reasons] == [
        ("a", "selected", "-:1", None),
        ("q", "quarantined", "q.yaml:3", "broken"),
    ]


def test_reason_details() -> None:
    """A reason names what was expected and what the event has; for a filter the leg that decided."""
    event = happen()
    scope = explained(event, bind(scope={"bot_id": ["b2", "b3"]})).reasons[0]
    workspace = explained(happen(workspace_id="acme"), bind()).reasons[0]
    leg = explained(event, bind(filters=["bot_id == 'b1' && input.text == 'bye'"])).reasons[0].leg

    assert (scope.field, scope.expected, scope.actual) == ("bot_id", ("b2", "b3"), "b1")
    assert (workspace.field, workspace.expected, workspace.actual) == ("workspace_id", "default", "acme")
    assert leg is not None
    assert (leg.leg.text, leg.leg.offset, leg.truth) == ("input.text == 'bye'", 18, "false")


# laws over whole worlds

IDS = st.sampled_from(["x", "y", "xy", "x1"])
PATTERNS = st.sampled_from(["x", "y", "x*", "*y", "*", "xy", "**"])
SCOPES = st.one_of(st.none(), PATTERNS, st.lists(PATTERNS, min_size=1, max_size=2))
TYPES = ("message.received", "message.edited", "platform.x.a", "platform.x.b", "message.recalled")
EXPRESSIONS = (
    "actor.actor_id == 'x'",
    "input.text == 'x' || bot_id == 'y'",
    "abs(bot_id) == `1`",
    "bot_id",
    "bot_id != thread_id && now > `0`",
    "contains(input.text, 'x')",
)
WINDOWS = st.sampled_from(
    [None, None, {"hours": ["01:00-02:00"]}, {"hours": ["11:00-13:00"]}, {"until": "2020-01-01T00:00:00Z"}]
)


@st.composite
def worlds(draw: st.DrawFn) -> list[BindingEntry]:
    """Some bindings."""
    count = draw(st.integers(0, 8))
    made = []
    for number in range(count):
        scope = {name: value for name in SCOPE_FIELDS if (value := draw(SCOPES)) is not None}
        kept = draw(st.sets(st.sampled_from(SCOPE_FIELDS), max_size=3))
        scope = {name: value for name, value in scope.items() if name in kept}
        made.append(
            bind(
                f"b{number}",
                enabled=draw(st.integers(0, 5)) > 0,
                event_types=draw(
                    st.lists(
                        st.sampled_from([*TYPES, "message.*", "platform.*", "platform.x.*", "*"]),
                        min_size=1,
                        max_size=3,
                    )
                ),
                scope=scope,
                filters=draw(st.lists(st.sampled_from(EXPRESSIONS), max_size=2)),
                priority=draw(st.integers(-1, 1)),
                mode=draw(st.sampled_from(["respond", "respond", "observe"])),
                active=draw(WINDOWS),
            )
        )
    return made


@st.composite
def happenings(draw: st.DrawFn) -> RoutedEvent:
    """Some event."""
    return happen(
        event_type=draw(st.sampled_from(TYPES)),
        workspace_id=draw(st.sampled_from(["default", "x", "xy"])),
        source={"kind": draw(st.sampled_from(["webui", "system"])), "name": draw(IDS)},
        bot_id=draw(st.none() | IDS),
        conversation_id=draw(st.none() | IDS),
        conversation_type=draw(st.sampled_from([None, "group"])),
        thread_id=draw(st.none() | IDS),
        actor=draw(st.none() | IDS.map(lambda text: {"actor_id": text})),
        subject=draw(st.none() | IDS.map(lambda text: {"subject_type": text})),
        input={"text": draw(st.none() | IDS)},
    )


@settings(max_examples=300, deadline=None)
@given(worlds(), happenings(), st.randoms(use_true_random=False))
def test_decide_and_explain_agree(
    world: list[BindingEntry], event: RoutedEvent, shuffle: random.Random
) -> None:
    """A decision does not depend on the order of documents, and the explanation is the same decision."""
    decision = decide(event, *world)
    explanation = explained(event, *world)
    mixed = list(world)
    shuffle.shuffle(mixed)
    found = codes(explanation)
    listed = {item.binding_id: item.code for item in decision.entries}

    assert explanation.decision == decision == decide(event, *mixed)
    assert set(found) == {entry.binding_id for entry in world}
    assert listed == {name: code for name, code in found.items() if code in get_args(DecisionCode)}
    assert sum(decision.counts.values()) == len(decision.entries)
    assert [name for name, code in found.items() if code == "selected"] == [decision.winner][
        : decision.winner is not None
    ]


@settings(max_examples=300, deadline=None)
@given(worlds(), happenings())
def test_the_best_candidate_answers(world: list[BindingEntry], event: RoutedEvent) -> None:
    """Nobody who may answer is better than who answers, and somebody answers wherever one may."""
    found = codes(explained(event, *world))
    may = [entry for entry in world if found[entry.binding_id] in ("selected", "outranked")]
    winner = decide(event, *world).winner

    assert winner == (min(may, key=lambda entry: rank(entry, event.event_type)).binding_id if may else None)
    assert all(entry.document.mode == "respond" for entry in may)


@settings(max_examples=200, deadline=None)
@given(worlds(), happenings())
def test_nothing_crosses_workspaces(world: list[BindingEntry], event: RoutedEvent) -> None:
    """A binding that does not write another workspace takes only events of `default`."""
    for name, code in codes(explained(event, *world)).items():
        scope = next(entry.document.scope for entry in world if entry.binding_id == name)
        if scope.workspace_id is None and event.envelope.workspace_id != "default":
            assert code in ("disabled", "event_type", "scope")
