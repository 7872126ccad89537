"""Semantics section 6, results: what a runner gives is checked, numbered and bounded, and has one end."""

import math
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

import pytest

from langbot_agents.framework.results import (
    DEFAULT_MESSAGE_ID,
    MAX_STATE_VALUE,
    AgentResultNormalizer,
    RunOutput,
    delta_text,
)
from langbot_agents.framework.store import artifacts
from langbot_agents.framework.texts import t
from langbot_agents.schemas.base import FrozenDict
from langbot_agents.schemas.bindings import RunLimits
from langbot_agents.schemas.content import ArtifactRef
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.results import AgentRunResult, Usage
from langbot_agents.sdk import (
    AgentRunContext,
    action,
    completed,
    delta,
    failed,
    message,
    no_reply,
    state_updated,
    tool_completed,
    tool_started,
)

from .conftest import MakeHouse

Ctx = AgentRunContext[Any]
Results = AsyncGenerator[Any, None]


def make_normalizer(**limits: Any) -> AgentResultNormalizer:
    """A normaliser of a run that may write the state of its conversation."""

    def spill(data: bytes, mime_type: str) -> ArtifactRef:
        return ArtifactRef(artifact_id="art_1", name="message", mime_type=mime_type, size=len(data))

    return AgentResultNormalizer(
        "run_1",
        RunLimits(**limits),
        clock=lambda: 42.0,
        spill=spill,
        state_scopes=frozenset({"conversation"}),
    )


def codes(normalizer: AgentResultNormalizer) -> list[str]:
    """The codes of its warnings."""
    return [warning.code for warning in normalizer.warnings for _ in range(warning.count)]


def test_host_numbers_results_and_ignores_a_runners_own_numbers() -> None:
    """run_id, sequence and timestamp are set by the host; a runner's own are ignored, of whatever type."""
    normalizer = make_normalizer()
    raw = {"type": "message.delta", "data": {"chunk": "a"}}

    first = normalizer.accept({**raw, "run_id": "other", "sequence": -5, "timestamp": 1e12})
    second = normalizer.accept({**raw, "run_id": 7, "sequence": "last", "timestamp": []})

    assert first is not None
    assert second is not None
    assert [(item.run_id, item.sequence, item.timestamp) for item in (first, second)] == [
        ("run_1", 1, 42.0),
        ("run_1", 2, 42.0),
    ]


def test_bare_string_is_a_chunk_and_a_message() -> None:
    """A bare string is the content of a chunk or a message."""
    normalizer, output = make_normalizer(), RunOutput()

    for raw in (
        {"type": "message.delta", "data": {"chunk": "pie"}},
        {"type": "message.completed", "data": {"message": "whole"}, "message_id": "other"},
    ):
        result = normalizer.accept(raw)
        assert result is not None
        output.add(result)

    assert [(item.message_id, item.content) for item in output.said()] == [
        (DEFAULT_MESSAGE_ID, "pie"),
        ("other", "whole"),
    ]


def test_unknown_type_is_ignored_with_a_warning() -> None:
    """Unknown type: warning, ignored."""
    normalizer = make_normalizer()

    assert normalizer.accept({"type": "message.sparkle", "data": {}}) is None
    assert codes(normalizer) == ["result.unknown_type"]


@pytest.mark.parametrize(
    "raw",
    [
        message("x").model_copy(update={"data": FrozenDict()}),
        {"type": "message.completed", "data": {}},
        {"type": "message.completed", "data": {"message": {}}},
        {"type": "message.completed", "data": {"message": ""}},
        {"type": "message.completed", "data": {"message": {"role": "robot", "content": "x"}}},
        {"type": "message.delta", "data": {"chunk": 5}},
        {"type": "message.delta", "data": {}},
        {"type": "state.updated", "data": {"scope": "galaxy", "key": "k", "value": 1}},
        {"type": "state.updated", "data": {"scope": "conversation", "key": "", "value": 1}},
        {
            "type": "state.updated",
            "data": {"scope": "conversation", "key": "k", "value": "x" * MAX_STATE_VALUE},
        },
        {"type": "action.requested", "data": {"action": ""}},
        {"type": "delivery.requested", "data": {"surface": "x"}},
        {"type": "artifact.created", "data": {"artifact": {}}},
    ],
)
def test_invalid_payload_that_delivers_or_changes_is_dropped(raw: Any) -> None:
    """Invalid payload of a type that delivers or changes something: dropped with a warning."""
    normalizer = make_normalizer()

    assert normalizer.accept(raw) is None
    assert codes(normalizer) == ["result.invalid_payload"]
    assert not normalizer.said_something


