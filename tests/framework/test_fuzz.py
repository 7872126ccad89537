"""Laws of the whole host: whatever comes, no person sees a traceback, no event is lost, the host stays up."""

import os
import tempfile
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import anyio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langbot_agents.framework.access import Caller
from langbot_agents.framework.app import EventStory, open_host
from langbot_agents.framework.errors import LangbotAgentsError
from langbot_agents.framework.project import load_project
from langbot_agents.framework.store import Cursor, decisions, events
from langbot_agents.schemas.catalogue import standard_types
from langbot_agents.schemas.results import RESULT_DATA, AgentRunResult
from langbot_agents.sdk import AgentRunContext

from .conftest import CALLER, House, Opened, runner_class

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "12"))
"""How many hosts a law is tried on; `FUZZ_EXAMPLES=500` for a night."""
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
STRANGER = Caller(name="fuzz", surface="http_api")

TEXT = st.text(max_size=12) | st.sampled_from(
    ["", "\0", "\ud800", "𓂀" * 9, "${env:HOME}", "../..", "退款", "a" * 600]
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
TYPES = st.sampled_from([contract.name for contract in standard_types()])
URL = st.sampled_from(
    ["data:", "data:image/png;base64,@", "data:image/png;base64,iVBORw0KGgo=", "https://example.org/a", "x"]
)
PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "file", "quote", "mention", "json", "none"])},
    optional={"text": TEXT, "url": URL, "contents": JSON, "actor": JSON, "value": JSON, "artifact": JSON},
)
INPUT = st.fixed_dictionaries(
    {},
    optional={
        "text": st.none() | TEXT,
        "contents": st.lists(PART, max_size=3),
        "attachments": st.lists(st.fixed_dictionaries({"type": TEXT, "url": URL}), max_size=2),
        "data": JSON,
        "interaction": JSON,
    },
)
EVENT = st.fixed_dictionaries(
    {"event_type": TYPES},
    optional={
        "event_id": st.sampled_from(["1", "2", "3", "4", "\ud800"]),
        "event_time": st.floats() | st.integers(),
        "workspace_id": st.sampled_from(["default", "other", "*", None]),
        "bot_id": st.sampled_from(["bot-1", "bot-2", ""]),
        "conversation_id": st.sampled_from(["person_1", "group_2", "退款", "\ud800"]),
        "conversation_type": st.sampled_from(["private", "group", "channel", "x"]),
        "thread_id": TEXT,
        "actor": st.none()
        | JSON
        | st.fixed_dictionaries({"actor_type": st.sampled_from(["user", "bot", "x"]), "actor_id": TEXT}),
        "subject": JSON,
        "input": INPUT | JSON,
        "delivery": JSON | st.fixed_dictionaries({"surface": st.sampled_from(["terminal", "telegram", ""])}),
        "source": st.none() | JSON,
        "metadata": JSON,
        "cause": st.fixed_dictionaries({"depth": st.integers(-1, 12)}),
        "locale": TEXT,
        "expires_at": TEXT | st.sampled_from(["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"]),
        "event_uid": TEXT,
        "received_at": JSON,
    },
)
PLAUSIBLE = st.fixed_dictionaries(
    {"event_type": TYPES},
    optional={
        "event_id": st.sampled_from(["1", "2", "3", "4"]),
        "bot_id": st.sampled_from(["bot-1", "bot-2"]),
        "conversation_id": st.sampled_from(["person_1", "group_2", "退款"]),
        "thread_id": st.just("t"),
        "actor": st.fixed_dictionaries(
            {"actor_type": st.sampled_from(["user", "bot"]), "actor_id": st.sampled_from(["bot-1", "u"])}
        ),
        "input": st.fixed_dictionaries(
            {},
            optional={
                "text": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
                "contents": st.lists(
                    st.builds(
                        lambda url: {"type": "image", "url": url}, URL.filter(lambda url: "@" not in url)
                    ),
                    max_size=2,
                ),
                "data": st.none() | st.integers(-5, 5) | st.lists(st.booleans(), max_size=2),
            },
        ),
        "cause": st.fixed_dictionaries({"depth": st.integers(0, 12)}),
        "expires_at": st.sampled_from(["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"]),
    },
)
KIND = st.sampled_from([*RESULT_DATA, "unknown.type"]) | TEXT
MESSAGE = st.fixed_dictionaries({}, optional={"role": TEXT, "content": TEXT | JSON, "tool_calls": JSON})
DATA = st.fixed_dictionaries(
    {},
    optional={
        "chunk": MESSAGE,
        "message": MESSAGE,
        "scope": st.sampled_from(["conversation", "actor", "subject", "runner", "galaxy"]),
        "key": TEXT | st.just("external.id"),
        "value": JSON,
        "code": TEXT,
        "error": JSON,
        "retryable": JSON,
        "finish_reason": TEXT,
        "tool_call_id": TEXT,
        "tool_name": TEXT,
        "parameters": JSON,
        "action": TEXT,
        "artifact": JSON,
        "surface": TEXT,
        "target": JSON,
    },
)
RESULT: st.SearchStrategy[Any] = st.one_of(
    JSON,
    st.fixed_dictionaries({"type": KIND, "data": DATA | JSON}, optional={"message_id": TEXT, "usage": JSON}),
    st.builds(lambda kind, data: AgentRunResult.model_construct(type=kind, data=data), KIND, DATA | JSON),
    st.sampled_from([object(), Exception("given, not raised"), b"bytes", AgentRunResult]),
    st.just("raise"),
)


