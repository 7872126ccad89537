"""`local-agent`: a system prompt, the conversation so far, and a language model."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import to_json

from langbot_agents.sdk import (
    AgentAPIException,
    AgentRunContext,
    AgentRunner,
    AgentRunnerCapabilities,
    AgentRunnerManifest,
    AgentRunnerPermissions,
    AgentRunResult,
    Message,
    Usage,
    completed,
    delta,
    failed,
    message,
)
from langbot_agents.sdk.models import failure_code
from langbot_agents.sdk.think import ThinkFilter

DEFAULT_PROMPT = "You are a helpful assistant."
NO_MODEL = ("", "__none__", "__none")
"""How LangBot writes that no model is chosen."""


class ModelChoice(BaseModel):
    """A model, and what stands in for it while it has not begun to answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    primary: str = Field(description="Name of the model.")
    fallbacks: tuple[str, ...] = Field(default=(), description="Models that are tried next, in order.")

    @model_validator(mode="before")
    @classmethod
    def _bare_name(cls, value: Any) -> Any:
        return {"primary": value} if isinstance(value, str) else value


class PromptMessage(BaseModel):
    """One message of the prompt."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str = Field(default="system", pattern="^(system|user|assistant)$", description="Who speaks.")
    content: str = Field(description="The text.")


class LocalAgentConfig(BaseModel):
    """Settings of `local-agent`, spelled as LangBot spells them."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)

    model: str | ModelChoice = Field(
        description="A model's name, or {primary, fallbacks}.",
        json_schema_extra={"x-selector": "model-fallback-selector"},
    )
    prompt: str | tuple[PromptMessage, ...] = Field(
        default=(PromptMessage(content=DEFAULT_PROMPT),),
        description="What the model is told first: text, or a list of {role, content}.",
        json_schema_extra={"x-selector": "prompt-editor"},
    )
    timeout: float | None = Field(
        default=300, ge=0, description="Longest call of the model, seconds; 0 is no limit."
    )
    remove_think: bool = Field(
        default=False, alias="remove-think", description="Whether text between think tags is left out."
    )
    temperature: float | None = Field(default=None, ge=0, description="The model's temperature.")
    max_tokens: int | None = Field(
        default=None, ge=1, alias="max-tokens", description="Longest answer, in tokens."
    )
    # LangBot's further keys; what they steer comes with tools and knowledge, so only their idle values pass
    knowledge_bases: tuple[str, ...] = Field(
        default=(),
        max_length=0,
        alias="knowledge-bases",
        description="Knowledge bases; none in this version.",
    )
    retrieval_top_k: int = Field(
        default=5, ge=1, alias="retrieval-top-k", description="Passages that are retrieved."
    )
    rerank_model: str = Field(
        default="",
        max_length=0,
        alias="rerank-model",
        description="Model that ranks passages; none in this version.",
    )
    rerank_top_k: int = Field(default=5, ge=1, alias="rerank-top-k", description="Passages that stay.")
    max_tool_iterations: int = Field(
        default=100, ge=1, alias="max-tool-iterations", description="Rounds of tool calls."
    )
    tool_execution_mode: str = Field(
        default="parallel",
        pattern="^(parallel|serial)$",
        alias="tool-execution-mode",
        description="How tools are called.",
    )
    max_tool_result_chars: int = Field(
        default=20_000, ge=1, alias="max-tool-result-chars", description="Longest tool result."
    )
    context_history_fetch_limit: int = Field(
        default=50,
        ge=0,
        alias="context-history-fetch-limit",
        description="Messages of history that are looked at.",
    )
    context_window_tokens: int = Field(
        default=200_000, ge=1, alias="context-window-tokens", description="The model's context window."
    )
    context_reserve_tokens: int = Field(
        default=16_384, ge=0, alias="context-reserve-tokens", description="Room that is left for the answer."
    )
    context_keep_recent_tokens: int = Field(
        default=20_000,
        ge=0,
        alias="context-keep-recent-tokens",
        description="Recent history that is never summarised.",
    )
    context_summary_tokens: int = Field(
        default=8_000, ge=1, alias="context-summary-tokens", description="Longest summary."
    )

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the order in which they are tried."""
        if isinstance(self.model, str):
            return (self.model,)
        return (self.model.primary, *self.model.fallbacks)

    @property
    def options(self) -> dict[str, Any]:
        """What is given to the model with each call."""
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {key: value for key, value in given.items() if value is not None}


class LocalAgent(AgentRunner):
    """Answers with a language model; another model is tried only while nothing of an answer has come."""

    manifest = AgentRunnerManifest(
        id="plugin:langbot-agents/local-agent/default",
        label={"en_US": "Local agent", "zh_Hans": "内置智能体"},
        description={
            "en_US": "A system prompt, the conversation so far, and a language model.",
            "zh_Hans": "系统提示词、对话历史与一个语言模型。",
        },
        capabilities=AgentRunnerCapabilities(
            streaming=True, multimodal_input=True, event_context=True, interrupt=True
        ),
        permissions=AgentRunnerPermissions(models=("invoke", "stream")),
    )
    Config = LocalAgentConfig

    async def run(self, ctx: AgentRunContext[LocalAgentConfig]) -> AsyncGenerator[AgentRunResult, None]:
        """Ask the model, and pass its answer on as it comes."""
        names = [name for name in ctx.config.models if name not in NO_MODEL]
        if not names:
            yield failed("no model is set", code="runner.no_model")
            return
        asked = [*ctx.prompt, *_history(ctx), _question(ctx)]
        for index, name in enumerate(names):
            call = _Call(ctx, name, asked)
            last = index + 1 == len(names)
            try:
                async with aclosing(call.pieces()) as pieces:
                    async for piece in pieces:
                        yield delta(piece)
            except AgentAPIException as error:
                if call.begun or last:
                    yield _failure(error)
                    return
                ctx.log.warning("model_failed", model=name, reason=error.error.message)
                continue
            if call.empty and not last:
                ctx.log.warning("model_failed", model=name, reason="it said nothing")
                continue
            if call.text:
                yield message(call.text)
            yield completed(finish_reason=call.finish_reason, usage=call.usage)
            return


def _history(ctx: AgentRunContext[LocalAgentConfig]) -> Sequence[Message]:
    """The newest messages of the window, from a user's turn on."""
    limit = ctx.config.context_history_fetch_limit
    recent = ctx.messages[-limit:] if limit else ()
    if len(recent) == len(ctx.messages):
        return recent
    starts = [index for index, message in enumerate(recent) if message.role == "user"]
    return recent[starts[0] :] if starts else ()


