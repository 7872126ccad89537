"""Worlds of bindings and events that the laws of routing are tested on, and a router without any index."""

from typing import Any

from hypothesis import strategies as st

from langbot_agents.builtin_runners import Echo
from langbot_agents.framework.bindings import SCOPE_FIELDS, BindingEntry, BindingSet, entry_of
from langbot_agents.framework.documents import model_digest
from langbot_agents.framework.filters import Frame, evaluate_all
from langbot_agents.framework.plugins import PluginInfo
from langbot_agents.framework.registry import AgentRunnerRegistry
from langbot_agents.framework.router import RoutedEvent, is_active, rank
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, DecisionEntry

REGISTRY = AgentRunnerRegistry()
REGISTRY.add(
    Echo,
    aliases=("echo",),
    plugin=PluginInfo(name="test", distribution="langbot-agents", version="1", state="ready"),
)
TYPES = ("message.received", "message.edited", "platform.x.a", "platform.x.b", "message.recalled")
TYPE_PATTERNS = (
    "*",
    "*",
    "message.*",
    "message.*",
    "message.received",
    "platform.*",
    "platform.x.*",
    "message.deleted",
    *TYPES,
)


def bind(binding_id: str = "a", **fields: Any) -> BindingEntry:
    """A binding that takes `message.received`, unless told otherwise."""
    values: dict[str, Any] = {"event_types": ["message.received"], "runner_id": "echo"} | fields
    document = AgentBinding.model_validate({"binding_id": binding_id, **values})
    return entry_of(document, model_digest(document), REGISTRY)


def happen(**fields: Any) -> RoutedEvent:
    """An event, a message by default."""
    values: dict[str, Any] = {
        "event_type": "message.received",
        "source": {"kind": "webui", "name": "x"},
        "delivery": {"surface": "web"},
    }
    return RoutedEvent(AgentEventEnvelope.model_validate(values | fields))


def decide_plainly(event: RoutedEvent, bindings: BindingSet, clock: float) -> Decision:
    """The law as it is written: every binding is asked, every filter evaluated, nothing shared or kept."""
    found = []
    document = {**event.json, "now": clock}
    for entry in bindings.entries:
        if entry.state != "live" or entry.type_rank(event.event_type) is None:
            continue
        if not all(term.matches(value) for term, value in zip(entry.scope, event.scope, strict=True)):
            continue
        leg = evaluate_all(entry.filters, document, Frame(document, now=clock, timezone=bindings.timezone))
        if leg is not None and leg.truth == "false":
            continue
        code, error = "outranked", None
        if leg is not None and leg.truth == "error":
            code, error = "filter_error", f"{leg.leg.text}: {leg.reason}"
        elif not is_active(entry.document.active, clock, bindings.timezone):
            code = "inactive"
        elif entry.document.mode == "observe":
            code = "observer"
        found.append((entry, code, error))
    order = ["outranked", "observer", "filter_error", "inactive"]
    found.sort(key=lambda item: (order.index(item[1]), rank(item[0], event.event_type)))
    if found and found[0][1] == "outranked":
        found[0] = (found[0][0], "selected", None)
    codes = [code for _, code, _ in found]
    return Decision(
        event_uid=event.envelope.event_uid or "",
        workspace_id=event.envelope.workspace_id,
        clock=clock,
        set_digest=bindings.digest,
        function_set=bindings.function_set,
        counts={code: codes.count(code) for code in sorted(set(codes))},
        winner=found[0][0].binding_id if codes[:1] == ["selected"] else None,
        observers=tuple(entry.binding_id for entry, code, _ in found if code == "observer"),
        entries=tuple(
            DecisionEntry.model_validate(
                {"binding_id": entry.binding_id, "revision": entry.revision, "code": code, "error": error}
            )
            for entry, code, error in found
        ),
    )