def no_traceback(stories: Sequence[EventStory]) -> bool:
    """Whether no text that a person sees has a place in our source."""
    shown = [str(item.content) for story in stories for item in story.deliveries]
    shown += [str(run.reason) for story in stories for run in story.runs]
    return not any(mark in text for text in shown for mark in ("Traceback", 'File "', "pydantic"))


async def ended(opened: Opened, accepted: set[tuple[str, str]]) -> list[EventStory]:
    """The stories of events, each of which has one decision, and an end for all that it started."""
    await opened.host.settled()
    stories = []
    for workspace, uid in accepted:
        assert await opened.host.db.read(decisions.get, workspace, uid) is not None
        if workspace == "default":
            stories.append(await opened.story(uid))
    for story in stories:
        assert all(item.outcome != "waiting" for item in story.dispatches)
        assert all(run.status not in {"queued", "running"} for run in story.runs)
        assert (
            len({run.run_id for run in story.runs})
            == len(story.runs)
            == len([item for item in story.dispatches if item.outcome == "started"])
        )
    return stories


async def still_answers(opened: Opened) -> None:
    """The host takes and answers an ordinary message."""
    story = await opened.say("still here?", conversation_id="person_of_the_test", event_type="message.edited")

    assert [item.content for item in story.deliveries] == ["still here?"]


def house(root: str, runner: Any = None) -> House:
    """A project that answers everything with the runner, and edited messages with `echo`."""
    bindings = [
        {"binding_id": "all", "event_types": ["*"], "runner_id": "echo" if runner is None else "fuzzed"},
        {"binding_id": "edited", "event_types": ["message.edited"], "runner_id": "echo"},
        {"binding_id": "seen", "event_types": ["*"], "mode": "observe", "runner_id": "echo"},
    ]
    runners = [] if runner is None else [runner_class("fuzzed", runner)]
    return House(Path(root), bindings, runners)


@FUZZ
@given(
    st.lists(
        st.tuples(PLAUSIBLE | PLAUSIBLE | EVENT | st.dictionaries(TEXT, JSON, max_size=4), st.booleans()),
        min_size=4,
        max_size=12,
    )
)
def test_events(given_events: list[tuple[Any, bool]]) -> None:
    """An event is refused with a reason, or it is on disk, decided once and seen to its end."""

    async def law() -> None:
        with tempfile.TemporaryDirectory() as root:
            async with house(root).open() as opened:
                accepted: set[tuple[str, str]] = set()
                refusals: list[str] = []
                for data, local in given_events:
                    try:
                        answer = await opened.host.run_from_event(data, CALLER if local else STRANGER)
                    except LangbotAgentsError as refusal:
                        refusals.append(refusal.message)
                    else:
                        accepted.add((answer.workspace_id, answer.event_uid))
                assert all(item and "Traceback" not in item for item in refusals)
                stories = await ended(opened, accepted)

                def count(cursor: Cursor) -> int:
                    return sum(
                        len(events.page(cursor, workspace, limit=1000))
                        for workspace in ("default", "other", "*")
                    )

                assert await opened.host.db.read(count) == len(accepted)
                assert no_traceback(stories)
                await still_answers(opened)

    anyio.run(law)


