"""`ctx.api.models` by script: what each call answers is said before, what was asked is kept."""

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langbot_agents.schemas.errors import AgentAPIError, APIErrorCode
from langbot_agents.schemas.messages import Message, ToolCall
from langbot_agents.schemas.models import ModelChunk, ModelReply
from langbot_agents.schemas.results import Usage

from ..errors import AgentAPIException
from .calls import CallBook

_WORDS = re.compile(r"\s*\S+|\s+$")


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """What a runner asked a model."""

    model: str
    messages: tuple[Message, ...]
    options: Mapping[str, Any]
    streamed: bool

    @property
    def text(self) -> str:
        """The text of the last message."""
        return self.messages[-1].to_text() if self.messages else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scripted:
    chunks: tuple[ModelChunk, ...]
    error: AgentAPIError | None
    model: str | None


class ScriptedModels:
    """Answers each call with the next of the script, whole or in pieces as it is asked."""

    def __init__(self, book: CallBook) -> None:
        self._book = book
        self._script: list[_Scripted] = []
        self.requests: list[ModelRequest] = []

    def reply(
        self,
        content: str | Sequence[str | ModelChunk] = "",
        *,
        reasoning: str | None = None,
        tool_calls: Sequence[ToolCall] = (),
        finish_reason: str | None = None,
        usage: Usage | Mapping[str, Any] | None = None,
        model: str | None = None,
    ) -> None:
        """Script one answer: a text (streamed word by word) or its pieces; `model` keeps it for that one."""
        pieces = _WORDS.findall(content) if isinstance(content, str) else content
        chunks = [_chunk(piece) for piece in pieces]
        if reasoning:
            chunks.insert(0, ModelChunk(reasoning=reasoning))
        if not any(chunk.finish_reason for chunk in chunks):
            chunks.append(
                ModelChunk(
                    tool_calls=tuple(tool_calls),
                    is_final=True,
                    finish_reason=finish_reason or ("tool_calls" if tool_calls else "stop"),
                    usage=None if usage is None else Usage.model_validate(usage),
                )
            )
        self._script.append(_Scripted(chunks=tuple(chunks), error=None, model=model))

    def fail(
        self,
        *,
        code: APIErrorCode = "runtime_error",
        message: str = "the model failed",
        retryable: bool = False,
        after_chunks: int = 0,
        chunks: Sequence[str | ModelChunk] = (),
        model: str | None = None,
    ) -> None:
        """Script one failure; a stream gives `after_chunks` pieces before it: of `chunks`, else numbered."""
        given = [_chunk(piece) for piece in chunks[:after_chunks]]
        given += [ModelChunk(content=f"piece {place + 1} ") for place in range(len(given), after_chunks)]
        error = AgentAPIError(code=code, message=message, retryable=retryable)
        self._script.append(_Scripted(chunks=tuple(given), error=error, model=model))

    async def invoke(self, model: str, messages: Sequence[Message], **options: Any) -> ModelReply:
        """The next scripted answer, whole."""
        scripted = self._next(model, messages, options, streamed=False)
        if scripted.error is not None:
            raise AgentAPIException(scripted.error)
        chunks = scripted.chunks
        return ModelReply(
            message=Message(
                content="".join(chunk.to_text() for chunk in chunks),
                tool_calls=tuple(call for chunk in chunks for call in chunk.tool_calls),
            ),
            reasoning="".join(chunk.reasoning or "" for chunk in chunks) or None,
            finish_reason=next((chunk.finish_reason for chunk in chunks if chunk.finish_reason), None),
            usage=next((chunk.usage for chunk in chunks if chunk.usage is not None), None),
            model=model,
        )

    async def stream(
        self, model: str, messages: Sequence[Message], **options: Any
    ) -> AsyncGenerator[ModelChunk, None]:
        """The next scripted answer, in pieces."""
        scripted = self._next(model, messages, options, streamed=True)
        for chunk in scripted.chunks:
            yield chunk
        if scripted.error is not None:
            raise AgentAPIException(scripted.error)

    def _next(
        self, model: str, messages: Sequence[Message], options: Mapping[str, Any], *, streamed: bool
    ) -> _Scripted:
        request = ModelRequest(
            model=model, messages=tuple(messages), options=dict(options), streamed=streamed
        )
        self.requests.append(request)
        verb = "stream" if streamed else "invoke"
        self._book.enter("models", verb, model=model, messages=request.messages, options=request.options)
        for place, scripted in enumerate(self._script):
            if scripted.model in (None, model):
                return self._script.pop(place)
        raise AssertionError(
            f"call {len(self.requests)} of the models, to {model!r}, has no answer; "
            "script one with api.models.reply(...)"
        )


def _chunk(piece: str | ModelChunk) -> ModelChunk:
    return ModelChunk(content=piece) if isinstance(piece, str) else piece