IDS = st.sampled_from(["x", "x", "x", "y", "xy"])
VALUES = st.sampled_from([1, True, "x", 1.0, 0, False, None, "1", "", [1], {"a": 1}, {}])
SCOPE_VALUES = st.one_of(
    IDS,
    st.sampled_from(["x*", "*y", "*", "**"]),
    st.lists(st.sampled_from(["x", "y", "xy", "z", "x*"]), min_size=1, max_size=3),
)
LITERALS = st.sampled_from(
    ["`1`", "`1.0`", "`0`", "`true`", "`false`", "`null`", '`"1"`', "'x'", "'y'", "''", "`[1]`", '`{"a": 1}`']
)
PATHS = st.sampled_from(
    [
        "metadata.k",
        "metadata.deep.k",
        'metadata."a-b"',
        "metadata.missing",
        "metadata",
        "actor.actor_id",
        "bot_id",
        "input.text",
        "conversation_id",
        "source.name.deeper",
        "now",
        "@.bot_id",
    ]
)
LIKELY = st.sampled_from(
    [
        "bot_id == 'x'",
        "'x' == input.text",
        "metadata.k == `1`",
        "metadata.k == `true`",
        "actor.actor_id == 'x'",
        "(conversation_id == 'x')",
        "metadata.deep.k == 'x'",
        "metadata.missing == `null`",
    ]
)
"""Equalities that hold often, where all the others hold now and then."""
EQUALITIES = st.one_of(
    LIKELY,
    LIKELY,
    st.builds("{} == {}".format, PATHS, LITERALS),
    st.builds("{1} == {0}".format, PATHS, LITERALS),
    st.builds("({} == {})".format, PATHS, LITERALS),
)
OTHERS = st.sampled_from(
    [
        "contains(input.text, 'x')",
        "now > `0`",
        "abs(bot_id) == `1`",
        "abs(metadata.k) == `1`",
        "bot_id",
        "metadata.k == 'x' || bot_id == 'y'",
        "!(metadata.k == `1`)",
        "starts_with(metadata.k, 'x') == `true`",
    ]
)
LEGS = st.one_of(EQUALITIES, OTHERS)
FILTERS = st.one_of(LIKELY, LEGS, st.builds("{} && {}".format, LIKELY, LEGS))


@st.composite
def bindings(draw: st.DrawFn, binding_id: str) -> BindingEntry:
    """Some binding of that id."""
    names = draw(
        st.sampled_from([0, 1, 1, 2]).flatmap(lambda n: st.sets(st.sampled_from(SCOPE_FIELDS), max_size=n))
    )
    return bind(
        binding_id,
        enabled=draw(st.integers(0, 6)) > 0,
        event_types=draw(st.lists(st.sampled_from(TYPE_PATTERNS), min_size=1, max_size=3)),
        scope=draw(st.sampled_from([{"workspace_id": "*"}, {}]))
        | {name: draw(SCOPE_VALUES) for name in sorted(names)},
        filters=draw(
            st.sampled_from([0, 1, 1, 2]).flatmap(lambda n: st.lists(FILTERS, min_size=n, max_size=n))
        ),
        priority=draw(st.integers(-1, 1)),
        mode=draw(st.sampled_from(["respond", "respond", "observe"])),
        active=draw(st.sampled_from([None, None, {"hours": ["11:00-13:00"]}, {"hours": ["01:00-02:00"]}])),
    )


@st.composite
def worlds(draw: st.DrawFn, size: int = 8) -> list[BindingEntry]:
    """Some bindings of different ids."""
    return [draw(bindings(f"b{number}")) for number in range(draw(st.integers(0, size)))]


@st.composite
def happenings(draw: st.DrawFn) -> RoutedEvent:
    """Some event, many of whose facts are missing or odd."""
    return happen(
        event_type=draw(st.sampled_from(["message.received", *TYPES])),
        workspace_id=draw(st.sampled_from(["default", "default", "x", "xy"])),
        source={"kind": draw(st.sampled_from(["webui", "system"])), "name": draw(IDS)},
        bot_id=draw(IDS | st.none()),
        conversation_id=draw(IDS | st.none()),
        thread_id=draw(IDS | st.none()),
        actor=draw(IDS.map(lambda text: {"actor_id": text}) | st.none()),
        subject=draw(IDS.map(lambda text: {"subject_type": text}) | st.none()),
        input={"text": draw(IDS | st.none())},
        metadata={"k": draw(VALUES)}
        | draw(st.sampled_from([{}, {"a-b": "x"}, {"a-b": True}]))
        | draw(st.sampled_from([{}, {"deep": {"k": "x"}}, {"deep": {"k": True}}, {"deep": "x"}])),
    )