def _question(ctx: AgentRunContext[LocalAgentConfig]) -> Message:
    """The input as a user's message; an event that says nothing is told to the model in words."""
    asked = ctx.input.as_message()
    if asked.content:
        return asked
    lines = [f"[{ctx.event.event_type}]"]
    if ctx.actor is not None and (who := ctx.actor.actor_name or ctx.actor.actor_id):
        lines.append(f"by: {who}")
    for name, value in (("data", ctx.input.data), ("about", ctx.subject and ctx.subject.data)):
        if value:
            lines.append(f"{name}: {to_json(value).decode()}")
    return Message(role="user", content="\n".join(lines))


class _Call:
    """One call of one model."""

    def __init__(self, ctx: AgentRunContext[LocalAgentConfig], name: str, asked: Sequence[Message]) -> None:
        self._ctx = ctx
        self._name = name
        self._asked = asked
        self._filter = ThinkFilter() if ctx.config.remove_think else None
        self._shown: list[str] = []
        self.begun = False
        """Whether anything of an answer has come, its reasoning included."""
        self.finish_reason = "stop"
        self.usage: Usage | None = None

    @property
    def text(self) -> str:
        """What is shown of the answer."""
        return "".join(self._shown)

    @property
    def empty(self) -> bool:
        """Whether it ended well and said nothing at all."""
        return not self.begun

    async def pieces(self) -> AsyncGenerator[str, None]:
        """The answer: as it comes where it is shown so, else whole."""
        if not self._ctx.runtime.streaming_supported:
            await self._whole()
            return
        stream = self._ctx.api.models.stream(self._name, self._asked, **self._options())
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                self.begun = self.begun or bool(chunk.content or chunk.reasoning)
                self.finish_reason = chunk.finish_reason or self.finish_reason
                self.usage = chunk.usage or self.usage
                if piece := self._take(chunk.to_text()):
                    yield piece
        if rest := self._rest():
            yield rest

    async def _whole(self) -> None:
        reply = await self._ctx.api.models.invoke(self._name, self._asked, **self._options())
        self.begun = bool(reply.message.content or reply.reasoning)
        self.finish_reason = reply.finish_reason or self.finish_reason
        self.usage = reply.usage
        self._take(reply.message.to_text())
        self._rest()

    def _take(self, text: str) -> str:
        piece = self._filter.feed(text)[0] if self._filter is not None else text
        self._shown.append(piece)
        return piece

    def _rest(self) -> str:
        """What the filter held back until the end."""
        rest = self._filter.flush()[0] if self._filter is not None else ""
        self._shown.append(rest)
        return rest

    def _options(self) -> dict[str, Any]:
        timeout = self._ctx.config.timeout
        return self._ctx.config.options | ({"timeout": timeout} if timeout else {})


def _failure(error: AgentAPIException) -> AgentRunResult:
    return failed(error.error.message, code=failure_code(error.error), retryable=error.retryable)
