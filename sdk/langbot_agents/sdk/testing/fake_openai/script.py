"""What the server is to answer: replies with every oddity of real servers, failures, and when each is due."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

WireMessages = Sequence[Mapping[str, Any]]
"""The messages of a request, as JSON."""

Matcher = str | Callable[[WireMessages], bool] | None
"""When a reply is due: the last user's text contains it, it says so itself, or always."""

Sizes = int | Sequence[int]
"""Length of the pieces: one for all, or one after the other and the last for the rest; 0 is whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FakeFailure:
    """An answer with an error status; `status` 0 closes the connection without any answer."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    html: bool = False
    """The page of a proxy in place of JSON."""
    delay: float = 0.0

    def body(self) -> dict[str, Any]:
        """The error as the service writes it."""
        return {"error": {"message": self.message, "type": self.type, "param": self.param, "code": self.code}}


FailureKind = Literal[
    "invalid_api_key",
    "permission_denied",
    "model_not_found",
    "content_policy",
    "context_length",
    "rate_limit",
    "insufficient_quota",
    "server_error",
    "bad_gateway",
    "unavailable",
    "gateway_timeout",
    "no_answer",
]

FAILURES: Mapping[FailureKind, FakeFailure] = {
    "invalid_api_key": FakeFailure(status=401, message="Incorrect API key provided.", code="invalid_api_key"),
    "permission_denied": FakeFailure(
        status=403,
        message="This key may not use this model.",
        type="permission_error",
        code="permission_denied",
    ),
    "model_not_found": FakeFailure(
        status=404, message="The model does not exist or you cannot use it.", code="model_not_found"
    ),
    "content_policy": FakeFailure(
        status=400, message="The request was refused by the safety system.", code="content_policy_violation"
    ),
    "context_length": FakeFailure(
        status=400,
        message="This model's maximum context length is 1024 tokens. However, you requested 1536 tokens.",
        param="messages",
        code="context_length_exceeded",
    ),
    "rate_limit": FakeFailure(
        status=429,
        message="Rate limit reached for requests. Please try again later.",
        type="requests",
        code="rate_limit_exceeded",
        headers={"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "0"},
    ),
    "insufficient_quota": FakeFailure(
        status=429,
        message="You exceeded your current quota; check your plan and billing details.",
        type="insufficient_quota",
        code="insufficient_quota",
    ),
    "server_error": FakeFailure(
        status=500, message="The server had an error while processing the request.", type="server_error"
    ),
    "bad_gateway": FakeFailure(status=502, message="Bad Gateway", html=True),
    "unavailable": FakeFailure(
        status=503, message="The model is overloaded; try again later.", type="server_error"
    ),
    "gateway_timeout": FakeFailure(status=504, message="Gateway Time-out", html=True),
    "no_answer": FakeFailure(status=0, message="the connection is closed"),
}
"""The failures that clients know, by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FakeToolCall:
    """A tool that the model wants called; arguments given as text are sent as they are, JSON or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FakeReply:
    """An answer, and how a server gives it. A chunk is one `data:` frame; the counts leave `[DONE]` out."""

    text: str | Callable[[WireMessages], str] = ""
    tool_calls: Sequence[FakeToolCall] = ()
    reasoning: str = ""
    reasoning_field: Literal["reasoning_content", "reasoning"] = "reasoning_content"
    finish_reason: str | None = None
    """By default what the answer suggests: `stop`, `length` or `tool_calls`."""
    usage: Literal["asked", "always", "never"] = "asked"
    """A stream's usage chunk: when the request wants it, also else, or not even then."""
    usage_numbers: Mapping[str, Any] | None = None
    text_split: Sizes = 8
    argument_split: Sizes = 0
    interleave: bool = False
    """Fragments of parallel tool calls take turns."""
    repeat_tool_head: bool = False
    """Each fragment of a tool call repeats id, type and name, as llama-cpp-python does."""
    first_role: bool = True
    """Whether the first chunk names the role."""
    empty_choices: bool = False
    """Chunks without choices come before the first and before the last one."""
    comments: int = 0
    """Keep-alive comments before each chunk."""
    first_delay: float = 0.0
    chunk_delay: float = 0.0
    byte_split: int = 0
    """The body is cut into pieces of so many bytes, anywhere."""
    done: bool = True
    """Whether `[DONE]` ends the stream."""
    end_after: int | None = None
    """The stream ends well-formed after so many chunks; 0 is a 200 with an empty body."""
    drop_after: int | None = None
    """The connection is closed after so many chunks; one that is no stream, in the middle of its body."""
    error_after: int | None = None
    """After so many chunks the stream says `error` and ends."""
    error: FakeFailure = FAILURES["server_error"]


@dataclass(kw_only=True, slots=True)
class _Rule:
    answer: FakeReply | FakeFailure
    when: Matcher
    left: int | None


class Script:
    """Answers with their conditions; the first that is due and not used up is given. Threads may share it."""

    def __init__(self) -> None:
        self._rules: list[_Rule] = []
        self._lock = threading.RLock()  # a condition may script the next answer

    def add(self, answer: FakeReply | FakeFailure, *, when: Matcher = None, times: int | None = None) -> None:
        """Give this answer where `when` agrees, at most `times` times."""
        with self._lock:
            self._rules.append(_Rule(answer=answer, when=when, left=times))

    def take(self, messages: WireMessages) -> FakeReply | FakeFailure | None:
        """The answer that is due now, which counts as given."""
        with self._lock:
            for rule in self._rules:
                if rule.left != 0 and _agrees(rule.when, messages):
                    if rule.left is not None:
                        rule.left -= 1
                    return rule.answer
            return None

    def clear(self) -> None:
        """Forget all answers."""
        with self._lock:
            self._rules.clear()


def failure(
    kind: FailureKind, *, retry_after: float | None = None, message: str | None = None
) -> FakeFailure:
    """A failure by name, with the wait that it asks for."""
    found = FAILURES[kind]
    headers = dict(found.headers)
    if retry_after is not None:
        headers["retry-after-ms"] = str(round(retry_after * 1000))
        headers["retry-after"] = f"{retry_after:g}"
    return replace(found, headers=headers, message=found.message if message is None else message)


def _agrees(when: Matcher, messages: WireMessages) -> bool:
    if when is None:
        return True
    return when in last_user_text(messages) if isinstance(when, str) else when(messages)


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message on the wire, parts in order."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping))


def last_user_text(messages: WireMessages) -> str:
    """The text of the last user message."""
    return next((text_of(message) for message in reversed(messages) if message.get("role") == "user"), "")


def echo(messages: WireMessages) -> str:
    """Say back the last user message, and which came before it: what is remembered is what was sent along."""
    users = [message for message in messages if message.get("role") == "user"]
    if not users:
        return "You said nothing."
    *earlier, last = (text_of(message) for message in users)
    content = users[-1].get("content")
    images = sum(part.get("type") == "image_url" for part in content) if isinstance(content, list) else 0
    lines = [f"You said: {last}" + (f" (images: {images})" if images else "")]
    if earlier:
        lines.append(f"Before that you said: {'; '.join(earlier[-5:])}")
    return "\n".join(lines)
