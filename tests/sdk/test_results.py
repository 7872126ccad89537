"""What a runner yields: each constructor makes a result that the host accepts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.schemas.content import ArtifactRef, ImagePart, JsonPart, QuotePart, TextPart
from langbot_agents.schemas.events import ReplyTarget
from langbot_agents.schemas.messages import Message, MessageChunk, ToolCall
from langbot_agents.schemas.results import RESULT_DATA, AgentRunResult, Usage
from langbot_agents.sdk import (
    action,
    artifact_created,
    completed,
    delivery,
    delta,
    failed,
    message,
    no_reply,
    state_updated,
    tool_completed,
    tool_started,
)

RICH = Message(
    content=(
        TextPart(text="see"),
        ImagePart(url="https://example.org/a.png"),
        QuotePart(message_id="1", contents=(TextPart(text="quoted"),)),
        JsonPart(value=None),
    ),
    tool_calls=(ToolCall(id="c", name="t", arguments={"a": 1}),),
)
TARGET = ReplyTarget(target_type="group", target_id="1")
ARTIFACT = ArtifactRef(artifact_id="art_1", mime_type="text/plain", size=3, digest="sha256:0")

RESULTS: list[tuple[AgentRunResult, str, dict[str, Any]]] = [
    (delta("a"), "message.delta", {"chunk": {"content": "a"}}),
    (delta(MessageChunk(content="a", is_final=True)), "message.delta", {"chunk": {"is_final": True}}),
    (delta(MessageChunk(content=(TextPart(text="a"),))), "message.delta", {}),
    (message("a", message_id="m"), "message.completed", {"message": {"role": "assistant", "content": "a"}}),
    (message(RICH), "message.completed", {}),
    (tool_started("c", "t", {"a": [1]}), "tool.call.started", {"parameters": {"a": (1,)}}),
    (tool_completed("c", "t", result={"a": 1}), "tool.call.completed", {"result": {"a": 1}, "error": None}),
    (tool_completed("c", "t", error="no"), "tool.call.completed", {"error": "no"}),
    (state_updated("actor", "k", [1, None]), "state.updated", {"scope": "actor", "value": (1, None)}),
    (artifact_created(ARTIFACT), "artifact.created", {"artifact": {"artifact_id": "art_1"}}),
    (action("message.delete"), "action.requested", {"action": "message.delete", "target": {}}),
    (
        action("group.ban", target={"id": "1"}, payload={"for": 1}, reason="r"),
        "action.requested",
        {"target": {"id": "1"}, "payload": {"for": 1}, "reason": "r"},
    ),
    (delivery("telegram", TARGET, "a"), "delivery.requested", {"surface": "telegram"}),
    (delivery("telegram", TARGET, RICH), "delivery.requested", {}),
    (completed(), "run.completed", {"finish_reason": "stop", "message": None}),
    (completed("a", usage=Usage(total_tokens=3)), "run.completed", {"message": {"content": "a"}}),
    (completed(RICH), "run.completed", {}),
    (no_reply(), "run.completed", {"finish_reason": "no_reply"}),
    (failed("no", code="acme.no", retryable=True), "run.failed", {"code": "acme.no", "retryable": True}),
]


def contains(whole: Any, part: Any) -> bool:
    """Whether a value has everything that another has."""
    if isinstance(part, dict):
        return all(key in whole and contains(whole[key], item) for key, item in part.items())
    return bool(whole == part)


@pytest.mark.parametrize(("result", "kind", "part"), RESULTS)
def test_payload_is_accepted(result: AgentRunResult, kind: str, part: dict[str, Any]) -> None:
    """The payload of each constructor is one that its model accepts, with what was said in it."""
    data = RESULT_DATA[kind].model_validate(result.data)

    assert result.type == kind
    assert contains(data.model_dump(), part)


@pytest.mark.parametrize("kind", RESULT_DATA)
def test_every_type_has_a_constructor(kind: str) -> None:
    """There is a constructor for each type of result."""
    assert kind in {result.type for result, _, _ in RESULTS}


@pytest.mark.parametrize("make", [message, completed])
def test_a_message_comes_back_whole(make: Any) -> None:
    """A message with parts and tool calls comes back as it was given, also over a wire."""
    sent = AgentRunResult.model_validate_json(make(RICH).model_dump_json())

    assert Message.model_validate(sent.data["message"]) == RICH


@given(st.text(st.characters(codec="utf-8")))
def test_any_text(text: str) -> None:
    """Any text can be said in pieces."""
    assert (
        RESULT_DATA["message.delta"].model_validate(delta(text).data).model_dump()["chunk"]["content"] == text
    )


def test_what_json_cannot_hold() -> None:
    """A value that JSON cannot hold is refused where it is given, not somewhere in the host."""
    with pytest.raises(ValueError, match="object is not a JSON value"):
        state_updated("actor", "k", object())
