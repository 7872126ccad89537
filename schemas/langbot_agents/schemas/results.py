"""What a runner gives back: a stream of results, each with a type and its data."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from .base import JsonData, JsonObject, Model, Name
from .bindings import StateScope
from .content import ArtifactRef
from .events import ReplyTarget
from .messages import Message, MessageChunk

ResultType = Literal[
    "message.delta",
    "message.completed",
    "tool.call.started",
    "tool.call.completed",
    "state.updated",
    "artifact.created",
    "action.requested",
    "delivery.requested",
    "run.completed",
    "run.failed",
]

TERMINAL_TYPES = frozenset({"run.completed", "run.failed"})


class Usage(Model):
    """What a call to a model cost; missing is unknown, not zero. What the provider adds stays."""

    prompt_tokens: int | None = Field(default=None, ge=0, description="Tokens in.")
    completion_tokens: int | None = Field(default=None, ge=0, description="Tokens out.")
    total_tokens: int | None = Field(default=None, ge=0, description="Tokens in all.")


class AgentRunResult(Model):
    """One result of a run."""

    type: str = Field(min_length=1, max_length=128, description="Kind of result, such as `message.delta`.")
    data: JsonObject = Field(default={}, validate_default=True, description="Its payload, by type.")
    message_id: str | None = Field(
        default=None, max_length=128, description="Which message of the run it belongs to."
    )
    usage: Usage | None = Field(default=None, description="What it cost.")
    run_id: str | None = Field(default=None, description="Set by the host; a runner's own is ignored.")
    sequence: int | None = Field(default=None, description="Set by the host; a runner's own is ignored.")
    timestamp: float | None = Field(
        default=None, description="Set by the host, Unix seconds; a runner's own is ignored."
    )


class MessageDeltaData(Model):
    """`message.delta`: a piece of a message."""

    chunk: MessageChunk = Field(description="What is new; a bare string is its content.")

    @field_validator("chunk", mode="before", json_schema_input_type=str | MessageChunk)
    @classmethod
    def _bare_text(cls, value: Any) -> Any:
        return {"content": value} if isinstance(value, str) else value


class MessageCompletedData(Model):
    """`message.completed`: a whole message; it replaces its pieces."""

    message: Message = Field(description="The message; a bare string is its content.")

    @field_validator("message", mode="before", json_schema_input_type=str | Message)
    @classmethod
    def _bare_text(cls, value: Any) -> Any:
        if value == "":
            raise ValueError("message has no content")
        if isinstance(value, Mapping) and not value.get("content") and not value.get("tool_calls"):
            raise ValueError("message has no content")
        return {"content": value} if isinstance(value, str) else value


class ToolCallStartedData(Model):
    """`tool.call.started`."""

    tool_call_id: str = Field(description="Id of the call.")
    tool_name: str = Field(description="Name of the tool.")
    parameters: JsonObject = Field(default={}, validate_default=True, description="Arguments.")


class ToolCallCompletedData(Model):
    """`tool.call.completed`."""

    tool_call_id: str = Field(description="Id of the call.")
    tool_name: str = Field(description="Name of the tool.")
    result: JsonData = Field(default=None, description="What it gave.")
    error: JsonData = Field(default=None, description="Why it failed.")


class StateUpdatedData(Model):
    """`state.updated`: a value that commits with the run."""

    scope: StateScope = Field(description="Scope of the key.")
    key: str = Field(min_length=1, max_length=255, description="Key.")
    value: JsonData = Field(description="Value, at most 256 KiB of JSON; null removes the key.")


class ArtifactCreatedData(Model):
    """`artifact.created`."""

    artifact: ArtifactRef = Field(description="The stored file.")


class ActionRequestedData(Model):
    """`action.requested`: the only way to act on a platform."""

    action: str = Field(min_length=1, max_length=128, description="Name of the action.")
    target: JsonObject = Field(default={}, validate_default=True, description="What it acts on.")
    payload: JsonObject = Field(default={}, validate_default=True, description="Arguments.")
    reason: str | None = Field(default=None, description="Why.")


class DeliveryRequestedData(Model):
    """`delivery.requested`: a message for another place."""

    surface: Name = Field(description="Surface.")
    target: ReplyTarget = Field(description="Place on the surface.")
    message: Message = Field(description="What to send.")


class RunCompletedData(Model):
    """`run.completed`: the good end."""

    finish_reason: str = Field(
        default="stop", max_length=128, description="Why it ended; `no_reply` is nothing to say."
    )
    message: Message | None = Field(
        default=None, description="The message, where no `message.completed` came."
    )


class RunFailedData(Model):
    """`run.failed`: the bad end."""

    code: str = Field(default="runner.error", max_length=128, description="Stable code.")
    error: str = Field(default="", description="Public message.")
    retryable: bool = Field(default=False, description="Whether trying again may help.")


RESULT_DATA: Mapping[str, type[Model]] = {
    "message.delta": MessageDeltaData,
    "message.completed": MessageCompletedData,
    "tool.call.started": ToolCallStartedData,
    "tool.call.completed": ToolCallCompletedData,
    "state.updated": StateUpdatedData,
    "artifact.created": ArtifactCreatedData,
    "action.requested": ActionRequestedData,
    "delivery.requested": DeliveryRequestedData,
    "run.completed": RunCompletedData,
    "run.failed": RunFailedData,
}
"""The payload model of each result type."""
