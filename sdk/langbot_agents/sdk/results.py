"""Constructors for what a runner yields."""

from collections.abc import Mapping
from typing import Any

from langbot_agents.schemas.base import FrozenDict, freeze, trusted
from langbot_agents.schemas.bindings import StateScope
from langbot_agents.schemas.content import ArtifactRef
from langbot_agents.schemas.events import ReplyTarget
from langbot_agents.schemas.messages import Message, MessageChunk
from langbot_agents.schemas.results import AgentRunResult, Usage

_ASSISTANT = "assistant"


def _message(message: str | Message) -> Any:
    if isinstance(message, str):
        return FrozenDict({"role": _ASSISTANT, "content": message})
    return freeze(message.model_dump(mode="json"))


def _result(
    type_: str, data: Mapping[str, Any], message_id: str | None = None, usage: Usage | None = None
) -> AgentRunResult:
    return AgentRunResult(type=type_, data=data, message_id=message_id, usage=usage)


def _said(
    type_: str, key: str, text: str, message_id: str | None = None, usage: Usage | None = None
) -> AgentRunResult:
    """A text of the assistant, which the host checks again, so that it is not checked twice."""
    said = FrozenDict({"role": _ASSISTANT, "content": text})
    return trusted(
        AgentRunResult, type=type_, data=FrozenDict({key: said}), message_id=message_id, usage=usage
    )


def delta(chunk: str | MessageChunk, *, message_id: str | None = None) -> AgentRunResult:
    """A piece of a message: only what is new."""
    if type(chunk) is str:
        return _said("message.delta", "chunk", chunk, message_id)
    return _result("message.delta", {"chunk": _message(chunk)}, message_id)


def message(
    content: str | Message, *, message_id: str | None = None, usage: Usage | None = None
) -> AgentRunResult:
    """A whole message; it replaces the pieces of the same `message_id`."""
    if type(content) is str:
        return _said("message.completed", "message", content, message_id, usage)
    return _result("message.completed", {"message": _message(content)}, message_id, usage)


def tool_started(tool_call_id: str, tool_name: str, parameters: Mapping[str, Any]) -> AgentRunResult:
    """A tool is about to be called."""
    return _result(
        "tool.call.started",
        {"tool_call_id": tool_call_id, "tool_name": tool_name, "parameters": parameters},
    )


def tool_completed(
    tool_call_id: str, tool_name: str, *, result: Any = None, error: Any = None
) -> AgentRunResult:
    """A tool gave its result, or failed."""
    return _result(
        "tool.call.completed",
        {"tool_call_id": tool_call_id, "tool_name": tool_name, "result": result, "error": error},
    )


def state_updated(scope: StateScope, key: str, value: Any) -> AgentRunResult:
    """A value to remember; it commits with the run. Null removes the key."""
    return _result("state.updated", {"scope": scope, "key": key, "value": value})


def artifact_created(artifact: ArtifactRef) -> AgentRunResult:
    """A file that the run made through the run API."""
    return _result("artifact.created", {"artifact": artifact.model_dump(mode="json")})


def action(
    name: str,
    *,
    target: Mapping[str, Any] | None = None,
    payload: Mapping[str, Any] | None = None,
    reason: str | None = None,
) -> AgentRunResult:
    """Ask the host to act on the platform."""
    return _result(
        "action.requested",
        {"action": name, "target": target or {}, "payload": payload or {}, "reason": reason},
    )


def delivery(surface: str, target: ReplyTarget, content: str | Message) -> AgentRunResult:
    """Ask the host to send a message to another place."""
    return _result(
        "delivery.requested",
        {"surface": surface, "target": target.model_dump(mode="json"), "message": _message(content)},
    )


def completed(
    content: str | Message | None = None, *, finish_reason: str = "stop", usage: Usage | None = None
) -> AgentRunResult:
    """The good end; `content` counts only if no `message.completed` came."""
    data: dict[str, Any] = {"finish_reason": finish_reason}
    if content is not None:
        data["message"] = _message(content)
    return _result("run.completed", data, usage=usage)


def no_reply() -> AgentRunResult:
    """The good end of a run that has nothing to say."""
    return completed(finish_reason="no_reply")


def failed(error: str, *, code: str = "runner.error", retryable: bool = False) -> AgentRunResult:
    """The bad end; `error` is shown to people when the binding says so."""
    return _result("run.failed", {"code": code, "error": error, "retryable": retryable})