@FUZZ
@given(st.lists(st.lists(RESULT, max_size=6), min_size=2, max_size=6))
def test_results(given_results: list[list[Any]]) -> None:
    """Whatever a runner gives, its run ends once, people see no traceback, and the next run is as good."""

    async def fuzzed(ctx: AgentRunContext[Any]) -> AsyncGenerator[Any, None]:
        for item in given_results[int(ctx.input.to_text())]:
            if isinstance(item, str) and item == "raise":
                raise RuntimeError("raised by the runner")
            yield item

    async def law() -> None:
        with tempfile.TemporaryDirectory() as root:
            async with house(root, fuzzed).open() as opened:
                accepted = set()
                for number in range(len(given_results)):
                    answer = await opened.accept(str(number), conversation_id=f"person_{number % 2}")
                    accepted.add((answer.workspace_id, answer.event_uid))
                stories = await ended(opened, accepted)
                assert all(len(story.runs) == 2 for story in stories)
                assert no_traceback(stories)
                for story in stories:
                    for run in story.runs:
                        results = await opened.results(run)
                        ends = [item for item in results if item.type in {"run.completed", "run.failed"}]
                        assert ends == results[-1:]
                await still_answers(opened)

    anyio.run(law)


GOOD = """apiVersion: langbot-agents/v1
kind: AgentBinding
binding_id: 0-good
event_types: [message.edited]
priority: 1000000
runner_id: echo
"""
LINES = st.sampled_from(
    [
        "apiVersion: langbot-agents/v1",
        "kind: AgentBinding",
        "kind: Host",
        "binding_id: a",
        "binding_id: 12",
        "event_types: [message.received, 'group.*']",
        "event_types: ['*']",
        "event_types: message.received",
        "runner_id: echo",
        "runner_id: local-agent",
        "runner_id: ehco",
        "runner_config: {prefix: '${env:NO_SUCH}'}",
        "runner_config: {model: {primary: [a], fallbacks: {}}}",
        "runner_config: [1, 2]",
        "filters: ['input.text == `1`', \"regex_match(input.text, 'a+')\"]",
        "filters: [\"contains(input.text || '', 'x')\"]",
        "scope: {conversation_type: [group, '*'], bot_id: 1}",
        "priority: 1e9",
        "mode: observe",
        "mode: observed",
        "enabled: false",
        "limits: {timeout: 0s, retry: {max_attempts: -1}}",
        "delivery_policy: {targets: [none, reply], hint_text: {zz: 1}}",
        "flow: {overlap: steer}",
        "active: {hours: [{hours: '25:00-26:00'}]}",
        "---",
        "- - - :",
        "a: &a [*a]",
        "? [x]",
        "<<: {a: 1}",
        "!!python/object:os.system {}",
        "\t",
        "}",
        '退: "\\ud800"',
    ]
)


@FUZZ
@given(st.lists(st.lists(LINES | st.text(max_size=20), max_size=10).map("\n".join), min_size=1, max_size=4))
def test_bindings(texts: list[str]) -> None:
    """Whatever lies beside it in the folder, a good binding is live and answers; the rest has findings."""

    async def law() -> None:
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root)
            (folder / "bindings").mkdir()
            (folder / "langbot-agents.yaml").write_text("apiVersion: langbot-agents/v1\nkind: Host\n")
            (folder / "bindings/0.yaml").write_text(GOOD)
            for number, text in enumerate(texts, start=1):
                data = text.encode("utf-8", errors="surrogatepass")
                (folder / f"bindings/{number}.yaml").write_bytes(data)
            project = load_project(folder)
            assert all(finding.message and finding.line >= 1 for finding in project.findings)
            assert all("Traceback" not in finding.render() for finding in project.findings)
            with anyio.fail_after(60):
                async with open_host(project) as host:
                    await still_answers(Opened(host))

    anyio.run(law)
