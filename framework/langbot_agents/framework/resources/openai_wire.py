"""Messages in the words of the OpenAI protocol, and its answers in ours."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from langbot_agents.schemas.content import AudioPart, FilePart, ImagePart, TextPart, VideoPart
from langbot_agents.schemas.messages import Message, ToolCall, text_of
from langbot_agents.schemas.models import ModelChunk
from langbot_agents.schemas.results import Usage


def wire_message(message: Message) -> dict[str, Any]:
    """A message in the service's words."""
    wire: dict[str, Any] = {"role": message.role}
    if message.name:
        wire["name"] = message.name
    if isinstance(message.content, str):
        wire["content"] = message.content
    elif message.role == "user":
        wire["content"] = [part for item in message.content if (part := _wire_part(item)) is not None]
    else:
        wire["content"] = text_of(message.content)
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": to_json(call.arguments).decode()},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        wire["tool_call_id"] = message.tool_call_id
    return wire


def _wire_part(part: Any) -> dict[str, Any] | None:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if isinstance(part, ImagePart) and part.url is not None:
        return {"type": "image_url", "image_url": {"url": part.url}}
    if isinstance(part, ImagePart | AudioPart | VideoPart | FilePart):
        return {"type": "text", "text": f"[{part.type}: {part.name or part.mime_type or part.type}]"}
    return None


def read_chunk(delta: Any) -> ModelChunk | None:
    """What is new in a delta, if anything is."""
    reasoning = read_reasoning(delta)
    if not delta.content and not reasoning:
        return None
    return ModelChunk(content=delta.content or "", reasoning=reasoning)


def read_reasoning(source: Any) -> str | None:
    """The reasoning, under either of the names that services use."""
    for name in ("reasoning_content", "reasoning"):
        value = getattr(source, name, None)
        if isinstance(value, str) and value:
            return value
    return None


def read_usage(usage: Any) -> Usage | None:
    """What it cost; None where the service does not say."""
    if usage is None:
        return None
    return Usage.model_validate(usage.model_dump(mode="json", exclude_none=True))


def read_arguments(text: str) -> Mapping[str, Any]:
    """Arguments of a tool as data; what is no JSON object is kept as `_raw`."""
    try:
        value = from_json(text or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"_raw": text}


class ToolCallPieces:
    """Tool calls that come in pieces, joined by their index: id and name once, arguments in order."""

    def __init__(self) -> None:
        self._heads: dict[int, tuple[str, str]] = {}
        self._arguments: dict[int, list[str]] = {}

    def add(self, pieces: Sequence[Any]) -> None:
        """Take the pieces of one delta."""
        for piece in pieces:
            index = piece.index or 0
            function = piece.function
            if index not in self._heads:
                self._heads[index] = (
                    piece.id or f"call_{index}",
                    (function.name if function else None) or "",
                )
            if function is not None and function.arguments:
                self._arguments.setdefault(index, []).append(function.arguments)

    def whole(self) -> tuple[ToolCall, ...]:
        """The calls, in their order."""
        return tuple(
            ToolCall(id=id_, name=name, arguments=read_arguments("".join(self._arguments.get(index, ()))))
            for index, (id_, name) in sorted(self._heads.items())
        )