def test_loose_note_of_a_tool_call_is_kept() -> None:
    """A note of a tool call delivers and changes nothing, so one with a bad payload stays, with a warning."""
    normalizer = make_normalizer()

    result = normalizer.accept({"type": "tool.call.started", "data": {"tool": "x"}})

    assert result is not None
    assert result.data == {"tool": "x"}
    assert codes(normalizer) == ["result.invalid_payload"]


def test_scope_that_is_not_open_is_refused() -> None:
    """`state.updated` of a scope that the binding does not open is refused; the run goes on."""
    normalizer = make_normalizer()

    assert normalizer.accept(state_updated("workspace", "k", 1)) is None
    assert normalizer.accept(delta("on")) is not None
    assert codes(normalizer) == ["state.refused"]


class Hostile(Mapping[str, Any]):
    """A mapping that raises when it is read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError(key)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("iter")

    def __len__(self) -> int:
        return 1


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


GARBAGE: list[Any] = [
    None,
    7,
    math.nan,
    "message.delta",
    b"\xff\xfe",
    [],
    object(),
    Hostile(),
    Message(content="not a result"),
    {},
    {"type": None},
    {"type": 5},
    {"type": ["message.delta"]},
    {"type": "x" * 1000},
    {"type": "message.\ud800", "data": {}},
    {"type": "message.delta", "data": []},
    {"type": "message.delta", "data": {"chunk": {"content": "\ud800"}}},
    {"type": "message.delta", "data": {"chunk": {"content": "x", "extra": math.nan}}},
    {"type": "message.delta", "data": {"chunk": {"content": b"bytes"}}},
    {"type": "message.delta", "data": {"chunk": "x"}, "message_id": 5},
    {"type": "message.delta", "data": {"chunk": "x"}, "message_id": "\ud800"},
    {"type": "state.updated", "data": {"scope": "conversation", "key": "k", "value": nested(5000)}},
    {"type": "tool.call.completed", "data": {"result": math.inf}},
    {"type": "tool.call.completed", "data": {1: 2}},
    AgentRunResult.model_construct(),  # type: ignore[call-arg]
    AgentRunResult.model_construct(type=5),  # type: ignore[arg-type]
    AgentRunResult.model_construct(type=["x"]),  # type: ignore[arg-type]
    AgentRunResult.model_construct(type="message.delta", data=None),  # type: ignore[arg-type]
    AgentRunResult.model_construct(type="message.delta", data=FrozenDict({"chunk": nested(5000)})),
    AgentRunResult.model_construct(
        type="message.delta",
        data=FrozenDict({"chunk": FrozenDict({"role": "assistant", "content": "\ud800"})}),
    ),
    delta("x").model_copy(update={"message_id": "\ud800"}),
    delta("x").model_copy(update={"message_id": 5}),
]


@pytest.mark.parametrize("raw", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_is_dropped_and_harms_nothing(raw: Any) -> None:
    """Whatever a runner gives, the worst that happens is a warning."""
    normalizer = make_normalizer()

    assert normalizer.accept(raw) is None
    assert len(normalizer.warnings) == 1
    assert normalizer.accept(delta("still here")) is not None


@pytest.mark.anyio
async def test_garbage_between_results_does_not_end_a_run(make_house: MakeHouse) -> None:
    """A run whose runner gives garbage goes on to its end, and its record says what was dropped."""

    async def _garbage(ctx: Ctx) -> Results:
        yield delta("before ")
        for raw in GARBAGE:
            yield raw
        yield delta("after")

    async with make_house(_garbage).open() as opened:
        story = await opened.say()

    (run,) = story.runs
    assert run.status == "completed"
    assert sum(warning.count for warning in run.warnings) == len(GARBAGE)
    assert story.deliveries[0].content == "before after"


def test_usage_that_cannot_be_read_takes_nothing_else_with_it() -> None:
    """A result with senseless usage is taken without it."""
    normalizer = make_normalizer()

    result = normalizer.accept({**completed("hi").model_dump(), "usage": {"prompt_tokens": -1}})

    assert result is not None
    assert result.usage is None
    assert codes(normalizer) == ["result.invalid_payload"]


@pytest.mark.parametrize(
    "data", [None, "boom", [], {"code": 5, "error": {}}, {"error": "\ud800"}, {"code": math.nan}]
)
def test_an_end_stays_an_end_however_badly_it_is_written(data: Any) -> None:
    """A terminal result is never dropped: a failure does not become a success by a bad payload."""
    normalizer = make_normalizer()
    normalizer.accept(delta("said something"))

    end = normalizer.accept({"type": "run.failed", "data": data})

    assert end is not None
    assert end.type == "run.failed"
    assert end.data["code"] == "runner.error"
    assert normalizer.terminal is end
    assert normalizer.finish() is None


def test_what_follows_the_end_is_ignored_with_a_warning() -> None:
    """Exactly one terminal result; what follows it is ignored with a warning."""
    normalizer = make_normalizer()
    end = normalizer.accept(failed("no"))

    assert [normalizer.accept(raw) for raw in (completed(), delta("more"), None, Hostile())] == [None] * 4
    assert normalizer.terminal is end
    assert codes(normalizer) == ["result.after_end"] * 4


def test_stream_without_end_is_completed_if_it_said_anything() -> None:
    """A stream that ends without a terminal result is `completed` if it said anything."""
    normalizer = make_normalizer()
    normalizer.accept(delta("a"))

    end = normalizer.finish()

    assert end is not None
    assert (end.type, end.data["finish_reason"], end.sequence) == ("run.completed", "stop", 2)


@pytest.mark.parametrize(
    "raw", [None, delta(""), tool_started("1", "t", {}), state_updated("conversation", "k", 1)]
)
def test_stream_without_end_that_said_nothing_failed(raw: Any) -> None:
    """A stream that ends without a terminal result and said nothing is `failed` with `runner.no_output`."""
    normalizer = make_normalizer()
    normalizer.accept(raw)

    end = normalizer.finish()

    assert end is not None
    assert (end.type, end.data["code"]) == ("run.failed", "runner.no_output")


def test_too_many_results_end_the_run() -> None:
    """`max_results` bounds what a run gives, dropped results included."""
    normalizer = make_normalizer(max_results=3)

    ends = [normalizer.accept(raw) for raw in (delta("a"), None, delta("b"), delta("c"))]

    assert ends[-1] is not None
    assert ends[-1].data["code"] == "runner.too_many_results"


def test_too_much_output_ends_the_run() -> None:
    """`max_output_bytes` bounds what a run says, in bytes."""
    normalizer = make_normalizer(max_output_bytes=10)

    assert normalizer.accept(delta("äöü")) is not None
    end = normalizer.accept(delta("äöü"))

    assert end is not None
    assert end.data["code"] == "runner.output_too_large"


def test_messages_that_become_artifacts_count_as_output() -> None:
    """A flood of messages that are each too large is bounded like any other."""
    normalizer = make_normalizer(max_result_bytes=1000, max_output_bytes=5000)

    ends = [normalizer.accept(message("x" * 2000)) for _ in range(3)]

    assert ends[-1] is not None
    assert ends[-1].data["code"] == "runner.output_too_large"
    assert normalizer.spilled == []


@pytest.mark.parametrize(
    "raw",
    [
        delta("x" * 3000),
        tool_completed("1", "t", result="x" * 3000),
        action("a.b", payload={"x": "x" * 3000}),
        state_updated("conversation", "k", "x" * 3000),
    ],
)
def test_other_results_that_are_too_large_are_dropped(raw: Any) -> None:
    """Too large: results other than a message are dropped with a warning."""
    normalizer = make_normalizer(max_result_bytes=2000)

    assert normalizer.accept(raw) is None
    assert codes(normalizer) == ["result.too_large"]


@pytest.mark.parametrize("make", [message, completed])
def test_message_that_is_too_large_becomes_an_artifact_with_a_preview(make: Any) -> None:
    """Too large: a whole message becomes an artifact with a preview, wherever it comes."""
    normalizer, output = make_normalizer(max_result_bytes=20_000), RunOutput()

    result = normalizer.accept(make("é" * 30_000))

    assert result is not None
    (spilled,) = normalizer.spilled
    assert spilled.data.decode() == "é" * 30_000
    said = output.add(result)
    assert said is not None
    assert not isinstance(said.content, str)
    text, file = said.content
    assert text.type == "text"
    assert text.text == "é" * 2000 + "…"
    assert file.type == "file"
    assert file.artifact is not None
    assert file.artifact.size == 60_000


def test_parts_that_are_too_large_are_kept_as_json() -> None:
    """The artifact of a message of parts says that it is JSON."""
    normalizer = make_normalizer(max_result_bytes=1000)

    normalizer.accept(message(Message.model_validate({"content": [{"type": "text", "text": "x" * 2000}]})))

    assert [item.artifact.mime_type for item in normalizer.spilled] == ["application/json"]


def test_end_that_is_too_large_loses_what_is_too_large_in_it() -> None:
    """A failure with an endless text is still that failure."""
    normalizer = make_normalizer(max_result_bytes=5000)

    end = normalizer.accept(failed("x" * 9000, code="my.code", retryable=True))

    assert end is not None
    assert (end.data["code"], end.data["retryable"], len(end.data["error"])) == ("my.code", True, 2000)


@pytest.mark.anyio
async def test_artifact_of_a_large_message_is_on_disk(make_house: MakeHouse) -> None:
    """What became an artifact can be read back whole, and the reply names it."""
    text = "long " * 400_000

    async def _long(ctx: Ctx) -> Results:
        yield message(text)
        yield completed()

    async with make_house(_long).open() as opened:
        story = await opened.say()
        (record,) = await opened.host.db.read(artifacts.of_run, "default", story.runs[0].run_id)
        data = await opened.host.parts.artifacts.read(record)

    assert data.decode() == text
    content = story.deliveries[0].content
    assert content[0]["text"].startswith("long long")
    reference = content[1]["artifact"]
    assert (reference["artifact_id"], reference["digest"]) == (record.artifact_id, record.digest)


def collect(*raws: Any) -> RunOutput:
    """What results say together."""
    normalizer, output = make_normalizer(), RunOutput()
    for raw in raws:
        result = normalizer.accept(raw)
        if result is not None:
            output.add(result)
    return output


@pytest.mark.parametrize(
    ("raws", "said"),
    [
        ([delta("a"), delta("b")], {"main": "ab"}),
        ([delta("a"), message("whole")], {"main": "whole"}),
        ([delta("a", message_id="x"), delta("b", message_id="y")], {"x": "a", "y": "b"}),
        ([delta("a", message_id="x"), message("b", message_id="y")], {"x": "a", "y": "b"}),
        ([delta("a"), completed("end")], {"main": "end"}),
        ([delta("a"), message("whole"), completed("end")], {"main": "whole"}),
        ([message("one", message_id="x"), completed("end")], {"x": "one"}),
        ([delta("a", message_id="x"), completed("end")], {"x": "end"}),
        ([delta("a"), {"type": "run.completed", "data": {"message": {"content": ""}}}], {"main": "a"}),
        (
            [
                delta("let me see"),
                message(Message.model_validate({"tool_calls": [{"id": "1", "name": "t"}]})),
            ],
            {"main": "let me see"},
        ),
    ],
)
def test_messages_of_a_run(raws: list[Any], said: dict[str, str]) -> None:
    """`message.completed` replaces that message's deltas, several ids are several messages, and the end's
    message counts only if no `message.completed` came."""
    assert {item.message_id: item.content for item in collect(*raws).said()} == said


def test_usage_is_summed_and_missing_is_unknown() -> None:
    """Usage of all results together; what nobody said stays unknown."""
    first = Usage.model_validate({"prompt_tokens": 1, "cached": 3})
    output = collect(message("a", usage=first), completed(usage=Usage(prompt_tokens=2, total_tokens=9)))

    assert output.usage == Usage.model_validate(
        {"prompt_tokens": 3, "completion_tokens": None, "total_tokens": 9, "cached": 3}
    )


def test_delta_of_parts_has_the_text_of_its_parts() -> None:
    """A chunk of parts says the text that is in it."""
    result = make_normalizer().accept(
        {"type": "message.delta", "data": {"chunk": {"content": [{"type": "text", "text": "ab"}]}}}
    )

    assert result is not None
    assert delta_text(result) == "ab"


async def _qa(ctx: Ctx) -> Results:
    """The QA fixture runner of LangBot."""
    text = ctx.input.to_text()
    if "fail" in text:
        yield failed("QA_AGENT_RUNNER_CONTROLLED_FAILURE", code="qa.controlled_failure")
    elif "stream" in text:
        for piece in ("QA_", "AGENT_", f"RUNNER_OK:{text}"):
            yield delta(piece)
        yield completed()
    elif "empty_output" in text:
        yield completed()
    elif "malformed" in text:
        yield {"type": "message.completed", "data": {}}
        yield completed()
    elif "silent" in text:
        yield no_reply()
    else:
        yield completed(f"QA_AGENT_RUNNER_OK:{text or 'empty'}")


HINT = "Something went wrong. Please try again later."
EMPTY = "There is no answer to this."


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "fields", "status", "shown"),
    [
        ("hi", {}, "completed", ["QA_AGENT_RUNNER_OK:hi"]),
        ("", {}, "completed", ["QA_AGENT_RUNNER_OK:empty"]),
        ("a stream", {}, "completed", ["QA_AGENT_RUNNER_OK:a stream"]),
        ("fail and stream", {}, "failed", [HINT]),
        ("fail", {"on_error": "hide"}, "failed", []),
        (
            "fail",
            {"on_error": "error"},
            "failed",
            ["qa.controlled_failure: QA_AGENT_RUNNER_CONTROLLED_FAILURE"],
        ),
        ("fail", {"hint_text": {"en_US": "Oops", "zh_Hans": "哎呀"}}, "failed", ["Oops"]),
        ("empty_output", {}, "completed", [EMPTY]),
        ("empty_output", {"on_empty": "silent"}, "completed", []),
        ("malformed", {"on_empty": "silent"}, "completed", []),
        ("silent", {}, "completed", []),
    ],
)
async def test_qa_matrix(
    make_house: MakeHouse, text: str, fields: dict[str, Any], status: str, shown: list[str]
) -> None:
    """The behaviours of LangBot's QA fixtures: ok, stream, empty, malformed, controlled failure."""
    async with make_house(_qa, delivery_policy=fields).open() as opened:
        story = await opened.say(text)

    assert story.runs[0].status == status
    assert [item.content for item in story.deliveries] == shown


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("text", "policy", "shown"),
    [
        ("fail", {"hint_text": {"en_US": "Oops", "zh_Hans": "哎呀"}}, "哎呀"),
        ("fail", {}, t(HINT, lang="zh_Hans")),
        ("empty_output", {}, t(EMPTY, lang="zh_Hans")),
    ],
)
async def test_texts_of_ours_come_in_the_events_language(
    make_house: MakeHouse, text: str, policy: dict[str, Any], shown: str
) -> None:
    """Texts of ours come in the event's locale."""
    async with make_house(_qa, delivery_policy=policy).open() as opened:
        story = await opened.say(text, locale="zh_Hans")

    assert story.deliveries[0].content == shown


@pytest.mark.anyio
async def test_failure_shows_neither_traceback_nor_text_of_the_exception(make_house: MakeHouse) -> None:
    """The user sees the code and a public message at most; the traceback goes to the ledger."""

    async def _crash(ctx: Ctx) -> Results:
        yield tool_started("1", "t", {})
        raise RuntimeError("password is hunter2")

    async with make_house(_crash, delivery_policy={"on_error": "error"}).open() as opened:
        story = await opened.say()
        results = await opened.results(story.runs[0])

    assert story.deliveries[0].content == "runner.exception: the runner raised an exception"
    assert story.runs[0].code == "runner.exception"
    assert "RuntimeError: password is hunter2" in results[-1].data["traceback"]
