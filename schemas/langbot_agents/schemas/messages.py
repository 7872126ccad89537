"""Messages as models of language see them, whole and in pieces."""

from typing import Literal

from pydantic import Field

from .base import JsonObject, Model
from .content import ContentPart, TextPart

Role = Literal["system", "user", "assistant", "tool"]


class ToolCall(Model):
    """A call that a model asks for."""

    id: str = Field(description="Id of the call.")
    name: str = Field(description="Name of the tool.")
    arguments: JsonObject = Field(default={}, validate_default=True, description="Arguments by name.")


class Message(Model):
    """One whole message."""

    role: Role = Field(default="assistant", description="Who speaks.")
    content: str | tuple[ContentPart, ...] = Field(default="", description="Text, or parts in order.")
    name: str | None = Field(default=None, description="Name of the speaker, where the model wants one.")
    tool_calls: tuple[ToolCall, ...] = Field(default=(), description="Tools the assistant wants called.")
    tool_call_id: str | None = Field(default=None, description="The call that a tool message answers.")

    def to_text(self) -> str:
        """The text parts in order."""
        return text_of(self.content)


class MessageChunk(Message):
    """A piece of a message: its content is only what is new, never the text so far."""

    is_final: bool | None = Field(default=None, description="Whether this is the last piece.")


def text_of(content: str | tuple[ContentPart, ...]) -> str:
    """The text of a content, parts in order; other parts give nothing."""
    if isinstance(content, str):
        return content
    return "".join(part.text for part in content if isinstance(part, TextPart))
