"""What a run said, message by message."""

from dataclasses import dataclass, field

from langbot_agents.schemas.base import trusted
from langbot_agents.schemas.content import ContentPart
from langbot_agents.schemas.messages import Message, text_of
from langbot_agents.schemas.results import AgentRunResult, Usage

DEFAULT_MESSAGE_ID = "main"
"""The message of a run whose results name none."""


@dataclass(kw_only=True)
class OutputMessage:
    """One message of a run as it grows; `final` replaces what was streamed."""

    message_id: str
    pieces: list[str] = field(default_factory=list)
    final: Message | None = None

    @property
    def streamed(self) -> str:
        """The text of the pieces so far."""
        return "".join(self.pieces)

    @property
    def content(self) -> str | tuple[ContentPart, ...]:
        """What the message says: the whole one if it came, else the pieces."""
        return self.final.content if self.final is not None else self.streamed


class RunOutput:
    """What a run said, message by message, in the order in which they began."""

    def __init__(self) -> None:
        self.messages: dict[str, OutputMessage] = {}
        self.usage: Usage | None = None
        self._whole = False

    def add(self, result: AgentRunResult) -> OutputMessage | None:
        """Take a normalised result in; gives the message that it changed."""
        if result.usage is not None:
            self.usage = sum_usage(self.usage, result.usage)
        if result.type == "message.delta":
            message = self._message(result.message_id)
            if text := delta_text(result):
                message.pieces.append(text)
            return message
        if result.type == "message.completed":
            self._whole = True
            return self._finish(result)
        if result.type == "run.completed" and not self._whole and result.data.get("message") is not None:
            return self._finish(result)
        return None

    def said(self) -> list[OutputMessage]:
        """The messages that say something."""
        return [message for message in self.messages.values() if message.content]

    def _finish(self, result: AgentRunResult) -> OutputMessage:
        message_id = result.message_id
        if (
            message_id is None and len(self.messages) == 1
        ):  # the end of a run speaks of the one message there is
            (message_id,) = self.messages
        message = self._message(message_id)
        stated = result.data["message"]
        if len(stated) == 2 and type(stated.get("content")) is str and "role" in stated:  # was checked
            whole = trusted(Message, role=stated["role"], content=stated["content"])
        else:
            whole = Message.model_validate(stated)
        if whole.content or not whole.tool_calls:  # a bare call of a tool takes back nothing that was said
            message.final = whole
        return message

    def _message(self, message_id: str | None) -> OutputMessage:
        key = message_id or DEFAULT_MESSAGE_ID
        return self.messages.setdefault(key, OutputMessage(message_id=key))


def delta_text(result: AgentRunResult) -> str:
    """The new text of a `message.delta`."""
    return text_of(_chunk_content(result))


def _chunk_content(result: AgentRunResult) -> str | tuple[ContentPart, ...]:
    content = result.data["chunk"].get("content", "")
    return content if isinstance(content, str) else Message.model_validate({"content": content}).content


def sum_usage(total: Usage | None, more: Usage | None) -> Usage | None:
    """Both together; missing is unknown, not zero."""
    if total is None or more is None:
        return more if total is None else total

    def add(first: int | None, second: int | None) -> int | None:
        return second if first is None else first if second is None else first + second

    return Usage.model_validate(
        {
            **(total.model_extra or {}),
            **(more.model_extra or {}),
            "prompt_tokens": add(total.prompt_tokens, more.prompt_tokens),
            "completion_tokens": add(total.completion_tokens, more.completion_tokens),
            "total_tokens": add(total.total_tokens, more.total_tokens),
        }
    )
