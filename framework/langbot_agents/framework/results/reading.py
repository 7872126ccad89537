"""How a raw result is read, measured and saved from itself."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from langbot_agents.schemas.base import FrozenDict, freeze, thaw
from langbot_agents.schemas.content import ContentPart
from langbot_agents.schemas.messages import Message
from langbot_agents.schemas.results import TERMINAL_TYPES, AgentRunResult, RunCompletedData, RunFailedData

from ..texts import t
from .output import delta_text

PREVIEW_CHARACTERS = 2_000
HOST_FIELDS = frozenset({"run_id", "sequence", "timestamp"})
"""What only the host sets; a runner's own are not even looked at."""


_PLAIN: Mapping[str, str] = {"message.delta": "chunk", "message.completed": "message"}


def plain_text(result: AgentRunResult) -> str | None:
    """The text of the common piece or message, role and text, else None.

    To validate one costs more than the rest of its way.
    """
    key = _PLAIN.get(result.type)
    data = result.data
    if key is None or type(data) is not FrozenDict or len(data) != 1:
        return None
    said = data.get(key)
    if type(said) is not FrozenDict or len(said) != 2 or said.get("role") != "assistant":
        return None
    text = said.get("content")
    return text if type(text) is str and (text or key == "chunk") else None


def is_plain_end(result: AgentRunResult) -> bool:
    """Whether this is the common good end: a finish reason and nothing else."""
    data = result.data
    if result.type != "run.completed" or type(data) is not FrozenDict or len(data) != 1:
        return False
    reason = data.get("finish_reason")
    return type(reason) is str and len(reason) <= 128 and reason.isascii()


def is_sound(result: AgentRunResult, text: str = "") -> bool:
    """Whether the rest of a plain result is as it would be had it been validated."""
    name = result.message_id
    return (
        result.usage is None
        and result.__pydantic_extra__ == {}
        and (name is None or (type(name) is str and name.isascii() and len(name) <= 128))
        and (text.isascii() or text.encode(errors="replace").decode() == text)
    )


def size_of(result: AgentRunResult) -> int:
    """Bytes of its payload."""
    text = plain_text(result)
    return len(to_json(result.data)) if text is None else len(text.encode())


def salvaged(result: AgentRunResult) -> AgentRunResult | None:
    """What stays of a result with a bad payload: an end, and a note of a tool call; the rest is dropped."""
    if result.type in TERMINAL_TYPES:
        return bare_end(result)
    return result if result.type.startswith("tool.call.") else None


def bare_end(result: AgentRunResult) -> AgentRunResult:
    """The end with only what can be kept of it."""
    if result.type == "run.completed":
        reason = result.data.get("finish_reason")
        end: RunCompletedData | RunFailedData = RunCompletedData(
            finish_reason=reason if isinstance(reason, str) and len(reason) <= 128 else "stop"
        )
    else:
        code, error = result.data.get("code"), result.data.get("error")
        end = RunFailedData(
            code=code if isinstance(code, str) and 0 < len(code) <= 128 else "runner.error",
            error=error[:PREVIEW_CHARACTERS] if isinstance(error, str) else "",
            retryable=result.data.get("retryable") is True,
        )
    return result.model_copy(update={"data": freeze(end.model_dump(mode="json", exclude_none=True))})


def content_of(result: AgentRunResult) -> str | tuple[ContentPart, ...]:
    """What the message in it says; empty where there is none."""
    stated = result.data.get("message")
    return "" if stated is None else Message.model_validate(stated).content


def is_empty(message: Message) -> bool:
    """Whether it neither says nor calls anything."""
    return not message.content and not message.tool_calls


def says_something(result: AgentRunResult) -> bool:
    """Whether this result of a message has content."""
    return result.type == "message.completed" or delta_text(result) != ""


def as_data(raw: Any) -> dict[str, Any]:
    """A result as data, without what the host says; an instance may have been built without validation."""
    if isinstance(raw, AgentRunResult):
        data = dict(raw.__dict__) | (raw.__pydantic_extra__ or {})
    elif isinstance(raw, Mapping):
        data = dict(raw)
    elif isinstance(raw, BaseModel):
        data = raw.model_dump(mode="json")
    else:
        raise TypeError(t("a result is an AgentRunResult or an object, got {kind}", kind=type(raw).__name__))
    # thawed, since a frozen value is taken as checked, and a runner may have frozen what nobody checked
    return {key: thaw(value) for key, value in data.items() if key not in HOST_FIELDS}


def stated_type(raw: Any) -> str | None:
    """The type that a raw result states, as far as it can be read."""
    kind: Any = None
    if type(raw) is dict:
        kind = raw.get("type")
    elif isinstance(raw, AgentRunResult):
        kind = raw.__dict__.get("type")
    return kind[:128] if isinstance(kind, str) else None


def first_cause(error: Exception) -> str:
    """The first thing that is wrong, with its place."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(error)
